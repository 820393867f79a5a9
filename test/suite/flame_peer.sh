#!/bin/bash
# plume flame against the script it stands in for, frame by frame: FLAMEGRAPH_DIR names a checkout of FlameGraph. Own
# folded stacks and our recordings, with every option that changes what is drawn. Compared are title, rectangle, colour,
# label and attributes of every frame.
#
# Known to differ, and so not in the inputs, or evened out below:
#   the label of the bottom frame: flamegraph.pl draws none
#   --inverted with --subtitle: flamegraph.pl draws the frames over the subtitle
#   a zero-width frame may take another frame of its name away in flamegraph.pl: zero counts have names of their own
#   a differential file with a stack on two lines, or in order of time: flamegraph.pl forgets changes of a frame that it
#   comes back to
#   --cp and names with "->": flamegraph.pl reads them back wrong
#   without --compat: names are tidied, and frames that the order of lines cuts in two are one
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
script=${FLAMEGRAPH_DIR:-/nonexistent}/flamegraph.pl
if [ ! -e "$script" ]; then
	skip "plume flame equals flamegraph.pl" "set FLAMEGRAPH_DIR to a checkout of FlameGraph to run this"
	finish
fi
script=$(realpath "$script")

# Both pictures as text. $down: how much lower our frames are.
down=0
compare() {
	perl "$suite/svg_frames.pl" --down "$down" want.svg got.svg && [ -s want.svg.frames ] &&
		diff want.svg.frames got.svg.frames
}
# same MODE FILE OPTION...: MODE is --compat or nothing.
same() {
	local mode=$1 file=$2
	shift 2
	perl "$script" "$@" "$file" >want.svg 2>/dev/null
	"$plume" flame -q ${mode:+"$mode"} "$@" "$file" >got.svg || return 1
	compare
}
# agree MODE FILES OPTION...: every file gives the same frames.
agree() {
	local mode=$1 files=$2 file bad=0
	shift 2
	for file in $files; do
		same "$mode" "$file" "$@" >difference 2>&1 && continue
		bad=1
		echo "$file:"
		head -6 difference | cut -c1-300
	done
	return "$bad"
}
all() { # all MODE FILES OPTION...: one check
	ok "flame ${1:+$1 }${*:3}" agree "$@"
}

make_files() { # make_files SEED LINES
	local kind
	for kind in plain zeros decimals prefixes diff diff-prefixes; do
		perl "$suite/random_folded.pl" "$1" $kind "$2" >"$kind-$1.folded"
	done
}
make_files 1 20
make_files 2 100
make_files 3 400
for name in java node dwarf-inline no-demangle; do
	"$plume" fold -q --all "$fixtures/perf-script/$name.perf" >$name.folded
done
printf 'main;one 1\n' >one.folded
plain="one.folded plain-2.folded decimals-1.folded"
zeros="zeros-2.folded"
diffs="diff-2.folded"
cut="prefixes-2.folded java.folded"
cut_diffs="diff-prefixes-2.folded"
large="plain-3.folded zeros-3.folded decimals-3.folded diff-3.folded"
cut_large="prefixes-3.folded diff-prefixes-3.folded node.folded no-demangle.folded dwarf-inline.folded"

try() { # try OPTION...: with and without --compat
	all --compat "$plain $zeros $diffs $cut $cut_diffs" "$@"
	all '' "$plain $zeros $diffs" "$@"
}
for options in '' --hash '--colors java' '--minwidth 0' '--width 800 --minwidth 2'; do
	# shellcheck disable=SC2086 # words
	all --compat "$large $cut_large" $options
	# shellcheck disable=SC2086
	all '' "$large" $options
done
try
for palette in hot mem io wakeup java js perl red green blue aqua yellow purple orange; do
	try --colors $palette
done
try --hash
try --hash --colors java
try --inverted
zeros='' try --reverse
zeros='' try --reverse --inverted --hash
try --width 800
try --width 3000
try --height 20
try --minwidth 0
try --minwidth 1
try --minwidth 0.5%
try --minwidth 40 --width 600
try --fontsize 10
try --fontsize 9.5
try --fontwidth 0.4
try --fontwidth 1.1 --fontsize 15
try --countname "bytes & pieces"
try --nametype "Line:"
try --total 5000
try --total 1
try --factor 2.5
try --factor 0.001 --countname s
try --negate
try --title "A <title> & more"
try --subtitle "second line"
try --bgcolors "#112233"
down=24 try --inverted --subtitle "second line"
down=30 try --inverted --subtitle "second line" --fontsize 15
printf '%s\t%s\n' main class=hot \
	'read line' $'title=reads a line\thref=https://example.org/?a=1' \
	'JS:*run /srv/a.js:1_[j]' id=run \
	f $'target=x\thref=/f\ta_extra=data-a="1"\tg_extra=data-b="2"' >attributes
try --nameattr attributes

# Order of time, and wakers.
all --compat "$plain $cut plain-3.folded prefixes-3.folded" --flamechart
all '' "$plain plain-3.folded" --flamechart
all --compat "$plain $cut plain-3.folded prefixes-3.folded" --flamechart --reverse --inverted
printf 'a;b;--;w1;w2 5\na;b;--;w3;--;w1 2\nc;d 3\n' >chain.folded
all --compat "chain.folded one.folded" --colors chain
all --compat plain-2.folded --colors chain
printf 'f (x) 3\nf 5\nf;g 1\ng 2\ng a 5\ng;x 1\n' >blanks.folded
all --compat blanks.folded

printf 'a;b 28 0\nc 19 11\nd 3 5\n' >vanished.folded # the largest change is in a frame without a width
all --compat vanished.folded

# --cp twice, in a folder each: the second picture knows the first one's colours, and the files are equal.
mkdir theirs ours
for file in plain-1 plain-2 prefixes-1 zeros-1 java; do
	grep -v -e '->' "$file.folded" >"$file.cp"
done
# shellcheck disable=SC2317 # called by ok
keep_palette() { # keep_palette FILE OPTION...
	local file=$PWD/$1
	shift
	(cd theirs && perl "$script" --cp "$@" "$file" >../want.svg 2>/dev/null)
	(cd ours && "$plume" flame -q --compat --cp "$@" "$file" >../got.svg) || return 1
	compare && cmp theirs/palette.map ours/palette.map
}
ok "--cp: the first picture and its palette.map" keep_palette plain-1.cp
ok "--cp: the same again" keep_palette plain-1.cp
ok "--cp: kept colours in another palette" keep_palette plain-1.cp --colors mem
for file in plain-2 prefixes-1 zeros-1 java; do
	ok "--cp: $file adds its names to it" keep_palette $file.cp --colors java
done
finish
