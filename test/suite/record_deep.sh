#!/bin/bash
# Stacks that are deeper than the kernel's chains and copies: thousands of calls in C, with and without frame pointers, and of
# JavaScript. What is recorded is named and in order; what is not is said to be missing, behind the start of the thread.
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
recording_allowed || finish
# shellcheck disable=SC2034 # a function that is called by name reads it
gap='[frames not recorded]'

# whole FOLDED FUNCTIONS FRAMES: 95 % of the stacks that burn begin at main and have so many frames of these functions
whole() {
	awk -v functions="$2" -v frames="$3" '/burns/ { n = $NF; all += n; is = gsub(functions, "&") == frames && /;main;|node::Start/ && !/frames not recorded/
			good += is * n; if (!is && !shown++) print "# " gsub(functions, "&") " frames: " substr($0, 1, 160) }
		END { print "# whole: " good " of " all; exit !(all > 20 && good * 100 >= all * 95) }' "$1"
}
# cut FOLDED FUNCTIONS LEAST: 90 % of the stacks that burn and were cut say so behind the start of the thread, once, and have as
# many frames of these functions at least. [START] is how a stack of node begins.
cut_in_the_middle() {
	awk -v functions="$2" -v least="$3" -v start="${4:-^[^;]*;[^;]*;[^;]*;([^;]*;)?([^;]*;)?}" '/burns/ && (/frames not recorded/ || !/;main;|node::Start/) { n = $NF; all += n
			is = gsub(functions, "&") >= least && /^[^;]*;_start;[^;]*;([^;]*;)?main;\[frames not recorded\];/ && gsub(/frames not recorded/, "&") == 1
			if (/^node/) is = gsub(functions, "&") >= least && $0 ~ start "\\[frames not recorded\\];"
			good += is * n; if (!is && !shown++) print "# " gsub(functions, "&") " frames: " substr($0, 1, 160) }
		END { print "# cut in the middle: " good + 0 " of " all + 0; exit !(all > 20 && good * 100 >= all * 90) }' "$1"
}
# in_order FOLDED: of the functions that call each other in turn, no one is called by another one than that which calls it
in_order() {
	perl -ne 'BEGIN { %caller = qw(second first third second fourth third fifth fourth callsBack fifth first callsBack) }
		/burns/ or next; s/ (\d+)$//; $n = $1; $before = "";
		for (split /;/) { ($name) = /^JS:[~^+*](\w+) / or ($before = /frames not recorded|^(?!Builtins|\[)/ ? "" : $before, next);
			if ($caller{$name} && $before) { $all += $n; if ($before ne $caller{$name}) { $bad += $n; $show{"$before > $name"} += $n } }
			$before = $name }
		END { print "# $_: $show{$_}\n" for keys %show; printf "# calls: %d, others: %d\n", $all, $bad; exit !($all && $bad * 10000 <= $all) }' "$1"
}
# named FOLDED: at most one frame in 200 has no name
named() {
	awk '{ n = $NF; f = gsub(/;/, ";") + 1; u = gsub(/\[(perf-[0-9]*\.map|unknown|JIT[^;]*)\]/, "&"); frames += n * f; unnamed += n * u }
		END { printf "# without a name: %d of %d\n", unnamed, frames; exit !(frames && unnamed * 200 <= frames) }' "$1"
}
has_bpf=0
! "$plume" doctor --json 2>/dev/null | grep -q '"ok","key":"bpf"' || has_bpf=1
needs_bpf() { # needs_bpf NAME COMMAND...
	if [ $has_bpf = 1 ]; then
		ok "$@"
	else
		skip "$1" "$("$plume" doctor 2>/dev/null | grep -i -m1 bpf)"
	fi
}

if command -v cc >/dev/null; then
	cc -O2 -fno-omit-frame-pointer -o deep_chained "$truth/deep_calls.c" && cc -O2 -fomit-frame-pointer -o deep_tables "$truth/deep_calls.c"
	for program in chained tables; do
		for depth in 3000 10000; do
			start "$program$depth" "./deep_$program" $depth || exit 1
			record_used "$program$depth" 2
			kill_now "$pid"
		done
	done
	needs_bpf "3,000 calls in C with frame pointers are whole" whole chained3000.folded 'even|odd' 3001
	needs_bpf "of 10,000 there are more than 3,000, and the start" cut_in_the_middle chained10000.folded 'even|odd' 3000
	ok "3,000 calls in C without frame pointers are cut in the middle" cut_in_the_middle tables3000.folded 'even|odd' 200
	ok "so are 10,000" cut_in_the_middle tables10000.folded 'even|odd' 200
	ok "it is said that stacks were cut" bash -c "'$plume' doctor tables10000.plume 2>/dev/null | grep -q 'of stacks were cut while recording'"
	ok "every other frame has its name" named tables10000.folded
else
	skip "deep stacks in C" "no compiler"
fi

node=${NODE:-node}
if ! command -v "$node" >/dev/null; then
	skip "deep stacks of JavaScript" "node is not installed"
	finish
fi
options=(--stack-size=3900 --no-opt)
! "$node" --no-maglev -e 0 2>/dev/null || options+=(--no-maglev)
turns=' [^ ;]*deep_turns.js:(6|7|8|9|10):'
for depth in 600 1500 5000; do
	start "js$depth" "$node" "${options[@]}" "$truth/deep_turns.js" $depth || exit 1
	record_used "js$depth" 3
	kill_now "$pid"
	# The kernel walks its stacks once plume has looked at the process, which takes some samples.
	"$plume" fold -q --time 1, "js$depth.plume" >"js$depth.folded"
	ok "$depth calls in JavaScript: what is there is named" named "js$depth.folded"
	ok "... in the order of calls" in_order "js$depth.folded"
done
needs_bpf "600 calls in JavaScript are whole" whole js600.folded "$turns" 601
# In one process of twelve two functions used to drive each other out of what is looked for, and 1,180 were left.
needs_bpf "so are 1,500" whole js1500.folded "$turns" 1501
if ldd "$(command -v "$node")" 2>/dev/null | grep -q libnode; then
	# Debian's library keeps no frame pointers, and which calls the thread began with is ambiguous in its stack.
	needs_bpf "of 5,000 there are more than 3,000" cut_in_the_middle js5000.folded ' [^ ;]*deep_turns.js:' 3000 '^[^;]*;([^;]*;)*'
else
	needs_bpf "of 5,000 there are more than 3,000, and the start" cut_in_the_middle js5000.folded ' [^ ;]*deep_turns.js:' 3000
fi
finish
