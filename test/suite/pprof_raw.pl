# Folded stacks from what `go tool pprof -raw` prints, so that an independent reader says what is in the file.
#   go tool pprof -raw FILE | perl pprof_raw.pl COLUMN [LABEL]    COLUMN from 0; LABEL becomes the root frame
use strict;
use warnings;
my ($column, $label) = @ARGV;
my ($part, @samples, %lines, $id) = ('');
while (<STDIN>) {
	chomp;
	if (/^(Samples|Locations|Mappings):?$/) { $part = $1; next }
	if ($part eq 'Samples') {
		if (/^\s*((?:-?\d+ *)+):((?: \d+)*) ?$/) {
			push @samples, { values => [split ' ', $1], stack => [split ' ', $2] };
		} elsif (@samples && defined $label && /^\s+\Q$label\E:\[(.*)\]\s*$/) {
			$samples[-1]{label} = $1;
		}
	} elsif ($part eq 'Locations') {
		my $text = $_;
		if ($text =~ s/^\s*(\d+): 0x[0-9a-f]+ (?:M=\d+ )?//) { $id = $1 }
		else { $text =~ s/^ {13}// }
		# V8 puts the file into the name; only there it may have blanks.
		push @{ $lines{$id} }, $1
			if $text =~ /^(.* (.+):(\d+)(?::\d+)?) \2:\3 s=/ || $text =~ /^(.*) (\S*):\d+ s=-?\d+(?:\(.*\))?$/;
	}
}
my %sum;
for my $s (@samples) {
	my @frames;
	for my $location (reverse @{ $s->{stack} }) {
		my @names = reverse @{ $lines{$location} // ['?'] };
		push @frames, shift @names;
		push @frames, map { "${_}_[i]" } @names;
	}
	@frames = () if "@frames" eq '[no stack]';
	tr/;/:/ for @frames;
	if (defined $s->{label}) { (my $root = $s->{label}) =~ s/[\0- \x7f]/_/g; $root =~ tr/;/:/; unshift @frames, $root }
	$sum{ join ';', @frames } += $s->{values}[$column];
}
print "$_ $sum{$_}\n" for sort keys %sum;
