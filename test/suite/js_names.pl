#!/usr/bin/perl
# What js_names.sh asks of recordings of JavaScript.
#	js_names.pl short FOLDED                    folded stacks whose functions of JavaScript are called FUNCTION@FILE
#	js_names.pl named FOLDED PERCENT            so many of the samples with JavaScript have a name for all of it
#	js_names.pl tier FOLDED RE MARKS PERCENT    so many frames that match RE are of tiers MARKS (as ~ or ^+*)
#	js_names.pl parents SHORT CHILD PARENT PERCENT   so many frames that match CHILD are called by one that matches PARENT
#	js_names.pl chains SPEEDSCOPE.json STACKS PERCENT  so many samples of functions that were inlined have the chain of callers, with
#	                                            lines and columns, that `new Error().stack` had; STACKS: lines f:1:2;g:3:4;leaf:5:6
#	js_names.pl inlined SHORT SHARES ERRORS      functions have the shares of their part that SHARES has (lines part;caller;function 0.2 0.3), up
#	                                            to so many standard errors; what is missing is in their callers
#	js_names.pl witness DOCTOR.json STDERR PERCENT WRONG-PERCENT  the process's own map says the same of so many frames
use strict;
use warnings;
use FindBin;
require "$FindBin::Bin/json.pl";

sub lines_of {
	my ($file) = @_;
	open my $in, '<', $file or die "$file: $!\n";
	return <$in>;
}
sub json_of { return json_parse(join '', lines_of($_[0])) }

# Each stack of a file of folded ones: its frames and its count.
sub each_stack {
	my ($file, $does) = @_;
	for (lines_of($file)) {
		my ($stack, $count) = /^(.*) (\d+)$/ or die "$file: $_";
		$does->([ split /;/, $stack ], $count);
	}
}

# FUNCTION@FILE of `JS:*function /folder/file.js:1:2`, without spaces; files that a program made up are all of `made`.
sub short_name {
	my ($frame) = @_;
	my ($name, $file) = $frame =~ /^(?:JS|LazyCompile|Function|Script|Eval):[~^+*]?'?(.*?) ?(\S*?)(?::\d+)*(?:_\[\w\])*$/ or return $frame;
	$file = $file =~ m{/made/} ? 'made' : $file =~ s{.*/}{}r;
	return ($name =~ tr/ /_/r) . "\@$file";
}
sub short {
	each_stack($_[0], sub { print join(';', map { short_name($_) } @{ $_[0] }), " $_[1]\n" });
}

my $is_javascript = qr/^(?:JS|LazyCompile|Function|Script|Eval|RegExp):/;
my $is_unnamed = qr/^\[(?:unknown|perf-\d+\.map|JIT.*|anon.*|)\]$/;

sub at_least {
	my ($part, $all, $floor, $words) = @_;
	printf "%.3f %% of %d %s\n", $all ? 100 * $part / $all : 0, $all, $words;
	return $all && 100 * $part >= $floor * $all;
}

