#!/bin/bash
# Stacks of JavaScript that a BPF program walks in the kernel: they are named to the root where a copy of the stack and the
# kernel's chain are much too short; where BPF is forbidden copies do, and plume says so; no record is taken for a sample.
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
recording_allowed || finish
node=${NODE:-node}
if ! command -v "$node" >/dev/null; then
	skip "stacks of JavaScript" "node is not installed"
	finish
fi
start deep "$node" "$truth/deep.js" || exit 1
small=(--call-graph "auto,4096" -p "$pid")

# depths FOLDED: of stacks in which burns runs, how many frames of goesDown they have: `401 1900`
depths() {
	awk '/burns/ { n = $NF; depths[gsub(/goesDown /, "")] += n } END { for (d in depths) print d, depths[d] }' "$1" | sort -rn
}
# deep FOLDED PERCENT: so many of them have all 401
deep() {
	depths "$1" >counted
	head -5 counted
	awk -v percent="$2" '{ all += $2 } $1 == 401 { whole += $2 } END { exit !(all > 20 && whole * 100 >= all * percent) }' counted
}
rooted() { # rooted FOLDED: those that have all 401 begin where the thread did; a stripped C library has no name there
	awk '/burns/ && gsub(/goesDown /, "&") == 401 && !/^[^;]*;(_start;.*)?(__libc_start_call_main|\[libc.so.6\]);/ { bad += $NF; print substr($0, 1, 200) }
		END { exit bad > 0 }' "$1"
}
# once FOLDED: what is outside of the 401 is what a program begins with, a few dozen frames with names
once() {
	awk '/burns/ && gsub(/goesDown /, "&") == 401 { outside = substr($0, 1, index($0, "goesDown ") - 1)
			if (outside ~ /\[perf-/ || gsub(/;/, "", outside) > 60) { bad += $NF; print substr($0, 1, 200) }
			all += $NF }
		END { exit !all || bad * 100 > all }' "$1"
}
all_samples() { # all_samples NAME: what plume counted is what comes out
	local said
	said=$(sed -n 's/^plume: \([0-9,]*\) samples .*/\1/p' "$1.err" | tr -d ,)
	[ "$said" -gt 20 ] && [ "$said" = "$(sum "$1.folded")" ]
}
how() { "$plume" doctor "$1.plume" 2>/dev/null | sed -n 's/^javascript .*\(stacks walked.*\)/# \1/p'; }

# Processes that are there are looked at before the first sample is taken.
ok "recorded with copies of 4 KB" record walked "${small[@]}" -o walked.data -- "$truth/until_used" "$pid" 3
how walked
ok "every sample is counted once" all_samples walked
if "$plume" doctor --json 2>/dev/null | grep -q '"ok","key":"bpf"'; then
	ok "401 frames of one function have their names" deep walked.folded 98
	ok "... and reach the start of the thread" rooted walked.folded
	"$plume" fold -q walked.data >data.folded
	is "perf.data has as many samples" "$(sum data.folded)" "$(sum walked.folded)"
	if command -v perf >/dev/null; then
		is "... for perf as well" "$(perf script -i walked.data -F time 2>/dev/null | grep -c .)" "$(sum walked.folded)"
	fi
	record_used chained 2 --call-graph fp
	ok "no copies are needed" deep chained.folded 98
	rate=4999 record_used often 2
	ok "at 4,999 Hz, with less than that of the stack" deep often.folded 98
	ok "... they reach the start of the thread, too" rooted often.folded
	# Copies end anywhere in 401 frames that are alike: what was walked goes on from there, with none twice and none left out.
	narrow=$pid
	start wide "$node" "$truth/deep_wide.js" || exit 1
	for hz in 99 499; do
		rate=$hz record_used "wide$hz" 4
		ok "at $hz Hz, with frames that are more than a copy" deep "wide$hz.folded" 98
		ok "... they reach the start of the thread, too" rooted "wide$hz.folded"
		ok "... and none is there twice" once "wide$hz.folded"
	done
	kill_now "$pid"
	pid=$narrow
	record everything -a --call-graph auto,4096 -d 3
	ok "on the whole machine, too" deep everything.folded 98
	ok "... every sample is counted once" all_samples everything
else
	skip "walked in the kernel" "$("$plume" doctor 2>/dev/null | grep -i -m1 bpf)"
fi

# Calls from JavaScript to C and back, again and again, with code that has no frame pointers on top: at high rates the stack is
# copied up to the first frames of JavaScript only. What one in fifty samples has is what large copies have.
main=$pid
start mixed "$node" "$truth/mixed.js" || exit 1
rate=4999 record_used near 3
record_used large 6 --call-graph auto,32768
kill_now "$pid"
pid=$main
# Tiers change with time, and what is inlined.
stacks() { sed 's/ [0-9]*$//; s/JS:[~+*^]/JS:/g; s/_\[i]//g' "$1" | sort -u; }
often() { sed 's/JS:[~+*^]/JS:/g; s/_\[i]//g' "$1" | awk '{ n[substr($0, 1, length($0) - length($NF) - 1)] += $NF; all += $NF } END { for (s in n) if (n[s] * 50 > all) print s }' | sort; }
is "at 4,999 Hz stacks are those of large copies" "$(often near.folded | comm -23 - <(stacks large.folded))" ""
is "... none is missing" "$(often large.folded | comm -23 - <(stacks near.folded))" ""
ok "... which are some, up to the C library" bash -c "$(declare -f often); [ \$(often near.folded | wc -l) -gt 2 ] && often near.folded | grep -qE 'visits.*(memcmp|libc\.so)'"

if [ "$(id -u)" != 0 ] || ! setpriv --bounding-set -bpf,-sys_admin true 2>/dev/null; then
	skip "BPF is forbidden" "only root with setpriv can give up a capability"
	finish
fi
setpriv --bounding-set -bpf,-sys_admin "$plume" record -F 999 -o copied.plume "${small[@]}" -d 2 >copied.out 2>copied.err
"$plume" fold -q copied.plume >copied.folded
how copied
ok "without CAP_BPF: every sample is counted once" all_samples copied
ok "... copies have the frames that are in them" grep -q 'burns.*goesDown\|goesDown.*burns' copied.folded
ok "... of 401 they have some" bash -c "$(declare -f depths); depths copied.folded | awk '\$1 >= 401 { exit 1 } \$1 > 10 { some = 1 } END { exit !some }'"
ok "... and it is said why" grep -q 'read from copies.*is not allowed to load BPF programs.*cap_bpf' copied.err
ok "... in the profile, too" bash -c "'$plume' doctor copied.plume 2>/dev/null | grep -q 'read from copies'"
finish
