# What suites that compare names of JavaScript have in common; sourced after recording.bash. $node: the program, $version: what
# it is called in the tests.
# shellcheck shell=bash disable=SC2154,SC2034 # plume, suite, work, truth: of tap.bash and recording.bash; others are used there
programs=$truth/js
# As in record_truth.sh: a comparison may be off by chance; nearly 95 % of all within the 95 % interval is the stricter check.
limit=4.5
seconds=${JS_NAMES_SECONDS:-2} # of CPU time: about 2,000 samples
ask() { perl "$suite/js_names.pl" "$@"; }

# figure NAME: for the table of tools/node-matrix
figure() { echo "# figure $version $1 $(head -1 ok.out | cut -d' ' -f1-2 | tr -d ' %')"; }

# The process that is recorded may be a child: of `timeout`, which ends it when something hangs.
node_of() { pgrep -P "$1" || echo "$1"; }
# running NAME PROGRAM [NODE-OPTION...] [-- ARGUMENT...]: recorded while it uses $seconds of CPU time; its $name.truth
running() {
	local name=$1 program=$2 options=()
	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	rm -f "$name".*
	start "$name" timeout -s KILL 120 "$node" "${options[@]}" "$programs/$program" "$name.truth" "$@" || return 1
	child=$(node_of "$pid")
	record_it "$name" -p "$(family "$child")"
	told "$name.truth"
	rm -f "/tmp/perf-$child.map"
}
family() { # family PID: it and its children that stay, as -p wants them: others may be gone by then
	{ echo "$1"; pgrep -P "$1" -f ' stay '; } | paste -sd,
}
# record_it NAME OPTION...: while $child uses $seconds of CPU time, which counts for itself exactly then
record_it() {
	record "$1" "${@:2}" -- \
		sh -c "kill -USR2 $child; '$truth/until_used' $child $seconds; kill -TERM $child"
	local status=$?
	ask short "$1.folded" >"$1.short"
	sed -n 's/^plume: .* \([1-9][0-9,]*\) lost$/# \1 samples were lost/p' "$1.err"
	return $status
}
# told FILE: the program has written its truth; then it may end
told() {
	for _ in {1..300}; do
		[ ! -s "$1" ] || break
		sleep 0.1
	done
	kill -KILL "$child" 2>/dev/null
	[ -s "$1" ]
}
# check NAME COMMAND...: a test that also says what it measured
check() {
	local before=$failures
	ok "$version: $1" "${@:2}"
	if [ "$failures" -eq "$before" ]; then
		sed 's/^/# /' ok.out
	elif [ -n "${JS_NAMES_KEEP:-}" ]; then # a folder for recordings of tests that failed
		cp "${1%%:*}".{plume,folded,err,truth} "$JS_NAMES_KEEP" 2>/dev/null
	fi
}
# A program that does not get ready, or cannot be recorded, is a failure of its own.
run() {
	running "$@" && return
	ok "$version: $1 runs and is recorded" false
	tail -3 "$1.err" "$1.program" 2>/dev/null | sed 's/^/#   /'
	return 1
}

shares() { # shares NAME [TRUTH] [PART=RE...]
	local name=$1 file=${2:-$1.truth}
	check "$name: shares of $(cut -d@ -f1 "$file" | paste -sd' ')" \
		"$suite/record_truth.pl" --limit $limit --tally tally "$file" "$name.short" "${@:3}"
}
named() { # named NAME [FLOOR]
	check "$1: ${2:-99} % of samples with JavaScript have names" ask named "$1.folded" "${2:-99}"
	figure "$1-named"
}
agrees() { # agrees NAME FLOOR
	"$plume" doctor --json "$1.plume" >"$1.json" 2>/dev/null
	check "$1: V8's own map says the same of $2 %, another function of at most 0.05 %" ask witness "$1.json" "$1.err" "$2" 0.05
	figure "$1-agrees"
}
