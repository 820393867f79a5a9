#!/bin/bash
# plume js: what can be read of the V8 of living processes, and maps of their code. PLUME_NODES: a folder with
# VERSION/bin/node of several versions; without it the node that is installed, if there is one.
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
export ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-}
started=()
left=()
trap 'kill -KILL "${started[@]}" 2>/dev/null; wait 2>/dev/null; rm -f "${left[@]}"; rm -rf "$work"' EXIT

# refuses NAME STATUS WORDS ARGUMENT...: that exit status, within bounds, and one sentence with these words
refuses() {
	local name=$1 want=$2 words=$3 status
	shift 3
	timeout 60 "$plume" js "$@" >refused.out 2>refused.err
	status=$?
	is "$name: exit status" "$status" "$want"
	ok "... says: $words" grep -qF -- "$words" refused.err
	is "... in one line" "$(grep -vc "^Try 'plume help" refused.err)" 1
	is "... and prints nothing else" "$(wc -c <refused.out)" 0
}

# Usage.
refuses "without a subcommand" 2 "doctor or map"
refuses "a subcommand that is none" 2 "unknown command 'js nothing'" nothing
refuses "map without a process" 2 "-p PID" map
refuses "doctor without a process" 2 "-p PID" doctor
refuses "a word that is no option" 2 "'file'" map -p $$ file
refuses "two processes" 2 "one process at a time" map -p $$,1
refuses "an option of another subcommand" 2 "-f" doctor -f -p $$
for topic in js 'js map' 'js doctor'; do
	# shellcheck disable=SC2086 # words
	"$plume" help $topic >help.txt
	ok "help $topic" grep -q "^plume $topic " help.txt
	# shellcheck disable=SC2086 # words
	is "... is what --help prints" "$("$plume" $topic --help)" "$(cat help.txt)"
	is "... and fits 80 columns" "$(awk 'length > 80' help.txt)" ""
done
ok "help says that interpreted functions are not in a map" bash -c "'$plume' help js map | tr '\n' ' ' | grep -q 'Interpreted functions and code compiled later are not in the map'"

if [ ! -r /proc/self/maps ] || [ ! -r /proc/1/status ]; then
	skip "living processes" "there is no /proc here"
	finish
fi
refuses "a process that is not there" 1 "4194305" map -p 4194305
refuses "a process that is no Node.js" 1 "is not running Node.js" doctor -p $$

# start COMMAND...: its pid in $pid, when it has begun
start() {
	rm -f started.out
	"$@" >started.out 2>&1 &
	pid=$!
	started+=("$pid")
	left+=("/tmp/perf-$pid.map")
	for _ in $(seq 400); do
		[ -s started.out ] && return
		sleep 0.02
	done
}

# Programs that only look like Node.js.
if command -v gcc >/dev/null && [ "$(uname -m)" = x86_64 ]; then
	cat >main.c <<'END'
