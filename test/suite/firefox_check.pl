# Is a Firefox profile consistent in itself? Every index is in range, every column as long as its table says, a stack
# stands behind its caller, times do not go back, pids and tids are what the viewer asks for. Prints the sum of weights of
# the threads that are shown at first, and of all; dies where something is wrong.
#   perl firefox_check.pl FILE
use strict;
require(($0 =~ m{(.*/)})[0] . "json.pl");

local $/;
open my $in, "<:raw", $ARGV[0] or die "$ARGV[0]: $!\n";
my $profile = json_parse(<$in>);
my ($meta, $shared, $libs) = @$profile{qw(meta shared libs)};

sub check { my ($ok, $what) = @_; $ok or die "$what\n" }

sub columns { # the table has these columns, all as long as it says, and no others
	my ($table, $name, @columns) = @_;
	check(join(" ", sort @columns, "length") eq join(" ", sort keys %$table), "$name has columns " . join(" ", sort keys %$table));
	for (@columns) {
		next if $name =~ /samples/ && $_ eq "weight" && !defined $table->{weight};
		next if $_ eq "weightType";
		check(@{ $table->{$_} } == $table->{length}, "$name.$_ has not $table->{length} values");
	}
}

sub indices { # all are below n; null, or -1, only where it may be
	my ($values, $n, $what, $none) = @_;
	for (@$values) {
		next if defined $none && ($none eq "null" ? !defined : $_ eq $none);
		check(defined && /^\d+$/ && $_ < $n, "$what: " . ($_ // "null") . " is not below $n");
	}
}

check($meta->{preprocessedProfileVersion} == 61, "version $meta->{preprocessedProfileVersion}");
check($meta->{interval} > 0, "interval $meta->{interval}");
my @categories = @{ $meta->{categories} };
check((grep { $_->{color} eq "grey" } @categories) == 1, "one grey category");
check(@{ $_->{subcategories} } > 0 && $_->{subcategories}[0] eq "Other", "subcategories of $_->{name}") for @categories;
my %colour = map { $_ => 1 } qw(transparent purple green orange yellow lightblue blue brown magenta red lightred darkgrey grey);
check($colour{ $_->{color} }, "colour $_->{color}") for @categories;

my ($stacks, $frames, $funcs, $resources, $symbols, $sources) =
	@$shared{qw(stackTable frameTable funcTable resourceTable nativeSymbols sources)};
my $strings = @{ $shared->{stringArray} };
my %seen;
$seen{$_}++ and die "the string '$_' is there twice\n" for @{ $shared->{stringArray} };
columns($stacks, "stackTable", qw(frame prefix));
columns($frames, "frameTable", qw(address inlineDepth category subcategory func nativeSymbol innerWindowID line column));
columns($funcs, "funcTable", qw(name isJS relevantForJS resource source lineNumber columnNumber));
columns($resources, "resourceTable", qw(lib name host type));
columns($symbols, "nativeSymbols", qw(libIndex address name functionSize));
columns($sources, "sources", qw(id filename startLine startColumn sourceMapURL));

indices($stacks->{frame}, $frames->{length}, "stackTable.frame");
for (0 .. $stacks->{length} - 1) {
	my $prefix = $stacks->{prefix}[$_];
	check(!defined $prefix || $prefix < $_, "stack $_ stands before its caller $prefix") if defined $prefix;
}
indices($frames->{func}, $funcs->{length}, "frameTable.func");
indices($frames->{category}, scalar @categories, "frameTable.category");
indices($frames->{inlineDepth}, 256, "frameTable.inlineDepth");
indices($frames->{nativeSymbol}, $symbols->{length}, "frameTable.nativeSymbol", "null");
for (0 .. $frames->{length} - 1) {
	my $names = $categories[$frames->{category}[$_]]{subcategories};
	check($frames->{subcategory}[$_] < @$names, "subcategory of frame $_");
	my $symbol = $frames->{nativeSymbol}[$_];
	next unless defined $symbol && !$frames->{inlineDepth}[$_];
	check($symbols->{name}[$symbol] eq $funcs->{name}[$frames->{func}[$_]], "frame $_ is of another symbol");
}
indices($funcs->{name}, $strings, "funcTable.name");
indices($funcs->{resource}, $resources->{length}, "funcTable.resource", "-1");
indices($funcs->{source}, $sources->{length}, "funcTable.source", "null");
indices($resources->{lib}, scalar @$libs, "resourceTable.lib");
indices($resources->{name}, $strings, "resourceTable.name");
indices($symbols->{libIndex}, scalar @$libs, "nativeSymbols.libIndex");
indices($symbols->{name}, $strings, "nativeSymbols.name");
indices($sources->{filename}, $strings, "sources.filename");
# Inlined frames have a depth one above their caller's and are part of its symbol.
for (0 .. $stacks->{length} - 1) {
	my ($frame, $prefix) = ($stacks->{frame}[$_], $stacks->{prefix}[$_]);
	my $depth = $frames->{inlineDepth}[$frame] or next;
	my $caller = $stacks->{frame}[ $prefix // die "stack $_ is inlined into nothing\n" ];
	check($depth == $frames->{inlineDepth}[$caller] + 1 || $depth == 255, "stack $_ has inline depth $depth");
	check(($frames->{nativeSymbol}[$frame] // -1) == ($frames->{nativeSymbol}[$caller] // -1), "stack $_ is of another symbol than its caller");
}

my (%mains, %tids, %pids, @sums);
for my $thread (@{ $profile->{threads} }) {
	my ($samples, $marks) = @$thread{qw(samples markers)};
	my $name = "$thread->{name} ($thread->{pid}, $thread->{tid})";
	columns($samples, "samples of $name", qw(stack time weight weightType));
	columns($marks, "markers of $name", qw(name startTime endTime phase category data));
	indices($samples->{stack}, $stacks->{length}, "stacks of $name", "null");
	indices($marks->{name}, $strings, "markers of $name");
	indices($marks->{category}, scalar @categories, "categories of markers of $name");
	for (1 .. $samples->{length} - 1) {
		check($samples->{time}[$_] >= $samples->{time}[$_ - 1], "times of $name go back at $_");
	}
	check($samples->{weightType} =~ /^(samples|tracing-ms|bytes)$/, "weights of $name are $samples->{weightType}");
	$mains{ $thread->{pid} } += $thread->{isMainThread};
	check(!$tids{ $thread->{tid} }++, "tid $thread->{tid} is there twice") if $thread->{tid} ne $thread->{pid};
	my $sum = 0;
	$sum += $_ for @{ $samples->{weight} // [ (1) x $samples->{length} ] };
	push @sums, $sum;
}
check($mains{$_} == 1, "process $_ has $mains{$_} main threads") for keys %mains;
indices($meta->{initialVisibleThreads} // [], scalar @sums, "initialVisibleThreads");
indices($meta->{initialSelectedThreads}, scalar @sums, "initialSelectedThreads");
my ($shown, $all) = (0, 0);
$shown += $sums[$_] for @{ $meta->{initialVisibleThreads} // [ 0 .. $#sums ] };
$all += $_ for @sums;
printf "%.15g %.15g\n", $shown, $all;
