#!/bin/bash
# V8 CPU profiles and trace events: against sums computed elsewhere, there and back, cut at every byte, and on a program
# whose split of time is known.
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/replay.bash
. "$suite/replay.bash"
v8=$fixtures/v8

# own FOLDED: the own time of each function, as v8_sums.mjs prints it.
own() {
	perl -e 'while (<>) { /^(?:.*;)?([^;]*) (\d+)$/ or die; $sum{$1} += $2 } print "$_ $sum{$_}\n" for sort keys %sum' "$1"
}
same_sums() {
	"$plume" fold -q "$1" >got.folded && own got.folded | sort >got && node "$suite/v8_sums.mjs" "$1" | sort >want &&
		diff want got && [ -s got ]
}
if command -v node >/dev/null; then
	for name in node worker chrome; do
		ok "$name.cpuprofile: own times equal a computation in node" same_sums "$v8/$name.cpuprofile"
	done
else
	skip "own times equal a computation in node" "node is not installed"
fi
"$plume" fold "$v8/node.cpuprofile" >new.folded
"$plume" fold "$v8/old.cpuprofile" >old.folded
ok "the old form gives what the current one gives" cmp new.folded old.folded
"$plume" fold --weight samples "$v8/node.cpuprofile" >counts
is "as many samples as the file has" "$(awk '{ s += $NF } END { print s }' counts)" \
	"$(perl -0ne '/"samples":\[([^\]]*)/ and print scalar split /,/, $1' "$v8/node.cpuprofile")"
{ printf '{"profile":'; cat "$v8/node.cpuprofile"; printf '}'; } >wrapped
"$plume" fold wrapped >out
ok "a profile in the inspector's answer" cmp new.folded out
# shellcheck disable=SC2002 # a pipe is the point
cat "$v8/node.cpuprofile" | "$plume" fold - >out
ok "a profile in a pipe" cmp new.folded out
gzip -c "$v8/chrome-trace.json" >trace.gz
"$plume" fold --where event=all "$v8/chrome-trace.json" >want
"$plume" fold --where event=all trace.gz >out
ok "a compressed trace" cmp want out
"$plume" fold --no-idle "$v8/chrome.cpuprofile" >out
ok "--no-idle leaves (idle) out" bash -c '! grep -q "^(idle)" out && grep -q seventy out'

