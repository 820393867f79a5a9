#!/bin/bash
# JavaScript's names from outside, without flags: js_names.sh PLUME [NODE...]. For each Node.js (by default the oldest and the
# newest at hand, see tools/node-matrix): shares of programs that know them (test/truth/js), names for nearly every sample, the
# same names as in V8's own map, callers of inlined functions as `new Error().stack` has them; in workers, children,
# namespaces and containers, and of functions that are gone.
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
if [ $# -eq 0 ]; then
	mapfile -t nodes < <("$suite/../../tools/node-matrix" --list ends 2>matrix.err)
else
	nodes=("$@")
fi
if [ ${#nodes[@]} -eq 0 ]; then
	skip "names of JavaScript" "no Node.js: $(tail -1 matrix.err)"
	finish
fi
same_chain() {
	"$plume" convert --format speedscope --srcline --each-sample "$1.plume" -o "$1.speedscope" 2>/dev/null
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
end_containers() { # first the one that is in the network of the other
	for each in "$container-load" "$container"; do
		"$suite/container_run.bash" stop "$each" 2>/dev/null
	done
}
# run_container NAME OPTION... -- COMMAND...: with this Node.js in /node, up to its line `ready`; $child: its first process
run_container() {
	rm -f own/says
	mkfifo own/says
	trap 'end_containers; end_started; rm -rf "$work"' EXIT
	"$suite/container_run.bash" start "$1" - -v "$work/own:/srv" -v "$(dirname "$node"):/node" "${@:2}" >container.out 2>&1 &&
		says_ready own/says && child=$(sed -n 's/^pid=//p' container.out)
}
in_container() {
	local why
	if ! why=$("$suite/container_run.bash" check); then
		skip "$version: a server in a container" "$why"
		return
	fi
	rm -rf own
	mkdir own && cp -r "$programs" own/
	if ! run_container "$container" -- sh -c 'exec timeout -s KILL 120 /node/node /srv/js/shop.js /srv/truth >/srv/says'; then
		check "a server in a container starts" cat container.out /dev/null/none
		return
	fi
	child=$(pgrep -P "$child")
	record_it container --container "$container"
	told own/truth
	mv own/truth container.truth
	"$suite/container_run.bash" stop "$container"
	shares container
	named container
	demo_in_container
	end_containers
}
# The server of the README, and who asks it in a container of its own, in the same network.
start_demo() {
	local app=(-v "$suite/../../demo:/app:ro")
	run_container "$container" "${app[@]}" -- sh -c 'exec timeout -s KILL 120 /node/node /app/server.js >/srv/says' || return 1
	server=$(pgrep -P "$child")
	run_container "$container-load" --network "container:$container" "${app[@]}" -- \
		sh -c 'exec timeout -s KILL 120 /node/node /app/load.js 8080 2000 >/srv/says'
}
demo_in_container() {
	if ! start_demo; then
		check "demo/server.js in a container starts and is asked" cat container.out /dev/null/none
		return
	fi
	record demo --container "$container" -- "$truth/until_used" "$server" "$seconds"
	named demo
	check "demo: functions of every route, and what they call" demo_routes
}
demo_routes() {
	local function place
	while read -r function place; do
		grep -qE "JS:.?$function /app/$place" demo.folded || { echo "no $function of $place"; return 1; }
	done <<-END
		handleRequest server.js
		showHome server.js
		showSearch server.js
		listProducts server.js
		takeOrder server.js
		openSession server.js
		renderPage server.js
		sendJson server.js
		writeValue template.js
		searchProducts catalogue.js
		hashPassword sessions.js
		checkSession sessions.js
	END
	grep -q ';deflate' demo.folded && grep -qi ';.*pbkdf2' demo.folded
}

for node in "${nodes[@]}"; do
	version=$("$node" --version)
	without_flags
	with_map
	in_namespaces
	in_container
done

# All together.
ok "of all shares, as many within the 95 % interval as there should be" within_interval tally
sed 's/^/# /' ok.out
finish
