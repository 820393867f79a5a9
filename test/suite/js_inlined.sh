#!/bin/bash
# Functions that V8's compilers put into others, instruction by instruction: js_inlined.sh PLUME [NODE...]. For each Node.js (by default
# the oldest and the newest at hand): programs that have functions in functions run until they are compiled, and are recorded; then each
# instruction of their code, as plume names it, is compared with what the compiler itself says of it (js_inlined.mjs). Wrong names are at
# most 0.05 % of what V8 knows, by instructions and by samples; a caller instead of the function is no wrong name, but is counted.
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
# shellcheck source=test/suite/js_names.bash
. "$suite/js_names.bash"
shift
recording_allowed || finish
find_tool() { # the one of the same build, else of another one: a release has none
	local each
	for each in "$(dirname "$plume")" "$suite"/../../build-{gcc,asan,clang}; do
		code=$each/test/js_code/code
		[ ! -x "$code" ] || return 0
	done
	return 1
}
if ! find_tool; then
	skip "functions in compiled code" "test/js_code/code is not built: meson setup -Dtests=true"
	finish
fi
if [ $# -eq 0 ]; then
	mapfile -t nodes < <("$suite/../../tools/node-matrix" --list ends 2>matrix.err)
else
	nodes=("$@")
fi
if [ ${#nodes[@]} -eq 0 ]; then
	skip "functions in compiled code" "no Node.js: $(tail -1 matrix.err)"
	finish
fi

start_traced() { # start_traced NAME COMMAND...: as start, but it says more than `ready`
	launch "$@"
	timeout 60 grep -q -m 1 -x ready "$1.says"
}
# look NAME PROGRAM [NODE-OPTION...]: NAME.judged
look() {
	local name=$1 program=$2
	rm -rf "$name" "$name".*
	mkdir "$name"
	start_traced "$name" timeout -s KILL 120 "$node" "${@:3}" --trace-turbo --trace-turbo-path="$work/$name" "$programs/$program" "$name.truth" || return 1
	child=$(node_of "$pid")
	timeout -s INT 60 "$plume" record -q -F 4999 --call-graph none -p "$child" -o "$name.data" -- "$truth/until_used" "$child" 1 >"$name.out" 2>&1
	kill -STOP "$child"
	"$code" "$child" "$program" >"$name.code" 2>"$name.err"
	kill -KILL "$child"
	wait "$pid" 2>/dev/null
	"$node" "$suite/js_inlined.mjs" "$name.code" "$name.program" "$name.data" "$name" >"$name.judged" 2>>"$name.err"
}
# answers NAME TIER WHAT: right cautious wrong unknown
answers() { sed -n "s/^$2 $3 //p" "$1.judged"; }
# few_wrong NAME TIER WHAT LEAST: at most 0.05 % of so many that are judged
few_wrong() {
	answers "$1" "$2" "$3" | awk -v least="$4" '{ n = $1 + $2 + $3; bad = n < least || $3 > n * 0.0005
		printf "%.3f %% wrong, %.1f %% callers of %d that V8 knows, and %d that it does not\n", 100 * $3 / (n + !n), 100 * $2 / (n + !n), n, $4 }
		END { exit !NR || bad }' || { cat "$1.judged" "$1.err"; false; }
}
# few_callers NAME TIER WHAT PERCENT
few_callers() {
	answers "$1" "$2" "$3" | awk -v most="$4" '{ n = $1 + $2 + $3; printf "%.3f %% of %d have their own name\n", 100 * $1 / (n + !n), n; exit !(n && $2 <= n * most / 100) }'
}
# all_right NAME TIER WHAT: without a truth that differs from itself there is none to compare with
all_right() { answers "$1" "$2" "$3" | awk '{ print; bad = !$1 || $3 } END { exit !NR || bad }'; }
judged() { # judged NAME PROGRAM TIER COMPILER
	local name=$1
	check "$name: $4's own account and its exits to the interpreter agree" all_right "$1" "$3" exits
	check "$name: no wrong functions at exits, in slow paths either" few_wrong "$1" "$3" said 50
	check "$name: no wrong functions in $4's code" few_wrong "$1" "$3" all 500
	check "$name: no wrong functions in samples of $4's code" few_wrong "$1" "$3" all-samples 200
	check "$name: samples of $4's code have the function, not a caller" few_callers "$1" "$3" all-samples 10
	figure "$name-own"
	check "$name: calls are where the interpreter would go on" all_right "$1" "$3" places
	[ "$2$3" != 'put_in.js\*' ] || check "$name: instructions with numbers of functions are theirs" few_wrong "$1" "$3" numbers 10
}
turbofan() {
	look "${1%.js}" "$1" || { check "${1%.js}: it runs" false; return; }
	judged "${1%.js}" "$1" '\*' TurboFan
}
# Without TurboFan programs stay in Maglev's code. From 13.x on it has a table; plume must not contradict it even if it does not read it, as
# before there is none.
maglev() {
	look "maglev-${1%.js}" "$1" --maglev --no-turbofan || { check "maglev-${1%.js}: it runs" false; return; }
	judged "maglev-${1%.js}" "$1" + Maglev
	check "maglev-${1%.js}: no wrong functions if there were no table" few_wrong "maglev-${1%.js}" + blind 500
}
for node in "${nodes[@]}"; do
	version=$("$node" --version)
	for program in put_in.js inlined.js; do
		turbofan $program
	done
	major=${version#v}
	[ "${major%%.*}" -lt 24 ] || maglev put_in.js
done
finish
