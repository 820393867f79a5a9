# What a flame graph of folded stacks must look like, from the rule and in the plainest way, as svg_frames.pl prints it:
# lines are sorted bytewise, neighbours that begin with the same frames share them, 10 px are left at the sides.
#   flame_oracle.pl [--width N] [--minwidth PX] [--inverted] [--order] [--diff] FILE
# --order: lines stay as they are (a flame chart); --diff: two counts a line.
use strict;
my ($width, $min_px, $inverted, $in_order, $diff) = (1200, 0.1);
while (@ARGV > 1) {
	my $option = shift;
	if ($option eq "--width") { $width = shift }
	elsif ($option eq "--minwidth") { $min_px = shift }
	elsif ($option eq "--inverted") { $inverted = 1 }
	elsif ($option eq "--order") { $in_order = 1 }
	elsif ($option eq "--diff") { $diff = 1 }
	else { die "$option?\n" }
}
open my $in, "<:raw", $ARGV[0] or die "$ARGV[0]: $!\n";
my @text = <$in>;
@text = sort @text unless $in_order;
my ($sum, $largest, @lines) = (0, 1);
for (@text) {
	my $counts = $diff ? qr/(\S+) (\S+)/ : qr/()(\S+)/;
	/^(.*) $counts\n/ or die "not folded: $_";
	my ($before, $after) = ($2, $3);
	push @lines, { frames => [split /;/, $1], count => $after, delta => $diff ? $after - $before : 0 };
	$sum += $after;
	$largest = abs $lines[-1]{delta} if abs $lines[-1]{delta} > $largest;
}
my $px = ($width - 20) / $sum;
my ($deepest, @boxes) = (0);
# The frames at `depth` of neighbouring lines that are equal below it.
sub place {
	my ($depth, $start, @group) = @_;
	my ($value, $own, $name) = (0, 0, $depth ? $group[0]{frames}[$depth - 1] : "");
	$value += $_->{count} for @group;
	return if $value < $min_px / $px;
	$own += $_->{delta} for grep { @{$_->{frames}} == $depth } @group;
	push @boxes, { name => $name, depth => $depth, start => $start, value => $value, delta => $own };
	$deepest = $depth if $depth > $deepest;
	while (@group) {
		my @part = shift @group;
		if (@{$part[0]{frames}} > $depth) {
			my $child = $part[0]{frames}[$depth];
			push @part, shift @group
				while @group && @{$group[0]{frames}} > $depth && $group[0]{frames}[$depth] eq $child;
			place($depth + 1, $start, @part);
		}
		$start += $_->{count} for @part;
	}
}
place(0, 0, @lines);
sub grouped {
	my ($n) = @_;
	1 while $n =~ s/^(\d+)(\d{3})/$1,$2/;
	return $n;
}
sub colour {
	my ($box) = @_;
	return "rgb(160,160,160)" if $box->{name} eq "--";
	return "rgb(200,200,200)" if $box->{name} eq "-";
	if ($diff) {
		my $rest = int(210 * ($largest - abs $box->{delta}) / $largest);
		return "rgb(255,255,255)" if $box->{delta} == 0;
		return $box->{delta} > 0 ? "rgb(255,$rest,$rest)" : "rgb($rest,$rest,255)";
	}
	my $sum = 0;
	utf8::decode(my $name = $box->{name});
	$sum += ord for split //, $name;
	srand $sum;
	my $v = rand;
	return sprintf "rgb(%d,%d,%d)", 205 + int(50 * $v), int(230 * $v), int(55 * $v);
}
sub label {
	my ($name, $room) = @_;
	my $fits = int($room / (12 * 0.59));
	return "" if $fits < 3;
	utf8::decode($name);
	$name = substr($name, 0, $fits - 2) . ".." if length $name > $fits;
	utf8::encode($name);
	return $name;
}
my @out;
for my $box (@boxes) {
	my ($x1, $x2) = map { sprintf "%.1f", 10 + $_ * $px } $box->{start}, $box->{start} + $box->{value};
	my $y = $inverted ? 36 + 16 * $box->{depth} : 36 + 16 * ($deepest - $box->{depth}) + 1;
	my $shown = $box->{depth} ? $box->{name} =~ s/_\[[kwij]\]$//r : "all";
	my $count = sprintf "%.0f", $box->{value};
	my $percent = $box->{depth} ? sprintf("%.2f%%", 100 * $count / $sum) : "100%";
	$percent .= sprintf "; %s%.2f%%", $box->{delta} > 0 ? "+" : "", 100 * $box->{delta} / $sum if $diff && $box->{depth};
	my $label = $box->{depth} ? label($shown, $box->{value} * $px) : "";
	$label = sprintf "%s %.2f %s", $label, 13 + $box->{start} * $px, $y + 10.5 if $label ne "";
	push @out, join "\t", "$shown (" . grouped($count) . " samples, $percent)", $x1, $y, sprintf("%.1f", $x2 - $x1), "15.0",
		colour($box), 2, 2, $label;
}
print map { "$_\n" } sort @out;
