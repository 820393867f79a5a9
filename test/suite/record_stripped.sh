#!/bin/bash
# Functions of a stripped library (test/truth/stripped*): a label without a size names its own code and no other; functions
# that only .eh_frame knows are told apart in reports, pictures and comparisons of the same build, and are one in folded stacks.
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
if [ "$(uname -m)" != x86_64 ]; then
	skip "a stripped library" "its assembly is of x86-64"
	finish
fi
recording_allowed || finish

# library NAME COMPILER-OPTION...: NAME/libwork.so, stripped, and NAME/full.so
library() {
	local name=$1
	shift
	mkdir "$name"
	gcc -shared -fPIC -O2 -fno-toplevel-reorder -fasynchronous-unwind-tables -fno-optimize-sibling-calls -Wl,--build-id \
		-Wl,-soname,libwork.so "$@" -o "$name/full.so" "$truth/stripped_labels.S" "$truth/stripped_library.c"
	strip -o "$name/libwork.so" "$name/full.so"
}
library old
library new -DIS_EDITED
gcc -O2 -o work "$truth/stripped.c" old/libwork.so
# run NAME LIBRARY: 2 s of CPU time, about 2,000 samples; all builds are found at one path
run() {
	rm -rf lib && mkdir lib && cp "$2/libwork.so" lib
	LD_LIBRARY_PATH=$work/lib record "$1" -- ./work "$1.truth" 2
}
run one old
run two old
run edited new

at() { nm "$1/full.so" | awk -v name="$2" '$3 == name { sub(/^0+/, "", $1); print $1 }'; } # at LIBRARY FUNCTION
first=$(at old first) second=$(at old second)
ok "the label is followed by functions that lose their names" \
	test $((0x$(at old labelled))) -lt $((0x$(at old quiet))) -a $((0x$(at old quiet))) -lt $((0x$first)) -a $((0x$first)) -lt $((0x$second))

# own NAME: self samples of each function as report has them, in folded form
own() { "$plume" report --limit 0 "$1" 2>/dev/null | awk '/^ *[0-9]/ { seen = 1; print "all;" $NF, $3; next } seen { exit }'; }
own one.plume >one.own
# 6 standard errors: by chance, one run in a hundred million fails.
ok "shares as the program measured them, by function" "$suite/record_truth.pl" --limit 6 one.truth one.own \
	'labelled=;labelled ?$' 'quiet=;\[libwork\.so\]$' "first=;\\[libwork\\.so\\]\\+0x$first\$" "second=;\\[libwork\\.so\\]\\+0x$second\$"
sed 's/^/# /' ok.out
"$plume" fold -q one.plume >one.folded
ok "folded stacks have one name for all of them, and all their samples" \
	"$suite/record_truth.pl" --limit 6 <(awk '$1 == "labelled" { print } $1 != "labelled" { n += $2 } END { print "unnamed", n }' one.truth) \
	one.folded 'labelled=;labelled$' 'unnamed=;\[libwork\.so\]$'
is "no address is in them" "$(grep -c '+0x' one.folded)" 0
is "nor in pprof files" "$("$plume" convert -q one.plume -o one.pb.gz && own one.pb.gz | grep -c '+0x')" 0
is "tables in JSON keep them" "$("$plume" convert -q one.plume -o one.flat.json && own one.flat.json | sort)" "$(sort one.own)"
is "they still count as unnamed" \
	"$("$plume" report --json one.plume 2>/dev/null | grep -o '"no_name":[0-9]*')" \
	"\"no_name\":$(awk '/\[/ && !/\[k/ { n += $NF } END { print n + 0 }' <(grep -E ';\[[^;]*\] [0-9]+$' one.folded))"
"$plume" flame -q one.plume -o one.svg
ok "a picture has a box for each" bash -c "grep -q '\[libwork.so\]+0x$first' one.svg && grep -q '\[libwork.so\]+0x$second' one.svg"

compared() { "$plume" diff "$@" --format table --limit 0 2>/dev/null | awk '{ print $NF }' | grep -F '[libwork.so]' | sort; }
is "two recordings of one build are compared function by function" "$(compared one.plume two.plume)" \
	"$(printf '[libwork.so]\n[libwork.so]+0x%s\n[libwork.so]+0x%s\n' "$first" "$second" | sort)"
is "of two builds, they are one function" "$(compared one.plume edited.plume)" '[libwork.so]'
is "and so they are in folded comparisons" "$("$plume" diff -q one.plume two.plume --format folded | grep -c '+0x')" 0

# modules FILE: those of its frames that are called work or by a link to it
modules() { "$plume" report --json --limit 0 "$1" 2>/dev/null | grep -oE '"module":"[^"]*/(work|busy)"' | sort -u; }
strip -o stripped work && mv stripped work && ln -s work busy
LD_LIBRARY_PATH=$work/old record linked -- ./busy linked.truth 1
is "a program that is started by a link has the link's name" "$(modules linked.plume)" "\"module\":\"$work/busy\""
ok "... also where its functions have none" grep -qE ';\[busy\];' <("$plume" fold -q linked.plume)
LD_LIBRARY_PATH=$work/old record plain -- ./work plain.truth 1
is "... and its own where it was started by that" "$(modules plain.plume)" "\"module\":\"$work/work\""
finish
