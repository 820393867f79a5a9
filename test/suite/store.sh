#!/bin/bash
# .plume files by the real program: round trips, pipes, kill -9 while one is written, a second reader that knows only the
# page on the format.
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/replay.bash
. "$suite/replay.bash"

dump() { node "$suite/plume_dump.mjs" "$@"; }
perf=("$fixtures"/perf-script/*.perf)
base=$fixtures/perf-script/default.perf

# --- every fixture ---
printf 'main;a b 3\nmain;c 4.25\n;;d 1.5\nmain 7\n' >decimals.folded
printf 'main;a 3 5\nmain;c 1 0.5\n' >differential.folded
printf 'main;k_[k] 3\nmain;j_[j] 1\nmain;i_[i] 2\n[unknown] 1\nmain;w_[w];- 4\n' >marks.folded
inputs=("${perf[@]}" decimals.folded differential.folded marks.folded "$fixtures"/recordings/* "$fixtures"/pprof/*.pb.gz
	"$fixtures"/v8/*.cpuprofile "$fixtures"/v8/*.json)
options=("" "--where event=all --tid --kernel --jit --verbose" "--time 0,0.03 --where cpu=0,1,-1 --where event=all")
bad=0
for input in "${inputs[@]}"; do
	name=$(basename "$input")
	replay convert -q "$input" -o "$name.plume"
	for words in "${options[@]}"; do
		# shellcheck disable=SC2086 # a list of words
		replay fold -q $words "$input"
		want=$?
		mv out want
		# shellcheck disable=SC2086
		replay fold -q $words "$name.plume"
		got=$?
		[ $want != 3 ] || want=0 # lines that were not understood were left out already
		if [ $want != $got ] || ! cmp -s want out; then
			echo "# $name, fold $words: exit $got, not $want"
			bad=$((bad + 1))
		fi
	done
done
is "folding a .plume gives what folding its input gives" $bad 0
: >want
files=()
for input in "${inputs[@]}"; do
	files+=("$(basename "$input").plume")
	replay fold -q "$(basename "$input").plume"
	cat out >>want
done
dump "${files[@]}" >got 2>err
ok "the second reader reads every file to its end" test ! -s err
ok "the second reader folds them as plume does" cmp want got
: >want
for file in "${files[@]}"; do
	replay fold -q --where event=all --weight period "$file"
	cat out >>want
done
dump --event all --weight period "${files[@]}" >got
ok "... all events, by period, too" cmp want got

first=$fixtures/perf-script/comm-pid-tid-cpu-time-event.perf
is "times, cpus, pids and tids are in the file" \
	"$(dump --samples "$(basename "$first").plume" | head -n 1 | cut -d' ' -f1-7)" \
	"$(awk 'NR == 1 { split($4, t, /[.:]/); split($2, p, "/"); printf "%.0f %d %d %d %s %s 1", t[1] * 1e9 + t[2] * 1e3, substr($3, 2, 3), p[1], p[2], $1, substr($5, 1, length($5) - 1) }' "$first")"
is "what was not understood is in the file" "$(dump --tables odd-comms.perf.plume | grep -c 'ledger lines not understood')" 1

# --- pipes, compression, several files ---
"$plume" fold "$base" >want
"$plume" convert "$base" --format plume -o - | "$plume" fold - >got
ok "written to a pipe and read from one" cmp want got
"$plume" convert "$base" --format plume -o - >piped.plume
ok "a pipe gets the bytes that a file gets" cmp piped.plume default.perf.plume
"$plume" convert - -o live.plume <"$base"
"$plume" fold live.plume >got
ok "standard input may be a file" cmp want got
# shellcheck disable=SC2002 # a pipe is the point
cat "$base" | "$plume" convert --format plume -o - | cat | "$plume" convert -o twice.plume -
"$plume" fold twice.plume >got
ok "through two pipes" cmp want got
"$plume" convert "$base" -o whole.plume.gz
ok "-o .plume.gz is gzip" gzip -t whole.plume.gz
"$plume" fold whole.plume.gz >got
ok "... and is read" cmp want got
zstd -qc default.perf.plume | "$plume" fold - >got
ok "a .plume in zstd is read" cmp want got
other=$fixtures/perf-script/java.perf
"$plume" fold -q --tid "$base" "$other" decimals.folded >want
"$plume" fold -q --tid default.perf.plume java.perf.plume decimals.folded.plume >got
ok "several .plume files add up as their inputs do" cmp want got
"$plume" fold -q --tid default.perf.plume "$other" decimals.folded.plume >got
ok "... and with other formats" cmp want got
"$plume" convert default.perf.plume java.perf.plume decimals.folded.plume -o three.plume
"$plume" fold -q --tid three.plume >got
ok "... and as one .plume" cmp want got
ok "the second reader reads that one" dump three.plume
"$plume" fold --time 0, three.plume >got 2>err
is "samples with and without times: --time is refused" "$?" 1
ok "... as for the inputs" grep -q "have no timestamps" err
for order in "decimals.folded.plume differential.folded.plume" "differential.folded.plume decimals.folded.plume"; do
	# shellcheck disable=SC2086 # a list of words
	"$plume" fold $order >got 2>err
	is "a difference is not added to other profiles" "$?$(grep -c 'differential stacks cannot be combined' err)" 21
done
"$plume" convert --where cpu=0 --time 0,0.01 "$(basename "$first").plume" -o some.plume
"$plume" fold --where cpu=0 --time 0,0.01 "$first" >want
"$plume" fold some.plume >got
ok "a selection is written as one" cmp want got

# Blocks of a pipe, with weights that gain decimals on the way.
perl -e 'for (0 .. 29999) { print "main;f", $_ % 500, " ", $_ % 90, $_ > 20000 ? ".25" : $_ > 10000 ? ".5" : "", "\n" }' >long.folded
perl -e 'for (0 .. 29999) { print "main;f", $_ % 500, " ", $_ % 90, " ", $_ % 7, $_ > 20000 ? ".5" : "", "\n" }' >long-diff.folded
for name in long long-diff; do
	# shellcheck disable=SC2002
	cat $name.folded | "$plume" convert -q -o $name.plume
	ok "$name.folded by a pipe makes several blocks" test "$(dump --blocks $name.plume | wc -l)" -gt 3
	"$plume" fold -q $name.folded >want
	"$plume" fold $name.plume >got
	ok "... of which all weights are right" cmp want got
	dump $name.plume >got
	ok "... for the second reader, too" cmp want got
done

# --- full disks ---
"$plume" convert "$base" --format plume -o /dev/full 2>err
is "a full disk: exit code" $? 1
ok "... and a sentence" grep -q "No space left on device" err
# shellcheck disable=SC2002
cat "$base" | "$plume" convert --format plume -o /dev/full 2>err
is "a full disk, live: exit code" $? 1
ok "... and a sentence" grep -q "No space left on device" err
generate() { # COUNT: sample i has a frame of its own, f<i>
	perl -e 'for ($i = 0; $i < $ARGV[0]; $i++) { printf "gen 7/7 [%03d] %d.%06d: 1 cycles:\n\t%x f%d (/srv/x)\n\n",
		$i % 4, $i / 1e6, $i % 1e6, $i, $i }' "$1"
}
mkdir small
if mount -t tmpfs -o size=128k tmpfs small 2>/dev/null; then
	generate 100000 | "$plume" convert -o small/x.plume 2>err
	is "a file system that fills up: exit code" $? 1
	ok "... and a sentence" grep -q "No space left on device" err
	"$plume" fold small/x.plume >got 2>err
	is "... what was written is read" $? 3
	ok "... as far as whole blocks go" test "$(wc -l <got)" -gt 8000
	umount small
else
	skip "a file system that fills up" "mounting a tmpfs needs root"
fi

# --- a pipe that is silent ---
mkfifo silent
"$plume" convert -q -o silent.plume <silent &
pid=$!
exec 3>silent
generate 3000 >&3
until [ -s silent.plume ] || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
"$plume" fold silent.plume >got 2>err
is "samples of a pipe that has fallen silent are in the file" "$?$(wc -l <got)" 33000
exec 3>&-
wait $pid
ok "... which ends well when the pipe does" dump silent.plume

# --- Ctrl-C ---
# The whole pipeline gets the signal; a shell's background job would ignore it, so perl makes the group.
declare -f generate >generate.bash
perl -e 'use POSIX; setpgid(0, 0); $SIG{INT} = "DEFAULT"; exec "bash", "-c", $ARGV[0]' \
	". ./generate.bash; generate 100000000 | $plume convert -o interrupted.plume 2>interrupted.err; echo \${PIPESTATUS[1]} >interrupted.code" &
group=$!
until [ -e interrupted.plume ] && [ "$(stat -c %s interrupted.plume)" -gt 100000 ]; do
	kill -0 $group 2>/dev/null || break
	sleep 0.01
done
kill -INT -- -$group
wait $group 2>/dev/null
dump --blocks interrupted.plume >blocks 2>err
is "Ctrl-C on the pipeline: the file has its end" "$(tail -n 1 blocks | cut -d' ' -f2)" end
ok "... and nothing is wrong with it" test ! -s err
"$plume" fold -q interrupted.plume >got 2>err # its last sample may be cut: the generator was interrupted, too
is "... and it reads without a word" "$?$(cat err)" 0

# --- kill -9 ---
# Every sample has a frame of its own, so a prefix of the input is recognised.
prefix() {
	awk '!/^gen;f[0-9]+ 1$/ { exit bad = 1 }
		{ n++; f = substr($1, 6) + 0; if (f > max) max = f }
		END { exit bad || n != max + 1 }' "$1"
}
generate 200000 >input.perf
seed=${STORE_SEED:-$RANDOM}
RANDOM=$seed
incomplete='killed.plume: (truncated at byte [0-9,]+|incomplete: .*); [0-9,]+ samples'
survived=0 cut=0 ended=0 nothing=0
for i in $(seq 200); do
	rm -f killed.plume
	# shellcheck disable=SC2002 # a pipe is the point
	cat input.perf 2>/dev/null | "$plume" convert -q -o killed.plume 2>/dev/null &
	pid=$!
	# One in five at any moment of the start, the others when the file has a random size and a little later.
	size=$((i % 5 ? RANDOM * 2 : 0)) delay_us=$((RANDOM % (i % 5 ? 3000 : 30000)))
	perl -e '($pid, $size, $us) = @ARGV; select undef, undef, undef, 0.001 until (-s "killed.plume") >= $size || !kill 0, $pid;
		select undef, undef, undef, $us / 1e6' $pid $size $delay_us
	kill -9 $pid
	{ wait $pid; } 2>/dev/null
	[ -e killed.plume ] || : >killed.plume
	replay fold killed.plume
	code=$? fits=
	mapfile -t said <err
	case $code,${#said[@]} in
	0,0) prefix out && fits=yes ended=$((ended + 1)) ;;
	3,1) [[ ${said[0]} =~ $incomplete ]] && prefix out && fits=yes cut=$((cut + 1)) ;;
	1,1) [ ! -s out ] && [ "$(stat -c %s killed.plume)" -lt 50000 ] && fits=yes nothing=$((nothing + 1)) ;;
	esac
	if [ "$fits" ]; then
		survived=$((survived + 1))
	else
		echo "# killed at $size bytes and $delay_us us: exit $code, $(head -n 1 err)"
		cp killed.plume "failed-$i.plume"
	fi
done
is "killed at 200 moments (STORE_SEED=$seed): whole blocks are read, exit 3, one sentence" $survived 200
echo "# $cut cut short, $nothing without a block, $ended ended"
ok "... most of them with blocks to read" test $cut -gt 100
dump killed.plume >got 2>/dev/null
"$plume" fold killed.plume >want 2>/dev/null
ok "the second reader reads as much" cmp want got
ok "no memory leaked in all of these" replay_ends
finish
