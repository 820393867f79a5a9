#!/bin/bash
# Recordings that perf makes here and now, read by plume and printed by perf: the same samples with the same stacks
# (perf_data_compare.mjs), as many of them as perf counts, and programs whose answer is known. What is not allowed or not
# installed is skipped.
# needs: recording quiet
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
export ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-}
export XDG_CACHE_HOME=$work/cache
for program in perf node gcc; do
	command -v $program >/dev/null && continue
	skip "recordings" "$program is not installed"
	finish
done
if ! perf record -q -e cpu-clock -o probe.data -- true >probe 2>&1; then
	skip "recordings" "perf_event_open is not allowed here (kernel.perf_event_paranoid is $(cat /proc/sys/kernel/perf_event_paranoid)): $(tail -1 probe)"
	finish
fi

# record NAME PERF-OPTION... -- COMMAND...: NAME.data
record() {
	local name=$1
	shift
	perf record -q -N -o "$name.data" "$@" >"$name.out" 2>&1
}
# same NAME [OPTION...]: plume and perf agree. Short recordings: a sample may differ.
same() {
	local name=$1
	shift
	node "$suite/perf_data_compare.mjs" --allow 1 "$@" "$plume" "$name.data"
}
# counted NAME: perf's count of samples is plume's.
counted() {
	local want got
	want=$(perf report --stats -i "$1.data" 2>/dev/null | awk '/ stats:$/ { on = !/^Aggregated/ } on && /SAMPLE events:/ { n += $3 } END { print n }')
	got=$("$plume" fold -v --where event=all "$1.data" 2>&1 >/dev/null | awk '$2 == "samples" && NF == 2 { gsub(",", "", $1); print $1 }')
	echo "perf report --stats: $want, plume: $got"
	[ -n "$want" ] && [ "$want" -gt 0 ] && [ "$want" = "$got" ]
}
agree() { # agree TEXT NAME [OPTION...]
	ok "$1: the same stacks as perf's" same "${@:2}"
	ok "$1: as many samples as perf counts" counted "$2"
}
share() { # the part of both that is below the function
	awk -v name=";$1;burn" '/;(seventy|thirty);burn/ { all += $NF } index($0, name) { part += $NF } END { printf "%.3f\n", part / all }' "$2"
}
clock='-e cpu-clock' # two words
gcc -O1 -g -fno-omit-frame-pointer -DKEEP_FRAME='__asm__ volatile("" ::"r"(__builtin_frame_address(0)))' -o with-fp "$suite/perf_data_work.c"
gcc -O1 -g -fomit-frame-pointer -DKEEP_FRAME= -o without-fp "$suite/perf_data_work.c"

# shellcheck disable=SC2086 # $clock is two words
{
record fp $clock -F 4999 -g -- ./with-fp 1000
record nofp $clock -F 999 -g -- ./without-fp 700
record dwarf $clock -F 2999 --call-graph dwarf,8192 -- ./without-fp 1000
record flat $clock -F 999 -- ./with-fp 500
record events $clock -e page-faults -e context-switches -F 499 -g -- ./with-fp 700
record zstd $clock -F 4999 -g -z -- ./with-fp 1000
perf record -q -o - $clock -F 4999 -g -- ./with-fp 1000 >pipe.data 2>pipe.out
record everything $clock -F 499 -a -g -- sh -c './with-fp 300 & ./without-fp 300 & for i in 1 2 3 4 5; do ls -lR /etc >/dev/null 2>&1; done; wait'
record processes $clock -F 1999 -g -- sh -c 'for i in 1 2 3 4 5 6; do ./with-fp 30; (./without-fp 30); ls / >/dev/null; done; exec ./with-fp 50'
}
agree "C with frame pointers" fp
agree "C without frame pointers" nofp
agree "C without frame pointers, copies of the stack" dwarf
agree "no call graph" flat
agree "several events" events
agree "compressed by perf" zstd
agree "processes that fork and exec" processes
ok "written to a pipe: the same stacks as perf's" same pipe
if ! awk '$5 == "/" { found = 1 } END { exit !found }' /proc/self/mountinfo; then
	skip "the whole machine" "in a chroot perf mixes files of two roots up"
elif [ -s everything.data ]; then
	agree "the whole machine" everything
else
	skip "the whole machine" "perf record -a is not allowed here"
fi
ok "a recording in a pipe" bash -c "cat fp.data | '$plume' fold -q - | cmp - <('$plume' fold -q fp.data)"
ok "perf's recording to a pipe, in a pipe" bash -c "cat pipe.data | '$plume' fold -q - | cmp - <('$plume' fold -q pipe.data)"
if perf record -q -o tracepoint.data -e sched:sched_switch -g -- ./with-fp 50 >/dev/null 2>&1; then
	agree "a tracepoint" tracepoint
else
	skip "a tracepoint" "tracepoints are not allowed here"
fi
if perf record -q -o directory.data --threads -e cpu-clock -F 499 -g -- ./with-fp 300 >/dev/null 2>&1 && [ -d directory.data ]; then
	ok "a recording that is a directory: the same stacks as perf's" same directory
