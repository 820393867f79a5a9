#!/usr/bin/perl
# Shares of a recording against the truth that the recorded program measured by its own CPU clock.
#	record_truth.pl [--limit Z] [--ticks N] [--tally FILE] TRUTH FOLDED [PART=RE...]
# TRUTH has lines `PART NUMBER`; a sample is of the first part whose RE its folded stack matches (by default: a frame
# of that name), in the order of the arguments, then of TRUTH; others are not of a part. A share of n samples has the
# standard error of a binomial one; with --ticks, the truth itself is a sample of so many. Fails when a part is further
# away than Z errors; adds `1` or `0` to the tally for each part within or out of the 95 % interval.
use strict;
use warnings;

my %option = ('--limit' => 1.96, '--ticks' => 0, '--tally' => '/dev/null');
while (@ARGV && exists $option{ $ARGV[0] }) {
	my $name = shift;
	$option{$name} = shift;
}
my ($truth_file, $folded_file, @given) = @ARGV;
my (%truth, @parts, %pattern);
open my $truth, '<', $truth_file or die "$truth_file: $!\n";
while (<$truth>) {
	my ($name, $used) = /^(\S+) (\d+)$/ or die "$truth_file: $_";
	$truth{$name} = $used;
	push @parts, $name;
	$pattern{$name} = qr/;\Q$name\E(?:_\[i\])?(?:;|$)/;
}
my @order = map { my ($name, $re) = /^(\w+)=(.*)/s or die "no PART=RE: $_\n"; $pattern{$name} = qr/$re/; $name } @given;
push @order, grep { my $name = $_; !grep { $_ eq $name } @order } @parts;

my (%seen, $all, $outside) = ();
open my $folded, '<', $folded_file or die "$folded_file: $!\n";
while (<$folded>) {
	my ($stack, $count) = /^(.*) (\d+)$/ or die "$folded_file: $_";
	my ($part) = grep { $stack =~ $pattern{$_} } @order;
	$all += $count;
	defined $part ? $seen{$part} += $count : ($outside += $count);
}
my ($used, $n) = (0, 0);
$used += $_ for values %truth;
$n += $_ for values %seen;
die "no samples of any part, of ", $all // 0, "\n" unless $n && $used;

my $bad = 0;
open my $tally, '>>', $option{'--tally'} or die "$option{'--tally'}: $!\n";
for my $name (@parts) {
	my ($p, $found) = ($truth{$name} / $used, ($seen{$name} // 0) / $n);
	my $variance = $p * (1 - $p) * (1 / $n + ($option{'--ticks'} ? 1 / $option{'--ticks'} : 0));
	my $z = $variance ? ($found - $p) / sqrt $variance : $found == $p ? 0 : 99;
	printf "%-12s truth %6.2f %%  measured %6.2f %%  %+5.2f errors%s\n", $name, 100 * $p, 100 * $found, $z,
		abs $z > 1.96 ? '  out of the 95 % interval' : '';
	print $tally abs $z <= 1.96 ? "1\n" : "0\n";
	$bad++ if abs $z > $option{'--limit'};
}
printf "%d samples, %.2f %% of them of no part\n", $all, 100 * ($outside // 0) / $all;
exit($bad > 0);
