# Runs `plume fold` on a file cut at every byte (at some 200 places when it is long: all of its beginning and end)
# and checks what it says.
#   perl cuts.pl REPLAY ENDING FILE
# Exit 0 is right where the cut file is complete by the format's own rules.
use strict;
use FindBin;
require "$FindBin::Bin/replay.pl";

my ($replay, $ending, $file) = @ARGV;
my $whole = slurp($file);
my $cut = "cut.$ending";

sub slurp {
	my ($path) = @_;
	local $/;
	open my $in, "<:raw", $path or die "$path: $!\n";
	return <$in> // "";
}

sub spew {
	my ($path, $bytes) = @_;
	open my $out, ">:raw", $path or die "$path: $!\n";
	print $out $bytes;
	close $out;
}

sub blank { return $_[0] =~ s/\s+//gr }

# Only white space may be missing, but for lines of text: there the last line may end anywhere that makes a line.
my %complete = (
	folded => sub { $_[0] =~ /[0-9.]\s*\z/ }, # a count that lost digits is a count
	csv => sub { $_[0] =~ /"\s*\z/ },         # plume puts every stack in quotes, so the end is seen
	perf => sub { 1 },                        # nothing says where it ends
	# Trace events in an array: its end may be missing, as of a program that died.
	json => sub { $_[0] =~ /^\[.*\},?\s*\z/s && $_[0] =~ tr/{// == $_[0] =~ tr/}// },
);
sub is_complete {
	my ($bytes) = @_;
	return 1 if blank($bytes) eq blank($whole);
	my $rule = $complete{$ending};
	return $rule && $rule->($bytes);
}

sub wrong { # what is wrong with the answer for these bytes; "" is right
	my ($bytes) = @_;
	spew($cut, $bytes);
	my $code = replay($replay, "fold", $cut);
	my ($out, $err) = (slurp("out"), slurp("err"));
	return "a sanitizer's report:\n" . substr($err, 0, 800) if $err =~ /Sanitizer|runtime error/;
	return $code < 0 ? "signal " . -$code : "exit $code" unless grep { $code == $_ } 0, 1, 3;
	return "exit $code without a sentence" if $code && $err !~ /^plume: .* .* /m;
	return "exit 1 with output" if $code == 1 && length $out;
	return "exit 3 without output" if $code == 3 && !length $out;
	return "exit 0, but it is not complete" if $code == 0 && !is_complete($bytes);
	return "";
}

spew($cut, $whole);
my $code = replay($replay, "fold", $cut);
die "the whole file: exit $code: ", slurp("err") if $code;
my $size = length $whole;
my $step = int($size / 100) + 1;
my ($cuts, $bad) = (0, 0);
for my $n (0 .. $size - 1) {
	next if $n > 60 && $n < $size - 60 && $n % $step;
	$cuts++;
	my $wrong = wrong(substr $whole, 0, $n) or next;
	print "cut at byte $n of $size: $wrong\n";
	last if ++$bad == 5;
}
print "$cuts cuts\n";
if (!replay_ends()) {
	print "memory leaked\n";
	$bad++;
}
exit($bad > 0);
