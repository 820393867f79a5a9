#!/bin/bash
# Processes that are hard to record, or must not be; hostile maps; buffers that overflow; who may, and whose files they are.
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
recording_allowed || finish
gcc -O2 -g -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -o hard "$truth/hard.c"
gcc -O2 -static -o hard-static "$truth/hard.c"

# says TEXT RE: what was the last recording's message
says() {
	ok "$1" grep -qiE "$2" last.err
	sed 's/^/#   /' last.err
}
# refused TEXT RE OPTION...: nothing is recorded, one message says why, in no time
refused() {
	local text=$1 re=$2
	shift 2
	rm -f last.plume
	timeout 20 "$plume" record -d 1 -o last.plume "$@" >last.out 2>last.err
	local status=$?
	ok "$text: refused" test $status -ne 0 -a $status -ne 124 -a $status -lt 128 # 124: it went on
	ok "... and no file is left" test ! -e last.plume
	says "... with a reason" "$re"
}
unnamed_below() { # unnamed_below PERCENT NAME
	stripped "$2"
	"$plume" report --json "$2.plume" 2>/dev/null | perl -e '
		require shift; my $doubt = json_parse(do { local $/; <STDIN> })->{doubtful}; my ($limit, $excused) = @ARGV;
		my $unnamed = $doubt->{unnamed_frames} - $excused;
		print "$unnamed of $doubt->{frames}\n";
		exit !($doubt->{frames} && 100 * $unnamed < $limit * $doubt->{frames})' "$suite/json.pl" "$1" "$(sum "$2.stripped")"
}
value() { # value NAME KEY: a number of what report says is doubtful
	"$plume" report --json "$1.plume" 2>/dev/null | grep -oE "\"$2\":[0-9]+" | head -1 | cut -d: -f2
}

# Processes that change while they are recorded.
cp hard other
record exec -- ./hard exec ./other forks 100
ok "a process that becomes another program: before" grep -qE '^hard;.*;burn' exec.folded
ok "... and after, with its children" grep -qE '^other;.*;child;burn' exec.folded
ok "... with names" unnamed_below 1 exec
record forks -- ./hard forks 1000
"$plume" fold -q --pid forks.plume >forks.pids
ok "1,000 children: most are seen" test "$(cut -d';' -f1 forks.pids | sort -u | wc -l)" -ge 700
ok "... about as often as they used CPU time" test "$(grep -c . forks.pids)" -ge 700 -a "$(sum <(grep ';child;burn' forks.pids))" -ge 1500
ok "... with names" unnamed_below 1 forks
mkdir files
if start maps ./hard maps files 50000; then
	./hard peak maps.peak "$plume" record -F 999 -o maps.plume -p "$pid" -- "$truth/until_used" "$pid" 1 >maps.out 2>maps.err
	is "50,000 mapped files: recorded" $? 0
	"$plume" fold -q maps.plume >maps.folded
	ok "... with names" grep -q ';burn ' maps.folded
	ok "... and bounded memory: $(cat maps.peak) KiB" test "$(cat maps.peak)" -lt 600000
	kill_now "$pid"
else
	skip "50,000 mapped files" "not allowed here (vm.max_map_count is $(cat /proc/sys/vm/max_map_count))"
fi
rm -rf files && mkdir files
./hard peak maps.peak "$plume" record -F 999 -o mapping.plume -- ./hard maps files 50000 3 >maps.out 2>maps.err
"$plume" fold -q mapping.plume >mapping.folded
ok "50,000 files mapped while recording: names" grep -q ';burn ' mapping.folded
ok "... and bounded memory: $(cat maps.peak) KiB" test "$(cat maps.peak)" -lt 600000

# A program whose first thread has a name of its own, as Node.js from 23 on.
start renamed ./hard renamed || exit 1
record by_name -d 1 --comm hard
ok "a program is known by its name, whatever its first thread is called" grep -q ';burn ' by_name.folded
record by_pid -d 1 -p "$pid"
ok "... and called so" grep -q 'samples of hard (pid' by_pid.err
kill_now "$pid"

