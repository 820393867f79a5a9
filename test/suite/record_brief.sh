#!/bin/bash
# Threads and children that live for less than a period: as many samples as they used CPU time, whoever started them loses
# none, a recording ends when all of them have ended, and what is not theirs is left out.
# needs: recording
# shellcheck disable=SC2317,SC2016 # functions are called by ok; programs in words have variables of their own
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
recording_allowed || finish
if ! "$plume" record -q -a -d 0.1 -o probe.plume >probe.out 2>&1; then
	skip "threads and children that live for less than a period" "the whole machine may not be watched: $(tail -1 probe.out)"
	finish
fi
gcc -O2 -g -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -pthread -o brief "$truth/brief.c"
rate=99

# all_used PID: CPU time in ticks of a process and the children it has waited for
all_used() {
	local stat
	read -r stat <"/proc/$1/stat" || return
	# shellcheck disable=SC2086 # words
	set -- ${stat##*) }
	echo $((${12} + ${13} + ${14} + ${15}))
}
# until_all_used PID SECONDS FILE: waits until they have used some seconds from now on; FILE gets how much it was
until_all_used() {
	local begin now
	begin=$(all_used "$1") now=$begin
	for _ in {1..600}; do
		[ $((now - begin)) -lt $(($(getconf CLK_TCK) * $2)) ] || break
		sleep 0.1
		now=$(all_used "$1")
	done
	echo "$now $begin $(getconf CLK_TCK)" | awk '{ print ($1 - $2) / $3 }' >"$3"
}
export -f all_used until_all_used
# recorded NAME PID [OPTION...]: while it uses three seconds
recorded() { record "$1" -p "$2" "${@:3}" -- bash -c 'until_all_used "$@"' bash "$2" 3 "$1.used"; }
# enough NAME: a sample for each period of that time, to 5 % and 5 standard errors; and half a second for the way to the end
enough() {
	awk -v n="$(sum "$1.folded")" -v s="$(cat "$1.used")" -v rate="$rate" 'BEGIN {
		due = s * rate
		printf "%d samples where %.0f are due\n", n, due
		exit !(n > 0.95 * due - 5 * sqrt(due) && n < 1.05 * due + 5 * sqrt(due) + rate / 2) }'
}
# accounted NAME MARK: doctor says so of the CPU time that the kernel charged
accounted() {
	"$plume" doctor --json "$1.plume" | grep -oE '"mark":"[a-z]*","key":"charged","what":"[^"]*"' >"$1.account"
	cat "$1.account"
	grep -qE "\"mark\":\"($2)\"" "$1.account"
}
halves() { "$suite/record_truth.pl" --limit 5 "$1.truth" "$1.folded"; }

for mode in threads children apart; do
	start $mode ./brief $mode $mode.truth || exit 1
	recorded $mode "$pid"
	stop "$pid"
	ok "$mode of 3 ms at 99 Hz, -p: a sample for each 1/99 s of CPU time" enough $mode
	sed 's/^/# /' ok.out
	ok "... and shares as the program measured them" halves $mode
	ok "... and doctor says that nothing is missing" accounted $mode ok
done
start several ./brief children several.truth || exit 1
recorded several "$pid" -e cpu-clock,task-clock
ok "two clocks: a sample for each 1/99 s of CPU time" enough several
sed 's/^/# /' ok.out
ok "... and doctor says that nothing is missing" accounted several ok
# Each page fault of the whole machine would be too much: those are the process's own.
recorded faults "$pid" -e cpu-clock,page-faults --call-graph fp # of so many, copies of stacks would not fit into the buffers
ok "a clock beside page faults: a sample for each 1/99 s of CPU time" enough faults
sed 's/^/# /' ok.out
ok "... and doctor says that nothing is missing" accounted faults ok
is "... and children have their page faults" "$("$plume" fold -q --where event=page-faults faults.plume | sum | awk '{ print ($1 > 300) }')" 1
is "... and nobody else does" "$("$plume" fold -q --where event=page-faults faults.plume | grep -vc '^brief')" 0
recorded first "$pid" -e page-faults,cpu-clock
stop "$pid"
ok "a clock that is not first is each thread's own: doctor says what it misses" accounted first 'bad|warn'
sed 's/^/# /' ok.out
start fast ./brief threads fast.truth || exit 1
rate=1999 recorded fast "$pid"
stop "$pid"
ok "at 1,999 Hz: shares as the program measured them" halves fast
ok "... and doctor says that nothing is missing" accounted fast ok
# Others may run a program of the same name.
cp brief "brief$$"
start named "./brief$$" threads named.truth || exit 1
record named --comm "brief$$" -- bash -c 'until_all_used "$@"' bash "$pid" 3 named.used
stop "$pid"
ok "by name: a sample for each 1/99 s of CPU time" enough named
ok "... and doctor says that nothing is missing" accounted named ok
sed 's/^/# /' ok.out
record command -- ./brief apart command.truth 3
echo 3 >command.used
ok "children of a command, on another cpu: a sample for each 1/99 s of CPU time" enough command
sed 's/^/# /' ok.out
ok "... and shares as the program measured them" halves command
ok "... and doctor says that nothing is missing" accounted command ok
rate=999 record delayed -D 1 -- ./brief children delayed.truth 4
ok "a command before -D is over: it is not missed" accounted delayed ok
sed 's/^/# /' ok.out

# A shell that does nothing but start programs.
sh -c 'while :; do /bin/true; done' &
shell=$!
started+=("$shell")
recorded shell "$shell"
ok "a shell and its programs of 1 ms: a sample for each 1/99 s of CPU time" enough shell
sed 's/^/# /' ok.out
ok "... in which programs are seen" grep -q '^true;' shell.folded
ok "... and doctor says that nothing is missing" accounted shell ok

