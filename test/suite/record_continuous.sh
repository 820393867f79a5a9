#!/bin/bash
# plume record --every: a day made short. Periods of a second, while processes come and go; plume is killed at random
# moments, its disk is full, its bounds are watched from outside. Nothing that was written may be lost or unreadable, and
# neither files, nor memory, nor descriptors may grow. Steps of the clock: only a machine's owner can set CLOCK_REALTIME
# (time namespaces do not have it), so test/unit/record_rotation_test.c brings a clock of its own.
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok

if [ -z "${own_mounts:-}" ] && [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	own_mounts=yes exec unshare -m "$0" "$@" # a small disk is mounted here, and nobody else sees it
fi
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=4:${ASAN_OPTIONS:-}
export XDG_CACHE_HOME=$work/cache
mkdir cache

skip_all() {
	skip "continuous recording" "$1"
	finish
}
command -v gcc >/dev/null || skip_all "gcc is not installed"
gcc -g -O1 -pthread -o work "$suite/record_continuous_work.c" || exit 1
"$plume" record -q -o probe.plume -- ./work once >probe 2>&1 || skip_all "events cannot be opened here: $(tail -1 probe)"

started=()
end_all() {
	for pid in "${started[@]}"; do
		kill -9 "$pid" 2>/dev/null
	done
	wait 2>/dev/null
	rm -rf "$work"
}
trap end_all EXIT
begin() { # begin COMMAND...: in the background; its pid is $begun
	"$@" &
	begun=$!
	started+=("$begun")
}
until_true() { # until_true SECONDS COMMAND...
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}
files() { find "$1" -name '*.plume' 2>/dev/null | sort; }
newest() { files "$1" | tail -1; }
count() { files "$1" | wc -l; }
has_files() { [ "$(count "$1")" -ge "$2" ]; }
has_made() { [ "$(newest "$1")" != "$2" ]; } # since the newest was $2
samples() { awk '{ n += $NF } END { print n + 0 }' "$@"; }

begin ./work busy
busy=$begun
until_true 10 grep -qx work "/proc/$busy/comm" # not the shell that will become it
mkdir fresh
begin ./work churn "$work/fresh"
churn=$begun

# --- reading ---

# What a file gives: whole, idle (whole, without samples), cut (some of it), nothing.
state_of() {
	"$plume" fold "$1" >state.folded 2>state.said
	local code=$?
	case $code in
	0) echo whole ;;
	3) grep -q 'incomplete: \|truncated at' state.said && echo cut || echo "3 $(tail -1 state.said)" ;;
	1) if grep -q 'has no samples' state.said; then
		echo idle
	elif grep -q 'the input is empty\|no samples could be read' state.said; then
		echo nothing
	else
		echo "1 $(tail -1 state.said)"
	fi ;;
	*) echo "$code $(tail -1 state.said)" ;;
	esac
}
states() { # states FOLDER: how many of each
	files "$1" | while read -r file; do state_of "$file"; done | sort | uniq -c | awk '{ $1 = $1; print }' | paste -sd, -
}
only_states() { # only_states FOLDER STATE...
	local got
	got=$(states "$1" | tr ',' '\n' | sed 's/^[0-9]* //')
	shift
	for state in $got; do
		case " $* " in
		*" $state "*) ;;
		*)
			echo "a file is: $state"
			return 1
			;;
		esac
	done
}

# --- many periods, of processes and of the machine, at the same time ---

begin "$plume" record -p "$busy" --every 1s --keep 1h --dir one 2>one.said
recorders=(one "$begun")
begin "$plume" record -p "$churn" --every 1s --keep 10s --dir churned -F 499 2>churned.said
recorders+=(churned "$begun")
if "$plume" record -q -a -d 0.1 -o probe.plume >probe 2>&1; then
	begin "$plume" record -a --every 1s --keep 20s --max-size 256K --dir machine -F 499 2>machine.said
	recorders+=(machine "$begun")
