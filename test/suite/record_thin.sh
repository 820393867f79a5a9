#!/bin/bash
# Copies of stacks that a BPF program thins out in the kernel: stacks are the same as with the kernel's own copies, to the end
# of the stack's memory; what is not so thin is the kernel's; no sample is lost, or counted twice.
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
recording_allowed || finish
if [ "$(id -u)" != 0 ] || ! setpriv --bounding-set -bpf,-sys_admin true 2>/dev/null; then
	skip "thin copies" "only root with setpriv can record without them, too"
	finish
fi
# thinned NAME: how many samples were
thinned() { "$plume" doctor "$1.plume" 2>/dev/null | sed -n 's/^user stacks.*; \([0-9,]*\) stack cop.* shortened .*/\1/p' | tr -d ,; }
mostly() { # mostly NAME: nine of ten samples
	local thin all
	thin=$(thinned "$1") all=$(sum "$1.folded")
	echo "${thin:-0} of $all"
	[ "${thin:-0}" -gt 0 ] && [ $((thin * 10)) -ge $((all * 9)) ]
}
none() { [ -z "$(thinned "$1")" ] && [ "$(sum "$1.folded")" -gt 100 ]; }
all_samples() { # all_samples NAME: what plume counted is what comes out
	local said
	said=$(sed -n 's/^plume: \([0-9,]*\) samples .*/\1/p' "$1.err" | tr -d ,)
	[ "$said" -gt 20 ] && [ "$said" = "$(sum "$1.folded")" ]
}
if ! "$plume" doctor --json 2>/dev/null | grep -q '"ok","key":"bpf"'; then
	skip "thin copies" "$("$plume" doctor 2>/dev/null | grep -i -m1 bpf)"
	finish
fi

# The same program with them and without: stacks that one in fifty samples has are seen in the other way, too.
gcc -O2 -g -fomit-frame-pointer -fno-optimize-sibling-calls -o split "$truth/split.c"
start split ./split split.truth || exit 1
often() { awk '{ n[substr($0, 1, length($0) - length($NF) - 1)] += $NF; all += $NF } END { for (s in n) if (n[s] * 50 > all) print s }' "$1" | sort; }
stacks() { sed 's/ [0-9]*$//' "$1" | sort -u; }
only_here() { often "$1.folded" | comm -23 - <(stacks "$2.folded"); } # only_here NAME OTHER
for rate in 999 4999; do
	record_used "thin$rate" 2
	plain=$plume
	printf '#!/bin/sh\nexec setpriv --bounding-set -bpf,-sys_admin "%s" "$@"\n' "$plain" >without
	chmod +x without
	plume=./without
	record_used "kernels$rate" 2
	plume=$plain
	ok "$rate Hz: copies are thinned out" bash -c "$(declare -f thinned sum); plume=$plume
		thin=\$(thinned thin$rate) all=\$(sum thin$rate.folded); echo \"\$thin of \$all\"; [ \${thin:-0} -gt \$((all / 3)) ]"
	ok "... without BPF they are not" none "kernels$rate"
	is "... and the stacks are the same" "$(only_here "thin$rate" "kernels$rate"; only_here "kernels$rate" "thin$rate")" ""
	ok "... which are some" test "$(often "thin$rate.folded" | wc -l)" -gt 2
	ok "... every sample is counted once" all_samples "thin$rate"
done
unset rate
record_used data 1 -F 4999 -o data.data
"$plume" fold -q data.data >read.folded
is "perf.data has the same stacks" "$(sort read.folded | md5sum)" "$(sort data.folded | md5sum)"
if command -v perf >/dev/null; then
	is "... and as many samples for perf" "$(perf script -i data.data -F time 2>/dev/null | grep -c .)" "$(sum data.folded)"
fi
record_used small 1 -F 4999 -m 16
ok "a buffer of 64 KB is emptied in time, or what is lost is counted" bash -c "$(declare -f sum)
	sed -n 's/.* \([0-9,]*\) lost.*/\1/p' small.err | tr -d , >lost
	awk -v all=\"\$(sum small.folded)\" '{ lost = \$1 } END { print all, lost; exit !(all + lost > 500 && all > 100) }' lost"
kill_now "$pid"

# A stack that ends with its page.
gcc -O2 -g -fomit-frame-pointer -o own_stack "$truth/own_stack.c"
start own ./own_stack || exit 1
record_used own 1 -F 2000
ok "a stack of its own: copies are thinned out" mostly own
is "... and go to its last byte" "$(grep -c . own.folded) $(awk -F';' '!/first_there/' own.folded)" "$(grep -c first_there own.folded) "
ok "... whole ones" bash -c "'$plume' doctor own.plume | grep -q 'no stack was cut'"
kill_now "$pid"

# A stack that is full of addresses.
cat >dense.c <<'END'
#include <stdio.h>
static volatile unsigned long sink;
__attribute__((noinline, noclone)) static void burns(void) { for (unsigned long i = 0; i < 1000000; i++) sink += i ^ (sink << 1); }
__attribute__((noinline, noclone)) static void dense(int depth)
{
	void *volatile here[400];
	for (int i = 0; i < 400; i++) here[i] = (void *)&here[i];
	if (depth) dense(depth - 1); else burns();
	sink += (unsigned long)here[depth];
}
int main(void) { puts("ready"); fflush(stdout); for (;;) dense(7); }
END
gcc -O1 -g -fomit-frame-pointer -o dense dense.c
start dense ./dense || exit 1
record_used dense 1 -F 999
ok "a stack full of addresses is the kernel's copy, and whole" bash -c "$(declare -f sum)
	awk '/burns/ { all += \$NF } /main;dense;dense;dense;dense;dense;dense;dense;dense;burns/ { whole += \$NF } END { print whole, all; exit !(all > 100 && whole * 100 >= all * 99) }' dense.folded"
kill_now "$pid"
finish