# Two processes, beside one that maps and starts things: what that is and does is in no file.
cp brief stranger
mkdir stranger-files
sh -c 'while :; do ./stranger children stranger.truth 1; cp stranger stranger-files/again; ./stranger-files/again threads again.truth 1; done' >others.out &
others=$!
started+=("$others")
start one ./brief threads one.truth || exit 1
one=$pid
start two ./brief children two.truth || exit 1
two=$pid
"$plume" record -q -F 99 -o both.data -o both.plume -p "$one,$two" -- bash -c 'until_all_used "$@"' bash "$two" 2 both.used
for each in "$one" "$two"; do stop "$each"; done
for each in "$others" "$shell"; do kill_now "$each"; done
"$plume" fold -q --pid both.plume | awk -F'[-;/ ]' '{ n[$2] += $NF } END { for (pid in n) print pid, n[pid] }' >both.pids
is "-p of two processes: both are there" "$(grep -cE "^($one|$two) " both.pids)" 2
is "... and nothing of a third one, in the profile" "$("$plume" convert --format json -o - both.plume 2>/dev/null | grep -cE 'stranger|again|/true')" 0
is "... or in perf.data" "$(grep -caE 'stranger|again|/true' both.data)" 0

# A script that ends before what it has started: the recording ends behind both. Nobody waits for the script.
mkfifo go
start script sh -c 'echo ready; read -r line <go; ./brief threads script.truth 1 >script.out &' || exit 1
timeout 100 "$plume" record -q -F 99 -o script.plume -p "$pid" &
recorder=$!
started+=("$recorder")
for _ in {1..600}; do
	[ -s script.plume ] && break
	sleep 0.1
done
echo go >go
wait "$recorder"
is "a process that ends before its child: the recording ends by itself" $? 0
"$plume" fold -q script.plume >script.folded
echo 1 >script.used
ok "... with all that the child did" enough script

# The kernel takes its id from a thread that is ending; its process is known.
gcc -O2 -pthread -o ending "$truth/ending.c"
"$plume" record -q -F 1999 -o ending.plume -- ./ending 30000
"$plume" fold -q --tid ending.plume >ending.folded
ok "samples of ending threads are there" grep -q '^[^;]*/-1;' ending.folded
is "... under the name of their process" "$(grep -c '^:' ending.folded)" 0

# Time in the kernel that was not sampled is in the file.
in_kernel() { # in_kernel FILE MARK
	"$plume" doctor --json "$1" | grep -oE '"mark":"[a-z]*","key":"user_only","what":"[^"]*"' | tee /dev/stderr |
		grep -qE "\"mark\":\"$2\".*[1-9].* of CPU time was spent in the kernel"
}
copy=(dd if=/dev/zero of=/dev/null bs=1M count=20000) # dd is in the kernel all the time, sh hardly
# shellcheck disable=SC2016 # sh is to expand it
count=(sh -c '"$@"; i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done' - "${copy[@]}")
"$plume" record --user-only -o asked.plume -- "${count[@]}" >asked.out 2>asked.err
ok "--user-only: doctor says how much was in the kernel" in_kernel asked.plume info
ok "... and so does the report" grep -q 'in the kernel, which was not sampled' <("$plume" report asked.plume)
"$plume" record -q -o whole.plume -- "${copy[@]}" 2>whole.err
ok "... and not where the kernel was sampled" bash -c "! '$plume' doctor --json whole.plume | grep -q user_only"

# Where cpus may not be watched, each thread has a clock of its own, which misses them: that is said, and is in the file.
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if [ "$(id -u)" = 0 ] && mkdir -m 777 own && chmod 755 . && cp "$plume" own/plume && cp brief own/ && chmod 755 own/plume own/brief &&
	"${nobody[@]}" own/plume record -q -o own/probe.plume -- true 2>own.err && ! "${nobody[@]}" own/plume record -q -a -d 0.1 -o own/all.plume 2>own.err; then
	start mostly "${nobody[@]}" own/brief mostly own/mostly.truth || exit 1
	"${nobody[@]}" own/plume record -F 99 -o own/mostly.plume -p "$pid" -- "$truth/until_used" "$pid" 2 >own.out 2>own.err
	stop "$pid"
	ok "threads that a clock of each thread misses: doctor says so" accounted own/mostly 'bad|warn'
	sed 's/^/# /' ok.out
	ok "... and so did the recording" grep -q 'the samples account for' own.err
	cp own/brief "own/brief$$"
	start mostly_named "${nobody[@]}" "own/brief$$" mostly own/named.truth || exit 1
	"${nobody[@]}" own/plume record -F 99 -o own/named.plume --comm "brief$$" -- "$truth/until_used" "$pid" 2 >own.out 2>own.err
	stop "$pid"
	ok "... and the same by name" accounted own/named 'bad|warn'
	sed 's/^/# /' ok.out
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ]; then
		"${nobody[@]}" own/plume record -o own/denied.plume -- "${copy[@]}" >own.out 2>own.err
		ok "the kernel may not be sampled: doctor says how much of the time was there" in_kernel own/denied.plume bad
	else
		skip "the kernel may not be sampled" "everybody may: kernel.perf_event_paranoid"
	fi
	gcc -O2 -g -pthread -o own/threads "$truth/threads.c"
	"${nobody[@]}" own/plume record -q -F 99 -o own/long.plume -- own/threads own/long.truth 2 2>own.err
	ok "threads that live: nothing is missing" accounted own/long ok
	sed 's/^/# /' ok.out
else
	skip "clocks of threads" "only root can be somebody who may not watch all cpus: $(tail -1 own.err 2>/dev/null)"
fi
finish
