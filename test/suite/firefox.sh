#!/bin/bash
# Firefox profiles are consistent in themselves and hold every sample; the peer test opens them in the viewer's own code.
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/replay.bash
. "$suite/replay.bash"

sum() { awk '{ s += $NF } END { printf "%.15g\n", s }' "$1"; }
is_right() { # is_right FILE: consistent, and the sums of fold for the first event
	replay convert -q "$1" -o out.firefox.json || [ $? = 3 ] || { cat err; return 1; }
	perl "$suite/firefox_check.pl" out.firefox.json >sums || return 1
	replay fold -q "$1" || [ $? = 3 ] || return 1
	read -r shown _ <sums
	# Nanoseconds are milliseconds there.
	awk -v a="$shown" -v b="$(sum out)" 'BEGIN { exit !(a == b || sprintf("%.0f", a * 1e6) == b) }' ||
		{ echo "$shown in the profile, $(sum out) in fold"; return 1; }
}
while read -r file; do
	replay fold -q "$file" || continue # not a profile
	ok "$(basename "$file") as a Firefox profile" is_right "$file"
done < <(find "$fixtures" -type f ! -name '*.cmd' | sort)
for kind in plain zeros decimals; do
	perl "$suite/random_folded.pl" 6 $kind 200 >$kind.folded
	ok "folded stacks, $kind, as a Firefox profile" is_right $kind.folded
done
# A thread whose samples come in any order, as of several cpus.
perl -ne 'BEGIN { $/ = "" } push @all, $_; END { print reverse @all }' "$fixtures/perf-script/java.perf" >backwards.perf
ok "samples in any order as a Firefox profile" is_right backwards.perf

"$plume" convert -q "$fixtures/perf-script/several-events.perf" -o events.firefox.json
read -r shown all < <(perl "$suite/firefox_check.pl" events.firefox.json)
is "each event has threads of its own" "$all" "$(for e in page-faults context-switches cpu-clock:u task-clock; do
	"$plume" fold -q --where event=$e "$fixtures/perf-script/several-events.perf"; done | awk '{ s += $NF } END { print s }')"
is "... and the first is shown" "$shown" "$("$plume" fold -q "$fixtures/perf-script/several-events.perf" | awk '{ s += $NF } END { print s }')"

"$plume" convert -q "$fixtures/perf-script/dwarf-inline.perf" -o inline.firefox.json
# shellcheck disable=SC2016 # the script is Perl
ok "inlined functions are part of a symbol" perl -e '
	require $ARGV[0]; local $/; open my $in, "<", $ARGV[1]; my $frames = json_parse(<$in>)->{shared}{frameTable};
	exit !grep { $frames->{inlineDepth}[$_] && defined $frames->{nativeSymbol}[$_] } 0 .. $frames->{length} - 1' "$suite/json.pl" inline.firefox.json
"$plume" convert -q "$fixtures/perf-script/node.perf" -o a.firefox.json.gz
"$plume" convert -q "$fixtures/perf-script/node.perf" -o b.firefox.json
ok ".firefox.json.gz is the same, compressed" bash -c "gzip -dc a.firefox.json.gz | cmp - b.firefox.json"
ok "no memory leaked in all of these" replay_ends
finish
