#!/bin/bash
# Stacks through code without frame pointers that a jitdump has unwinding records of: test/truth/jit_frames.c, recorded by
# plume and by perf.
# needs: recording
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
recording_allowed || finish
seconds=2 # of CPU time

# percent FILE RE: of the samples of FILE, how many match; rounded down
percent() {
	re=$2 awk '{ n = $NF; all += n; if ($0 ~ ENVIRON["re"]) good += n }
		END { print all ? int(100 * good / all) : 0 }' "$1"
}
at_least() { # at_least TEXT PERCENT LEAST
	is "$1: $2 %" "$(($2 >= $3))" 1
}
called='_start;.*main;take_turns.*run_called;compiled_first;through_second;compiled_second;spin '
own='_start;.*main;take_turns.*run_own;compiled_second '

# check NAME: NAME.folded has both functions with their callers
check() {
	grep -v ';bprm_execve' "$1.folded" >"$1.mine" # in the middle of exec
	grep ';spin ' "$1.mine" | grep -v ';run_native;' >"$1.called"
	grep 'compiled_second ' "$1.mine" >"$1.own"
	at_least "$1: a function that compiled code calls, with all callers" "$(percent "$1.called" "$called")" 97
	at_least "$1: compiled code itself, with all callers" "$(percent "$1.own" "$own")" 97
}

gcc -O2 -g -fomit-frame-pointer -fno-optimize-sibling-calls -o jit_frames "$truth/jit_frames.c"
record told -- ./jit_frames told told.truth $seconds
check told
# By chance, one run in a million fails.
ok "shares as the program measured them" "$suite/record_truth.pl" --limit 5.3 told.truth told.mine \
	'called=;run_called;' 'own=;run_own;' 'native=;run_native;'
sed 's/^/# /' ok.out
record bare -- ./jit_frames bare bare.truth $seconds
is "without the records nobody knows the callers" "$(grep -c ';run_called;' bare.folded)" 0

if perf record -q -k mono --call-graph dwarf -o told.data ./jit_frames told perf.truth $seconds >perf.out 2>&1; then
	"$plume" fold -q told.data >perf.folded
	check perf
else
	skip "from perf.data" "perf cannot record here"
fi
finish
