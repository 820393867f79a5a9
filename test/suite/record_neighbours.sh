#!/bin/bash
# Neighbours whose files cost far more to read than to make: beside them a recording of the whole machine stays small, ends,
# and says what it did not read.
# needs: recording quiet
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
recording_allowed || finish
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if [ "$(id -u)" != 0 ] || ! "${nobody[@]}" true 2>/dev/null; then
	skip "neighbours" "only root can be somebody else, and record all"
	finish
fi
gcc -O2 -o hard "$truth/hard.c"
gcc -O2 -o hostile "$truth/hostile.c" -lz
mkdir -m 777 theirs && chmod 777 theirs && chmod 755 . hostile
# Freed memory that a sanitizer keeps is not the program's.
export ASAN_OPTIONS=$ASAN_OPTIONS:quarantine_size_mb=4:malloc_context_size=0

neighbours=0
neighbour() { # neighbour NAME WORD...: a file system without holes, for example, does not let all of them be
	if start "$1" "${nobody[@]}" ./hostile "${@:2}"; then
		neighbours=$((neighbours + 1))
	else
		skip "neighbour $1" "it could not be: $(head -1 "$1.program")"
	fi
}
# cost NAME: records all for a while; NAME.kib of memory, NAME.cpu: seconds of CPU time
cost() {
	local TIMEFORMAT='%U %S'
	{ time timeout -s KILL 300 ./hard peak "$1.kib" "$plume" record -a -d 3 -o "$1.plume" >"$1.out" 2>"$1.err"; } 2>"$1.time"
	local status=$?
	awk '{ print int($1 + $2) }' "$1.time" >"$1.cpu"
	return "$status"
}
more() { # more KIND BOUND: of what it costs beside them, and alone
	local alone beside
	alone=$(cat "alone.$1") beside=$(cat "beside.$1")
	echo "alone $alone, beside them $beside"
	test $((beside - alone)) -lt "$2"
}
lost() { grep -o '[0-9,.k]* lost' "$1.err" | tr -dc '0-9\n'; }
no_more_lost() { # but for 1 %
	local samples
	samples=$(grep -o '^plume: [0-9,]* samples' beside.err | tr -dc 0-9)
	echo "lost: $(lost alone) alone, $(lost beside) of $samples beside them"
	test "$(lost beside)" -le $(($(lost alone) + samples / 100))
}

ok "the machine without them is recorded" cost alone
neighbour jitdump jitdump "$work/theirs"
neighbour sparse map sparse
neighbour packed map packed
maps=("/tmp/perf-$pid.map")
for kind in unpacked symbols frames many; do
	neighbour "$kind" lib "$kind" "$work/theirs/$kind.so"
done
for i in 1 2 3 4 5; do neighbour "many$i" lib many "$work/theirs/many$i.so"; done
neighbour large lib large "$work/theirs/large.so"
large=$pid
start ours ./hostile lib large ours.so || exit 1
ok "most of 13 hostile neighbours run" test $neighbours -ge 9
ok "beside them it is recorded" cost beside
sed 's/^/# /' alone.time beside.time
ok "... for no more than 6 s of CPU time more" more cpu 6
ok "... and no more than 300 MB of memory more" more kib 300000
ok "... and no more samples are lost" no_more_lost
"$plume" doctor beside.plume >beside.doctor 2>&1
ok "what was not read is said at the end" grep -q 'were not read to the end' beside.err
ok "... and by doctor" grep -q 'were not read to the end' beside.doctor
ok "... with whose bound it was, and what helps" grep -qE '[0-9]+ MB (of memory|to be read or unpacked).*plume record -p PID' beside.doctor
"$plume" fold -q --pid beside.plume >beside.folded
ok "a large file of root has names" grep -q "hostile-$pid.*;f [0-9]" beside.folded
ok "... and one of the neighbour, too: its size is no cost" grep -q "hostile-$large.*;f [0-9]" beside.folded
for p in "${started[@]}"; do
	kill_now "$p"
	maps+=("/tmp/perf-$p.map")
done
rm -f "${maps[@]}"
finish