#include <stdio.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	/* Words that are their own address, as the map of maps is. */
	enum { N = 1 << 22 };
	uint64_t *p = mmap(NULL, N * sizeof(*p), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < N; i++)
		p[i] = (uint64_t)(uintptr_t)(p + i) | 1;
	puts("up");
	fflush(stdout);
	return (int)sleep(1000);
}
END
	# shellcheck source=test/suite/look_alike.bash
	. "$suite/look_alike.bash"
	# look_alike FOLDER: what is in numbers.c, as a program named node
	look_alike() {
		mkdir -p "$1"
		gcc -O1 -rdynamic -o "$1/node" main.c numbers.c && start "./$1/node"
	}
	: >numbers.c && look_alike bare
	refuses "named node, without V8" 1 "is not running Node.js" doctor -p "$pid"
	numbers v8dbg_class_SharedFunctionInfo__flags__int=7 >numbers.c && look_alike one
	refuses "a symbol or two" 1 "does not give its version" doctor -p "$pid"
	numbers "${stated[@]}" v8dbg_class_SharedFunctionInfo__flags__int=7 >numbers.c && look_alike some
	refuses "a version and little else" 1 "does not export" map -p "$pid"
	numbers "${stated[@]/=11/=77}" "${layout[@]}" >numbers.c && look_alike unknown
	refuses "a version that is not known" 1 "its V8 77.3 is not one that plume knows" doctor -p "$pid"
	numbers "${stated[@]}" "${layout[@]}" v8dbg_TaggedSize=4 >numbers.c && look_alike compressed
	refuses "compressed pointers" 1 "compresses pointers" doctor -p "$pid"
	for wrong in Script__name__Object=16/Script__name__Object=1000000 instance_type__uint16_t=12/instance_type__uint16_t=-2147483648 \
		SHARED_FUNCTION_INFO_TYPE=262/SHARED_FUNCTION_INFO_TYPE=2000000000 fp_function=-16/fp_function=-16000; do
		numbers "${stated[@]}" "${layout[@]/${wrong%/*}/${wrong#*/}}" >numbers.c && look_alike wrong
		refuses "a number that cannot be (${wrong#*/})" 1 "which is impossible" doctor -p "$pid"
		refuses "... map" 1 "which is impossible" map -p "$pid" -o -
	done
	numbers "${stated[@]}" "${layout[@]}" >numbers.c && look_alike heap
	refuses "all numbers, and no heap" 1 "its heap was not found in the process's memory" doctor -p "$pid"
	refuses "... map" 1 "its heap was not found in the process's memory" map -p "$pid"
	ok "... and left no map" [ ! -e "/tmp/perf-$pid.map" ]
else
	skip "programs that look like Node.js" "no gcc for x86-64"
fi

nodes=()
if [ -n "${PLUME_NODES:-}" ]; then
	nodes=("$PLUME_NODES"/*/bin/node)
elif command -v node >/dev/null; then
	nodes=("$(command -v node)")
fi
if [ ${#nodes[@]} = 0 ] || [ "$(uname -m)" != x86_64 ]; then
	skip "node" "there is none for x86-64"
	finish
fi
cat >work.js <<'END'
function leaf(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i); return s; }
class Shape { constructor(n) { this.n = n; } area() { return leaf(this.n) + this.n; } }
function words() { let n = 0; for (let i = 0; i < 200; i++) n += /a(b+)c[0-9]+/.test("xxabbbc" + i) ? 1 : 0; return n; }
function outer() { let s = 0; for (let i = 0; i < 50; i++) s += new Shape(500).area() + words(); return s; }
let sum = 0;
for (let i = 0; i < 400; i++) sum += outer();
console.log("up");
setInterval(() => { sum += outer(); }, 10);
END
start "${nodes[0]}" work.js
if ! "$plume" js doctor -p "$pid" >/dev/null 2>first.err && grep -q 'may not be read' first.err; then
	skip "node" "memory of other processes may not be read here"
	finish
fi
kill "$pid"

# Rows of map $1 that V8's own map $2 has otherwise. Older ones have other words in front and no columns; V8 marks code that
# was made for a loop or a closure; code that nobody needs any more may have lost its function.
differing() {
	perl -ne '
		sub norm { my $n = shift; $n =~ s/^(Function|LazyCompile|Script|Eval):/JS:/; $n =~ s/^JS:o?([~^+*])\x27?/JS:$1/; $n =~ s/^(RegExp).*/$1/; $n }
		chomp; my ($start, $size, $name) = split / /, $_, 3;
		if (!$second) { $own{hex $start} = norm($name) }
		elsif ($name !~ /^(Builtins_|Stub:)/ && $name !~ /not known/ && defined $own{hex $start}) {
			my $mine = norm($name); (my $short = $mine) =~ s/:\d+$//;
			print "$_ | $own{hex $start}\n" if $own{hex $start} ne $mine && $own{hex $start} ne $short;
			$n++ }
		$second = 1 if eof; END { print "only $n rows\n" if $n < 5 }' "$2" "$1"
}

