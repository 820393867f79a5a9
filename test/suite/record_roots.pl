#!/usr/bin/perl
# How many stacks reach the start of their thread, and how many frames have no name: by their outermost frames, and by
# what plume counted. Files of the system that are stripped, as REPORT.stripped lists them, cannot have names: frames in
# them do not count, and a stack that begins in one reaches as far as can be told.
#	record_roots.pl FOLDED REPORT.json ROOTED-PERCENT [UNNAMED-PERCENT]
use strict;
use warnings;
use FindBin;
require "$FindBin::Bin/json.pl";

my ($folded_file, $json_file, $floor, $ceiling) = (@ARGV, 1);
my $start = qr/^(?:_start|__libc_start_\w+|_?_?clone3?|start_thread|ret_from_fork\w*|_dl_start\w*|_start_c|runtime\.(?:goexit|mcall|mstart|rt0_go|sigtramp)(?:\.abi0)?)(?:_\[[ki]\])?$/;
my ($all, $rooted, %elsewhere) = (0, 0);
my ($stripped_file, %stripped) = $json_file =~ s/\.json$/.stripped/r;
if (open my $list, '<', $stripped_file) {
	/^(.*) (\d+)$/ and $stripped{"[$1]"} += $2 while <$list>;
}
open my $folded, '<', $folded_file or die "$folded_file: $!\n";
while (<$folded>) {
	my ($stack, $count) = /^(.*) (\d+)$/ or die "$folded_file: $_";
	my (undef, $outermost) = split /;/, $stack;
	$all += $count;
	my $bare = ($outermost // '') =~ s/_\[[ki]\]$//r;
	$bare =~ $start || exists $stripped{$bare} ? $rooted += $count : ($elsewhere{ $outermost // 'no stack' } += $count);
}
open my $json, '<', $json_file or die "$json_file: $!\n";
my $report = json_parse(do { local $/; <$json> });
my ($samples, $doubt) = ($report->{samples}, $report->{doubtful});
my $unrooted = ($doubt->{unrooted} // 0) + ($doubt->{truncated} // 0);
my $excused = 0;
$excused += $_ for values %stripped;
my $unnamed = $doubt->{frames} ? 100 * ($doubt->{unnamed_frames} - $excused) / $doubt->{frames} : 100;
die "no samples\n" unless $all;
printf "rooted: %.2f %% by their outermost frames, %.2f %% as plume counts; %.2f %% of %d frames have no name\n",
	100 * $rooted / $all, 100 * (1 - $unrooted / $samples), $unnamed, $doubt->{frames};
printf "  %d begin at %s\n", $elsewhere{$_}, $_ for grep defined, (sort { $elsewhere{$b} <=> $elsewhere{$a} } keys %elsewhere)[0 .. 2];
printf "%d samples in the file, %d in its stacks\n", $samples, $all if $samples != $all;
exit !($samples == $all && 100 * $rooted / $all >= $floor && 100 * (1 - $unrooted / $samples) >= $floor && $unnamed < $ceiling);