fi
declare -A pid_of most_files=([one]=3601 [churned]=11 [machine]=21) most_bytes=([machine]=$((256 << 10)))
declare -A made last early late
for ((i = 0; i < ${#recorders[@]}; i += 2)); do
	pid_of[${recorders[i]}]=${recorders[i + 1]}
done

rss_kb() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status"; }
descriptors() { find "/proc/$1/fd" -mindepth 1 2>/dev/null | wc -l; }
listing() { find "$1" -name '*.plume' -printf '%f %s\n' 2>/dev/null | sort; }
# Beyond a bound, and not only because it changed while it was looked at.
watch_bounds() {
	local name=$1 now
	now=$(listing "$name")
	[ "$(wc -l <<<"$now")" -gt "${most_files[$name]}" ] ||
		[ "$(samples <<<"$now")" -gt "${most_bytes[$name]:-1000000000}" ] || return 0
	[ "$(listing "$name")" != "$now" ] || echo "$name: $(wc -l <<<"$now") files, $(samples <<<"$now") bytes" >>beyond
}
watch() {
	local name=$1 newest
	watch_bounds "$name"
	newest=$(listing "$name" | tail -1 | cut -d' ' -f1)
	[ "$newest" != "${last[$name]:-}" ] || return
	last[$name]=$newest
	made[$name]=$((${made[$name]:-0} + 1))
	late[$name]="$(rss_kb "${pid_of[$name]}") $(descriptors "${pid_of[$name]}")"
	[ "${made[$name]}" != 6 ] || early[$name]=${late[$name]}
}
: >beyond
end=$((SECONDS + 40))
while [ $SECONDS -lt $end ] && [ "${made[one]:-0}" -lt 26 ]; do
	for name in "${!pid_of[@]}"; do
		watch "$name"
	done
	sleep 0.1
done
for name in "${!pid_of[@]}"; do
	kill -TERM "${pid_of[$name]}"
	wait "${pid_of[$name]}"
	is "$name: a signal ends it well" $? 0
	watch_bounds "$name"
done

for name in "${!pid_of[@]}"; do
	echo "# $name: ${made[$name]} periods, $(states "$name")"
	ok "$name: many periods" test "${made[$name]}" -ge 8
	ok "$name: every file is whole" only_states "$name" whole idle "$(grep -q 'max-size' "$name.said" && echo cut)"
done
ok "bounds of files and bytes hold at all times" test ! -s beyond
[ ! -s beyond ] || sed 's/^/#   /' beyond | head -5

said=$(sed -n 's/^plume: \([0-9,]*\) samples of work .*/\1/p' one.said | tr -d ,)
for file in $(files one); do "$plume" fold "$file" 2>/dev/null; done >one.folded
is "samples of all files are those that were taken" "$(samples one.folded)" "$said"
# shellcheck disable=SC2046 # a list of files
"$plume" fold $(files one) >whole.folded 2>whole.said
is "... and reading them together gives the same" "$(samples whole.folded)" "$said"
# shellcheck disable=SC2046
"$plume" report $(files one) >report.text 2>&1
is "... as a report, too" "$(sed -n '1s/^# \([0-9,]*\) samples.*/\1/p' report.text | tr -d ,)" "$said"
ok "names are there" grep -q ';burn [0-9]*$' whole.folded
ok "an idle period is no damage" bash -c '! grep -i "damage\|no stacks\|has no samples" whole.said'

first=$(files one | sed -n 2p)
"$plume" doctor "$first" >about
is "a file says when it began: as its name" "$(sed -n 's/^started *\(....-..-..\) \(..\):\(..\):.*/\1T\2\3/p' about)" \
	"$(grep -o '....-..-..T....' <<<"$first")"
ok "... and how long it lasted" grep -q '^duration *[0-9.]* s$' about

# --- memory and descriptors ---

# Generously: of the whole machine, others come and go as well, and after a moment in which plume did not run there is
# more to be named at once.
bounded() {
	local first_seen last_seen
	read -r -a first_seen <<<"${early[$1]:-}"
	read -r -a last_seen <<<"${late[$1]:-}"
	[ ${#first_seen[@]} = 2 ] || { echo "too few periods"; return 1; }
	echo "${first_seen[*]} -> ${last_seen[*]}"
	local most_kb=$((first_seen[0] * 3 / 2 + 32768)) most_descriptors=$((first_seen[1] + 100))
	[ "$1" != machine ] || most_kb=$((most_kb + 262144)) most_descriptors=20000
	[ "${last_seen[0]}" -le "$most_kb" ] && [ "${last_seen[1]}" -le "$most_descriptors" ]
}
for name in "${!pid_of[@]}"; do
	echo "# $name: KB of memory and descriptors at first ${early[$name]:-?}, after ${made[$name]} periods ${late[$name]}"
	ok "$name: neither memory nor descriptors grow" bounded "$name"
done

# Names of functions are kept for as long as something refers to them: a program may make functions for ever.
node=$("$suite/../../tools/node-matrix" --list ends 2>/dev/null | head -1)
if [ -z "$node" ]; then
	skip "scripts: names of functions that are made for ever" "there is no node"
else
	begin timeout -s KILL 120 "$node" "$suite/../truth/js/endless.js" >scripts.program
	until_true 20 grep -q ready scripts.program
	scripts=$(pgrep -P "$begun")
	begin "$plume" record -p "$scripts" --every 1s --keep 10s --dir scripts -F 4999 2>scripts.said
	pid_of[scripts]=$begun most_files[scripts]=11
	end=$((SECONDS + 60))
	while [ $SECONDS -lt $end ] && [ "${made[scripts]:-0}" -lt 30 ]; do
		watch scripts
		[ "${made[scripts]:-0}" != 12 ] || early[scripts]=${late[scripts]} # what is kept of each process has its size by then
		sleep 0.1
	done
	kill -TERM "${pid_of[scripts]}"
	wait "${pid_of[scripts]}"
	kill -KILL "$scripts"
	# shellcheck disable=SC2046 # a list of files
	"$plume" fold -q $(files scripts) >scripts.folded
	names=$(grep -o 'JS:.made /made/[^ ;]*' scripts.folded | sort -u | wc -l)
	echo "# scripts: $names functions in the last periods; KB of memory and descriptors at first ${early[scripts]:-?}, after ${made[scripts]} periods ${late[scripts]}"
	ok "scripts: functions that are made for ever have names" test "$names" -ge 100
	ok "... and memory does not grow with them" test "${late[scripts]% *}" -le $((${early[scripts]% *} + 40960))
fi

events_of() { find "/proc/$1/fd" -lname 'anon_inode:\[perf_event\]' 2>/dev/null | wc -l; }
begin ./work threads 16 enough
threads=$begun
has_threads() { [ "$(find "/proc/$threads/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" = 17 ]; }
until_true 10 has_threads
# Above 2,000 Hz each thread has clocks of its own.
begin "$plume" record -q -F 2999 -p "$threads" --every 1s --dir threaded
until_true 20 has_files threaded 2
before=$(events_of "$begun")
touch enough
few_events() { [ "$(events_of "$begun")" -le $((before / 2)) ]; }
ok "descriptors of threads that have ended are closed" until_true 20 few_events
echo "# $before descriptors of events for 17 threads, $(events_of "$begun") for the one that is left"
newest=$(newest threaded)
until_true 10 has_made threaded "$newest"
newest=$(newest threaded)
until_true 10 has_made threaded "$newest"
kill -TERM "$begun"
wait "$begun"
is "... and the last one is recorded as before" "$(state_of "$newest")" whole

# --- kill -9 ---

# One that is killed mostly at the end of a period, and one in the middle of it.
RANDOM=42
: >seen
for i in $(seq 10); do
	begin "$plume" record -q -p "$busy" --every 1s --keep 1h --dir killed/short
	short=$begun newest_short=$(newest killed/short)
	begin "$plume" record -q -p "$busy" --every 4s --keep 1h --dir killed/long
	long=$begun newest_long=$(newest killed/long)
	until_true 20 has_made killed/short "$newest_short"
	until_true 20 has_made killed/long "$newest_long"
	sleep "$((RANDOM % 3)).$((RANDOM % 10))"
	kill -9 "$short" "$long"
	wait "$short" "$long" 2>/dev/null
	find killed -name '*.plume' -printf '%p %s\n' >>seen
done
is "killed at any moment: no file is empty" "$(awk '$2 == 0' seen)" ""
# Files only grow. Those with a head alone are of no use to anybody, and are removed by the next plume.
lost() {
	sort -u seen | while read -r name size; do
		[ "$size" -le 16 ] || [ "$(stat -c %s "$name" 2>/dev/null || echo 0)" -ge "$size" ] || echo "$name: $size"
	done
}
echo "# 20 times kill -9, periods of 1 s: $(states killed/short); of 4 s: $(states killed/long)"
ok "killed at any moment: every file can be read" only_states killed whole idle cut nothing
is "... and none is lost" "$(lost)" ""
unreadable() { # a file of which nothing can be read has no samples yet: its head, and what is known of the recording
	files killed | while read -r file; do
		[ "$(state_of "$file")" != nothing ] || [ "$(stat -c %s "$file")" -lt 512 ] || echo "$file"
	done
}
is "... where nothing can be read, nothing was written yet" "$(unreadable)" ""
before=$(newest killed/short)
begin "$plume" record -q -p "$busy" --every 1s --keep 1h --dir killed/short
until_true 20 has_made killed/short "$before"
after=$(newest killed/short)
until_true 20 has_made killed/short "$after"
kill -TERM "$begun"
wait "$begun"
is "begun again, it goes on behind them" "$(state_of "$after")" whole

# --- a full disk ---

full_disk() {
	begin "$plume" record -p "$busy" --every 1s --keep 1h --dir disk 2>disk.said
	has_said() { grep -q "$1" disk.said; }
	until_true 20 has_files disk 3 || echo "no files"
	dd if=/dev/zero of=disk/others bs=4k count=1000 2>/dev/null # all the rest
	oldest=$(files disk | head -1)
	until_true 20 has_said 'the disk is full' || echo "nothing is said"
	until_true 20 test ! -e "$oldest" || echo "the oldest stays"
	newest=$(newest disk)
	until_true 20 has_made disk "$newest" || echo "it does not go on"
	newest=$(newest disk)
	until_true 20 has_made disk "$newest" || echo "it does not go on"
	[ "$(grep -c 'the disk is full' disk.said)" = 1 ] || echo "said $(grep -c 'the disk is full' disk.said) times"
	only_states disk whole idle cut nothing
	rm disk/others
	until_true 20 has_said 'works again' || echo "that there is room again is not said"
	newest=$(newest disk)
	until_true 20 has_made disk "$newest" || echo "it does not go on with room"
	kill -TERM "$begun"
	wait "$begun"
	[ "$(state_of "$newest")" = whole ] || echo "the file written with room is $(state_of "$newest")"
	only_states disk whole idle
}
if [ -z "${own_mounts:-}" ]; then
	skip "a full disk" "only root may mount a small one"
elif ! { mkdir disk && mount -t tmpfs -o size=256k,mode=700 tmpfs disk; } 2>mount.said; then
	skip "a full disk" "$(tail -1 mount.said)"
else
	is "a full disk: the oldest give way, it is said once, and all is well when there is room" "$(full_disk)" ""
	sed 's/^/# /' disk.said
	dd if=/dev/zero of=disk/others bs=4k count=1000 2>/dev/null
	"$plume" record -q -F 999 -d 1 -p "$busy" -o disk/one.plume -o disk/one.data -o disk/one.svg 2>one.said
	is "a full disk from the beginning: exit status" $? 1
	is "... a file is whole or not there" "$(find disk -name 'one.*')" ""
	umount disk
fi
finish
