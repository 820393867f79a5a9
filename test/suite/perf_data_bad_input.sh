#!/bin/bash
# perf.data that is cut, or that lies: every number of its head, its table of features, sizes and kinds of its records.
# The unit tests and the fuzz target go through more; here it is the whole program, with names, unwinding and all.
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/replay.bash
. "$suite/replay.bash"
export XDG_CACHE_HOME=$work/cache
recordings=$fixtures/perf-data
for name in file pipe zstd dwarf records; do
	part=records
	[ $name != file ] || part=all
	ok "$name.data damaged in many ways" perl "$suite/perf_data_damage.pl" $part "$replayer" "$recordings/$name.data" --symfs "$recordings/symfs"
done
# The places between records of what was written to a pipe: it has no end mark, so that a cut there is seen by nobody.
between() {
	perl -e 'local $/; my $b = <>; my $at = 16; while ($at + 8 <= length $b) { my $size = unpack "v", substr $b, $at + 6, 2; $at += $size; print "$at\n" }' "$1"
}
# cut_anywhere FILE STEP: a sentence and exit 1 or 3; 0 only at a place in `whole`.
cut_anywhere() {
	local size n code bad=0
	size=$(stat -c %s "$1")
	for ((n = 1; n < size; n += $2)); do
		head -c "$n" "$1" >cut.data
		replay fold --symfs "$recordings/symfs" cut.data
		code=$?
		[ "$code" = 0 ] && grep -qx "$n" whole && continue
		case $code in 1 | 3) grep -qa "^plume: .*cut.data" err && ! grep -qa Sanitizer err && continue ;; esac
		echo "$n bytes: exit $code: $(head -3 err)"
		bad=$((bad + 1))
	done
	[ "$bad" = 0 ]
}
: >whole
ok "file.data cut" cut_anywhere "$recordings/file.data" 197
ok "zstd.data cut" cut_anywhere "$recordings/zstd.data" 97
between "$recordings/pipe.data" >whole
ok "pipe.data cut" cut_anywhere "$recordings/pipe.data" 151
# Samples before the cut are there.
head -c 9000 "$recordings/file.data" >cut.data
"$plume" fold --symfs "$recordings/symfs" cut.data >out 2>err
is "a file cut in its samples: exit code" $? 3
ok "... what stands before the cut is read" grep -q 'main_of;seventy;burn ' out

# Binaries, maps and debug files that are not what they say.
cp -r "$recordings/symfs" symfs
for n in 0 1 63 64 100 1000 2000; do
	head -c $n "$recordings/symfs/srv/app/work" >symfs/srv/app/work
	timeout 10 "$plume" fold --symfs symfs "$recordings/file.data" >out 2>err
	code=$?
	ok "a program cut after $n bytes: exit $code, all samples" bash -c "[ $code -le 3 ] && [ \$(awk '{ n += \$NF } END { print n }' out) = $("$plume" fold -q "$recordings/file.data" 2>/dev/null | awk '{ n += $NF } END { print n }') ]"
	ok "... and no name from it" bash -c '! grep -q seventy out'
done
cp "$recordings/symfs/srv/app/family" symfs/srv/app/work
"$plume" fold --symfs symfs "$recordings/file.data" >out 2>err
ok "another program in its place gives no names" bash -c '! grep -q ";burn " out'
ok "... and is told" bash -c "'$plume' doctor --symfs symfs '$recordings/file.data' | grep -q 'build id'"
map=$(echo symfs/tmp/perf-*.map)
{ cat "$recordings/$map"; printf '7f0000000000 zz bad\nnot a row\n ffff'; } >"$map"
"$plume" fold --symfs symfs "$recordings/jit.data" >out 2>err
ok "a map with rows that are none and half a line" grep -q seventy out
head -c 300000 /dev/urandom >"$map"
timeout 10 "$plume" fold --symfs symfs "$recordings/jit.data" >out 2>err
code=$?
ok "a map of random bytes: exit $code" test $code -le 3 -a $code != 2
finish
