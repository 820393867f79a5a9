# Damages a perf.data in many ways, one at a time, and checks what plume says to each: exit 0, 1 or 3, no signal, no more
# than ten seconds, no sanitizer, and a sentence whenever it is not 0.
#   perl perf_data_damage.pl all|records REPLAY FILE [OPTION OF PLUME...]
# records: those alone, not the head of the file, events and features.
# Prints how many were tried; a line for each that went wrong.
use strict;
use warnings;
no warnings 'portable';
use FindBin;
require "$FindBin::Bin/replay.pl";

my ($part, $replay, $file, @options) = @ARGV;
open my $in, "<:raw", $file or die "$file: $!\n";
my $whole = do { local $/; <$in> };
my ($tried, $wrong) = (0, 0);
my %seen;

sub try {
	my ($what, $bytes) = @_;
	return if $seen{$bytes}++;
	open my $out, ">:raw", "damaged.data" or die;
	print $out $bytes;
	close $out;
	my $code = replay($replay, "fold", @options, "damaged.data");
	open my $err, "<:raw", "err" or die;
	my $said = do { local $/; <$err> } // "";
	$tried++;
	return if $code =~ /^[013]$/ && $said !~ /Sanitizer|runtime error/ && ($code == 0 || $said =~ /^plume: .../m);
	$wrong++;
	print "$what: ", $code < 0 ? "signal " . -$code : "exit $code", ": ", substr($said, 0, 300), "\n";
	rename "damaged.data", "damaged.$wrong.data";
}

sub with {
	my ($at, $bytes) = @_;
	my $copy = $whole;
	substr($copy, $at, length $bytes) = $bytes if $at + length $bytes <= length $copy;
	return $copy;
}

sub u64 { return unpack "Q<", substr($whole, $_[0], 8) }

# Numbers that lie: none, one, odd, just past the end, huge, negative.
my $n = length $whole;
my @lies = (0, 7, $n - 8, 1 << 40, 0xffffffffffffffff);
my $is_pipe = u64(8) == 16;
sub lie_everywhere {
	my ($what, $from, $to) = @_;
	for (my $at = $from; $at < $to; $at += 8) {
		try("$what at byte $at is $_", with($at, pack "Q<", $_)) for @lies;
	}
}
my ($data, $data_end) = $is_pipe ? (16, $n) : (u64(40), u64(40) + u64(48));
lie_everywhere("header", 8, $is_pipe ? 16 : 104) if $part eq "all";
if (!$is_pipe && $part eq "all") {
	my ($attrs, $attr_size) = (u64(24), u64(16));
	lie_everywhere("attr", $attrs, $attrs + $attr_size);
	my $features = () = unpack("b256", substr($whole, 72, 32)) =~ /1/g;
	lie_everywhere("feature table", $data_end, $data_end + 16 * $features);
	for (my $at = $data_end + 16 * $features; $at < $n; $at += 203) {
		try("features at byte $at", with($at, "\xff" x 8));
	}
}

# Records: sizes that lie, kinds that are others, and bodies of rubbish.
my (@records, $at);
for ($at = $data; $at + 8 <= $data_end;) {
	my $size = unpack "v", substr($whole, $at + 6, 2);
	push @records, $at;
	last if $size < 8;
	$at += $size;
}
my %kinds;
for my $record (@records) {
	my $kind = unpack "V", substr($whole, $record, 4);
	next if $kinds{$kind}++; # one of each kind
	my $size = unpack "v", substr($whole, $record + 6, 2);
	try("record at $record has size $_", with($record + 6, pack "v", $_)) for 0, 7, 8, $size - 8, $size + 8, 65535;
	try("record at $record is of kind $_", with($record, pack "V", $_)) for 3, 9, 10, 17, 22, 67, 71, 80, 81, 83;
	for (my $i = $record + 8; $i + 8 <= $record + $size && $i < $record + 120; $i += 8) {
		try("record at $record, byte $i, is $_", with($i, pack "Q<", $_)) for 65535, 0xffffffffffffffff;
	}
}

# The same record without an end, rubbish behind the magic, and nothing but the head.
my $one = substr($whole, $records[-1], unpack("v", substr($whole, $records[-1] + 6, 2)));
try("its last record a thousand times", substr($whole, 0, $data) . $one x 1000);
srand 7;
for my $length (0, 1, 8, 95, 96, 97, 1000, 100000) {
	try("$length random bytes behind the magic", substr($whole, 0, 8) . join "", map { chr int rand 256 } 1 .. $length);
	try("$length random bytes behind the head", substr($whole, 0, $data) . join "", map { chr int rand 256 } 1 .. $length);
	try("$length zeros behind the magic", substr($whole, 0, 8) . "\0" x $length);
}
print "$tried tried, $wrong wrong\n";
if (!replay_ends()) {
	print "memory leaked\n";
	$wrong++;
}
exit($wrong > 0);
