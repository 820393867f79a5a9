# Sums of what `go tool pprof -traces` prints, by labels and stack.
use strict;
use warnings;
my %factor = ('' => 1, B => 1, kB => 1 << 10, MB => 1 << 20, ns => 1, us => 1e3, ms => 1e6, s => 1e9);
my (%sum, $value, @lines);
sub end_trace {
	$sum{ join "\n", @lines } += $value if defined $value;
	($value, @lines) = ();
}
while (<STDIN>) {
	if (/^-+\+/) { end_trace(); next }
	next if $. < 3 && !/^ /;
	if (!defined $value && /^ *(-?[0-9.]+)([a-zA-Z]*)   (.*)$/) {
		$value = $1 * $factor{$2};
		push @lines, $3;
	} else {
		chomp;
		push @lines, $_;
	}
}
end_trace();
printf "%s\n= %.0f\n\n", $_, $sum{$_} for sort keys %sum;
