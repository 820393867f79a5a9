#!/bin/bash
# Stacks of a real recording, unwound by plume and by libdwfl: the same addresses. Records a small C++ program
# without frame pointers (test/suite/unwind_work.cpp) with perf, where there is one that works.
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
oracle=$(dirname "$plume")/test/unwind/oracle

unwind() {
	"$oracle" --cache cache work.data >report
}
# share NAME: a percentage that the oracle printed, in hundredths
share() {
	sed -n "s/.* $1 \([0-9]*\)\.\([0-9][0-9]\)%.*/\1\2/p" report | head -1
}

if [ ! -x "$oracle" ]; then
	skip "the same stacks as libdwfl" "built without tests"
	finish
fi
if ! perf record -q -e cpu-clock --call-graph dwarf,8192 -o probe.data -- true >/dev/null 2>perf.log; then
	skip "the same stacks as libdwfl" "perf cannot record here: $(head -1 perf.log)"
	finish
fi
ok "the program is built" c++ -O2 -g -fomit-frame-pointer -o work "$suite/unwind_work.cpp"
perf record -q -e cpu-clock -F 999 --call-graph dwarf,8192 -o work.data -- ./work 120 >/dev/null 2>&1
mkdir cache
ok "its recording is unwound" unwind
sed 's/^/# /' report | head -4
ok "there are samples" test "$(sed -n 's/^samples \([0-9]*\).*/\1/p' report)" -ge 50
ok "97.5 % of the stacks are those of libdwfl" test "$(share identical)" -ge 9750
is "no stack leads elsewhere" "$(share diverging)" "000"
cp report first
ok "and again, with tables from the cache" unwind
is "which give the same stacks" "$(head -2 report)" "$(head -2 first)"
ok "the cache holds tables" test -n "$(ls cache)"
finish
