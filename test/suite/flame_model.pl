# The model in a picture of `plume flame` against the folded stacks it was drawn from: flame_model.pl FILE.svg FILE.folded
# Dies with what does not hold. Whole counts only, one column.
use strict;
require(($0 =~ m{(.*/)})[0] . "json.pl");
my ($svg_file, $folded_file) = @ARGV;
my ($sum, %nodes) = (0, "" => 0);
open my $folded, "<:raw", $folded_file or die "$folded_file: $!\n";
while (<$folded>) {
	/^(.*) (\d+)$/ or die "not folded: $_";
	my ($stack, $count, $path) = ($1, $2, "");
	$sum += $count;
	$nodes{$path .= ";$_"} += $count for split /;/, $stack;
}
open my $in, "<:raw", $svg_file or die "$svg_file: $!\n";
my $svg = do { local $/; <$in> };
my ($json) = $svg =~ m{<metadata id="model">(.*?)</metadata>}s or die "no model\n";
$json =~ /([<>&])/ and die "the model holds $1\n";
my $m = json_parse($json);
my ($frames) = $svg =~ m{<g id="frames">(.*?)\n</g>}s or die "no frames\n";
my $groups = () = $frames =~ /<(?:g|a)\b/g;
my @rects;
push @rects, [$1, $2] while $frames =~ /<rect x="([0-9.]+)" y="[^"]*" width="([0-9.]+)"/g;

sub check { my ($holds, $what) = @_; die "$what\n" unless $holds }
my %list = map { $_ => [split / /, $m->{$_}] } qw(name depth start value self);
for (sort keys %list) {
	check(@{$list{$_}} == $groups, "$_ has " . @{$list{$_}} . " numbers, the picture $groups frames");
	check($m->{$_} =~ /^\d+(?: \d+)*$/, "$_ is not a list of decimals with one blank between them");
}
check($m->{version} == 1 && $m->{kind} eq "flame", "version and kind");
check(@{$m->{names}} == @{$m->{notes}}, "as many notes as names");
my %used;
$used{$_}++ for @{$list{name}};
check(keys %used == @{$m->{names}}, "every name is some frame's");
check($_ < @{$m->{names}}, "name $_ is not there") for keys %used;
check($list{value}[0] == $sum, "the root has $list{value}[0], the sum of all counts is $sum");
check($m->{total} eq $list{value}[0], "total is the root's value");
check($groups + $m->{narrow}{frames} == keys %nodes,
	"$groups frames and $m->{narrow}{frames} narrow ones, the tree has " . keys %nodes);
my $px = ($svg =~ /<svg [^>]*width="(\d+)"/)[0] - 2 * $m->{pad};
my (@open, @children, %drawn);
for my $i (0 .. $groups - 1) {
	my ($depth, $start, $value, $self) = map { $list{$_}[$i] } qw(depth start value self);
	check($i == 0 ? $depth == 0 : $depth > 0 && $depth <= $list{depth}[$i - 1] + 1, "frame $i: preorder");
	$#open = $depth - 1;
	push @open, $i;
	check($self <= $value, "frame $i: its own part is larger than it");
	check($i == 0 || $value >= $m->{narrow}{min}, "frame $i: $value is narrower than $m->{narrow}{min}");
	$children[$i] = 0;
	if ($depth) {
		my $parent = $open[$depth - 1];
		$children[$parent] += $value;
		check($start >= $list{start}[$parent] + $list{self}[$parent], "frame $i: begins before its parent's own part ends");
		check($start + $value <= $list{start}[$parent] + $list{value}[$parent], "frame $i: ends behind its parent");
	}
	my ($x1, $x2) = map { sprintf "%.1f", $m->{pad} + $_ * $px / $sum } $start, $start + $value;
	check($rects[$i][0] == $x1, "frame $i: x is $rects[$i][0], not $x1");
	check(abs($rects[$i][1] - ($x2 - $x1)) < 0.01, "frame $i: width is $rects[$i][1]");
	my $path = join "", map { ";" . $m->{names}[$list{name}[$_]] } @open[1 .. $#open];
	push @{$drawn{$path}}, $value;
}
check($list{self}[$_] + $children[$_] <= $list{value}[$_], "frame $_: own part and children are larger than it") for 0 .. $groups - 1;
# The names in the model have no marks; so some paths become one.
my %wanted;
for (keys %nodes) {
	next if $_ ne "" && $nodes{$_} < $m->{narrow}{min};
	push @{$wanted{join ";", map { s/_\[[kwij]\]$//r } split /;/}}, $_ eq "" ? $sum : $nodes{$_};
}
for (keys %wanted, keys %drawn) {
	my ($want, $got) = map { join " ", sort { $a <=> $b } @{$_ // []} } $wanted{$_}, $drawn{$_};
	check($want eq $got, "$_: drawn $got, counted $want");
}
