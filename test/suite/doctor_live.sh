#!/bin/bash
# What doctor says of this machine and of living processes: Node.js with and without a map, a JVM, Python, C programs with
# and without frame pointers, in namespaces of their own, of other users. What is not installed or not allowed is skipped.
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
export ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-}
started=()
trap 'kill -KILL "${started[@]}" 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT
if [ ! -r /proc/self/maps ] || [ ! -r /proc/1/status ]; then
	skip "living processes" "there is no /proc here"
	finish
fi

# start COMMAND...: its pid in $pid, when it has begun
start() {
	rm -f started.out
	"$@" >started.out 2>&1 &
	pid=$!
	started+=("$pid")
	for _ in $(seq 400); do
		[ -s started.out ] && return
		sleep 0.02
	done
}
# tell NAME OPTION...: text of the process alone in NAME.told, JSON in NAME.json
tell() {
	local name=$1
	shift
	"$plume" doctor --width 0 "$@" | sed -n '/ (pid [0-9]*)$/,$p' >"$name.told"
	"$plume" doctor --json "$@" >"$name.json"
}
says() { # says NAME TEXT: a line has it
	grep -qF -- "$2" "$1.told" && return
	cat "$1.told"
	return 1
}
shows() { # shows NAME EXPRESSION: the same by an expression
	grep -qE -- "$2" "$1.told" && return
	cat "$1.told"
	return 1
}
marks() { # marks NAME MARK KEY: the process has a finding of that kind
	sed -n '/"processes":/,$p' "$1.json" | grep -q "\"mark\":\"$2\",\"key\":\"$3\"" && return
	cat "$1.json"
	return 1
}

# This machine.
"$plume" doctor --width 80 >machine.told
ok "the machine: its kernel" says machine "$(uname -r)"
ok "the machine: what can be recorded" grep -qE '^(ok|warn|bad) +.*record' machine.told
is "the machine: no line is longer than 80 columns" "$(awk 'length > 80' machine.told)" ""
"$plume" doctor --json >machine.json
ok "the machine as JSON" perl "$suite/json.pl" machine.json
ok "... is all there is without a process or file" grep -q '^{"machine":{"name"' machine.json
mkfifo silent
exec 9<>silent
ok "what is piped in is not waited for" timeout 60 "$plume" doctor <&9
exec 9<&-
if command -v setpriv >/dev/null && [ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ]; then
	mkdir bin && cp "$plume" bin/plume && chmod 755 "$work" bin bin/plume
	setpriv --reuid 65534 --regid 65534 --clear-groups bin/plume doctor --width 0 >nobody.told 2>&1
	ok "a user without rights: only own processes" grep -qE "^(warn|bad) .*(only this user's processes|nothing can be recorded)" nobody.told
	ok "... and the command that changes it" says nobody 'sudo sysctl kernel.perf_event_paranoid='
fi

# C with and without frame pointers.
if command -v gcc >/dev/null && [ "$(uname -m)" = x86_64 ]; then
	cat >work.c <<'END'
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) int ask(int n) { return n < 2 ? puts("up") + fflush(stdout) : ask(n - 1) + ask(n - 2); }
__attribute__((noinline)) int wait_for(int n) { return ask(1) + (int)sleep((unsigned)n) + ask(1); }
__attribute__((noinline)) int both(int n) { return wait_for(n) + wait_for(n); }
int main(void) { return both(100); }
END
	gcc -O1 -g -fno-omit-frame-pointer -o with-fp work.c
	gcc -O1 -fomit-frame-pointer -o without-fp work.c
	gcc -O1 -fomit-frame-pointer -fno-asynchronous-unwind-tables -static -nostartfiles -Wl,-e,main -o bare -x c - <<'END' 2>/dev/null
static volatile int sink;
__attribute__((noinline)) static void one(int *p) { __asm__ volatile("" ::"r"(p) : "rbx", "memory"); sink += *p; }
__attribute__((noinline)) static void two(int *p) { one(p); one(p); }
__attribute__((noinline)) static void three(int *p) { two(p); two(p); two(p); }
int main(void) { int n = 1; for (;;) { long r; __asm__ volatile("syscall" : "=a"(r) : "0"(34) : "rcx", "r11", "memory"); three(&n); two(&n); } }
END
	start ./with-fp
	tell fp -p "$pid"
	ok "with frame pointers" says fp "with-fp"
	ok "... its stacks go by them" shows fp "with-fp  *frame pointers  *names, lines"
	ok "... the C library's by tables" shows fp "libc[.a-z0-9-]*so[.0-9]* +tables"
	start ./without-fp
	tell nofp -p "$pid"
	ok "without: by tables" shows nofp "without-fp  *tables  *names$"
	ok "... and no lines" marks nofp info lines
	if [ -x bare ]; then
		./bare & pid=$!
		started+=("$pid")
		sleep 0.1
		tell bare -p "$pid"
		ok "neither frame pointers nor tables: stacks end there" marks bare bad stacks
		ok "... and what to build with" says bare "-fno-omit-frame-pointer"
	fi
	cp with-fp gone && start ./gone && rm gone
	tell gone -p "$pid"
	if [ "$(id -u)" = 0 ]; then
		ok "a program that was deleted has names" shows gone "gone +frame pointers +names"
	fi
	strip -o stripped with-fp && start ./stripped
	tell stripped -p "$pid"
	ok "a stripped program" marks stripped info names
