#!/bin/bash
# Node.js that is hard to record: JavaScript has its names, or a sentence says why not and what helps; it takes no longer than
# usual; the process is not stopped, and answers afterwards. NODE: the node to record.
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
recording_allowed || finish
node=$(command -v "${NODE:-node}")
if [ -z "$node" ] || [ "$(uname -m)" != x86_64 ]; then
	skip "Node.js that is hard to record" "there is no node for x86-64"
	finish
fi
cat >target.js <<'END'
'use strict';
const http = require('http'), fs = require('fs');
function leafWork(n) {
  let s = 0;
  for (let i = 0; i < n; i++) s = (s + Math.sqrt(i ^ s)) | 0;
  return s;
}
function midWork(n) {
  return leafWork(n) +
    leafWork(n >> 1);
}
let sum = 0;
function takeTurn() {
  sum += midWork(20000);
  setImmediate(takeTurn);
}
http.createServer((request, response) => response.end('fine\n')).listen(0, '127.0.0.1', function () {
  fs.writeFileSync(process.argv[2], String(this.address().port));
  for (let i = 0; i < 300; i++) sum += midWork(20000);
  takeTurn();
  console.log('ready');
});
END

# begin NAME [NODE [OPTION...]]: a server that works; its $pid, its port in NAME.port
begin() {
	local name=$1
	shift
	[ $# -gt 0 ] || set -- "$node"
	start "$name" "$@" target.js "$name.port"
}
answers() { # answers NAME: the server does
	local line
	exec 9<>"/dev/tcp/127.0.0.1/$(cat "$1.port")" || return 1
	printf 'GET / HTTP/1.0\r\n\r\n' >&9
	while read -r -t 20 line <&9; do
		[ "$line" != fine ] || break
	done
	exec 9>&-
	[ "$line" = fine ]
}
runs() { # runs PID: nobody stopped it
	grep '^State:' "/proc/$1/status" || return 1
	! grep -qE '^State:[[:space:]]*[Tt]' "/proc/$1/status"
}
unharmed() { runs "$2" && answers "$1"; }       # unharmed NAME PID
named() { grep -qE 'JS:[*+^~]?leafWork ' "$1.folded"; }  # named NAME
native() { grep -q 'uv_run\|node::' "$1.folded"; } # native NAME: the picture that is there without V8
says() { # says NAME RE: a line of what was said
	cat "$1.err"
	grep -qE "$2" "$1.err"
}
# refuses RE: plume js doctor does, with a sentence
refuses() {
	timeout 60 "$plume" js doctor -p "$pid" >doctor.out 2>doctor.err
	local status=$?
	ok "... js doctor refuses" test $status = 1
	ok "... with a sentence" grep -qE "$1" doctor.err
	is "... in one line" "$(wc -l <doctor.err)" 1
}
# as NAME COMMAND...: recorded by a plume that the command starts
as() {
	local name=$1
	shift
	timeout -s INT 120 "$@" "$plume" record -F 999 -o "$name.plume" -p "$pid" -- "$truth/until_used" "$pid" 1 >"$name.out" 2>"$name.err"
	local status=$?
	[ $status = 0 ] || cat "$name.err"
	"$plume" fold -q "$name.plume" >"$name.folded"
	return $status
}
usual() { as "$1" env; }

begin plain || exit 1
plain=$pid
ok "a server: recorded" usual plain
ok "... with names" named plain
"$plume" fold -v plain.plume >plain.out 2>plain.said
ok "... -v says how they were named" grep -qE '^ +javascript  [0-9,]+ frames named from V8.s heap, .*stacks walked in the kernel [0-9,]+, in copies [0-9,]+' plain.said
ok "... and nothing to say of them" bash -c '! grep -q "have no names" plain.err'
"$plume" record -F 999 -d 1 -o lines.plume -p "$pid" >lines.out 2>lines.err
"$plume" fold -q --srcline lines.plume >lines.folded
ok "... --srcline: the line of the call, behind where the function begins" \
	grep -qE 'JS:.?takeTurn [^;]*/target.js:[0-9]+:[0-9]+ target.js:14(_\[i\])?[; ]' lines.folded

# What may be forbidden: by a filter, as containers have them, and by capabilities.
if gcc -O1 -o denies -xc - <<'END' 2>gcc.err; then
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
/* denies bpf|read|ptrace... -- COMMAND: which it runs without these */
int main(int argc, char **argv)
{
	int i;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return 99;
	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		unsigned number = argv[i][0] == 'b' ? __NR_bpf : argv[i][0] == 'r' ? __NR_process_vm_readv : __NR_ptrace;
		struct sock_filter filter[] = {
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		};
		struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
			return 99;
	}
	execvp(argv[i + 1], argv + i + 1);
	return 98;
}
END
	ok "BPF is forbidden: recorded" as bpf ./denies bpf --
	ok "... names are there" named bpf
	ok "... it is said that copies do" says bpf 'read from copies.*BPF'
	ok "... doctor, which loads the program, says it, too" bash -c "./denies bpf -- '$plume' doctor 2>/dev/null | grep -qE '(a seccomp filter|no BPF|built without BPF)'"
	# LeakSanitizer needs it, too.
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 ok "ptrace is forbidden: recorded" as ptrace ./denies ptrace --
	ok "... names are there: it is not used" named ptrace
	for what in read "read bpf"; do
		# shellcheck disable=SC2086 # words
		ok "forbidden: $what: recorded" as read ./denies $what --
		ok "... it is said why there are no names, and what helps" says read "JavaScript functions of pid $pid have no names: no permission to read its memory: .*(SYS_PTRACE|sudo)"
		is "... once" "$(grep -c 'have no names' read.err)" 1
		ok "... and kept" bash -c "'$plume' doctor read.plume 2>/dev/null | grep -q 'no permission to read its memory'"
		ok "... the rest is there" native read
		is "... as is no JavaScript" "$(grep -c 'JS:' read.folded)" 0
	done
	timeout 60 ./denies read -- "$plume" js doctor -p "$pid" >doctor.out 2>doctor.err
	is "... js doctor refuses" $? 1
	ok "... with a sentence" grep -q 'no permission to read' doctor.err
	ok "the server is unharmed" unharmed plain "$plain"
