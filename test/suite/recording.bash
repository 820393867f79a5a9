# What suites that record have in common; sourced after tap.bash.
# shellcheck shell=bash disable=SC2154 # plume, suite, work: of tap.bash
export ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-}
export XDG_CACHE_HOME=$work/cache
# shellcheck disable=SC2034 # used by those who source it
truth=$(cd "$suite/../truth" && pwd)
started=() # processes of this suite, to be ended with it
trap 'end_started; rm -rf "$work"' EXIT

# record NAME OPTION... [-- COMMAND...]: NAME.plume, NAME.folded, what plume said in NAME.err
record() {
	local name=$1
	shift
	timeout -s INT 120 "$plume" record -F "${rate:-999}" -o "$name.plume" "$@" >"$name.out" 2>"$name.err"
	local status=$?
	"$plume" fold -q "$name.plume" >"$name.folded"
	return $status
}

# record_used NAME SECONDS OPTION...: $pid, until it has used that much CPU time: as many samples on a busy machine
record_used() { record "$1" "${@:3}" -p "$pid" -- "$truth/until_used" "$pid" "$2"; }

# stripped NAME: NAME.stripped lists files of the system whose functions have no names here, and their frames: `libc.so.6 12`
stripped() {
	"$plume" doctor --json --limit 0 "$1.plume" 2>/dev/null |
		sed -n 's/^{"module":"\([^"]*\)","frames":\([0-9]*\),"reason":"it is stripped.*/\1 \2/p' |
		sed 's|^.*/||' >"$1.stripped"
}

# False, with a skipped test that says why, where nothing can be recorded.
recording_allowed() {
	"$plume" record -o probe.plume -- true >probe.out 2>&1 && return
	skip "recordings" "not allowed here: $(tail -1 probe.out)"
	return 1
}

# launch NAME COMMAND...: in the background, what it says in a FIFO; $pid
launch() {
	local name=$1
	shift
	mkfifo "$name.says"
	"$@" >"$name.says" 2>"$name.program" &
	pid=$!
	started+=("$pid")
}
start() { # start NAME COMMAND...: up to its line `ready`
	launch "$@"
	says_ready "$1.says" && return
	sed 's/^/# /' "$1.program"
	return 1
}
says_ready() { # says_ready FIFO: opened for both, so that nobody has to come
	local line=
	read -r -t 60 line <>"$1" && [ "$line" = ready ]
}
stop() { # stop PID: it writes what it knows, and ends
	kill -TERM "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}
kill_now() { # kill_now PID, one that was started here
	kill -KILL "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}
sum() { awk '{ n += $NF } END { print n + 0 }' "$@"; } # of folded stacks
# within_interval TALLY, of record_truth.pl: a line for each share, 1 where it is within the 95 % interval. False when there
# are so few of them as by chance in 1 of 1,000 runs.
within_interval() {
	local n good
	n=$(wc -l <"$1") good=$(grep -c 1 "$1")
	echo "$good of $n shares are within the 95 % interval"
	perl -e 'my ($n, $good) = @ARGV; my ($sum, $term) = (0, 0.95 ** $n);
		for my $bad (0 .. $n) {
			exit !($good >= $n - $bad) if ($sum += $term) > 0.999;
			$term *= ($n - $bad) / ($bad + 1) * 0.05 / 0.95;
		}' "$n" "$good"
}
gone_soon() { # gone_soon PID: it may take its time to end
	for _ in {1..100}; do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.1
	done
	return 1
}
end_started() {
	local each
	for each in "${started[@]}"; do
		kill_now "$each"
	done
	return 0
}
