#!/bin/bash
# Rubbish, damage and full disks: a sentence, a proper exit code, nothing half-written.
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/replay.bash
. "$suite/replay.bash"

# try NAME WANT_EXIT WANT_TEXT COMMAND...: the exit code, and a text that standard error must hold.
try() {
	local name=$1 code=$2 text=$3
	shift 3
	timeout 120 "$@" >out 2>err
	is "$name: exit code" $? "$code"
	ok "$name: says '$text'" grep -qaF -- "$text" err
	ok "$name: no sanitizer report" bash -c '! grep -qaE "Sanitizer|runtime error" err'
}
base=$fixtures/perf-script/default.perf

perl -e 'srand 7; binmode STDOUT; print chr int rand 256 for 1 .. 300000' >random
try "random bytes" 1 "random: no stacks found: this is binary data" "$plume" fold random
try "random bytes as perf script" 1 "no stacks found" "$plume" fold --input perf-script random
"$plume" fold --input folded random >out 2>err # by chance a line may end in a number
code=$?
ok "random bytes as folded: exit 1 or 3" test $code = 1 -o $code = 3
ok "random bytes as folded: a sentence" grep -qa "not understood" err
: >empty
try "an empty file" 1 "empty: no stacks found: the input is empty" "$plume" fold empty
printf '\n\n\n' >blank
try "blank lines only" 1 "blank: no stacks found" "$plume" fold blank

# Truncation at every byte of a compressed file, and a flipped byte at every place.
"$plume" fold "$base" >whole
gzip -nc "$base" >base.gz
bad=0
for ((n = 1; n < $(stat -c %s base.gz); n += 7)); do
	head -c "$n" base.gz >cut.gz
	replay fold cut.gz
	code=$?
	[ $code = 1 ] || [ $code = 3 ] || bad=$((bad + 1))
	grep -qE "end|deflate|header|invalid|incorrect|found" err || bad=$((bad + 1))
	! grep -q Sanitizer err || bad=$((bad + 1))
done
is "gzip cut at every place: exit 1 or 3 and a sentence" $bad 0
zstd -qc "$base" >base.zst
bad=0
for ((n = 1; n < $(stat -c %s base.zst); n += 5)); do
	head -c "$n" base.zst >cut.zst
	replay fold cut.zst
	code=$?
	[ $code = 1 ] || [ $code = 3 ] || bad=$((bad + 1))
done
is "zstd cut at every place: exit 1 or 3" $bad 0
try "text behind gzip data" 3 "base.gz" bash -c "(cat base.gz; echo trailing rubbish) >base2.gz; $plume fold base2.gz 2>err2; code=\$?; sed s/base2/base/ err2 >&2; exit \$code"
bad=0
for ((n = 0; n < $(stat -c %s "$base"); n += 53)); do
	head -c "$n" "$base" >cut.perf
	replay fold cut.perf
	code=$?
	[ $code -le 3 ] && [ $code != 2 ] && ! grep -q Sanitizer err || bad=$((bad + 1))
done
is "text cut at every place: no crash" $bad 0
ok "no memory leaked in all of these" replay_ends

# Lines and stacks without an end.
head -c 100000000 /dev/zero | tr '\0' x >line
try "a line of 100 MB" 1 "no stacks found" "$plume" fold line
try "a line of 100 MB in a pipe" 1 "no stacks found" bash -c "cat line | $plume fold --input perf-script -"
(cat "$base"; cat line; echo; echo; cat "$base") >long
try "a line of 100 MB between samples" 3 "lines too long, skipped: 1" "$plume" fold long
is "... and the samples around it are there" "$(awk '{s+=$NF} END {print s}' out)" 24
(cat "$base"; cat line; echo; echo; cat "$base") | "$plume" fold - >out 2>err
is "... in a pipe too" "$(awk '{s+=$NF} END {print s}' out)" 24
rm -f line long
# A line that is too long inside a sample: a file and a pipe must agree on what is left of it.
(printf 'ab 1 1.000000: 1 cycles:\n\t1 f (/x)\n'; head -c 2000000 /dev/zero | tr '\0' x
	printf '\n\t2 main (/x)\n\n') >inside
