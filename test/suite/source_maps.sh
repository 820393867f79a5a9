#!/bin/bash
# TypeScript and bundles shown as they were written: inline maps, maps beside the script, in a mount namespace of its own;
# maps that are missing, broken, elsewhere or traps.
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
recording_allowed || finish
for tool in node tsc esbuild; do
	command -v $tool >/dev/null && continue
	skip "source maps" "there is no $tool here"
	finish
done
cp "$fixtures"/source-map/*.ts .
sources=$PWD
compile() { tsc --target es2020 --module commonjs --lib es2020 "$@" main.ts; }
bundle() { esbuild main.ts --bundle --minify --platform=node --log-level=warning "$@"; }
compile --sourceMap --outDir beside
compile --inlineSourceMap --outDir inline
bundle --sourcemap --outfile=bundle/main.js
bundle --sourcemap=inline --format=esm --outfile=module/main.mjs
bundle --sourcemap=external --outfile=untold/main.js

# Where functions begin in grid.ts: the place of a word there.
line_of() { grep -n "$1" grid.ts | head -1 | cut -d: -f1; }
hot=$(line_of 'function hotLoop') cells=$(line_of 'sumCells(factor') scale=$(line_of 'const scaleWork') until=$(line_of 'function until')
# original NAME: all functions of the program, with the lines of grid.ts
original() {
	local each
	for each in "until $sources/grid.ts:$until:" "hotLoop $sources/grid.ts:$hot:" "sumCells $sources/grid.ts:$cells:"; do
		grep -qF "$each" "$1.folded" && continue
		echo "no $each"
		grep -o 'JS:[^;]*' "$1.folded" | grep -v node: | sort | uniq -c
		return 1
	done
}
generated() { # generated NAME SCRIPT: only names of the script as it ran
	grep -qE "JS:[^;]* (file://)?$2:" "$1.folded" && ! grep -q 'grid\.ts' "$1.folded"
}
fact() { # fact NAME RE: what the profile says of source maps
	"$plume" convert --to json "$1.plume" 2>/dev/null | grep -oE '"source maps"[^]}]*' | grep -E "$2" ||
		{ "$plume" doctor "$1.plume" 2>&1 | grep -E "$2"; }
}

for each in beside/main.js inline/main.js bundle/main.js module/main.mjs untold/main.js; do
	name=${each%/*}
	record "$name" --source-maps -- node "$sources/$each" 1.5
	ok "$each: functions as they were written" original "$name"
	ok "... and nothing to complain of" test "$(grep -vcE 'samples of|wrote' "$name.err")" -eq 0
done
ok "a function that was inlined, too" grep -qE "scaleWork $sources/grid.ts:$scale:[0-9]+(_\[i\])?" bundle.folded
for each in beside/main.js:main.ts bundle/main.js:bundle/main.js module/main.mjs:module/main.mjs; do
	name=${each%%/*}
	ok "$name: the top of the script is that of its only source, or its own" \
		grep -qE "JS:[~^]? (file://)?$sources/${each#*:}:1:1;" "$name.folded"
done
ok "the profile says how many scripts had one" fact bundle '1 of 1 scripts had one'
record plain -- node "$sources/bundle/main.js" 1.5
ok "without --source-maps: as it ran" generated plain "$sources/bundle/main.js"
"$plume" fold -q --source-maps plain.plume >plain.folded
ok "... and --source-maps later does the same" original plain
record lines --source-maps -- node "$sources/bundle/main.js" 1.5
"$plume" report -q --srcline --limit 0 lines.plume >lines.report
ok "with --srcline: the lines that were written" grep -qE " sumCells $sources/grid.ts:$cells:[0-9]+ grid.ts:$((cells + 2))\$" lines.report
(cd "$work" && node --cpu-prof --cpu-prof-name=own.cpuprofile "$sources/bundle/main.js" 1 >own.out)
"$plume" fold -q --source-maps own.cpuprofile >own.folded
ok "V8's own profile: functions as they were written" grep -qF "hotLoop $sources/grid.ts:$hot:" own.folded
if start mapped node --perf-basic-prof "$sources/bundle/main.js" 30; then
	record mapped --source-maps -d 1.5 -p "$pid"
	kill_now "$pid"
	rm -f "/tmp/perf-$pid.map"
	ok "a process that writes a map of its own: as written" original mapped
	ok "... and both agree" fact mapped 'own map agrees on 100 %'
fi

# What is only in the mount namespace of the program.
# shellcheck disable=SC2016 # the words are of the shell inside
inside='mount -t tmpfs none "$0" && cp -r "$1"/bundle/. "$0" && cd "$0" && eval "$2" && exec node "$0/main.js" "$3"'
mkdir hidden outside
cp bundle/main.js.map outside/
contained() { # contained NAME SECONDS PREPARE: records it
	record "$1" --source-maps -- unshare -m --propagation private sh -c "$inside" "$work/hidden" "$sources" "$3" "$2"
}
refused() { # refused NAME RE: names as they ran, and why
	ok "... names as they ran" generated "$1" "$work/hidden/main.js"
	ok "... and a sentence" grep -qE "$2" <(tr -s '\n ' ' ' <"$1.err")
}
if unshare -m --propagation private true 2>/dev/null; then
	sed -i "s|\"../grid.ts\"|\"$sources/grid.ts\"|" bundle/main.js.map
	contained contained 1.5 true
	ok "in a mount namespace: as written" original contained
	contained missing 1 'rm main.js.map'
	ok "a map that is not there" test -s missing.plume
	refused missing 'main.js.map: No such file'
	contained broken 1 'echo "{\"version\":3,\"mappings\":\"A!\"}" >main.js.map'
	ok "a map that is broken" test -s broken.plume
	refused broken 'main.js.map: its mappings are invalid at byte 2'
	contained cut 1 'truncate -s 200 main.js.map'
	ok "a map that was cut" test -s cut.plume
	refused cut 'main.js.map: the input ends inside a string, at byte 200'
	contained fifo 1 'rm main.js.map; mkfifo main.js.map'
	ok "a FIFO is not waited for" test -s fifo.plume
	refused fifo 'main.js.map: not a regular file'
	contained device 1 'rm main.js.map; ln -s /dev/zero main.js.map'
	ok "a device is not read" test -s device.plume
	refused device 'main.js.map: not a regular file'
	contained link 1 "rm main.js.map; mount -t tmpfs none $work/outside; ln -s $work/outside/main.js.map main.js.map"
	ok "a link to what only we see" test -s link.plume
	refused link 'main.js.map: No such file'
	contained magic 1 "rm main.js.map; ln -s /proc/$$/root$work/outside/main.js.map main.js.map"
	ok "a link out of the root" test -s magic.plume
	refused magic 'main.js.map: Too many levels of symbolic links'
	contained far 1 'sed -i "s|URL=main|URL=http://127.0.0.1:9/main|" main.js'
	ok "a map on a server is not fetched" test -s far.plume
	refused far 'http://127.0.0.1:9/main.js.map, and plume does not download anything'
	contained zeros 1 'rm main.js.map; truncate -s 100G main.js.map'
	ok "100 GB of nothing" test -s zeros.plume
	refused zeros 'main.js.map: it is not a JSON object'
	contained gzip 1 'gzip -c main.js.map >z; mv z main.js.map'
	ok "a compressed map" test -s gzip.plume
	refused gzip 'main.js.map: it is compressed'
else
	skip "mount namespaces" "not allowed here"
fi
finish