# A script that waits for the program it has started before.
start script sh -c './hard burn; :' || exit 1
child=$(pgrep -P "$pid")
started+=("$child")
record family -d 1 -p "$pid"
ok "a process has children already: they are recorded" grep -q ';burn ' family.folded
ok "... and it is said" grep -q 'and 1 child process' family.err
record alone -i -d 1 -p "$pid"
is "... but not with -i" "$(grep -c ';burn ' alone.folded)" 0
kill_now "$child"

# A child that hides from others of its user, as ssh-agent does: what is above it is recorded all the same.
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if [ "$(id -u)" = 0 ] && cp "$plume" plume-of-nobody && cp hard hard-of-nobody && mkdir -m 777 hidden && chmod 777 hidden &&
	chmod 755 . plume-of-nobody hard-of-nobody && "${nobody[@]}" ./plume-of-nobody record -q -o hidden/probe.plume -- true 2>probe.err; then
	start hiding "${nobody[@]}" sh -c 'perl -e "syscall(157, 4, 0, 0, 0); open F, q(>), q(hidden/there); sleep 60" &
		until [ -e hidden/there ]; do sleep 0.02; done; ./hard-of-nobody burn & wait' || exit 1
	mapfile -t hiding < <(pgrep -P "$pid")
	started+=("${hiding[@]}")
	timeout 20 "${nobody[@]}" ./plume-of-nobody record -d 1 -p "$pid" -o hidden/x.plume >last.out 2>last.err
	is "a child that may not be looked at: the others are recorded" $? 0
	ok "... and said" grep -q 'and 1 child process' last.err
	for child in "${hiding[@]}"; do kill_now "$child"; done
else
	skip "a child that may not be looked at" "only root can be somebody else, who may record his own"
fi

# Processes that are not there, or nothing to record.
refused "a pid that nobody has" '(no|not) .*process|gone|ended' -p 4194000
refused "a pid that is no number" 'not a PID' -p twelve
refused "a command that is not there" 'no such|not found' -- ./nothing
./hard zombie >zombie.says &
started+=($!)
until [ -s zombie.says ]; do sleep 0.02; done
refused "a zombie" 'zombie|has ended|already ended' -p "$(cat zombie.says)"
kernel=$(pgrep -x kthreadd || pgrep -x ksoftirqd/0)
if [ -n "$kernel" ]; then
	timeout 20 "$plume" record -d 1 -o last.plume -p "$kernel" >last.out 2>last.err
	says "a kernel thread is called one" 'kernel'
else
	skip "a kernel thread" "none can be seen here"
fi

# A name that would write on the terminal.
evil=$'e\033[31mvil'
cp hard "$evil"
start evil "./$evil" burn || exit 1
timeout 20 "$plume" record -v -d 1 -o last.plume -p "$pid" >last.out 2>last.err
kill_now "$pid"
says "a program whose name is an escape sequence" 'samples of e\?\[31mvil'
is "... and none comes out" "$(grep -c $'\033' last.err)" 0

# Maps that a hostile program planted. Its root is a folder; the names are outside of it.
printf '10000000 1000 stolen_name\n' >secret.map
mkdir -p root/tmp
cp hard-static root/
planted() { # planted NAME WHAT TARGET: recorded while it has no more than anonymous code
	start "$1" chroot root /hard-static jit "$2" "$3" || return 1
	./hard peak "$1.peak" timeout -s INT 30 "$plume" record -F 999 -o "$1.plume" -p "$pid" -- "$truth/until_used" "$pid" 1 >"$1.out" 2>"$1.err"
	local status=$?
	kill_now "$pid"
	"$plume" fold -q "$1.plume" >"$1.folded"
	return "$status"
}
if [ "$(id -u)" = 0 ]; then
	ok "a map that is a FIFO does not hold it up" planted fifo fifo -
	ok "... and there are samples" test "$(sum fifo.folded)" -ge 500
	ok "a map that is a link out of the root: recorded" planted link link "$work/secret.map"
	ok "... but not followed" bash -c '! grep -q stolen_name link.folded'
	ok "... nor upwards" planted up link ../../../../../../../../../../../../../../../../../../../../../../"$work/secret.map"
	ok "... at all" bash -c '! grep -q stolen_name up.folded'
	cp secret.map root/tmp/inside.map
	ok "a map of 5 GB: recorded" planted huge huge $'10000000 1000 first_name\n'
	ok "... with bounded memory: $(cat huge.peak) KiB" test "$(cat huge.peak)" -lt 1000000
