#!/bin/bash
# --compat against the script it stands in for: FLAMEGRAPH_DIR names a checkout of FlameGraph. Its own test inputs, our
# recordings, and mutations of both.
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
script=${FLAMEGRAPH_DIR:-/nonexistent}/stackcollapse-perf.pl
if [ ! -e "$script" ]; then
	skip "--compat equals stackcollapse-perf.pl" "set FLAMEGRAPH_DIR to a checkout of FlameGraph to run this"
	finish
fi
same() { # same FILE [OPTION]
	perl "$script" ${2:+"$2"} "$1" >want 2>/dev/null
	"$plume" fold -q --compat ${2:+"$2"} "$1" >got 2>/dev/null
	cmp want got
}
for file in "$FLAMEGRAPH_DIR"/test/*.txt "$fixtures"/perf-script/*.perf; do
	for option in --pid --tid --kernel --jit --all --addrs ''; do
		ok "$(basename "$file") $option" same "$file" $option
	done
done
for event in cpu-clock:u task-clock nosuch; do
	perl "$script" --event-filter=$event "$fixtures/perf-script/several-events.perf" >want 2>/dev/null
	"$plume" fold -q --compat --event-filter=$event "$fixtures/perf-script/several-events.perf" >got
	ok "several-events --event-filter=$event" cmp want got
done
# Bytes inserted, removed and doubled; a fixed seed, so that a failure can be seen again.
cat >mutate.pl <<'PERL'
my ($seed, @files) = @ARGV; srand($seed); local $/;
my @bits = (" ", "  ", "(", ")", " (", "->", ";", ":", "/", "\"", "'", "+0x1f", "[unknown]", "(anonymous namespace)",
	".(*T).", "_[i]", "_[j]", "/tmp/perf-12.map", "[kernel]", "vmlinux", "0", "00", "12/34 ", "0/0 ", "\t", "\r", "\0",
	"\xff", "\n", "\n\n", "#", "java", "L", "cycles:", " 123 cycles: ", "w 1 ", "\x0b", "\xa0", "\x85");
open my $f, "<:raw", $files[rand @files]; my $text = <$f>;
my @lines = split /^/, $text; my $from = rand @lines;
$text = join "", @lines[$from .. ($from + rand 80 > $#lines ? $#lines : $from + rand 80)]; $text .= "\n\n";
for (1 .. rand 25) {
	my $at = int rand length $text;
	if (rand() < .6) { substr($text, $at, 0) = $bits[rand @bits] }
	elsif (rand() < .5) { substr($text, $at, 1 + rand 8) = "" }
	else { substr($text, $at, 0) = substr($text, rand length $text, rand 60) }
}
binmode STDOUT; print $text;
PERL
options=(--pid --tid --kernel --jit --all --addrs '')
bad=0
for seed in $(seq "${MUTATIONS:-300}"); do
	perl mutate.pl "$seed" "$FLAMEGRAPH_DIR"/test/*.txt "$fixtures"/perf-script/*.perf >mutated
	same mutated "${options[seed % 7]}" >/dev/null || { bad=$((bad + 1)); echo "# seed $seed ${options[seed % 7]}"; }
done
is "mutated inputs that differ" $bad 0
finish