else
	skip "C programs" "no gcc for x86-64"
fi

# Node.js
if command -v node >/dev/null; then
	echo 'console.log("up"); const f = (n) => { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i); return s; }; setInterval(() => f(1e5), 10);' >work.js
	version=$(node -p process.versions.node)
	start node work.js
	tell node -p "$pid"
	ok "node: its version" says node "Node.js $version"
	if "$plume" js doctor -p "$pid" >/dev/null 2>&1; then
		ok "... without a map: names from its heap" marks node ok javascript
		ok "... and no advice about flags" bash -c '! grep -qE "perf-basic-prof|turbo-inlining" node.json'
	else
		ok "... that cannot be read: no names" marks node bad map
		ok "... the command that helps" says node "--perf-basic-prof --interpreted-frames-native-stack"
		ok "... what --no-turbo-inlining would add" says node "--no-turbo-inlining"
	fi
	ok "... it keeps frame pointers, or tables are used" shows node "node +(frame pointers|tables)"
	start node --perf-basic-prof --interpreted-frames-native-stack --no-turbo-inlining work.js
	tell map -p "$pid"
	ok "node with a map: all is well" says map "no problems found"
	ok "... the map's rows and size" shows map "^map +/tmp/perf-$pid.map, [0-9,]+ rows, "
	is "... its flags" "$(sed -n 's/^flags *//p' map.told)" "--perf-basic-prof --interpreted-frames-native-stack --no-turbo-inlining"
	ok "... no advice about flags that it has" bash -c '! grep -qE "\"key\":\"(interpreted|inlined)\"" map.json'
	rm -f "/tmp/perf-$pid.map"
	NODE_OPTIONS=--perf-basic-prof start node -e 'console.log("up"); setInterval(() => { for (let i = 0; i < 99; i++) new Function("return " + Math.random())(); }, 5)'
	tell grows -p "$pid"
	ok "a map that grows" shows grows "^map .*, \+[0-9,]+ (bytes|kB|MB) in [0-9.]+ s"
	rm -f "/tmp/perf-$pid.map"
	if [ "$(id -u)" = 0 ]; then
		mkfifo "/tmp/perf-$pid.map"
		ok "a map that is a FIFO is not waited for" timeout 60 "$plume" doctor -p "$pid"
		rm -f "/tmp/perf-$pid.map"
	fi
	if [ "$(id -u)" = 0 ] && unshare -p -m --fork sh -c 'mount -t tmpfs tmpfs /mnt' 2>/dev/null; then
		start unshare -p -m --fork sh -c "cp work.js /dev/shm/plume-work-$$.js; mount -t tmpfs tmpfs /tmp; exec node --perf-basic-prof /dev/shm/plume-work-$$.js"
		inside=$(pgrep -P "$pid")
		started+=("$inside")
		tell namespace -p "$inside"
		ok "in namespaces of its own: its number inside" says namespace "pid 1 inside, own mounts"
		ok "... and its map in its own /tmp" shows namespace "^map +/tmp/perf-1.map, [0-9,]+ rows"
		rm -f "/dev/shm/plume-work-$$.js"
	else
		skip "namespaces" "unshare -p -m is not allowed here"
	fi
else
	skip "node" "it is not installed"
fi

# Java
if command -v java >/dev/null && command -v javac >/dev/null; then
	cat >Loop.java <<'END'
public class Loop { public static void main(String[] a) throws Exception { System.out.println("up"); Thread.sleep(100000); } }
END
	javac Loop.java
	start java Loop
	tell java -p "$pid"
	ok "java: its version" says java "Java $(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.version = //p')"
	ok "... stacks will be cut without frame pointers" marks java bad java-stacks
	ok "... the flag to add" says java "-XX:+PreserveFramePointer"
	ok "... it can be asked for names" marks java ok map
	ok "... and was not asked" [ ! -e "/tmp/.java_pid$pid" ]
	JAVA_TOOL_OPTIONS='-XX:+PreserveFramePointer -XX:+DisableAttachMechanism' start java Loop
	tell flags -p "$pid"
	ok "with frame pointers: stacks are whole" marks flags ok java-stacks
	ok "without the attach mechanism: no names" marks flags bad map
else
	skip "java" "no JDK is installed"
fi

# Python
if python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null); then
	start "$python" -u -c 'import time; print("up"); time.sleep(100)'
	tell python -p "$pid"
	ok "python: its version" says python "Python $("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
	ok "... its functions are not seen" marks python warn map
else
	skip "python" "python3 is not installed"
fi

# Several, and those that are not there.
"$plume" doctor --json -p "${started[0]},$$" >two.json
is "several processes" "$(grep -o '"pid":' two.json | wc -l)" 2
ok "... as JSON" perl "$suite/json.pl" two.json
printf 'a;b 1\n' >x.folded
"$plume" doctor --json -p $$ x.folded >file.json
ok "a process and a file" grep -q '"files":\[' file.json
ok "a process that is not there" bash -c "! '$plume' doctor -p 4194305 2>told && grep -q 'no such process: 4194305' told"
if [ "$(id -u)" = 0 ] && [ -x bin/plume ]; then
	setpriv --reuid 65534 --regid 65534 --clear-groups bin/plume doctor --width 0 -p $$ >other.told 2>&1
	ok "another user's process: what that means" shows other "^bad   this user cannot record it"
	ok "... and what helps" says other "sudo plume doctor -p $$"
fi
finish
