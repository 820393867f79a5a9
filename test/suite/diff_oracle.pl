# What `plume diff` says of two files of folded stacks, function by function, against a plain count of our own:
#   diff_oracle.pl BEFORE AFTER JSON TABLE
# JSON and TABLE (--limit 0) are of the same comparison. Dies with what does not hold. The noise test is that of
# plume-diff(1). Which factor `rest` finds is taken from JSON.
use strict;
require(($0 =~ m{(.*/)})[0] . "json.pl");
my ($before_file, $after_file, $json_file, $table_file) = @ARGV;
sub slurp {
	local $/;
	open my $in, "<:raw", $_[0] or die "$_[0]: $!\n";
	return scalar <$in>;
}
sub fail { die "$json_file: @_\n" }
my $json = json_parse(slurp($json_file));
my (@total, %self, %all);
for my $side (0, 1) {
	for (split /\n/, slurp(($before_file, $after_file)[$side])) {
		my ($stack, $count) = /^(.*) (\d+)$/ or die "not folded: $_\n";
		my @frames = split /;/, $stack;
		my %once;
		$total[$side] += $count;
		$self{$frames[-1]}[$side] += $count;
		$all{$_}[$side] += $count for grep { !$once{$_}++ } @frames;
	}
}
my $by = $json->{scaled_by};
my $scale = $by eq "none" ? 1 : $by eq "total" ? $total[1] / $total[0] : $json->{scale};
fail("scale $json->{scale}, not $scale") if abs($json->{scale} - $scale) > 1e-9;
fail("totals") if $json->{before}{total} != $total[0] || $json->{after}{total} != $total[1];
fail("samples") if $json->{before}{samples} != $total[0] || $json->{after}{samples} != $total[1];
sub noise {
	my ($b, $a) = @_;
	my ($B, $A) = @total;
	if ($by eq "total") {
		my $q = ($a + $b) / ($A + $B);
		return abs($a / $A - $b / $B) <= 1.959964 * sqrt($q * (1 - $q) * (1 / $A + 1 / $B)) + (1 / $A + 1 / $B) / 2;
	}
	my ($n, $p) = ($a + $b, $scale / (1 + $scale));
	return abs($a - $n * $p) <= 1.959964 * sqrt($n * $p * (1 - $p)) + 0.5;
}
sub change {
	my ($b, $a) = @_;
	my $change = $a - $scale * $b;
	return $by eq "none" ? $change : 100 * $change / $total[1];
}
my (@want, @got);
for my $name (keys %all) {
	next unless ($all{$name}[0] // 0) + ($all{$name}[1] // 0);
	my @row = $name =~ s/_\[[kwij]\]$//r;
	for my $of (\%self, \%all) {
		my ($b, $a) = map { $_ // 0 } @{$of->{$name} // []}[0, 1];
		push @row, $b, $a, sprintf("%.4f", change($b, $a) + 0), noise($b, $a) ? 1 : 0;
	}
	push @want, join "|", map { s/^-0\.0000$/0.0000/r } @row;
}
my @rows = @{$json->{functions}};
for my $f (@rows) {
	push @got, join "|", $f->{name}, map { my $of = $_;
		($f->{before}{$of}, $f->{after}{$of}, sprintf("%.4f", $f->{change}{$of}) =~ s/^-0\.0000$/0.0000/r, $f->{noise}{$of} ? 1 : 0) } qw(self total);
	for my $side (0, 1) {
		for my $of ("self", "total") {
			my $s = $f->{(qw(before after))[$side]};
			fail("$f->{name}: percent") if abs($s->{"${of}_percent"} - 100 * $s->{$of} / $total[$side]) > 0.001;
		}
	}
}
# JSON rounds to six digits: what was rounded twice may be off by one in the last.
@want = sort @want;
@got = sort @got;
fail(scalar(@got), " functions, not ", scalar @want) if @got != @want;
for my $i (0 .. $#want) {
	my @w = split /\|/, $want[$i], -1;
	my @g = split /\|/, $got[$i], -1;
	for (0 .. $#w) {
		my $is_change = $_ == 3 || $_ == 7;
		fail("'$got[$i]', not '$want[$i]'") if $is_change ? abs($w[$_] - $g[$_]) > 0.0002 + abs($w[$_]) * 1e-5 : $w[$_] ne $g[$_];
	}
}
# First what changed by itself, then what changed by what it calls, then noise; the largest first.
my @last;
for my $f (@rows) {
	my @key = ((map { $f->{noise}{$_} ? 0 : abs $f->{change}{$_} } qw(self total)), abs $f->{change}{total});
	if (@last) {
		my ($first) = grep { abs($key[$_] - $last[$_]) > 1e-5 * abs $key[$_] } 0 .. 2;
		fail("$f->{name} stands too late") if defined $first && $key[$first] > $last[$first];
	}
	@last = @key;
}
# The table: the same rows, to two decimals; first those whose own time changed, in either part in the same order.
@rows = ((grep { $_->{change}{self} != 0 } @rows), (grep { $_->{change}{self} == 0 } @rows));
my ($head, $table) = split /^.* function\n/m, slurp($table_file), 2;
my @lines = split /\n/, $table;
fail(scalar(@lines), " rows in the table") if @lines != @rows;
for my $i (0 .. $#rows) {
	my $f = $rows[$i];
	my $scaled = $by eq "rest" ? '([.\d]+)\s+' : '()'; # BEFORE as it is compared has a column of its own
	my $group = '(\S+)\s+' . $scaled . '(\S+)\s+([-+.\d]+)([~ ])';
	$lines[$i] =~ /^\s*$group\s*$group (.*)/ or fail("row '$lines[$i]'");
	my @cells = ($1, $3, $4, $5, $6, $8, $9, $10, $11);
	for ([$1, $2, $3, $4], [$6, $7, $8, $9]) {
		my ($before, $as, $after, $change) = @$_;
		fail("row '$lines[$i]': $after is not $as and $change") if $by eq "rest" && abs($as + $change - $after) > 0.0201;
	}
	my @should;
	for my $of ("self", "total") {
		push @should, map { $by eq "none" ? $f->{$_}{$of} : sprintf $by eq "rest" ? "%.2f" : "%.2f%%", $f->{$_}{"${of}_percent"} } qw(before after);
		my $change = $f->{change}{$of};
		push @should, $change == 0 ? "0" : $by eq "none" ? sprintf("%+.15g", $change) : sprintf("%+.2f", $change);
		push @should, $change != 0 && $f->{noise}{$of} ? "~" : " ";
	}
	for (0 .. 7) {
		my ($c, $s) = ($cells[$_], $should[$_]);
		next if $c eq $s;
		fail("row '$lines[$i]': $c, not $s") if $_ % 4 == 3 || abs(($c =~ s/%//r) - ($s =~ s/%//r)) > 0.0101;
	}
	my $name = $cells[8];
	fail("row '$lines[$i]': not $f->{name}") if $name =~ s/\.\.\.$// ? index($f->{name}, $name) != 0 : $name ne $f->{name};
}