else
	skip "what may be forbidden by a filter" "no gcc"
fi
if [ "$(id -u)" = 0 ] && setpriv --bounding-set -sys_ptrace true 2>/dev/null; then
	for lost in sys_ptrace sys_ptrace,-bpf,-sys_admin; do
		ok "without -$lost: recorded" as caps setpriv --bounding-set "-$lost"
		ok "... it is said why there are no names" says caps "JavaScript functions of pid $pid have no names: it .*is protected"
		ok "... the rest is there" test "$(sum caps.folded)" -ge 500
	done
	# Another user, who may use perf events.
	cp "$plume" plume-of-others && chmod 755 . plume-of-others && mkdir -m 777 others
	if timeout -s INT 120 setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +perfmon --ambient-caps +perfmon \
		--bounding-set -all,+perfmon ./plume-of-others record -F 999 -d 1 -p "$pid" -o others/x.plume >others.out 2>others.err; then
		ok "another user with CAP_PERFMON: it is said why there are no names" says others 'have no names: it belongs to another user.*sudo'
	else
		skip "another user with CAP_PERFMON" "not allowed here: $(tail -1 others.err)"
	fi
	ok "the server is unharmed" unharmed plain "$plain"
else
	skip "what capabilities allow" "only root with setpriv can give one up"
fi

# Stopped, or being debugged.
kill -STOP "$plain"
timeout -s INT 60 "$plume" record -F 999 -d 1 -o stopped.plume -p "$plain" >stopped.out 2>stopped.err
ok "a process that is stopped: it takes no longer" test $? -lt 124
ok "... it stays stopped" grep -qE '^State:[[:space:]]*T' "/proc/$plain/status"
kill -CONT "$plain"
ok "... until it may go on" unharmed plain "$plain"
# PTRACE_SEIZE, then PTRACE_INTERRUPT and PTRACE_CONT again and again, as a debugger at work.
perl -e 'my $pid = 0 + shift; syscall(101, 0x4206, $pid, 0, 0) == 0 or exit 1; open my $o, ">", "traced"; close $o;
	for (1 .. 100000) { syscall(101, 0x4207, $pid, 0, 0); waitpid $pid, 0x40000000; select undef, undef, undef, 0.005;
		syscall(101, 7, $pid, 0, 0); select undef, undef, undef, 0.02 }' "$plain" &
tracer=$!
started+=("$tracer")
for _ in {1..100}; do [ -e traced ] || sleep 0.05; done
if [ -e traced ]; then
	ok "being debugged: recorded" usual debugged
	ok "... with names" named debugged
	ok "... its debugger is the same" grep -qE "^TracerPid:[[:space:]]*$tracer$" "/proc/$plain/status"
	kill_now "$tracer"
	ok "... and leaves an unharmed server" unharmed plain "$plain"
else
	skip "being debugged" "ptrace is not allowed here"
fi

