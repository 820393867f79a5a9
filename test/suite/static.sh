#!/bin/bash
# make static: one file that needs nothing around it. Built here when the archives of its libraries are there, and run in a
# root folder that holds only it and a recording.
# needs: build recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
top=$(cd "$suite/../.." && pwd)
for archive in libc.a libz.a libzstd.a libpcre2-8.a libxxhash.a liblzma.a libiberty.a libbpf.a libelf.a; do
	[ "$(cc -print-file-name=$archive)" = $archive ] || continue
	skip "a static program" "$archive is missing"
	finish
done
static=$top/build-static/plume
ok "it is built, and the linker warns of nothing" "$top/tools/build" build-static
ok "it needs no libraries" bash -c "ldd '$static' 2>&1 | grep -qE 'statically linked|not a dynamic executable'"
ok "it asks for no interpreter" bash -c "! readelf -lW '$static' | grep -q INTERP"
is "it is the same version" "$("$static" --version)" "$("$plume" --version)"
if [ "$(id -u)" != 0 ] || ! chroot / true 2>/dev/null; then
	skip "in an empty root" "chroot is not allowed here"
	finish
fi
mkdir -p root
cp "$static" root/plume
printf 'main;a;b 70\nmain;c 30\n' >root/in.folded
(cd root && "$plume" fold -q in.folded >want && "$plume" flame -q in.folded -o want.svg)
alone() { env -i "$(command -v chroot)" root /plume "$@"; }
ok "in an empty root: fold" bash -c "$(declare -f alone); alone fold -q in.folded | cmp - root/want"
ok "in an empty root: a picture" alone flame -q in.folded -o out.svg
ok "... which is the same" cmp root/out.svg root/want.svg
ok "in an empty root: convert and read again" bash -c "$(declare -f alone); alone convert in.folded -o out.plume && alone fold -q out.plume | cmp - root/want"
alone doctor in.folded >root/said 2>&1
ok "in an empty root: doctor" grep -q in.folded root/said
if command -v perf >/dev/null && perf record -q -e cpu-clock -g -o root/perf.data -- ls -R /usr/include >/dev/null 2>&1; then
	ok "in an empty root: a recording" bash -c "$(declare -f alone); alone fold -q perf.data | grep -q '^ls;'"
	ok "outside: the same stacks as the other build's" bash -c "'$static' fold -q root/perf.data | cmp - <('$plume' fold -q root/perf.data)"
else
	skip "in an empty root: a recording" "perf does not record here"
fi
finish
