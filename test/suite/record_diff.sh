#!/bin/bash
# plume diff of real recordings: a function that was made slower is found, and nothing else is.
# needs: recording quiet
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# frame NAME SVG: the colours of its rectangles
frame() { sed -n "s/^<g><title>$1 (\(.*\))<\/title><rect x=.*fill=\"\([^\"]*\)\".*/\2/p" "$2"; }
grey='rgb(217,217,217)'

record() { # record PROGRAM OUT [EVENT]
	perf record -q -e "${3:-cpu-clock}" -F 1999 -g -o recording "$1" 7000 >/dev/null 2>&1 && perf script -i recording 2>/dev/null >"$2"
}
mkdir normal slow
if ! command -v perf >/dev/null || ! perf record -q -e cpu-clock -g -o recording true >/dev/null 2>&1; then
	skip "a slower function is found in recordings" "perf cannot record here"
	finish
fi
flags=(-O1 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer)
if ! "${CC:-cc}" "${flags[@]}" "$suite/diff_work.c" -o normal/work 2>/dev/null ||
	! "${CC:-cc}" "${flags[@]}" -DSLOW=3/2 "$suite/diff_work.c" -o slow/work 2>/dev/null; then
	skip "a slower function is found in recordings" "there is no C compiler"
	finish
fi
is_growth() { # is_growth NAME SVG: every frame of it is orange
	frame "$1" "$2" | perl -ne '$n++; /rgb\((\d+),(\d+),(\d+)\)$/ && $1 > $3 + 20 or exit 1; END { $? ||= !$n }'
}
row() { grep "\"name\":\"$1\"," "$2"; }
finds_sort() { # finds_sort BEFORE AFTER: sort and its callers, and at most one other function
	"$plume" diff -q --json "$1" "$2" >truth.json && "$plume" diff -q --format svg --delta total "$1" "$2" >truth.svg || return 1
	local name others=0
	for name in sort run main; do
		row "$name" truth.json | grep -q '"noise":{"self":[a-z]*,"total":false}' || { echo "$name is noise"; return 1; }
		row "$name" truth.json | grep -q '"change":{"self":[^,]*,"total":[0-9]' || { echo "$name shrank"; return 1; }
		is_growth "$name" truth.svg || { echo "$name is not painted as growth"; return 1; }
	done
	row sort truth.json | grep -q '"noise":{"self":false,' || { echo "sort itself is noise"; return 1; }
	for name in parse lex hash copy check fold print load; do
		row "$name" truth.json | grep -q '"noise":{"self":[a-z]*,"total":true}' || { others=$((others + 1)); echo "$name is no noise"; }
	done
	[ "$others" -le 1 ]
}
finds_nothing() { # finds_nothing BEFORE AFTER: at most one frame, or one in twenty, has a colour
	"$plume" diff --format svg --delta total -q "$1" "$2" >same.svg || return 1
	local frames coloured
	frames=$(grep -c '^<g><title>' same.svg)
	coloured=$(grep '^<g><title>' same.svg | grep -vcF "$grey")
	echo "$coloured of $frames frames have a colour"
	[ "$frames" -gt 10 ] && [ $((coloured * 20)) -le $((frames > 20 ? frames : 20)) ]
}
# Chance has one case in twenty, so a second try.
twice() { # twice COMMAND
	record normal/work normal.perf && record slow/work slow.perf && record normal/work normal2.perf || return 1
	"$@" && return 0
	record normal/work normal.perf && record slow/work slow.perf && record normal/work normal2.perf && "$@"
}
ok "recordings: a function made slower and its callers are found, and nothing else" twice finds_sort normal.perf slow.perf
# In user space only: what the kernel does beside the program is of other programs, and not the same twice.
same_is_same() {
	record normal/work same.perf cpu-clock:u && record normal/work same2.perf cpu-clock:u && finds_nothing same.perf same2.perf
}
found_nothing() { same_is_same || same_is_same; }
ok "recordings: of the same program at most one frame in twenty has a colour" found_nothing
for name in parse lex hash copy sort check fold print load run main; do
	ok "recordings: $name is there" row $name truth.json
done
finish
