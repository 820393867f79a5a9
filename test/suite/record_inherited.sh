#!/bin/bash
# plume record -- COMMAND: the command finds what it would find without plume, and plume ends as the command did.
# needs: recording
# shellcheck disable=SC2317,SC2016 # functions are called by ok; programs in words have variables of their own
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
recording_allowed || finish
gcc -O1 -o inherited "$truth/inherited.c" || exit 1
echo text >file

# alike [OPTION...] -- BEFORE...: BEFORE starts the program, and plume that starts it
alike() {
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	"${@:2}" "$work/inherited" "$work/alone.txt"
	"${@:2}" "$plume" record -q -o "$work/alike.plume" "${options[@]}" -- "$work/inherited" "$work/recorded.txt"
	test -s alone.txt && diff alone.txt recorded.txt
	local status=$?
	rm -f alone.txt recorded.txt
	return "$status"
}
sh_c() { sh -c "$1"'; "$@"' sh "${@:2}"; }
ignoring() { # ignoring SIGNALS COMMAND...
	perl -e '$SIG{$_} = "IGNORE" for split / /, shift; exec @ARGV' "$@"
}
blocking() {
	perl -MPOSIX -e 'my $set = POSIX::SigSet->new(map { POSIX->can("SIG$_")->() } split / /, shift);
		sigprocmask(SIG_BLOCK, $set); exec @ARGV' "$@"
}
signals='HUP INT QUIT PIPE TERM USR1 USR2 ALRM CHLD TSTP TTIN TTOU CONT'
ok "as it is" alike -- env
ok "umask 022" alike -- sh_c 'umask 022'
ok "umask 000" alike -- sh_c 'umask 000'
ok "ignored signals" alike -- ignoring "$signals"
ok "blocked signals" alike -- blocking "$signals"
ok "signals as they are by default" alike -- perl -e '$SIG{$_} = "DEFAULT" for split / /, shift; exec @ARGV' "$signals"
ok "nice, idle scheduling" alike -- nice -n 5 chrt --idle 0
cpu=$(awk '/^Cpus_allowed_list/ { split($2, first, /[-,]/); print first[1] }' /proc/self/status)
ok "io priority, one processor" alike -- ionice -c 3 taskset -c "$cpu"
ok "limits" alike -- sh_c 'ulimit -Sn 200; ulimit -Sc 0; ulimit -Ss 4096'
ok "descriptors" alike -- sh_c 'exec 5<file 7>>file 9<&5; read -r line <&5'
for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- >&- 2>&-'; do
	ok "descriptors: $closed" alike -- sh_c "exec $closed"
done
ok "an empty environment" alike -- env -i
ok "another folder" alike -- env -C /
ok "no new rights" alike -- setpriv --no-new-privs
ok "... that is the timer" alike -p $$ -- sh_c 'umask 027; ulimit -Sn 200'
[ "$(id -u)" != 0 ] || ok "... of a recording of what matches" alike --comm nobody-is-called-so -- ignoring "$signals"
ok "... with perf.data" alike -o alike.data -- sh_c 'umask 027; exec 5<file'
printf '#!/bin/sh\n%s\n' '"$@" ./inherited alone.txt; "$@" "'"$plume"'" record -q -o tty.plume -- ./inherited recorded.txt' >on_terminal
script -qec 'sh ./on_terminal env' /dev/null </dev/null >terminal.out 2>&1
ok "a terminal: there is one" grep -q '^terminal: yes' alone.txt
ok "... the same, in the foreground" diff alone.txt recorded.txt
setsid -w sh ./on_terminal env >session.out 2>&1
ok "a session without a terminal" grep -q '^terminal: no' alone.txt
ok "... the same" diff alone.txt recorded.txt

# --- the end ---

# ended COMMAND...: the status as waitpid(2) gives it
ended() { timeout 120 perl -e 'system { $ARGV[0] } @ARGV; print $?' "$@" 2>/dev/null; }
alike_end() { is "$1" "$(ended "$plume" record -q -o end.plume -- sh -c "$2")" "$(ended sh -c "$2")"; }
alike_end "exit status 0" true
alike_end "exit status 3" 'exit 3'
alike_end "exit status 255" 'exit 255'
for name in KILL TERM INT HUP SEGV PIPE; do
	alike_end "ended by SIG$name" "ulimit -c 0; kill -$name \$\$"
done
is "exit status where SIGCHLD is ignored" "$(timeout 60 perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV' \
	"$plume" record -q -o end.plume -- sh -c 'exit 7'; echo $?)" 7

# --- signals to plume ---

# One that is told to end ends with 9, else with 7 after a while.
busy='trap "exit 9" TERM; kill -SIGNAL $PPID; perl -e "my \$n; \$n += \$_ for 1 .. 5000000"; exit 7'
is "nohup: HUP does not end the recording" \
	"$(ended perl -e '$SIG{HUP} = "IGNORE"; exec @ARGV' "$plume" record -q -o hup.plume -- sh -c "${busy/SIGNAL/HUP}")" $((7 << 8))
forever='trap "echo TERM >told; exit 9" TERM; kill -SIGNAL $PPID; while :; do :; done'
told() { # it may take its time
	for _ in {1..600}; do
		[ -s told ] && break
		sleep 0.1
	done
	cat told
}
for name in INT HUP TERM; do
	rm -f told
	is "SIG$name ends the recording" "$(ended "$plume" record -q -o told.plume -- sh -c "${forever/SIGNAL/$name}")" 0
	is "... and the command is told by SIGTERM" "$(told)" TERM
done
rm -f told
is "SIGINT does also where it was ignored, as in the background of a script" \
	"$(ended perl -e '$SIG{INT} = "IGNORE"; exec @ARGV' "$plume" record -q -o told.plume -- sh -c "${forever/SIGNAL/INT}")" 0
is "a closed pipe ends the command as ever" "$("$plume" record -q -o pipe.plume -- sh -c 'yes; echo $? >yes.status' | head -1)" y
ok "... by SIGPIPE" grep -qx 141 yes.status

# --- no standard error ---

"$plume" record -o closed.data -- true 2>&-
is "2>&-: the recording is made" $? 0
is "... and holds no message" "$(head -c 8 closed.data)$(grep -c '^plume: ' closed.data)" PERFILE20
"$plume" help >&- 2>help.err
is ">&-: a closed standard output is an error" $? 1
finish
