# plume's commands in one process (test/replay), for suites that cut a file at many places; sourced after tap.bash.
# shellcheck shell=bash disable=SC2154 # plume, suite: of tap.bash
replayer=$(dirname "$plume")/test/replay/replay
if [ ! -x "$replayer" ]; then
	skip "files that are cut" "built without tests"
	finish
fi
# replay WORD...: as `plume WORD... >out 2>err`. Above 128: the process crashed, as `err` says. Not for subshells.
replay_crashes=0
replay() {
	local IFS=$'\t' code
	if [ -z "${REPLAY_PID:-}" ]; then
		coproc REPLAY { exec "$replayer"; }
		replay_pid=$REPLAY_PID
	fi
	echo "$*" >&"${REPLAY[1]}"
	if ! read -r code <&"${REPLAY[0]}"; then
		wait "$replay_pid"
		code=$(($? | 128))
		replay_crashes=$((replay_crashes + 1))
		echo "# it crashed: plume $*"
		head -n 40 err | sed 's/^/#   /'
	fi
	return "$code"
}
# No command crashed, and no memory leaked.
replay_ends() {
	local to=${REPLAY[1]}
	exec {to}>&-
	wait "$replay_pid" && [ $replay_crashes = 0 ]
}
