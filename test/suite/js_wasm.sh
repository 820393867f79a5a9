#!/bin/bash
# WebAssembly in Node.js without flags: functions by the module's name section, by its exports, by their numbers; shares that
# are known, callers that are right; the same with a perf map. js_wasm.sh PLUME [NODE...]: by default the oldest and the newest at hand, and
# the one on the PATH.
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
shift
recording_allowed || finish
nodes=("$@")
if [ ${#nodes[@]} -eq 0 ]; then
	mapfile -t nodes < <({ "$suite/../../tools/node-matrix" --list ends 2>/dev/null; command -v node; } | sort -u)
fi
if [ ${#nodes[@]} -eq 0 ] || [ "$(uname -m)" != x86_64 ]; then
	skip "WebAssembly" "there is no node for x86-64"
	finish
fi
# chains FOLDED HEAVY LIGHT OUTER: three quarters of the time that both loops have is the first one's, within 5 standard errors and
# 2 %; 95 % of the stacks are theirs, each below outer, which callsWasm called
chains() {
	perl -e 'my ($file, @names) = @ARGV; my ($heavy, $light, $outer) = map { quotemeta } @names;
		open my $f, "<", $file or die; my ($h, $l, $all, $bad) = (0) x 4;
		while (<$f>) { s/ (\d+)$//; my $n = $1; $all += $n;
			my $is = /;$heavy(;|$)/ ? \$h : /;$light(;|$)/ ? \$l : next;
			$$is += $n; $bad += $n, print "# $_" unless /callsWasm .*;$outer;($heavy|$light)(;|$)/ }
		my $n = $h + $l; my $share = $n ? $h / $n : 0;
		printf "# heavy %.3f of %d, %d stacks, %d of them otherwise\n", $share, $n, $all, $bad;
		exit !($n > 50 && $n >= 0.95 * $all && abs($share - 0.75) < 5 * sqrt(0.75 * 0.25 / $n) + 0.02 && $bad * 50 <= $n)' "$@"
}
for node in "${nodes[@]}"; do
	version=$("$node" --version)
	for which in all exports none; do
		start "wasm-$version-$which" "$node" "$truth/js/wasm.js" $which || exit 1
		record_used "wasm-$version-$which" 2
		kill_now "$pid"
	done
	ok "$version: functions of WebAssembly by the name section" chains "wasm-$version-all.folded" \
		'heavy wasm://wasm/sums:wasm-function[1]' 'light wasm://wasm/sums:wasm-function[2]' 'outer wasm://wasm/sums:wasm-function[3]'
	ok "$version: ... by exports, else by number" chains "wasm-$version-exports.folded" \
		'wasm-function[1] wasm://wasm' 'wasm-function[2] wasm://wasm' 'outer wasm://wasm:wasm-function[3]'
	ok "$version: ... by number and the export" chains "wasm-$version-none.folded" \
		'wasm-function[1] wasm://wasm' 'wasm-function[2] wasm://wasm' 'x wasm://wasm:wasm-function[3]'
	# In the code that it began in, though V8 has made a better one since.
	start "wasm-$version-forever" "$node" "$truth/js/wasm.js" forever || exit 1
	record_used "wasm-$version-first" 1
	record_used "wasm-$version-forever" 1
	kill_now "$pid"
	# shellcheck disable=SC2016 # awk reads it
	ok "$version: ... a loop that goes on for long" awk '/;outer wasm:[^;]*;heavy wasm:[^;]*:wasm-function\[1\]/ { good += $NF } { all += $NF }
		END { print "# " good " of " all; exit !(all > 20 && good * 100 >= all * 95) }' "wasm-$version-forever.folded"
	ok "$version: they are of the kind wasm" bash -c "'$plume' fold -q --where kind=wasm wasm-$version-all.plume | grep -q heavy"
done
finish
