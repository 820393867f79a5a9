# plume's commands in one process (test/replay), for suites that cut a file at many places; sourced after tap.bash.
# shellcheck shell=bash disable=SC2154 # plume, suite: of tap.bash
replayer=$(dirname "$plume")/test/replay/replay
if [ ! -x "$replayer" ]; then
	skip "files that are cut" "built without tests"
	finish
fi
# replay WORD...: as `plume WORD... >out 2>err`. Above 128: the process crashed, and `err` says how.
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
	fi
	return "$code"
}
# The process ends as it should: nothing leaked.
replay_ends() {
	local to=${REPLAY[1]}
	exec {to}>&-
	wait "$replay_pid"
}
