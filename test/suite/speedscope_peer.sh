#!/bin/bash
# What `plume convert` writes, seen by speedscope itself: SPEEDSCOPE_DIR names its package (node_modules/speedscope, with
# ajv beside it). Its schema must accept the files, and its page in a browser must show our names and weights.
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
if [ ! -e "${SPEEDSCOPE_DIR:-/nonexistent}/dist/release/index.html" ] || ! command -v chromium >/dev/null; then
	skip "speedscope opens our files" "set SPEEDSCOPE_DIR to speedscope's package to run this"
	finish
fi
peer() { # peer NAME INPUT OPTION...
	local name=$1 input=$2
	shift 2
	"$plume" convert -q "$@" "$input" -o "$name.speedscope.json"
	timeout 60 node "$suite/../browser/speedscope_peer.mjs" "$SPEEDSCOPE_DIR" "$name.speedscope.json"
}
printf 'main;parse;read 12.5\nmain;parse 7\nmain;r\xc3\xa9sum\xc3\xa9 <b> 3.25\n;x 2\n' >decimals.folded
for name in several-events java dwarf-inline-srcline; do
	ok "speedscope opens $name" peer $name "$fixtures/perf-script/$name.perf"
	ok "speedscope opens $name, all threads in one" peer "$name-all" "$fixtures/perf-script/$name.perf" --all-threads
done
ok "speedscope opens folded stacks" peer decimals decimals.folded
for name in evented sampled units; do
	ok "speedscope opens what it could have written itself: $name" \
		peer $name "$fixtures/speedscope/$name.speedscope.json"
done
finish
