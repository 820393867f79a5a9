#!/bin/bash
# Profiles in JSON by the real program: what is written for speedscope, as tables and as a tree gives the same stacks and
# weights when it is read again; damage is said, with its place and exit 3.
# shellcheck disable=SC2016,SC2317 # JSON has dollars; functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/replay.bash
. "$suite/replay.bash"

folds() { # folds FILE OUT: what a query can see, in several ways
	replay fold -q --where event=all --tid --all "$1"
	mv out "$2"
	replay fold -q --weight period --merge-tiers --where kind=user,jit "$1"
	cat out >>"$2"
	replay fold -q --time 0,0.01 --where cpu=0,1 "$1"
	cat out >>"$2"
}
few=()
for name in several-events java node plus-pid-cpu-period odd-comms; do
	few+=("$fixtures/perf-script/$name.perf")
done
# comes_back FILES ENDING OPTION...: FILES is all or few. What was read back and written again is the same file.
comes_back() {
	local files=("${few[@]}") ending=$2 file bad=0
	[ "$1" = few ] || files=("$fixtures"/perf-script/*.perf *.folded)
	shift 2
	for file in "${files[@]}"; do
		replay convert -q "$@" "$file" -o "one$ending"
		replay convert -q "$@" "one$ending" -o "two$ending"
		# Samples with two weights are counted twice by then.
		cmp "one$ending" "two$ending" || [ "$file" = both.folded ] || bad=1
		folds "one$ending" got
		if ! cmp "$(basename "$file").want" got; then
			bad=1
			echo "$file"
		fi
	done
	return "$bad"
}
printf 'a;b 1.5\na;b_[k] 0.25\n;x 3\nlong \xff\xfe name;y_[i] 2\nz 0\n' >odd.folded
printf 'a;b 1 2\na;c 3 4.5\n' >both.folded
for file in "$fixtures"/perf-script/*.perf *.folded; do
	folds "$file" "$(basename "$file").want"
done
ok "speedscope: every recording comes back" comes_back all .speedscope.json
ok "tables: every recording comes back" comes_back all .flat.json
ok "speedscope, all threads in one: recordings come back" comes_back few .speedscope.json --all-threads
ok "compressed: recordings come back" comes_back few .speedscope.json.gz

tree_comes_back() {
	local file bad=0
	for file in default java node dwarf-inline; do
		"$plume" convert -q "$fixtures/perf-script/$file.perf" -o tree.json
		"$plume" fold -q "$fixtures/perf-script/$file.perf" | cmp - <("$plume" fold -q tree.json) || bad=1
	done
	return "$bad"
}
ok "a tree has the stacks of fold" tree_comes_back

# A clock's samples last as long as they say, in a unit, whatever time there is between them.
printf 'a 7 1.000000: 1000 cpu-clock: \n\t  10 f (/bin/a)\n\na 7 5.000000: 3000 cpu-clock: \n\t  10 g (/bin/a)\n\n' >clock.perf
"$plume" convert -q --each-sample clock.perf -o clock.speedscope.json
ok "a clock's profile is in nanoseconds" grep -qF '"unit":"nanoseconds","startValue":0,"endValue":4000' clock.speedscope.json
ok "a sample is not drawn over time in which nothing ran" grep -qF '"weights":[1000,3000]' clock.speedscope.json
is "its samples read back as samples" "$("$plume" fold -q clock.speedscope.json | tr '\n' ' ')" "a;f 1 a;g 1 "

# Files that were cut, in a pipe: exit 1 or 3, and the byte.
mkfifo pipe
cut_says() { # cut_says FILE STEP
	local size n code bad=0
	size=$(stat -c %s "$1")
	for ((n = 1; n < size - 1; n += $2)); do
		head -c "$n" "$1" >pipe &
		replay fold pipe
		code=$?
		if [ "$code" != 1 ] && [ "$code" != 3 ] || ! grep -qE "at byte [0-9,]+|no stacks found" err || grep -q Sanitizer err; then
			echo "$1 cut at $n: exit $code: $(head -c 200 err)"
			bad=1
		fi
	done
	return "$bad"
}
"$plume" convert -q "$fixtures/perf-script/default.perf" -o ours.speedscope.json
"$plume" convert -q "$fixtures/perf-script/default.perf" -o ours.flat.json
ok "speedscope cut: said" cut_says "$fixtures/speedscope/sampled.speedscope.json" 29
ok "speedscope of ours cut: said" cut_says ours.speedscope.json 83
ok "tables cut: said" cut_says ours.flat.json 83
ok "tree cut: said" cut_says "$fixtures/json-tree/d3.json" 11
ok "no memory leaked in all of these" replay_ends

# try NAME WANT_EXIT WANT_TEXT COMMAND...
try() {
	local name=$1 code=$2 text=$3
	shift 3
	timeout 120 "$@" >out 2>err
	is "$name: exit code" $? "$code"
	ok "$name: says '$text'" grep -qaF -- "$text" err
}
perl -e 'print q({"shared":{"frames":[{"name":"a"}]},"profiles":[{"unit":"none","weights":[1],"samples":[), "[" x 2000000' >deep
try "nesting without end" 1 "nested too deep" "$plume" fold --input speedscope deep
perl -e 'print q({"name":"f","children":[) x 600000' >deep
try "a tree without end" 1 "nested too deep" "$plume" fold --input json-tree deep
perl -e 'print q({"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{"name":"), "x" x 70000000' >long
try "a string without end" 1 "string is longer than 64 MB" "$plume" fold --input speedscope long
rm -f long deep
printf '{"shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[{"unit":"none","weights":[1,2],"samples":[[0],[1,2]]}]}' >wrong
try "an index without a frame" 3 "a stack refers to frame 2, but there are 2" "$plume" fold --input speedscope wrong
is "its sample is there" "$(cat out)" $'a 1\nb;[unknown] 2'
printf '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[]},"profiles":[]}' >none
try "no samples" 1 "no stacks found: read as speedscope JSON, but it has no samples" "$plume" fold none
finish