# It ends, or becomes another program.
begin ends
usual ends &
recorder=$!
"$truth/until_used" "$pid" 1
kill_now "$pid"
wait $recorder
is "a server that ends: recorded" $? 0
ok "... with names" named ends
begin late
"$plume" record -F 999 -o late.plume -p "$pid" >late.out 2>late.err &
recorder=$!
started+=("$recorder")
"$truth/until_used" "$pid" 1
kill -STOP $recorder
"$truth/until_used" "$pid" 1
kill_now "$pid"
kill -CONT $recorder
wait $recorder
"$plume" fold -q late.plume >late.folded
# unnamed NAME PERCENT: samples that have code of V8's but no function are less than that
unnamed() {
	awk -v most="$2" '{ all += $NF } /\[perf-[0-9]+\.map\]|\[JIT\]/ && !/JS:/ { bad += $NF }
		END { print bad + 0, "of", all; exit !(all > 1000 && bad * 100 < all * most) }' "$1.folded"
}
ok "a server that ended before its last samples are looked at: they have names" unnamed late 1
ok "... $(sum late.folded) of them, so some are of the second that it was stopped for" test "$(sum late.folded)" -ge 1200
cat >becomes.js <<'END'
const { spawnSync } = require('child_process');
function beforeWork(n) { let s = 0; for (let i = 0; i < n; i++) s = (s + Math.sqrt(i ^ s)) | 0; return s; }
let end = process.cpuUsage().user + 1e6, sum = 0;
while (process.cpuUsage().user < end) sum += beforeWork(100000);
if (process.execve) process.execve('/bin/sh', ['sh', '-c', process.argv[2]], process.env);
else spawnSync('/bin/sh', ['-c', process.argv[2]]);
END
cat >after.js <<'END'
function afterWork(n) { let s = 0; for (let i = 0; i < n; i++) s = (s + Math.sqrt(i ^ s)) | 0; return s; }
const end = process.cpuUsage().user + 1e6;
let sum = 0;
while (process.cpuUsage().user < end) sum += afterWork(100000);
END
ok "node, sh and node again: recorded" record becomes -- "$node" becomes.js "i=0; while [ \$i -lt 20000 ]; do i=\$((i + 1)); done; exec '$node' after.js"
ok "... names of the first" grep -qE 'JS:.?beforeWork ' becomes.folded
ok "... sh between them" grep -q '^sh;' becomes.folded
ok "... names of the second" grep -qE 'JS:.?afterWork ' becomes.folded
ok "... nobody lacks names" unnamed becomes 2

# A V8 that does not say where it keeps what.
perl -pe 's/v8dbg_/v8xxx_/g' "$node" >nameless && chmod +x nameless
begin nameless ./nameless
if kill -0 "$pid" 2>/dev/null && ! cmp -s "$node" nameless; then
	ok "symbols removed: recorded" usual nameless
	ok "... the rest is there" native nameless
	ok "... it is said why there are no names, and what helps" says nameless "JavaScript functions of pid $pid have no names: its V8 .*does not export.*--perf-basic-prof"
	refuses 'does not export'
	ok "... unharmed" unharmed nameless "$pid"
	kill_now "$pid"
else
	skip "symbols removed" "that node does not run"
fi
rm -f nameless

# patched SYMBOL OTHER: a copy of node in which a number that it exports is another one
patched() {
	readelf -W --dyn-syms "$node" >symbols.txt 2>/dev/null && readelf -W -S "$node" >sections.txt 2>/dev/null || return 1
	perl -e '
		my ($node, $symbol, $other) = @ARGV; my ($at, $value, $table);
		open my $s, "<", "symbols.txt";
		while (<$s>) { my @w = split; next unless @w > 7; $at = $w[0] + 0 if $w[7] eq $symbol; $value = hex $w[1] if $w[7] eq $other }
		open my $l, "<", "sections.txt"; while (<$l>) { $table = hex $1 if / \.dynsym +DYNSYM +\w+ (\w+) / }
		defined $at && defined $value && defined $table or exit 1;
		open my $in, "<:raw", $node; local $/; my $bytes = <$in>; substr $bytes, $table + 24 * $at + 8, 8, pack "Q<", $value;
		open my $out, ">:raw", "patched"; print $out $bytes' "$node" "$1" "$2" && chmod +x patched
}
for change in '_ZN2v88internal7Version6major_E v8dbg_FirstNonstringType is.not.one.that.plume.knows' \
	'v8dbg_TaggedSize v8dbg_TaggedSizeLog2 compresses.pointers'; do
	read -r symbol other words <<<"$change"
	if patched "$symbol" "$other" && begin "patched-$symbol" ./patched; then
		ok "another $symbol: recorded" usual patched
		ok "... the rest is there" native patched
		ok "... it is said why there are no names" says patched "JavaScript functions of pid $pid have no names: its V8 .*$words.*--perf-basic-prof"
		refuses "$words"
		ok "... unharmed" unharmed "patched-$symbol" "$pid"
		kill_now "$pid"
	else
		skip "another $symbol" "readelf is not there, or node does not export it"
	fi
	rm -f patched
