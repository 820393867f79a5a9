# plume's commands in one process (test/replay), for scripts that damage a file in many ways.
use strict;
use IPC::Open2;

my ($pid, $to, $from);

# replay(PROGRAM, WORD...): as `plume WORD... >out 2>err`; the exit code, or minus the signal that it died of.
sub replay {
	my ($program, @words) = @_;
	$pid //= open2($from, $to, $program);
	print $to join("\t", @words), "\n";
	$to->flush;
	my $code = <$from>;
	return int $code if defined $code;
	waitpid $pid, 0;
	undef $pid;
	return $? & 127 ? -($? & 127) : $? >> 8;
}

# True when the process ends as it should: nothing leaked.
sub replay_ends {
	close $to;
	waitpid $pid, 0;
	undef $pid;
	return $? == 0;
}
1;