"$plume" fold inside >out 2>/dev/null
is "a long line inside a sample is left out of it" "$(cat out)" "ab;main;f 1"
# shellcheck disable=SC2002 # a pipe is the point
cat inside | "$plume" fold - >again 2>/dev/null
ok "... in a pipe too" cmp out again
awk 'BEGIN { print "deep 1 1.000000: 1 cycles:"; for (i = 0; i < 100000; i++) printf "\t%x f%d (/srv/x)\n", i, i; print "" }' >deep
"$plume" fold deep >out 2>err
is "a stack of 100,000 frames: exit code" $? 0
is "... has all its frames" "$(tr ';' '\n' <out | wc -l)" 100001
"$plume" fold out >again
ok "... and reads back" cmp out again
awk 'BEGIN { print "deep 1 1.000000: 1 cycles:"; for (i = 0; i < 1100000; i++) printf "\t%x f (/srv/x)\n", i; print "" }' >deep
try "a stack of 1,100,000 frames" 3 "stacks too deep, cut: 1" "$plume" fold deep
rm -f deep out again

# Odd bytes.
printf 'a\0b 1 1.000000: 1 cycles:\n\t1 f\0g (/srv/x)\n\t2 \xff\xfe\x80 (/srv/y)\n\n' >odd
"$plume" fold odd >out 2>err
is "NUL bytes and invalid UTF-8: exit code" $? 0
is "... are one stack" "$(wc -l <out)" 1
ok "... keep their bytes" grep -qaP '\xff\xfe\x80' out

# Counts.
printf 'a 1 1.000000: 18446744073709551615 page-faults:\n\t1 f (/x)\n\na 1 1.000000: 18446744073709551615 page-faults:\n\t1 f (/x)\n\n' >huge
try "periods that do not fit" 3 "too large" "$plume" fold --weight period huge
printf 'a;b 99999999999999999999\n' >huge
try "counts that do not fit" 3 "too large" "$plume" fold huge

# Files that change under the reader: cut while mapped.
for i in $(seq 3000); do cat "$base"; done >changing
"$plume" fold -j1 changing >whole 2>/dev/null &
pid=$!
truncate -s 4096 changing
wait $pid
code=$?
ok "a file cut while it is read: exit 0, 1 or 3, no SIGBUS" test $code -le 3
rm -f changing
try "a file that is not there" 1 "nosuch: No such file" "$plume" fold nosuch
if [ "$(id -u)" != 0 ]; then
	: >secret
	chmod 0 secret
	try "a file without permission" 1 "secret: Permission denied" "$plume" fold secret
fi

# Output.
echo before >target.folded
try "a full disk" 1 "No space left on device" "$plume" fold -o /dev/full "$base"
mkdir small
if mount -t tmpfs -o size=64k tmpfs small 2>/dev/null; then
	for i in $(seq 1000); do echo "main;f$i 1"; awk 'BEGIN{printf "main;"; for(i=0;i<50;i++) printf "x%d;",i}'; echo "g$i 2"; done >wide
	echo old >small/out.folded
	try "a full file system" 1 "no file was written" "$plume" fold -o small/out.folded wide
	is "... leaves the old file as it was" "$(cat small/out.folded)" old
	is "... and nothing else" "$(ls -A small)" out.folded
	umount small
else
	skip "a full file system" "mounting a tmpfs needs root"
fi
try "an unreadable input leaves the output alone" 1 "no stacks found" "$plume" fold -o target.folded empty
is "... as it was" "$(cat target.folded)" before
awk 'BEGIN { for (i = 0; i < 200000; i++) print "main;some_function_" i " 1" }' >widest
head -n 20000 widest >wide
{ "$plume" fold wide 2>err; echo $? >code; } | head -n 1 >/dev/null
is "the reader of standard output has had enough: as SIGPIPE ends others" "$(cat code)" 141
is "... without a word" "$(cat err)" ""
for words in "flame --minwidth 0" "convert --format json -o -" "diff --json wide" "report --json"; do
	# shellcheck disable=SC2086 # a list of words
	{ "$plume" $words wide 2>err; echo $? >code; } | head -c 1 >/dev/null
	is "... $words" "$(cat code) $(cat err)" "141 "
done
mkfifo closed.fifo
head -c 1 closed.fifo >/dev/null &
"$plume" fold -o closed.fifo wide 2>err
is "a named pipe that its reader closed: exit code" $? 1
ok "... and a sentence" grep -q "the reader closed the pipe" err
"$plume" fold widest -o whole.folded
for delay in 0.001 0.01 0.05 0.1; do
	bash -c "timeout -s KILL $delay $plume fold widest -o killed.folded; true" 2>/dev/null
	[ -e killed.folded ] || cp whole.folded killed.folded
	ok "killed after $delay s: the output is whole or absent" cmp killed.folded whole.folded
	rm -f killed.folded
done
is "killed runs leave nothing behind" "$(find . -name '.plume*' | wc -l)" 0
finish