done

# Programs that only look like Node.js.
if command -v gcc >/dev/null; then
	# shellcheck source=test/suite/look_alike.bash
	. "$suite/look_alike.bash"
	cat >main.c <<'END'
#include <stdio.h>
#include <stdint.h>
#include <sys/mman.h>
int main(void)
{
	/* Words that are their own address, as the map of maps is; and nothing else to do. */
	enum { N = 1 << 20 };
	uint64_t *p = mmap(NULL, N * sizeof(*p), PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < N; i++)
		p[i] = (uint64_t)(uintptr_t)(p + i) | 1;
	puts("ready");
	fflush(stdout);
	for (volatile uint64_t i = 0;; i++)
		;
}
END
	numbers "${stated[@]}" "${layout[@]}" >numbers.c && mkdir alike && gcc -O1 -rdynamic -o alike/node main.c numbers.c
	start alike ./alike/node
	ok "a program that only looks like Node.js: recorded" usual alike
	ok "... it is said that nothing was found, and what to ask" says alike "JavaScript functions of pid $pid have no names: plume found none of its functions.*plume js doctor -p $pid"
	refuses 'its heap was not found in the process'
	ok "... runs on" runs "$pid"
	kill_now "$pid"

	# Code that runs at the end of 4 MB in which each word is the map of an object with code in it.
	cat >main.c <<'END'
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
static _Alignas(64) uint64_t meta[16], map[16];
static uint64_t *map_of(uint64_t *to, uint64_t *its_map, uint16_t type)
{
	to[0] = (uint64_t)(uintptr_t)its_map | 1;
	memcpy((char *)to + 12, &type, sizeof(type));
	return to;
}
int main(void)
{
	enum { BYTES = 4 << 20, OF_MAPS = 255, OF_STREAMS = 252 };
	char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t word = (uint64_t)(uintptr_t)map_of(map, map_of(meta, meta, OF_MAPS), OF_STREAMS) | 1;
	for (int i = 0; i < BYTES; i += sizeof(word))
		memcpy(p + i, &word, sizeof(word));
	memcpy(p + BYTES - 60, "\xeb\xfe", 2); /* jumps to itself */
	puts("ready");
	fflush(stdout);
	((void (*)(void))(uintptr_t)(p + BYTES - 60))();
}
END
	mkdir endless && gcc -O1 -rdynamic -o endless/node main.c numbers.c
	start endless ./endless/node
	ok "a heap that takes too long: recorded" usual endless
	ok "... it is said that it was given up" says endless "JavaScript functions of pid $pid have no names: reading its heap took too long"
	is "... once" "$(grep -c 'have no names' endless.err)" 1
	timeout 60 "$plume" js map -p "$pid" -o endless.map >doctor.out 2>doctor.err
	ok "... js map takes no longer" test $? -lt 124
	ok "... runs on" runs "$pid"
	kill_now "$pid"
else
	skip "programs that look like Node.js" "no gcc"
fi

# plume is killed at any moment.
programs() { bpftool prog list 2>/dev/null | grep -c perf_event; }
before=$(programs)
bad=0
for i in {1..10}; do
	"$plume" record -F 999 -o "killed-$i.plume" -p "$plain" >killed.out 2>killed.err &
	recorder=$!
	started+=("$recorder")
	sleep "0.$((i % 3))$((RANDOM % 10))$((RANDOM % 10))"
	kill_now $recorder
	unharmed plain "$plain" >unharmed.out 2>&1 || bad=$((bad + 1))
	[ -e "killed-$i.plume" ] || continue
	timeout 60 "$plume" fold -q "killed-$i.plume" >killed.folded 2>killed.err
	[ $? -lt 2 ] && { [ -s killed.folded ] || [ -s killed.err ]; } || bad=$((bad + 1))
done
is "killed at ten moments: the server is unharmed, what is left can be read or a sentence says why not" "$bad" 0
if command -v bpftool >/dev/null && bpftool prog list >/dev/null 2>&1; then
	for _ in {1..50}; do [ "$(programs)" -le "$before" ] || sleep 0.1; done
	ok "... and no BPF program is left" test "$(programs)" -le "$before"
else
	skip "... and no BPF program is left" "bpftool is not there, or not allowed"
fi
pid=$plain
ok "and it can be recorded as before" usual plain
ok "... with names" named plain
finish