for node in "${nodes[@]}"; do
	version=$("$node" -p process.versions.node)
	start "$node" work.js
	timeout 60 "$plume" js doctor --width 80 -p "$pid" >doctor.txt
	is "node $version: doctor" $? 0
	ok "... its versions" grep -qE "^V8 +$("$node" -p 'process.versions.v8.split(".").slice(0,3).join(".")'), in /" doctor.txt
	ok "... Node.js' own" grep -qE "^program +Node.js $version$" doctor.txt
	is "... fits 80 columns" "$(awk 'length > 80' doctor.txt)" ""
	ok "... a number that is exported" grep -qE '^  instance_type|Map.instance_type +12 exported' doctor.txt
	ok "... one that is tabled" grep -qE 'line_offset +24 tabled' doctor.txt
	for fact in 'names of JavaScript functions' 'interpreted functions' 'lines of calls in optimized code' 'inlined functions' 'lines of calls in baseline code'; do
		ok "... $fact" grep -q "^ok    $fact: yes" doctor.txt
	done
	ok "... what its words mean" grep -q "tabled: from plume's table" doctor.txt
	ok "... a function's name" grep -q '^ok    test: a function resolves to JS:' doctor.txt
	ok "... the metamap" grep -q '^ok    test: the meta map, of type' doctor.txt
	ok "... code leads to its function" grep -qE '^ok    test: [0-9]+ bytes of code at 0x[0-9a-f]+ belong to' doctor.txt
	is "... no check failed" "$(grep -E '^bad|failed' doctor.txt)" ""
	"$plume" js doctor --json -p "$pid" >doctor.json
	ok "... as JSON" perl "$suite/json.pl" doctor.json
	ok "... with every number" grep -q '"group":"Script","name":"name","origin":"exported","value":16' doctor.json

	timeout 60 "$plume" js map -p "$pid" 2>said.txt
	is "node $version: map" $? 0
	map=/tmp/perf-$pid.map
	is "... rows are of the form START SIZE NAME" "$(grep -cvE '^[0-9a-f]+ [0-9a-f]+ [^ ]' "$map")" 0
	ok "... a function that is optimized" grep -qE " JS:\*leaf $work/work.js:1:14" "$map"
	ok "... one in baseline code" grep -qE ' JS:\^[a-zA-Z]+ ' "$map"
	ok "... regular expressions" grep -q ' RegExp:' "$map"
	is "... V8's own code on the heap is no function's" "$(grep -c 'JS:~(function not known)' "$map")" 0
	file=$(awk '/libnode\.so/ { print $6; exit }' "/proc/$pid/maps")
	if grep -aq Builtins_InterpreterEntryTrampoline "${file:-/proc/$pid/exe}"; then
		ok "... builtins" grep -q ' Builtins_InterpreterEntryTrampoline$' "$map"
	else
		skip "... builtins" "this V8 is stripped: its own code has no names"
	fi
	is "... is the user's own" "$(stat -c '%u %a' "$map")" "$(id -u) 600"
	ok "... says how much" grep -qE 'rows, [0-9]+ optimized.* baseline.* builtins' said.txt
	is "... and left nothing else" "$(find /tmp -maxdepth 1 -name ".perf-$pid.map*")" ""
	ok "... the process runs on" bash -c "! grep -qE '^State:.*(stopped|tracing)' /proc/$pid/status"
	kill "$pid"

	start "$node" --perf-basic-prof work.js
	"$plume" js map -q -p "$pid" -o ours.map
	ok "node $version: -o FILE where the process writes a map itself" [ -s ours.map ]
	is "... rows are those of V8" "$(differing ours.map "/tmp/perf-$pid.map")" ""
	kill "$pid"
done

