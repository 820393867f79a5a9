#!/bin/bash
# plume record of commands: whose exit status it is, what is written where, how many samples -c takes, files by period.
# needs: recording
# shellcheck disable=SC2317,SC2016 # functions are called by ok; programs in words have variables of their own
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
recording_allowed || finish

status() { # status OPTION... -- COMMAND: of plume
	"$plume" record -q -o status.plume "$@" >status.out 2>&1
	echo $?
}
is "a command's own exit status" "$(status -- sh -c 'exit 7')" 7
is "... of one that a signal ended" "$(status -- sh -c 'kill -KILL $$')" 137
is "the timer's is not plume's" "$(status -p $$ -- sh -c 'exit 7')" 0
is "a command without --" "$(status sh)" 0
is "-d ends the command, too" "$(status -d 0.2 -- sh -c 'echo $$ >forever.pid; while :; do :; done')" 0
started+=("$(cat forever.pid)")
ok "... it is gone" gone_soon "${started[0]}"
"$plume" record -o status.plume -d 0.2 -- sh -c 'while :; do :; done' 2>status.err
ok "... and plume says so" grep -qx 'plume: sh was still running after -d 0.2; plume sent it SIGTERM' status.err
"$plume" record -o status.plume -d 60 -- true 2>status.err
is "... but not of one that ended by itself" "$(grep -c SIGTERM status.err)" 0
is "a command that does not exist" "$(status -- ./nosuch)" 127
ok "... in words" grep -qx 'plume: cannot run ./nosuch: No such file or directory' status.out
is "... as a timer" "$(status -p $$ -- ./nosuch)" 127
echo true >not-executable
chmod 644 not-executable
is "a command that may not be executed" "$(status -- ./not-executable)" 126

# Five million additions: some samples, whatever the machine is busy with.
busy=(perl -e 'my $n = 0; $n += $_ for 1 .. 5000000')
"$plume" record -q -F 999 -o all.plume -o all.data -o all.folded -o all.svg -o all.pb.gz -- "${busy[@]}" 2>all.err
is "several outputs at once" "$(find . -name 'all.*' ! -name all.err ! -empty | wc -l)" 5
ok "... with samples" test "$(sum all.folded)" -ge 20
for ending in plume data pb.gz; do
	"$plume" fold -q "all.$ending" >again.folded
	is "... as many in .$ending" "$(sum again.folded)" "$(sum all.folded)"
done
(mkdir named && cd named && "$plume" record -q -- "${busy[@]}" && ls perl-*-*.plume) >named.out 2>&1
is "a file that is not named is called after the command" $? 0
"$plume" record -q --format folded -o - -- "${busy[@]}" >stdout.folded
ok "folded stacks on standard output" grep -q '^perl;.* [0-9]*$' stdout.folded

for format in svg html; do
	"$plume" record -q --format $format -o - -- "${busy[@]}" >"stdout.$format"
	ok "$format on standard output" grep -qi "<$format" "stdout.$format"
	"$plume" record -q --format $format -o "$format.of" -- "${busy[@]}"
	ok "... and in a file of any name" grep -qi "<$format" "$format.of"
done
is "a format that is not known is refused before the command runs" "$(status --format nosuch -- touch was.run; ls was.run 2>/dev/null)" 2
is "standard output without a format is wrong usage" "$("$plume" record -q -o - -- true 2>/dev/null; echo $?)" 2

# --- what another user has left under the name ---

if [ "$(id -u)" = 0 ]; then
	mkdir -m 1777 sticky
	for ending in plume data svg; do
		echo bait >"sticky/x.$ending"
		chmod 666 "sticky/x.$ending"
		chown 65534:65534 "sticky/x.$ending"
		exec 8<"sticky/x.$ending"
		"$plume" record -q -o "sticky/x.$ending" -- "${busy[@]}"
		is "another user's .$ending is replaced by a file of ours" "$(stat -c '%a %u' "sticky/x.$ending")" '600 0'
		is "... and who has it open sees nothing" "$(cat <&8)" bait
		exec 8<&-
		echo precious >precious
		ln -s ../precious "sticky/link.$ending"
		chown -h 65534:65534 "sticky/link.$ending"
		is "another user's link to a .$ending is refused before the command runs" \
			"$("$plume" record -q -o "sticky/link.$ending" -- touch was.run 2>link.err; echo $?; ls was.run 2>/dev/null)" 1
		ok "... in words" grep -q 'link that belongs to another user' link.err
		is "... and where it leads is as it was" "$(cat precious)" precious
	done
	mkfifo sticky/fifo.svg
	chown 65534:65534 sticky/fifo.svg
	is "another user's pipe is refused" "$("$plume" record -q -o sticky/fifo.svg -- true 2>/dev/null; echo $?)" 1
else
	skip "files of other users" "only root can make them"
fi
ln -s own.target own.plume
"$plume" record -q -o own.plume -- "${busy[@]}"
ok "a link of one's own is followed" test -s own.target -a -L own.plume
mkfifo own.fifo
timeout 60 cat own.fifo >from.fifo &
"$plume" record -q --format folded -o own.fifo -- "${busy[@]}"
wait $!
ok "a pipe of one's own is written to" grep -q '^perl;' from.fifo

# --- on a terminal ---

next_of() { script -qec "'$plume' record $1 -- perl -e '\$n += \$_ for 1 .. 5000000'" /dev/null </dev/null 2>/dev/null | tr -d '\r' | grep 'next:'; }
is "what comes next" "$(next_of '-F 999 -o next.plume')" 'plume: next: plume report next.plume'
is "... as a shell takes it" "$(next_of '-F 999 -o "a b.plume"')" "plume: next: plume report 'a b.plume'"
is "... not with -q" "$(next_of '-q -o next.plume')" ''
is "... nor of a picture" "$(next_of '-o next.svg')" ''
"$plume" record -o next.plume -- "${busy[@]}" 2>next.err
is "... nor in a file" "$(grep -c next: next.err)" 0

# On a narrow terminal lines are broken between words, and nothing else comes out.
said_at() { script -qec "stty cols $1; '$plume' record -o wrapped.plume -- true" /dev/null </dev/null 2>/dev/null | tr -d '\r'; }
said_at 42 >wrapped.txt
ok "a narrow terminal: the sentence goes on below" grep -qE '^       [a-z0-9(]' wrapped.txt
is "... without marks for what is no text" "$(grep -c '[?] ' wrapped.txt)" 0

# Pages that are touched for the first time, a sample for each or for every tenth; without copies of the stack none is lost.
faults() { "$plume" record -q --call-graph fp -e page-faults:u -c "$1" -o "faults-$1.plume" -- perl -e 'my $x = "a" x 8000000'; }
in_file() { "$plume" fold -q --weight "$2" "faults-$1.plume" | sum; }
near() { test $(($1 * 10)) -gt $(($2 * 8)) -a $(($1 * 10)) -lt $(($2 * 12)); } # a fifth more or less
faults 1 && faults 10
each=$(in_file 1 samples) tenth=$(in_file 10 samples)
ok "-c 10 takes a tenth of the samples: $tenth of $each" near $((tenth * 10)) "$each"
ok "... each of which counts for ten" near "$(in_file 10 period)" "$each"

"$plume" record -q --every 1s --keep 1h --dir periods/of -- perl -e '$n++ while time - $^T < 4' 2>periods.err
is "--every: files by period" "$(find periods/of -name 'perl-????-??-??T??????.???Z.plume' | awk 'END { print (NR >= 2) }')" 1
"$plume" fold -q periods/of/*.plume >periods.folded
is "... that are whole, and read as one" $? 0
finish
