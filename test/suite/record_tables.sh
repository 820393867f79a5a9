#!/bin/bash
# Stacks through code that has no tables to unwind by and no frame pointers, by programs that know where their time went:
# leaves in assembly, all of a program, musl's library; and programs that begin without a name.
# needs: recording
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
recording_allowed || finish
if [ "$(uname -m)" != x86_64 ]; then
	skip "code without tables" "only followed on x86-64"
	finish
fi

# Further off than this is one share in ten million.
limit=5.4
tables=(-fno-asynchronous-unwind-tables -fno-unwind-tables)

# unrooted NAME: percent of stacks that do not reach the start of their thread, as plume counts
unrooted() {
	"$plume" report --json "$1.plume" 2>/dev/null |
		perl -e '$_ = join "", <>; my ($n) = /"samples":(\d+)/; my $bad = 0; $bad += $1 while /"(?:unrooted|truncated)":(\d+)/g;
			printf "%d\n", $n ? 100 * $bad / $n : 100'
}
shares() { # shares TEXT NAME
	ok "$1: shares as the program measured them" "$suite/record_truth.pl" --limit $limit "$2.truth" "$2.folded"
	sed 's/^/# /' ok.out
	is "$1: percent of stacks that do not reach the start of their thread" "$(unrooted "$2" | awk '{ print ($1 > 1 ? $1 : 0) }')" 0
}
build() { # build NAME OPTION... of leaf.c
	gcc -O2 -g -fomit-frame-pointer -fno-optimize-sibling-calls -o "$1" "$truth/leaf.c" "${@:2}"
}
build leaves
build no-tables "${tables[@]}"
for name in leaves no-tables; do
	record $name -- ./$name $name.truth 2
	shares "$name" $name
done
chained() {
	is "$1: a chain of functions without tables is whole" \
		"$(grep -c 'main;take_turns;\(take_turn;\)*chained;calls_leaf;bare_leaf' "$1.folded" | awk '{ print ($1 > 0) }')" 1
	is "$1: none of its links is missing" "$(grep 'chained' "$1.folded" | grep 'bare_leaf' | grep -vc 'calls_leaf;bare_leaf')" 0
}
sed -i 's/_\[i\]//g' leaves.folded no-tables.folded
chained leaves
chained no-tables

if command -v musl-gcc >/dev/null; then
	for name in musl-static musl-shared; do
		link=-static
		[ $name = musl-static ] || link=-g
		musl-gcc -O2 -fno-optimize-sibling-calls $link -o $name "$truth/split.c"
		record $name -- ./$name $name.truth 2
		shares "$name, memset and qsort of musl below their callers" $name
	done
	strip -o musl-stripped musl-static
	record musl-stripped -- ./musl-stripped musl-stripped.truth 1
	is "stripped: percent of stacks that do not reach the start of their thread" \
		"$(unrooted musl-stripped | awk '{ print ($1 > 1 ? $1 : 0) }')" 0
else
	skip "musl" "musl-gcc is not installed (Debian: musl-tools)"
fi

gcc -O1 -s -static -nostdlib -fno-pie -no-pie -fno-stack-protector -fno-omit-frame-pointer "${tables[@]}" -o entry "$truth/entry.c"
record entry --call-graph fp -- ./entry
is "a stripped program: percent of stacks that do not reach its entry point" \
	"$(unrooted entry | awk '{ print ($1 > 1 ? $1 : 0) }')" 0
finish
