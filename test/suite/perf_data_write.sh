#!/bin/bash
# Recordings by perf, written again as plume record writes them (test/perf_write/rewrite.c), and opened by perf: the same
# samples with the same stacks, and no complaints. What is not allowed or not installed is skipped.
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
export ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-}
export XDG_CACHE_HOME=$work/cache
rewrite=$(dirname "$plume")/test/perf_write/rewrite
if [ ! -x "$rewrite" ]; then
	skip "written recordings" "built without tests"
	finish
fi
for program in perf gcc; do
	command -v $program >/dev/null && continue
	skip "written recordings" "$program is not installed"
	finish
done
if ! perf record -q -e cpu-clock -o probe.data -- true >probe 2>&1; then
	skip "written recordings" "perf_event_open is not allowed here: $(tail -1 probe)"
	finish
fi

stacks() { perf script --no-inline -F comm,pid,tid,time,event,period,ip,sym,dso -i "$1" 2>>"$1.complaints"; }
# Of other programs, which may end in between, no names.
addresses() { perf script -F pid,tid,cpu,time,event,period,ip -i "$1" 2>>"$1.complaints"; }
# Only names: perf tells return addresses of copied stacks one byte earlier. The dynamic linker's _start ends in a call, so
# that one returns to the next function.
names() {
	perf script --no-inline -F comm,tid,time,event,ip,sym -i "$1" 2>>"$1.complaints" |
		sed 's/^\t *[0-9a-f]* /\t/; s/^\t_dl_start_user$/\t_start/'
}
same() { # same HOW NAME
	"$1" "$2.data" >want
	"$1" "$2.again" >got
	test -s want && cmp want got
}
complaints() { # complaints FILE: what perf says beside what it is asked for
	{
		perf script -i "$1" >/dev/null
		perf report --stdio -i "$1" >/dev/null
		perf report --header-only -i "$1" >"$1.header"
	} 2>>"$1.complaints"
	# In a chroot perf finds the namespaces of processes elsewhere.
	sed '/assertion failed at util\/namespaces.c/d; s/[0-9][0-9]*/N/g' "$1.complaints" | sort -u
}
silent() { # nothing that perf does not say of its own recording, which loses chunks on a busy machine
	complaints "$1.again" >again.said
	: >own.said
	[ ! -e "$1.data" ] || complaints "$1.data" >own.said
	comm -23 again.said own.said >more.said
	cat more.said
	test -s "$1.again.header" -a ! -s more.said
}
samples() { perf script -F time -i "$1" 2>/dev/null | grep -c .; }
folded() { "$plume" fold -q --where event=all "$1"; }
both_fold() { # plume, too, sees the same
	folded "$1.data" >want
	folded "$1.again" >got
	test -s want && cmp want got
}
# again HOW NAME PERF-OPTION... : records, writes again, compares
again() {
	local how=$1 name=$2
	shift 2
	if ! perf record -q -o "$name.data" "$@" >"$name.out" 2>&1; then
		skip "$name" "$(tail -1 "$name.out")"
		return 1
	fi
	ok "$name: written" "$rewrite" "$name.data" "$name.again"
	is "$name: as many samples" "$(samples "$name.again")" "$(samples "$name.data")"
	ok "$name: the same stacks by perf" same "$how" "$name"
	[ "$how" = addresses ] || ok "$name: the same stacks by plume" both_fold "$name"
	ok "$name: perf does not complain" silent "$name"
}
gcc -O1 -g -fno-omit-frame-pointer -DKEEP_FRAME='__asm__ volatile("" ::"r"(__builtin_frame_address(0)))' -o with-fp "$suite/perf_data_work.c"
gcc -O1 -g -fomit-frame-pointer -DKEEP_FRAME= -o without-fp "$suite/perf_data_work.c"

again stacks fp -e cpu-clock -F 999 -g -- ./with-fp 500
again names dwarf -e cpu-clock -F 499 --call-graph dwarf,8192 -- ./without-fp 500
again stacks events -e cpu-clock -e page-faults -e context-switches -F 499 -g -- ./with-fp 300
again stacks processes -e cpu-clock -F 1999 -g -- sh -c 'for i in 1 2 3 4; do ./with-fp 30; ls / >/dev/null; done; exec ./with-fp 50'
again stacks tracepoint -e sched:sched_switch -e cpu-clock -g -- ./with-fp 100
again addresses everything -a --all-cgroups -k CLOCK_MONOTONIC -e cpu-clock -F 499 -g -- ./with-fp 200 &&
	ok "cgroups of samples" bash -c 'perf report --stdio -g none -s cgroup -i everything.again 2>/dev/null | grep -q "%.*/"'
if ! grep -q '^0*  *T _text$' /proc/kallsyms 2>/dev/null; then
	ok "where the kernel is" bash -c 'perf script --show-mmap-events -i fp.again 2>/dev/null | grep -q "\[kernel.kallsyms\]_text"'
fi
ok "the header tells the command" grep -q '^# cmdline : plume record -- work' fp.again.header
ok "... when the samples were" grep -q '^# time of first sample' fp.again.header
ok "... and what wrote it" grep -q '^# perf version : plume' fp.again.header

# Killed between two flushes: what was flushed last is there, with all that is known of the machine.
cp fp.data killed.data
bash -c '"$0" fp.data killed.again 250; true' "$rewrite" >/dev/null 2>&1
ok "killed: perf does not complain" silent killed
perf script -F time -i killed.again >killed.times 2>/dev/null
ok "killed: samples up to the last flush" test "$(wc -l <killed.times)" -ge 100
perf script -F time -i fp.data 2>/dev/null | head -n "$(wc -l <killed.times)" >first.times
ok "killed: which are the first ones" cmp first.times killed.times
ok "killed: plume reads it" bash -c "'$plume' fold killed.again 2>complaints | grep -q burn && ! grep -q damaged complaints"

# A full disk is said, and what fits is readable.
if [ "$(id -u)" = 0 ] && mkdir full && unshare -m sh -c 'mount -t tmpfs -o size=128k tmpfs full' 2>/dev/null; then
	perf record -q -o large.data -e cpu-clock -F 4999 -g -- ./with-fp 1000 >/dev/null 2>&1
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t tmpfs -o size=128k tmpfs full && ! "$1" large.data full/a 2>said && cp full/a full.again' - "$rewrite"
	ok "a full disk: is said" grep -q 'full/a: No space left on device after' said
	ok "a full disk: perf does not complain about what fits" silent full
	ok "a full disk: there are samples" test "$(samples full.again)" -ge 100
else
	skip "a full disk" "mounting a small tmpfs is not allowed here"
fi
ok "a path that cannot be written is said" bash -c "! '$rewrite' fp.data /nonexistent/a 2>said && grep -q '/nonexistent/a: cannot write' said"
finish
