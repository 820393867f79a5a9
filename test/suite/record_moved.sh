#!/bin/bash
# Code that is not where its file is mapped: Node.js with its text in large pages, V8's built-in functions where /proc is not there,
# programs that run from memory alone. They have the names that they have otherwise. record_moved.sh PLUME [NODE...]: by default
# the oldest and the newest at hand, and the one on the PATH.
# needs: recording quiet
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
shift
recording_allowed || finish
nodes=("$@")
if [ ${#nodes[@]} -eq 0 ] && [ "$(uname -m)" = x86_64 ]; then
	mapfile -t nodes < <({ "$suite/../../tools/node-matrix" --list ends 2>/dev/null; command -v node; } | sort -u)
fi
# named FOLDED: at most one frame in 200 has no name; those of files that are stripped have none anywhere
named() {
	stripped "${1%.folded}"
	awk -v stripped="$(awk '{ n += $2 } END { print n + 0 }' "${1%.folded}.stripped")" '{ n = $NF; f = gsub(/;/, ";") + 1; u = gsub(/;\[[^;]*\]/, "&"); all += n * f; unnamed += n * u }
		END { printf "# without a name: %d of %d, %d of them in stripped files\n", unnamed, all, stripped; exit !(all && (unnamed - stripped) * 200 <= all) }' "$1"
}
# leaves FOLDED: functions that are on top, with their samples
leaves() {
	sed 's/ \([0-9]*\)$/;\1/; s/JS:[~+*^]/JS:/g' "$1" | awk -F';' '{ n[$(NF - 1)] += $NF } END { for (i in n) printf "%d\t%s\n", n[i], i }'
}
# alike FOLDED FOLDED: no function's share of the samples differs by more than a tenth of all and six standard errors
alike() {
	leaves "$1" >one.leaves
	leaves "$2" >other.leaves
	awk -F'\t' 'NR == FNR { one[$2] = $1; ones += $1; all[$2]; next } { other[$2] = $1; others += $1; all[$2] }
		END { if (!ones || !others) exit 1
			for (f in all) { a = one[f] / ones; b = other[f] / others; p = (one[f] + other[f]) / (ones + others)
				d = a > b ? a - b : b - a
				if (d > 0.1 && d > 6 * sqrt(p * (1 - p) * (1 / ones + 1 / others))) { bad++; printf "# %s: %.2f, then %.2f\n", f, a, b } }
			exit bad > 0 }' one.leaves other.leaves
}
# shellcheck disable=SC2016 # sh is to expand it
without_proc() { exec unshare -m --propagation private sh -c 'umount -l /proc; exec "$0" "$@"' "$@"; }
can_hide_proc() { [ "$(id -u)" = 0 ] && unshare -m --propagation private sh -c 'umount -l /proc' 2>/dev/null; }
record_once() { # record_once NAME COMMAND...
	start "$@" || return
	record_used "$1" 2
	kill_now "$pid"
	return 0
}
for node in "${nodes[@]}"; do
	version=$("$node" --version)
	program=$truth/js/sorts.js
	record_once "as-it-is-$version" "$node" "$program"
	if "$node" --use-largepages=on -e 0 2>/dev/null && record_once "large-$version" "$node" --use-largepages=on "$program"; then
		ok "$version with its text in large pages: names" named "large-$version.folded"
		ok "... the same as otherwise" alike "large-$version.folded" "as-it-is-$version.folded"
	else
		skip "$version with its text in large pages" "it cannot have it"
	fi
	if can_hide_proc; then
		record_once "no-proc-$version" without_proc "$node" "$program"
		ok "$version without /proc: names" named "no-proc-$version.folded"
		ok "... the same as otherwise" alike "no-proc-$version.folded" "as-it-is-$version.folded"
	else
		skip "$version without /proc" "it cannot be hidden here"
	fi
done

if ! command -v cc >/dev/null; then
	skip "programs that run from memory" "no compiler"
	finish
fi
cc -O2 -o from_memory "$truth/from_memory.c" && cc -O2 -o deep_calls "$truth/deep_calls.c"
record_once memory ./from_memory ./deep_calls deep_calls 3
ok "a program that runs from memory has names" grep -q 'main;even;odd;even;odd;burns' memory.folded
ok "... nearly everywhere" named memory.folded
record begun -d 1 -- ./from_memory ./deep_calls deep_calls 3
ok "... also when it is begun by the recorder" grep -q 'main;even;odd;even;odd;burns' begun.folded
if [ ${#nodes[@]} -gt 0 ]; then
	record_once node-memory ./from_memory "${nodes[-1]}" node "$truth/js/sorts.js"
	ok "so has Node.js, and its functions" grep -q 'JS:[*+~^]*loops' node-memory.folded
	ok "... nearly everywhere" named node-memory.folded
fi
finish
