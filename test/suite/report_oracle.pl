#!/usr/bin/perl
# report_oracle.pl FOLDED REPORT.json: self and total of each function, counted from what plume fold printed, against
# the report; and the accounts of its paths. Prints what differs. Roots that are processes (--process) are no functions.
use strict;
use warnings;
use FindBin;
require "$FindBin::Bin/json.pl";

my $has_processes = $ARGV[0] eq '--process' ? shift @ARGV : 0;
my ($folded, $report) = @ARGV;
my (%self, %total, $sum);
open my $in, '<', $folded or die "$folded: $!\n";
while (<$in>) {
	my ($stack, $count) = /^(.*) ([0-9.]+)$/ or die "$folded: $_";
	my @frames = split /;/, $stack, -1;
	$sum += $count;
	if ($has_processes) {
		shift @frames;
		next if !@frames;
	}
	$self{ $frames[-1] } += $count;
	my %seen = map { $_ => 1 } @frames;
	$total{$_} += $count for keys %seen;
}
my $json = do { local $/; open my $f, '<', $report or die "$report: $!\n"; json_parse(<$f>) };
my (%got_self, %got_total);
for my $f (@{ $json->{functions} }) {    # one name may be several functions, in the kernel and outside
	$got_self{ $f->{name} } += $f->{self};
	$got_total{ $f->{name} } += $f->{total};
}
sub differ { print "@_\n" if abs($_[1] - $_[2]) > 1e-6 }
differ('total', $json->{total}, $sum);
for my $name (sort keys %{ { %total, %got_total } }) {
	differ("self of $name", $got_self{$name} // 0, $self{$name} // 0);
	differ("total of $name", $got_total{$name} // 0, $total{$name} // 0);
}
my $order = 'inf';
for my $f (@{ $json->{functions} }) {
	print "not in order: $f->{name}\n" if $f->{self} > $order;
	$order = $f->{self};
}
my $p = $json->{paths};
differ('account', $p->{ends} + $p->{further} + $p->{rests} + $p->{left_out}, $sum);
my ($ends, $further, $rests) = (0, 0, 0);
for my $l (@{ $p->{lines} }) {
	$ends += $l->{self};
	if   ($l->{rest}) { $rests   += $l->{total} }
	else              { $further += $l->{further} // 0 }
}
differ('further', $p->{further}, $further);
differ('rests',   $p->{rests},   $rests);
print "ends of lines: $ends of $p->{ends}\n" if $ends > $p->{ends} + 1e-6;
print "too little is held\n" if 2 * ($p->{ends} + $p->{further} + $p->{rests}) < $sum;
