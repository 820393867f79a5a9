#!/bin/bash
# .cpuprofile files of plume in Chrome DevTools' own reader: DEVTOOLS_DIR names an unpacked package
# chrome-devtools-frontend. Compared is the own time of every function. Node has no reader of its own.
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
model=${DEVTOOLS_DIR:-/nonexistent}/front_end/models/cpu_profile/CPUProfileDataModel.ts
if [ ! -e "$model" ]; then
	skip "DevTools reads plume's .cpuprofile" "set DEVTOOLS_DIR to an unpacked package chrome-devtools-frontend to run this"
	finish
fi
esbuild "$suite/v8_devtools.mjs" --bundle --platform=node --format=esm --log-level=error --outfile=devtools.mjs \
	--alias:devtools="$(realpath "$model")"
# agree FILE OPTION...: DevTools adds up what plume shows.
agree() {
	"$plume" convert -q "$@" -o out.cpuprofile || [ $? = 3 ] || return 1
	"$plume" fold -q --weight period out.cpuprofile >out.folded
	node devtools.mjs compare out.cpuprofile out.folded
}
for file in "$fixtures"/v8/chrome-trace.json "$fixtures"/v8/node-trace.json; do
	ok "$(basename "$file"), calls" agree "$file" --where event=trace
done
# (program) is left out: DevTools takes a lone one between two samples of a function for that function's.
for file in "$fixtures"/v8/*.cpuprofile "$fixtures"/v8/*.json; do
	ok "$(basename "$file"), samples" agree "$file" --without '^([^;]*;)?\((program|garbage collector)\)$' --where event=cpu
done
# A sample of a clock lasts its period. Units that are no time are written as so many ns each, which the file says.
agree_by_unit() {
	local unit
	"$plume" convert -q "$1" -o out.cpuprofile || return 1
	if grep -q '"length":"period","lengthNs":1,' out.cpuprofile; then
		"$plume" fold -q --weight period "$1" >out.folded
		node devtools.mjs compare out.cpuprofile out.folded
		return
	fi
	unit=$(perl -ne 'print $2, "e", $3 if /("lengthNs":(\d+),"decimals":(\d+))/' out.cpuprofile)
	"$plume" fold -q "$1" | perl -pe 's/ (\d+(?:\.\d+)?)$/" " . int($1 * '"$unit"' + 0.5)/e' >out.folded
	node devtools.mjs compare out.cpuprofile out.folded
}
printf 'main;f 12.5\nmain;g 30\nmain 7\nother;deep;er 1\n' >stacks.folded
ok "sums of folded stacks" agree_by_unit stacks.folded
for name in default node java no-time several-events machine-wide; do
	ok "$name.perf" agree_by_unit "$fixtures/perf-script/$name.perf"
done

# What V8 wrote and what plume made of it are one to DevTools.
same_in_devtools() {
	"$plume" convert -q "$1" -o out.cpuprofile
	node devtools.mjs sums "$1" >want
	node devtools.mjs sums out.cpuprofile >got
	[ -s want ] && diff want got
}
for name in node worker chrome; do
	ok "$name.cpuprofile before and after plume" same_in_devtools "$fixtures/v8/$name.cpuprofile"
done
finish