sub named {
	my ($file, $floor) = @_;
	my ($all, $good, %bad) = (0, 0);
	each_stack($file, sub {
		my ($frames, $count) = @_;
		my @bad = grep { $frames->[$_] =~ $is_unnamed } 1 .. $#$frames;
		return unless @bad || grep { $_ =~ $is_javascript } @$frames;
		$all += $count;
		$good += $count unless @bad;
		$bad{ $frames->[ $bad[-1] - 1 ] . ' > (no name) > ' . ($frames->[ $bad[-1] + 1 ] // 'end') . ' ... ' . $frames->[-1] } += $count if @bad;
	});
	my $is_good = at_least($good, $all, $floor, 'samples with JavaScript have all its names');
	printf "  %d %s\n", $bad{$_}, $_ for grep defined, (sort { $bad{$b} <=> $bad{$a} } keys %bad)[0 .. 4];
	return $is_good;
}

sub tier {
	my ($file, $re, $marks, $floor) = @_;
	my ($all, $good) = (0, 0);
	each_stack($file, sub {
		for (grep { $_ =~ $re && $_ =~ $is_javascript } @{ $_[0] }) {
			$all += $_[1];
			$good += $_[1] if /^\w+:[\Q$marks\E]/;
		}
	});
	return at_least($good, $all, $floor, "frames of $re are of tiers $marks");
}

# Frames of V8 itself stand between a function and its caller: builtins, and for what they call in C++.
sub parents {
	my ($file, $child, $parent, $floor) = @_;
	my ($all, $good, %bad) = (0, 0);
	each_stack($file, sub {
		my ($frames, $count) = @_;
		my @own = grep { !/^Builtins_/ } @$frames;
		for (grep { $own[$_] =~ /^(?:$child)\@/ } 1 .. $#own) {
			$all += $count;
			$own[ $_ - 1 ] =~ /^(?:$parent)\@/ ? $good += $count : ($bad{ $own[ $_ - 1 ] . ' > ' . $own[$_] } += $count);
		}
	});
	my $is_good = at_least($good, $all, $floor, "calls of $child are by $parent");
	printf "  %d %s\n", $bad{$_}, $_ for grep defined, (sort { $bad{$b} <=> $bad{$a} } keys %bad)[0 .. 4];
	return $is_good;
}

# The place in the innermost function is that of the sample: only its callers have the places of their calls.
sub chains {
	my ($file, $stacks, $floor) = @_;
	my %known = map { chomp; s/^((?:.*;)?\w+):\d+:\d+$/$1/r => 0 } grep { /^\w+:\d+:\d+;/ } lines_of($stacks);
	my %is_leaf = map { /(\w+)$/ => 1 } keys %known;
	my ($first) = map { /^(\w+)/ } keys %known;
	my $document = json_of($file);
	my @name = map {
		my $n = short_name($_->{name}) =~ s/\@.*//r;
		{ bare => $n, called => $n . ':' . ($_->{line} // 0) . ':' . ($_->{col} // 0) }
	} @{ $document->{shared}{frames} };
	my ($all, $good, $inlined, %bad) = (0, 0, 0);
	for my $profile (@{ $document->{profiles} }) {
		for my $i (0 .. $#{ $profile->{samples} }) {
			my @frames = @{ $profile->{samples}[$i] };
			pop @frames while @frames && !$is_leaf{ $name[ $frames[-1] ]{bare} };
			next unless @frames;
			shift @frames while @frames && $name[ $frames[0] ]{bare} ne $first;
			my $chain = join ';', (map { $name[$_]{called} } @frames[ 0 .. $#frames - 1 ]), @frames ? $name[ $frames[-1] ]{bare} : 'no caller';
			my $weight = $profile->{weights} ? $profile->{unit} eq 'none' ? $profile->{weights}[$i] : 1 : 1;
			$all += $weight;
			$inlined += $weight if $document->{shared}{frames}[ $frames[-1] // 0 ]{plume}{inlined};
			exists $known{$chain} ? ($good += $weight, $known{$chain} += $weight) : ($bad{$chain} += $weight);
		}
	}
	my $is_good = at_least($good, $all, $floor, "samples have a chain as the program itself says");
	printf "  %d as %s\n", $known{$_}, $_ for sort keys %known;
	printf "  %d NOT: %s\n", $bad{$_}, $_ for grep defined, (sort { $bad{$b} <=> $bad{$a} } keys %bad)[0 .. 4];
	return at_least($inlined, $all, 50, "of these are inlined") && $is_good && !grep { !$_ } values %known;
}

# How often each chain of functions of the program was on top of V8's own, and each part was on the stack at all.
sub chain_counts {
	my ($file, $known) = @_;
	my %is_ours = map { $_ => 1 } map { split /;/ } @$known;
	my (%count, %all);
	each_stack($file, sub {
		my ($frames, $count) = @_;
		my @chain = grep { $is_ours{$_} } map { s/\@.*//r } @$frames;
		return unless @chain;
		$count{ join ';', @chain } += $count;
		$all{ $chain[0] } += $count;
	});
	return (\%count, \%all);
}

sub inlined {
	my ($file, $shares, $errors) = @_;
	my @known = map { /^(\w[\w;]*) ([\d.]+) ([\d.]+)$/ ? [ $1, $2, $3 ] : () } lines_of($shares);
	my ($count, $all) = chain_counts($file, [ map { $_->[0] } @known ]);
	my ($bad, $wrong, $sum) = (0, 0, 0);
	for (@known) {
		my ($chain, $least, $most) = @$_;
		my $n = $all->{ $chain =~ s/;.*//r } || 1;
		my $share = sub { my ($sum) = 0; $sum += ($count->{$_} // 0) / $n for @_; $sum };
		my $got = $share->($chain);
		# What it does not have itself is shown in its callers; what its callees do not have is shown in it.
		my $above = $share->(grep { "$chain;" =~ /^\Q$_\E;./ && $_ ne $chain } keys %$count);
		my @below = grep { $_->[0] =~ /^\Q$chain\E;/ } @known;
		my $room = $most - $share->(map { $_->[0] } @below);
		$room += $_->[2] for @below;
		my $slack = $errors * sqrt(($most * (1 - $most) || 1 / $n) / $n);
		my $is_bad = !$all->{ $chain =~ s/;.*//r } || $got > $room + $slack || $got + $above < $least - $slack;
		$bad += $is_bad;
		$wrong += ($got - $room) * $n if $got > $room + $slack;
		$sum += $got * $n;
		printf "%s %s: %.1f %% of %d, should be %.1f to %.1f; callers have %.1f\n", $is_bad ? 'NOT' : 'ok', $chain, 100 * $got, $n, 100 * $least, 100 * $most, 100 * $above;
	}
	printf "%.3f %% of %d have the name of another function\n", $sum ? 100 * $wrong / $sum : 0, $sum;
	return @known && !$bad;
}

# Wrong is another function; what only lacks a line is not.
sub witness {
	my ($file, $stderr, $floor, $ceiling) = @_;
	my %fact = map { $_->{key} => $_->{text} } @{ json_of($file)->{files}[0]{facts} };
	my ($all, $bad) = @fact{qw(js_witnessed js_contradicted)};
	my ($listed, $wrong, @worst) = (0, 0);
	for (lines_of($stderr)) {
		my ($count, $found, $told) = /^([\d,]+) (?:callers?|lea(?:f|ves)): plume found (.*), the map says (.*)$/ or next;
		$count =~ tr/,//d;
		$listed += $count;
		next if short_name($found) eq short_name($told);
		$wrong += $count;
		push @worst, $_;
	}
	if (!defined $all) {
		($all) = ($fact{javascript} // '') =~ /of ([\d,]+) frames?, the program's own map/ or die "no map was compared: ", $fact{javascript} // 'no JavaScript', "\n";
		$all =~ tr/,//d;
		$bad = $listed;
	}
	my $is_good = at_least($all - $bad, $all, $floor, "frames are called the same by the program's own map");
	printf "%.3f %% are another function\n", 100 * $wrong / $all;
	print "  $_" for splice @worst, 0, 5;
	return $is_good && 100 * $wrong <= $ceiling * $all;
}

my %does = (short => sub { short(@_); 1 }, named => \&named, tier => \&tier, parents => \&parents, chains => \&chains, inlined => \&inlined, witness => \&witness);
my $what = shift // '';
my $run = $does{$what} or die "js_names.pl: what is '$what'?\n";
exit !$run->(@ARGV);
