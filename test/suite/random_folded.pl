# Folded stacks that look random and are the same in every run: random_folded.pl SEED KIND [LINES]
# KIND: plain     names of which none is cut in two by the order of lines
#       prefixes  names that begin with each other, followed by what sorts before and after ';'
#       zeros     as plain, half of the counts are 0
#       decimals  as plain, counts in eighths
#       diff      as plain, two counts a line
#       diff-prefixes
use strict;
my ($seed, $kind, $lines) = @ARGV;
$lines //= 60;
srand $seed;
binmode STDOUT;
my @plain = ("main", "read line", "operator<<(a&, b&&)", "say \"hi\"", "vfs_read_[k]", "JS:*run /srv/a.js:1_[j]",
	"Lorg/x/Y;"=~ s/;//r, "java/util/List:::add_[j]", "inlined_[i]", "waker_[w]", "std::sort<int>", "naïve", "日本語の関数",
	"\xf0\x9f\x94\xa5hot", "Perl_pp_sort", "x.pl", "node`uv_run", "a->b", "--", "0x7f3a", "_", "Builtin:Call",
	"with a very long name that is cut wherever it stands because it does not fit into its frame", "'quoted'", "k_[k]_[k]");
my @prefixes = ("f", "f2", "f.cold", "f(int)", "f!", "f_[k]", "f.", "f::g", "f<", "-", "--", "\xc3\xa9", "\xc3\xa9.x", "ff", "g");
my @names = $kind =~ /prefixes/ ? @prefixes : @plain;
sub count {
	my $n = rand() < .1 ? int rand 5000 : int rand 40;
	return $n + (1 + int rand 8) / 8 if $kind eq "decimals";
	return $n || 1;
}
my (@seen, %times);
for my $line (1 .. $lines) {
	my @stack = @seen && rand() < .7 ? @{$seen[rand @seen]} : ();
	if ($kind eq "zeros" && @seen && rand() < .5) { # a frame of its own on one that has a width
		print join(";", @{$seen[rand @seen]}, "zero$line"), " 0\n";
		next;
	}
	$#stack = int(rand @stack) if @stack > 1 && rand() < .5;
	push @stack, $names[rand @names] for 1 .. 1 + rand($kind =~ /prefixes/ ? 2 : 3);
	my $stack = join ";", @stack;
	next if $kind =~ /^diff/ && $times{$stack}++; # difffolded.pl writes each once
	push @seen, \@stack;
	print "$stack ", $kind =~ /^diff/ ? int(rand 30) . " " . (1 + int rand 30) : count(), "\n";
}
