#!/bin/bash
# Samples in = samples out: every shape, any number of threads, file or pipe, compressed or not.
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/replay.bash
. "$suite/replay.bash"

sum() { awk '{ s += $NF } END { print s + 0 }' "$1"; }
folded() { replay fold -q --weight samples --where event=all "$@"; }

categories=app,dependency,runtime,builtin,regexp,gc,native,kernel,unknown
mkfifo pipe
while read -r name samples; do
	file=$fixtures/perf-script/$name.perf
	folded "$file"
	is "$name: every sample is in the output" "$(sum out)" "$samples"
	mv out whole
	cat "$file" >pipe &
	folded pipe
	ok "$name: a pipe gives the same" cmp out whole
	folded --time 0, --where cpu=-1,0,1 --tid "$file"
	if [ -s out ]; then # with a row per sample; shapes without a time cannot
		is "$name: the same sum with times, cpus and threads" "$(sum out)" "$samples"
	fi
	folded --reverse "$file"
	is "$name: reversed stacks keep the sum" "$(sum out)" "$samples"
	for each in --fold=native,kernel,unknown --fold=$categories --charge=gc,kernel,native --charge=$categories "--charge=app --fold=kernel"; do
		# shellcheck disable=SC2086 # one option or two
		folded $each "$file"
		is "$name: $each keeps the sum" "$(sum out)" "$samples"
	done
done <"$fixtures/perf-script/samples.txt"
ok "no memory leaked in all of these" replay_ends

# One text of all shapes, large enough to be cut into parts for threads; in a pipe it comes in pieces.
: >all.perf
for _ in $(seq 60); do
	while read -r name samples; do
		cat "$fixtures/perf-script/$name.perf"
		echo
	done <"$fixtures/perf-script/samples.txt" >>all.perf
done
want=$(($(awk '{ s += $2 } END { print s }' "$fixtures/perf-script/samples.txt") * 60))
"$plume" fold -q --weight samples --where event=all -j1 --input perf-script all.perf >one
is "all shapes in one file: every sample is in the output" "$(sum one)" "$want"
for threads in 2 3 8 64; do
	"$plume" fold -q --weight samples --where event=all --input perf-script -j$threads all.perf >out
	ok "$threads threads give the same bytes as one" cmp out one
done
# shellcheck disable=SC2002
cat all.perf | "$plume" fold -q --weight samples --where event=all --input perf-script - >out
ok "a pipe gives the same bytes as a file" cmp out one
dd if=all.perf bs=777 status=none | "$plume" fold -q --weight samples --where event=all --input perf-script - >out
ok "a slow pipe gives the same bytes" cmp out one
gzip -1 -c all.perf | "$plume" fold -q --weight samples --where event=all --input perf-script - >out
ok "gzip gives the same bytes" cmp out one
"$plume" fold -q --compat -j1 all.perf >one
for threads in 2 7; do
	"$plume" fold -q --compat -j$threads all.perf >out
	ok "--compat with $threads threads gives the same bytes as with one" cmp out one
done

# Folded text: reading what was written gives the same; the order of lines does not matter.
"$plume" fold -q --input perf-script --all all.perf >out.folded
"$plume" fold out.folded >again
ok "folding folded text changes nothing" cmp out.folded again
shuf --random-source=all.perf out.folded >shuffled
"$plume" fold shuffled >again
ok "shuffled folded text gives the same" cmp out.folded again
LC_ALL=C sort -c <(sed 's/ [0-9.]*$//' out.folded) 2>err
ok "the output is sorted bytewise" test ! -s err
cat out.folded out.folded >twice.folded
is "the sum of two files is the sum of both" "$("$plume" fold out.folded out.folded | awk '{s+=$NF} END {print s}')" \
	"$(sum twice.folded)"
for _ in $(seq 30); do cat out.folded; done >large.folded
"$plume" fold -j1 large.folded >one
"$plume" fold -j5 large.folded >out
ok "folded text read by 5 threads gives the same bytes as by one" cmp out one
finish