else
	skip "a recording that is a directory" "this perf writes none"
fi

# Known answers. With the thousand samples and more that are below both functions, six standard deviations are 0.06.
for name in fp dwarf zstd pipe; do
	"$plume" fold -q $name.data >$name.folded
	part=$(share seventy $name.folded)
	ok "$name: a program that spends 70 % in a function: plume says $part" perl -e "exit !($part > 0.64 && $part < 0.76)"
done
ok "stacks begin at the start of the program" grep -q ';_start;.*main;seventy;burn ' dwarf.folded
ok "... also with frame pointers" grep -q ';main;seventy;burn ' fp.folded
ok "... and go into the kernel" grep -q ';asks_the_kernel;.*do_syscall_64' dwarf.folded
ok "qsort of libc calls back" grep -qE ';sorts;.*;compare ' dwarf.folded
"$plume" fold -q --inline fp.data >inline.folded
is "inlined or not, as many samples" "$(awk '{ n += $NF } END { print n }' inline.folded)" "$(awk '{ n += $NF } END { print n }' fp.folded)"

# Interpreters and JIT compilers.
cat >work.py <<'END'
import time, json
def inner(n): return sum(i * i for i in range(n))
def outer(n): return [inner(n) for _ in range(20)], json.dumps({str(i): i for i in range(n)})
end = time.time() + 1
while time.time() < end: outer(300)
END
if python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null); then
	# shellcheck disable=SC2086
	{
	record python $clock -F 999 -g -- "$python" work.py
	record python-dwarf $clock -F 299 --call-graph dwarf -- "$python" work.py
	}
	agree "python" python
	agree "python, copies of the stack" python-dwarf
else
	skip "python" "python3 is not installed"
fi
cat >work.js <<'END'
const seventy = (n) => { let s = 0; for (let i = 0; i < 7 * n; i++) s += Math.sqrt(i ^ s); return s; };
const thirty = (n) => { let s = 0; for (let i = 0; i < 3 * n; i++) s += Math.sqrt(i ^ s); return s; };
const end = Date.now() + 1500;
let sum = 0;
while (Date.now() < end) { sum += seventy(1e5) + thirty(1e5); JSON.parse(JSON.stringify([...Array(300).keys()])); }
END
# shellcheck disable=SC2086
record node $clock -F 999 -g -- node --perf-basic-prof --interpreted-frames-native-stack --no-turbo-inlining work.js
agree "node with a map" node
"$plume" fold -q node.data >node.folded
ok "JavaScript functions have names" grep -q 'seventy.*work.js' node.folded

# A process in namespaces of its own: seen from outside while it lives, and from copies when it is gone.
gcc -static -nostdlib -nostartfiles -fno-stack-protector -fno-omit-frame-pointer -O1 -o jit "$fixtures/perf-data/programs/jit.c"
if [ "$(id -u)" = 0 ] && unshare -p -m --fork sh -c 'mount -t tmpfs tmpfs /mnt' 2>/dev/null; then
	mkdir copies
	cp jit copies/program # not at the path that the recording has
	mkdir own
	unshare -p -m --fork sh -c 'mount -t tmpfs tmpfs own && cp copies/program own/ && mount --bind own /tmp && exec /tmp/program 200000' 2>/dev/null &
	outside=$!
	until inside=$(pgrep -P $outside -x program); do # it begins when the shell becomes it
		kill -0 $outside 2>/dev/null || break
	done
	# shellcheck disable=SC2086
	record namespace $clock -F 499 -g --namespaces -p "$inside" -- sleep 1
	"$plume" fold -q namespace.data >namespace.folded
	ok "a process in its own namespaces, while it lives: names of its program" grep -q 'main_of;call;' namespace.folded
	ok "... and of its JIT compiler's code, by its own map" grep -q ';call;.*seventy' namespace.folded
	ok "... the same stacks as perf's" same namespace
	cp /proc/"$inside"/root/tmp/perf-*.map copies/
	kill -KILL "$inside" # the first process of a namespace takes no other signal
	wait $outside 2>/dev/null
	"$plume" fold -q --map copies namespace.data >gone.folded
	ok "when it is gone, a copy of its map gives the same names" grep -q 'seventy.*new.js' gone.folded
	mkdir -p root/tmp
	mv copies/program copies/perf-*.map root/tmp/
	"$plume" fold -q --container-root root namespace.data >root.folded
	ok "... and a copy of its root gives all of them" cmp root.folded namespace.folded
else
	skip "a process in its own namespaces" "unshare -p -m is not allowed here"
fi

# Buffers that are too small: what is lost is counted.
# shellcheck disable=SC2086
record lost $clock -F 20000 -m 1 --call-graph dwarf,32768 -- ./without-fp 300
lost=$(perf report --stats -i lost.data 2>/dev/null | awk '/LOST events:/ { print $3; exit }')
if [ "${lost:-0}" -gt 0 ]; then
	"$plume" doctor lost.data >told 2>&1
	ok "lost samples are told" grep -qi lost told
else
	skip "lost samples are told" "none were lost"
fi
finish