else
	skip "hostile maps" "only root may chroot"
fi

# A recorder that does not keep up.
overflow() {
	start overflow ./hard burn || return 1
	"$plume" record -F 20000 -o overflow.plume -p "$pid" -d 600 >overflow.out 2>overflow.err &
	local recorder=$!
	started+=("$recorder")
	"$truth/until_used" "$pid" 1
	kill -STOP "$recorder"
	"$truth/until_used" "$pid" 2
	kill -CONT "$recorder"
	"$truth/until_used" "$pid" 1
	kill -TERM "$recorder"
	wait "$recorder"
	local status=$?
	kill_now "$pid"
	return "$status"
}
ok "a recording that is told to end is whole" overflow
lost=$(value overflow lost)
ok "what a full buffer lost is counted: ${lost:-nothing}" test "${lost:-0}" -gt 0
"$plume" doctor overflow.plume >overflow.doctor 2>&1
ok "... and told" grep -qi 'lost' overflow.doctor
ok "... at once, when recording ends" grep -qi 'lost' overflow.err

start interrupted ./hard burn
timeout -s INT 2 "$plume" record -F 999 -o interrupted.plume -p "$pid" -d 600 >last.out 2>last.err
kill_now "$pid"
"$plume" fold -q interrupted.plume >interrupted.folded
ok "Ctrl-C ends a recording, and what it had is there" grep -q ';burn ' interrupted.folded

# Whose files they are: under sudo, of who called it, who must be allowed to write there.
owner_and_mode() { stat -c '%u:%g %a' "$1"; }
as_sudo() { env SUDO_UID=65534 SUDO_GID=65533 "$plume" record -F 999 "$@" -- ./hard forks 20; }
if [ "$(id -u)" = 0 ]; then
	chmod 711 "$work"
	mkdir -m 777 open
	mkdir -m 755 closed
	for ending in plume data svg folded; do
		as_sudo -o open/sudo.$ending >/dev/null 2>&1
		is "by sudo: a .$ending file is of who called it, and nobody else may read it" "$(owner_and_mode open/sudo.$ending)" "65534:65533 600"
	done
	as_sudo -o closed/sudo.plume >last.out 2>last.err
	ok "by sudo: not where who called it may not write" test ! -e closed/sudo.plume
	says "... with a reason" 'closed/sudo.plume.*(permission|allowed)'
	umask 0
	"$plume" record -o plain.plume -- ./hard forks 20 >/dev/null 2>&1
	umask 022
	is "without sudo: root's, and nobody else may read it" "$(owner_and_mode plain.plume)" "0:0 600"
fi

# Somebody who is not root.
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/ XDG_CACHE_HOME="$work/nobody" "$@"; }
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	mkdir -m 777 nobody
	cp "$plume" nobody/plume && chmod 755 nobody/plume hard
	paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
	as_nobody nobody/plume record -F 999 -o nobody/own.plume -- ./hard forks 300 >last.out 2>last.err
	if [ "$paranoid" -le 2 ]; then
		ok "not root: a program of one's own is recorded" test -s nobody/own.plume
		"$plume" fold -q nobody/own.plume >own.folded
		ok "... with names" grep -q ';child;burn ' own.folded
	fi
	[ "$paranoid" -lt 2 ] || says "... and told what is missing, and what to do" 'perf_event_paranoid|CAP_PERFMON|kernel'
	start others ./hard burn
	as_nobody timeout 20 nobody/plume record -d 1 -o nobody/others.plume -p "$pid" >last.out 2>last.err
	ok "not root: another's process is refused" test $? -ne 0
	says "... because it is another's, with what to do" '(another|belongs to|other user|owner|of root|.s process).*(sudo|CAP_PERFMON|CAP_SYS_PTRACE)'
	as_nobody timeout 20 nobody/plume record -d 1 -o nobody/all.plume -a >last.out 2>last.err
	ok "not root: the whole machine is refused" test $? -ne 0
	says "... with what to do" 'perf_event_paranoid|sudo'
	ok "... and no file is left" bash -c '! ls nobody/others.plume nobody/all.plume 2>/dev/null | grep .'
else
	skip "not root" "setpriv is not installed, or this is not root already"
fi
finish
