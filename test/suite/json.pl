# JSON to Perl data, strictly by RFC 8259: json_parse(BYTES) dies where it is not. Numbers stay text, so that they are
# exact; true and false are 1 and 0.
use strict;

sub json_fail {
	my ($text, $what) = @_;
	my $at = pos($$text) // 0;
	die "JSON: $what at byte $at: ", substr($$text, $at, 60), "\n";
}

sub json_string {
	my ($text) = @_;
	my %plain = (b => "\b", f => "\f", n => "\n", r => "\r", t => "\t");
	$$text =~ /\G"((?:[^"\\\x00-\x1f]|\\(?:["\\\/bfnrt]|u[0-9a-fA-F]{4}))*+)"/gc or json_fail($text, "no string");
	my $string = $1;
	$string =~ s{\\(?:u([0-9a-fA-F]{4})|(.))}{
		my $code = defined $1 ? hex $1 : 0;
		my $character = defined $1 ? chr $code : $plain{$2} // $2;
		utf8::encode($character) if $code > 127;
		$character}ge;
	return $string;
}

sub json_list {
	my ($text, $end, $item) = @_;
	$$text =~ /\G\s*/gc;
	return if $$text =~ /\G\Q$end\E/gc;
	while (1) {
		$item->();
		$$text =~ /\G\s*/gc;
		return if $$text =~ /\G\Q$end\E/gc;
		$$text =~ /\G,\s*/gc or json_fail($text, "neither , nor $end");
	}
}

sub json_value {
	my ($text) = @_;
	if ($$text =~ /\G\{/gc) {
		my %object;
		json_list($text, "}", sub {
			my $key = json_string($text);
			die "JSON: $key is there twice\n" if exists $object{$key};
			$$text =~ /\G\s*:\s*/gc or json_fail($text, "no :");
			$object{$key} = json_value($text);
		});
		return \%object;
	}
	if ($$text =~ /\G\[/gc) {
		my @list;
		json_list($text, "]", sub { push @list, json_value($text) });
		return \@list;
	}
	return json_string($text) if substr($$text, pos $$text, 1) eq "\"";
	return $1 if $$text =~ /\G(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)/gc;
	return $1 eq "true" ? 1 : $1 eq "false" ? 0 : undef if $$text =~ /\G(true|false|null)\b/gc;
	json_fail($text, "no value");
}

sub json_parse {
	my ($bytes) = @_;
	my $copy = $bytes;
	utf8::decode($copy) or die "JSON: not UTF-8\n";
	$bytes =~ /\G\s*/gc;
	my $value = json_value(\$bytes);
	$bytes =~ /\G\s*\z/gc or json_fail(\$bytes, "more");
	return $value;
}
1;