# The file that perf reads.
start "${nodes[0]}" --perf-basic-prof work.js
before=$(stat -c %i "/tmp/perf-$pid.map")
refuses "a map that the process writes itself" 1 "writes this file itself" map -p "$pid"
refuses "... by -o" 1 "writes this file itself" map -p "$pid" -o "/tmp/perf-$pid.map"
is "... is left alone" "$(stat -c %i "/tmp/perf-$pid.map")" "$before"
ok "... unless forced" "$plume" js map -f -p "$pid"
ok "... then it is another file" [ "$(stat -c %i "/tmp/perf-$pid.map")" != "$before" ]
start "${nodes[0]}" work.js
echo keep >victim
ln -s "$work/victim" "/tmp/perf-$pid.map"
ok "a link in its place" "$plume" js map -p "$pid"
is "... is not followed" "$(cat victim)" keep
ok "... but replaced" [ ! -L "/tmp/perf-$pid.map" ]
ok "a map of an earlier moment is replaced" "$plume" js map -p "$pid"
"$plume" js map -q -p "$pid" -o - >stdout.map
ok "- is standard output" grep -q ' JS:\*leaf ' stdout.map
refuses "a file that cannot be made" 1 "/none/x.map" map -p "$pid" -o /none/x.map
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	mkdir bin && cp "$plume" bin/plume && chmod 755 "$work" bin bin/plume
	timeout 60 setpriv --reuid 65534 --regid 65534 --clear-groups bin/plume js doctor -p "$pid" >other.out 2>other.err
	is "a process of another user: exit status" $? 1
	ok "... says what helps" grep -q sudo other.err
fi

# Being debugged: the tracer keeps it stopped, and it can be read all the same.
perl -e 'my $pid = 0 + shift; syscall(101, 16, $pid, 0, 0) == 0 or exit 1; waitpid $pid, 0x40000000; open my $o, ">", "traced"; close $o; sleep 1000' "$pid" &
tracer=$!
started+=("$tracer")
for _ in $(seq 100); do [ -e traced ] && break; sleep 0.05; done
if [ -e traced ]; then
	ok "a process that is being debugged" timeout 60 "$plume" js doctor -p "$pid"
	ok "... stays stopped by its debugger" grep -qE '^State:.*tracing' "/proc/$pid/status"
else
	skip "a process that is being debugged" "ptrace is not allowed here"
fi
kill "$tracer" 2>/dev/null

# In namespaces of its own: its own number, its own /tmp.
if [ "$(id -u)" = 0 ] && unshare -p -m --fork sh -c 'mount -t tmpfs tmpfs /mnt' 2>/dev/null; then
	cp work.js "/dev/shm/plume-work-$$.js"
	left+=("/dev/shm/plume-work-$$.js")
	node=$(realpath "${nodes[0]}")
	start unshare -p -m --fork sh -c "mount -t tmpfs tmpfs /tmp; exec '$node' /dev/shm/plume-work-$$.js"
	inside=$(pgrep -P "$pid")
	started+=("$inside")
	"$plume" js map -p "$inside" 2>said.txt
	is "in namespaces of its own: map" $? 0
	ok "... in its own /tmp" grep -q ' JS:\*leaf ' "/proc/$inside/root/tmp/perf-1.map"
	ok "... and not in ours" [ ! -e "/tmp/perf-$inside.map" ]
else
	skip "namespaces" "unshare -p -m is not allowed here"
fi

# perf names JavaScript by it.
if command -v perf >/dev/null; then
	start "${nodes[-1]}" work.js
	if perf record -q -F 499 -g -o perf.data -p "$pid" -- sleep 1 >/dev/null 2>&1 && "$plume" js map -q -p "$pid"; then
		perf script -i perf.data >script.txt 2>/dev/null
		ok "perf script shows JavaScript by name" grep -qE 'JS:[*+^](leaf|words|outer) ' script.txt
	else
		skip "perf script" "perf record is not allowed here"
	fi
else
	skip "perf script" "perf is not installed"
fi
finish