# There and back: stacks, counts and periods, threads, kinds; a second time the same bytes.
there_and_back() {
	local options
	replay convert -q "$1" -o one.cpuprofile
	replay convert -q one.cpuprofile -o two.cpuprofile
	cmp one.cpuprofile two.cpuprofile || return 1
	for options in "" "--weight samples" "--weight period" "--all --tid" "--where kind=kernel" "--where kind=jit"; do
		# shellcheck disable=SC2086 # words
		replay fold -q $options "$1"
		mv out want
		# shellcheck disable=SC2086
		replay fold -q $options one.cpuprofile
		cmp want out || return 1
	done
}
for file in "$v8"/*.cpuprofile "$v8"/*.json "$fixtures"/perf-script/{default,node,java,no-time,no-comm,several-events,dwarf-inline-srcline,machine-wide,tracepoint-sched-switch}.perf; do
	ok "$(basename "$file") to .cpuprofile and back" there_and_back "$file"
done
printf 'main;\377\200 3\n' >bytes.folded
"$plume" convert -q bytes.folded -o bytes.cpuprofile
"$plume" fold bytes.cpuprofile >got
ok "bytes that are no text come back" cmp bytes.folded got
printf 'main;f 1.25\nmain;f;g_[k] 3\nmain 18446744073\n' >sums.folded
"$plume" convert -q sums.folded -o sums.cpuprofile
"$plume" fold sums.folded >want
"$plume" fold sums.cpuprofile >got
ok "folded sums with decimals to .cpuprofile and back" cmp want got
"$plume" convert "$v8/node-trace.json" -o out.cpuprofile 2>err
ok "events that are left out are named" grep -q "left out: cpu-2, trace; written: cpu " err
if command -v node >/dev/null; then
	"$plume" convert -q "$v8/node.cpuprofile" -o out.cpuprofile
	ok "V8's own profile comes back without anything of ours" bash -c '! grep -q plume out.cpuprofile'
	ok "... and adds up to the same in node" bash -c "node '$suite/v8_sums.mjs' out.cpuprofile | sort | cmp - <(node '$suite/v8_sums.mjs' '$v8/node.cpuprofile' | sort)"
fi

# Cut at every byte: exit 3 and a sentence with the offset, or exit 1 and a sentence.
# cut_everywhere FILE WHOLE: WHOLE is a pattern of texts that are complete without their end.
cut_everywhere() {
	local n text code
	text=$(cat "$1")
	for ((n = 1; n < ${#text}; n++)); do
		head -c "$n" "$1" >part
		replay fold --where event=all part
		code=$?
		grep -q Sanitizer err && { echo "$n: $(cat err)"; return 1; }
		[ "$code" = 1 ] && grep -q "^plume: part: " err && continue
		[ "$code" = 3 ] && grep -q "at byte $n;" err && continue
		[ "$code" = 0 ] && [ -n "$2" ] && grep -qzP "$2" part && continue
		echo "$n: exit $code: $(cat err)"
		return 1
	done
}
printf '%s' '{"nodes":[{"id":1,"callFrame":{"functionName":"f"},"hitCount":2,"children":[2]},{"id":2,"callFrame":{"functionName":"g"}}],"startTime":10,"endTime":20,"samples":[1,2],"timeDeltas":[1,-2]}' >small
printf '%s' '{"head":{"functionName":"f","id":1,"hitCount":1,"children":[{"functionName":"g","id":2}]},"endTime":1.5,"samples":[1,2],"timestamps":[10,20]}' >old
printf '%s' '{"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":2},{"args":{"data":{"cpuProfile":{"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],"samples":[1]},"timeDeltas":[5]}},"name":"ProfileChunk","ph":"P"}]}' >trace
printf '%s' '[{"ph":"B","name":"a","ts":1},{"ph":"B","name":"b","ts":2},{"ph":"E","name":"a","ts":3},]' >array
ok "a CPU profile cut at every byte" cut_everywhere small ''
ok "an old CPU profile cut at every byte" cut_everywhere old ''
ok "a trace with a profile cut at every byte" cut_everywhere trace ''
ok "an array of events cut at every byte: whole only between events" cut_everywhere array '\}[\s,]*$'
ok "no memory leaked in all of these" replay_ends
printf '{"nodes":[{"id":1,"callFrame":{"functionName":"f"},"hitCount":3}' >part
"$plume" fold part >out 2>err
is "what was read before the cut is there" "$(cat out)" "f 3"
is "... and plume says where it is" "$(cat err)" \
	"plume: part: V8 CPU profile: the input ends inside an array at byte 64; 3 samples were read"

# Hostile shapes.
perl -e 'print q({"head":) . q({"id":1,"children":[) x 600000' >deep
"$plume" fold deep >out 2>err
is "600,000 nodes inside each other without an end: exit code" $? 1
perl -e 'print q({"nodes":[{"id":1,"callFrame":{"functionName":"f"},"children":[) . join(",", 1 .. 300000) . q(]}],"samples":[1],"timeDeltas":[1],"endTime":3})' >wide
"$plume" fold wide >out 2>err
is "300,000 children that are not there: exit code" $? 3
is "... and the sample" "$(cat out)" "f 2000"
ok "... which are counted" grep -q "records not understood: 300,\?000" err
perl -e 'print "["; print qq({"ph":"B","name":"n$_","pid":1,"tid":1,"ts":$_},) for 1 .. 2000; print qq({"ph":"E","name":"n1000","pid":1,"tid":1,"ts":200000},) for 1 .. 100000; print "{}]"' >ends
timeout 60 "$plume" fold ends >out 2>err
is "100,000 ends of one name in a deep stack: exit code" $? 3

# A program of known split: 70 to 30 by work. V8 samples by the wall clock, so a few turns of other programs on its cpu count
# for whichever function was running; that every sum is right is the next test.
if command -v node >/dev/null; then
	share() { # the part of both that is below the function
		awk -v name="$1" '/spin|seventy|thirty/ { all += $NF } $0 ~ name { part += $NF } END { printf "%.3f\n", part / all }' "$2"
	}
	node --cpu-prof --cpu-prof-interval 500 --cpu-prof-name live.cpuprofile "$v8/split.js" 15
	"$plume" fold live.cpuprofile >live.folded
	live=$(share seventy live.folded)
	ok "a program that spends 70 % in a function: plume says $live" perl -e "exit !($live > 0.55 && $live < 0.85)"
	ok "... and every function is as node adds it up" same_sums live.cpuprofile
	node --cpu-prof --cpu-prof-dir workers "$v8/worker.js"
	"$plume" fold -q workers/*.cpuprofile >workers.folded
	ok "a worker's profile and the main thread's read as one" \
		bash -c "grep -q seventy workers.folded && grep -q worker.js workers.folded"
fi
finish
