#!/bin/bash
# A Node.js server in namespaces of its own, and in a podman container, recorded from outside: by pid, cgroup, container's
# id and name. JavaScript and native functions have their names, also when the server is gone before the recording ends.
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
recording_allowed || finish
if ! command -v node >/dev/null; then
	skip "containers" "node is not installed"
	finish
fi

# names TEXT NAME: JavaScript, V8, Node.js and libuv are called by their names, to the start of the thread.
names() {
	"$plume" report --json "$2.plume" >"$2.json" 2>/dev/null
	stripped "$2"
	ok "$1: 97 % of stacks reach the start of their thread, 99 % of frames have names" \
		"$suite/record_roots.pl" "$2.folded" "$2.json" 97
	sed 's/^/# /' ok.out
	ok "$1: names of JavaScript" share_at_least 40 'handleRequest .*server.js' "$2.folded"
	ok "... of each function that V8 compiled" grep -qE ';JS:.?renderPage .*;JS:.?renderRow .*;JS:.?escapeText ' "$2.folded"
	ok "... of native functions" grep -qE ';node::.*;v8::' "$2.folded"
}
share_at_least() { # share_at_least PERCENT RE FOLDED
	re=$2 awk -v floor="$1" '{ all += $NF } $0 ~ ENVIRON["re"] { n += $NF }
		END { printf "%d of %d\n", n, all; exit !(all > 100 && 100 * n >= floor * all) }' "$3"
}
# killed_meanwhile NAME PID OPTION...: the server is gone half a second before the recording ends
killed_meanwhile() {
	record "$1" "${@:3}" -- bash -c "'$truth/until_used' $2 1; kill -KILL $2; sleep 0.5"
}

# Namespaces alone: own /tmp, own pids, own network, with nothing but a loopback.
# shellcheck disable=SC2016 # the inner shell expands it
inside() {
	exec unshare -p -m -n --fork --mount-proc --kill-child sh -c 'mount --bind "$1" /tmp && ip link set lo up && cd /tmp &&
		exec node --perf-basic-prof --no-turbo-inlining /tmp/server.js' - "$work/own"
}
start_inside() {
	rm -f namespaces.says
	start namespaces inside && server=$(pgrep -P "$pid" -x node)
}
mkdir own
cp "$truth/server.js" own/
if [ "$(id -u)" = 0 ] && unshare -p -m -n --fork ip link set lo up 2>/dev/null && start_inside; then
	record namespaces -p "$server" -- "$truth/until_used" "$server" 1
	names "a server in its own namespaces" namespaces
	killed_meanwhile gone "$server" -p "$server"
	ok "it is gone" gone_soon "$server"
	names "a server in its own namespaces that is gone before the end" gone
else
	skip "a server in its own namespaces" "unshare -p -m -n is not allowed here"
fi

# A container.
container=plume-test-$$
group=
end_container() {
	"$suite/container_run.bash" stop "$container"
	[ -z "$group" ] || rmdir "$group"
}
start_container() {
	"$suite/container_run.bash" start "$container" - -v "$work/own:/srv" -- \
		sh -c 'exec node --perf-basic-prof --no-turbo-inlining /srv/server.js >/srv/says' >container.out || return 1
	server=$(sed -n 's/^pid=//p' container.out) id=$(sed -n 's/^id=//p' container.out)
	says_ready own/says
}
# A cgroup of the container's processes: podman makes none here.
group_of_container() {
	local top
	top=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$top" ] && mkdir "$top/$container" && group=$top/$container && echo "$server" >"$group/cgroup.procs"
}
mkfifo own/says
if ! why=$("$suite/container_run.bash" check); then
	skip "a container" "$why"
	finish
fi
trap 'end_container; end_started; rm -rf "$work"' EXIT
ok "a container is started" start_container
for by in "-p $server" "--container $container" "--container ${id:0:12}" "--container $id"; do
	# shellcheck disable=SC2086 # two words
	record container $by -- "$truth/until_used" "$server" 1
	names "a container, by ${by/$server/its pid}" container
done
if group_of_container; then
	record group --cgroup "/$container" -- "$truth/until_used" "$server" 1
	names "a container, by its cgroup" group
else
	skip "a container, by its cgroup" "no cgroup2 that can be written to"
fi
killed_meanwhile gone "$server" --container "$container"
ok "it is gone" gone_soon "$server"
names "a container that is gone before the end" gone
finish
