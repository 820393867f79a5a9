#!/bin/bash
# JavaScript's names from outside, without flags: js_names.sh PLUME [NODE...]. For each Node.js (by default the oldest and the
# newest at hand, see tools/node-matrix): shares of programs that know them (test/truth/js), names for nearly every sample, the
# same names as in V8's own map, callers of inlined functions as `new Error().stack` has them; in workers, children,
# namespaces and containers, and of functions that are gone.
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
shift
recording_allowed || finish
programs=$truth/js
if [ $# -eq 0 ]; then
	mapfile -t nodes < <("$suite/../../tools/node-matrix" --list ends 2>matrix.err)
else
	nodes=("$@")
fi
if [ ${#nodes[@]} -eq 0 ]; then
	skip "names of JavaScript" "no Node.js: $(tail -1 matrix.err)"
	finish
fi
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
family() { # family PID: it and its children, as -p wants them
	{ echo "$1"; pgrep -P "$1"; } | paste -sd,
}
# record_it NAME OPTION...: while $child uses $seconds of CPU time, which counts for itself exactly then
record_it() {
	record "$1" --srcline "${@:2}" -- \
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
named() {
	check "$1: 99 % of samples with JavaScript have names" ask named "$1.folded" 99
	figure "$1-named"
}
agrees() { # agrees NAME FLOOR
	"$plume" doctor --json "$1.plume" >"$1.json" 2>/dev/null
	check "$1: V8's own map says the same of $2 %, another function of at most 0.05 %" ask witness "$1.json" "$1.err" "$2" 0.05
	figure "$1-agrees"
}
same_chain() {
	"$plume" convert --format speedscope --each-sample "$1.plume" -o "$1.speedscope" 2>/dev/null
	check "$1: an inlined function has the callers of new Error().stack, with line and column" \
		ask chains "$1.speedscope" "$1.program" 99.5
	figure "$1-chains"
}
# own_names NAME [NODE-OPTION...]: functions that were inlined and call nothing
own_names() {
	run "$1" inlined.js "${@:2}" || return
	shares "$1"
	check "$1: functions that call nothing have their shares, or their callers have these" \
		ask inlined "$1.short" "$1.program" $limit
	named "$1"
}
called_by() { # called_by NAME CHILD PARENT
	check "$1: $2 is always called by $3" ask parents "$1.short" "$2" "$3" 99.9
	figure "$1-callers"
}

without_flags() {
	for program in forms.js module.mjs fresh.js gone.js tiny.js workers.js; do
		local name=${program%.*}
		run "$name" $program || continue
		shares "$name"
		named "$name"
	done
	called_by tiny 'left[A-H]' callLeft
	called_by tiny 'right[A-H]' callRight
	check "fresh: functions are interpreted" ask tier fresh.folded 'fresh(Sums|Texts|Pairs) ' '~' 50
	if run chain chain.js; then
		shares chain
		same_chain chain
		printf 'leaf@chain.js 3\ntwig@chain.js 1\n' >chain.inlined
		shares chain chain.inlined
	fi
	own_names inlined
	if run children children.js; then
		shares children
		cat children.truth.* >children.both
		awk '{ n[$1] += $2 } END { for (i in n) print i, n[i] }' children.both >children.stay
		shares children children.stay
		named children
	fi
	if run shop shop.js; then
		shares shop
		named shop
	fi
}
with_map() {
	local map=(--perf-basic-prof --interpreted-frames-native-stack)
	run server-map shop.js "${map[@]}" && agrees server-map 99.9
	run forms-map forms.js "${map[@]}" && agrees forms-map 99.9
	run churn-map shop.js "${map[@]}" --expose-gc -- churn && agrees churn-map 99.5
	run gone-map gone.js "${map[@]}" --expose-gc && agrees gone-map 99.5
}

# Own pids, own mounts, own network with nothing but a loopback.
# shellcheck disable=SC2016 # the inner shell expands it
inside() {
	exec timeout -s KILL 120 unshare -p -m -n --fork --mount-proc --kill-child sh -c 'mount --bind "$1" /tmp && ip link set lo up && cd /tmp &&
		exec "$2" /tmp/js/shop.js /tmp/truth' - "$work/own" "$node"
}
in_namespaces() {
	if ! { [ "$(id -u)" = 0 ] && unshare -p -m -n --fork ip link set lo up 2>/dev/null; }; then
		skip "$version: a server in its own namespaces" "unshare -p -m -n is not allowed here"
		return
	fi
	rm -rf own namespaces.*
	mkdir own && cp -r "$programs" own/
	if ! start namespaces inside; then
		check "a server in its own namespaces starts" false
		return
	fi
	child=$(pgrep -P "$(pgrep -P "$pid")")
	record_it namespaces -p "$child"
	told own/truth
	mv own/truth namespaces.truth
	shares namespaces
	named namespaces
}

container=plume-js-$$
in_container() {
	local why
	if ! why=$("$suite/container_run.bash" check); then
		skip "$version: a server in a container" "$why"
		return
	fi
	rm -rf own
	mkdir own && cp -r "$programs" own/ && mkfifo own/says
	trap '"$suite/container_run.bash" stop "$container" 2>/dev/null; end_started; rm -rf "$work"' EXIT
	if ! "$suite/container_run.bash" start "$container" - -v "$work/own:/srv" -v "$(dirname "$node"):/node" -- \
		sh -c 'exec timeout -s KILL 120 /node/node /srv/js/shop.js /srv/truth >/srv/says' >container.out 2>&1 || ! says_ready own/says; then
		check "a server in a container starts" cat container.out /dev/null/none
		return
	fi
	child=$(pgrep -P "$(sed -n 's/^pid=//p' container.out)")
	record_it container --container "$container"
	told own/truth
	mv own/truth container.truth
	"$suite/container_run.bash" stop "$container"
	shares container
	named container
}

for node in "${nodes[@]}"; do
	version=$("$node" --version)
	without_flags
	with_map
	in_namespaces
	in_container
done

# All together.
within() {
	local n good
	n=$(wc -l <tally) good=$(grep -c 1 tally)
	echo "$good of $n shares are within the 95 % interval"
	# 1 in 1,000 has fewer, when the interval is right
	perl -e 'my ($n, $good) = @ARGV; my ($sum, $term) = (0, 0.95 ** $n);
		for my $bad (0 .. $n) {
			exit !($good >= $n - $bad) if ($sum += $term) > 0.999;
			$term *= ($n - $bad) / ($bad + 1) * 0.05 / 0.95;
		}' "$n" "$good"
}
ok "of all shares, as many within the 95 % interval as there should be" within
sed 's/^/# /' ok.out
finish
