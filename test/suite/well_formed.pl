# Dies unless each file is a well-formed XML document by https://www.w3.org/TR/xml/, as far as pictures need it: no
# DTD, the five entities, UTF-8.
use strict;

sub check {
	my ($file) = @_;
	local $/;
	open my $in, "<:raw", $file or die "$file: $!\n";
	my $text = <$in>;
	utf8::decode(my $characters = $text) or die "$file: not UTF-8\n";
	$characters =~ /([^\t\n\r\x20-\x{d7ff}\x{e000}-\x{fffd}\x{10000}-\x{10ffff}])/
		and die sprintf "%s: U+%04X at %d\n", $file, ord $1, $-[0];
	my $name = qr/[A-Za-z_:][-\w.:]*/;
	my $entity = qr/&(?:lt|gt|amp|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);/;
	my $value = qr/"(?:[^<&"]++|$entity)*+"|'(?:[^<&']++|$entity)*+'/;
	my ($roots, @open) = (0);
	$text =~ /\G<\?xml version="1\.0"[^?]*\?>\s*/gc;
	while ($text !~ /\G\z/gc) {
		if ($text =~ /\G<!--(?:(?!--).)*+-->/gcs) {
		} elsif ($text =~ /\G<!\[CDATA\[.*?\]\]>/gcs) {
			die "$file: CDATA outside\n" unless @open;
		} elsif ($text =~ m{\G</($name)\s*>}gc) {
			my $last = pop @open // "nothing";
			die "$file: </$1> closes $last\n" if $last ne $1;
		} elsif ($text =~ m{\G<($name)((?:\s+$name\s*=\s*$value)*+)\s*(/?)>}gc) {
			my ($tag, $attributes, $empty, %seen) = ($1, $2, $3);
			$seen{$1}++ and die "$file: attribute $1 twice in $tag\n" while $attributes =~ /($name)\s*=\s*$value/g;
			$roots++ unless @open;
			push @open, $tag unless $empty;
		} elsif ($text =~ /\G(?:[^<&]++|$entity)++/gc) {
			my $data = substr $text, $-[0], $+[0] - $-[0];
			die "$file: text outside of the root\n" if !@open && $data =~ /\S/;
			die "$file: ]]> in text\n" if $data =~ /\]\]>/;
		} else {
			my $at = pos($text) // 0;
			die "$file: not well-formed at $at: ", substr($text, $at, 80), "\n";
		}
	}
	die "$file: @open left open\n" if @open;
	die "$file: $roots roots\n" if $roots != 1;
}
check($_) for @ARGV;
