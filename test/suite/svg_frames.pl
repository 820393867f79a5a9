# The frames of a flame graph, a line each, sorted: what any program drew, compared as text.
#   svg_frames.pl FILE...            writes FILE.frames for each
#   svg_frames.pl --down N FILE...   adds N to every y of the first
# Knows SVG only: a group or link holding a title, a rectangle and perhaps a label. Of the frame at the bottom the label
# is left out: flamegraph.pl does not draw one.
use strict;
my $down = 0;
if ($ARGV[0] eq "--down") { shift; $down = shift }
sub text {
	my ($text) = @_;
	my %entity = (lt => "<", gt => ">", amp => "&", quot => "\"", apos => "'");
	$text =~ s/&(lt|gt|amp|quot|apos);/$entity{$1}/g;
	return $text =~ s/\n/\\n/gr;
}
sub attributes {
	my ($text) = @_;
	my %of;
	$of{$1} = text($2) while $text =~ /([\w:-]+)="([^"]*)"/g;
	return \%of;
}
sub frames_of {
	my ($file, $down) = @_;
	local $/;
	open my $in, "<:raw", $file or die "$file: $!\n";
	my ($svg, @lines) = (<$in>);
	$svg =~ /<svg\b([^>]*)>/ or die "no picture in $file\n";
	my $picture = attributes($1);
	$svg =~ s/.*?<g id="frames"\s*>//s or die "no frames in $file\n";
	while ($svg =~ m{\G\s*<(g|a)\b([^>]*)>\s*<title>(.*?)</title>\s*<rect([^>]*?)/>\s*(?:<text([^>]*)>(.*?)</text>)?\s*</\1>}gc) {
		my ($group, $title, $rect) = (attributes($2), text($3), attributes($4));
		my ($at, $label) = (attributes($5 // ""), text($6 // ""));
		$label = "" if $title =~ /^all \(/ && $rect->{width} > $picture->{width} - 20.2;
		push @lines, join "\t", $title, $rect->{x}, $rect->{y} + $down, @$rect{qw(width height fill rx ry)},
			$label eq "" ? "" : join(" ", $label, $at->{x}, $at->{y} + $down),
			map { "$_=$group->{$_}" } sort keys %$group;
	}
	$svg =~ m{\G\s*</g>}gc or die "among the frames of $file: ", substr($svg, pos($svg) // 0, 200), "\n";
	return sort @lines;
}
for my $file (@ARGV) {
	my @frames = frames_of($file, $down);
	$down = 0;
	open my $out, ">:raw", "$file.frames" or die "$file.frames: $!\n";
	print $out map { "$_\n" } @frames;
}
