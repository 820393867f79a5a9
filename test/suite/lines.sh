#!/bin/bash
# The source line of each call and sample: recorded without --srcline, kept in .plume, shown by --srcline, and not seen
# without it. Programs whose hot line is known, in each language that is here.
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
recording_allowed || finish

# A function that begins at line 3 and whose time goes at line 6.
cat >c.c <<'END'
#include <stdint.h>

__attribute__((noinline)) uint64_t hot(uint64_t n)
{
	uint64_t x = n | 1;
	for (uint64_t i = 0; i < n; i++) x = x * 6364136223846793005u + i; /* line 6 */
	return x;
}

int main(void)
{
	volatile uint64_t sum = 0, n = 10000000;
	for (int i = 0; i < 60; i++)
		sum += hot(n);
	return 0;
}
END
# `spin` is inlined into `hot` at line 9; its own time goes at line 4.
cat >cpp.cpp <<'END'
#include <cstdint>
struct spinner {
	__attribute__((always_inline)) static std::uint64_t spin(std::uint64_t x, std::uint64_t n) {
		for (std::uint64_t i = 0; i < n; i++) x = x * 6364136223846793005u + i; // line 4
		return x;
	}
};
__attribute__((noinline)) std::uint64_t hot(std::uint64_t n) {
	return spinner::spin(n | 1, n); // line 9
}
int main() {
	volatile std::uint64_t sum = 0, n = 10000000;
	for (int i = 0; i < 60; i++)
		sum = sum + hot(n);
}
END
cat >rust.rs <<'END'
#[inline(never)]
fn hot(n: u64) -> u64 {
    let mut x = n | 1;
    let mut i = 0;
    while i < n {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(i); i += 1; // line 6
    }
    x
}
fn main() {
    let mut sum = 0u64;
    for _ in 0..60 {
        sum = sum.wrapping_add(hot(std::hint::black_box(10000000)));
    }
    std::hint::black_box(sum);
}
END
cat >go.go <<'END'
package main

//go:noinline
func hot(n uint64) uint64 {
	x := n | 1
	for i := uint64(0); i < n; i++ { x = x*6364136223846793005 + i } // line 6
	return x
}

func main() {
	sum := uint64(0)
	for i := 0; i < 60; i++ {
		sum += hot(10000000)
	}
	println(sum)
}
END
cat >js.js <<'END'
function hot(n) {
	let x = n | 1;
	const end = n + x;
	for (let i = x; i < end; i++) x = leaf(x, i); // line 4
	return x;
}
function leaf(x, i) {
	return Math.imul(x, 1664525) + (i ^ 1013904223) | 0; // line 8
}
let sum = 0;
const until = process.cpuUsage().user + 1.5e6;
while (process.cpuUsage().user < until)
	sum += hot(100000);
if (sum === 0.5) console.log(sum);
END

# share FOLDED RE: in how many of 100 samples of `hot` a frame matches RE
share() { re=$2 awk '/hot/ { all += $NF; if ($0 ~ ENVIRON["re"]) part += $NF } END { printf "%d\n", all ? 100 * part / all : 0 }' "$1"; }
at_least() { # at_least SHARE FOLDED RE
	local got
	got=$(share "$2" "$3")
	echo "$got % match $3"
	head -5 "$2"
	[ "$got" -ge "$1" ]
}
# same_views ONE OTHER [OPTION...]: as stacks, as a report for people and for programs
same_views() {
	local view
	for view in "fold -q" "report -q --limit 0" "report -q --json --limit 0"; do
		# shellcheck disable=SC2086 # a list of words
		"$plume" $view "${@:3}" "$1" >one.out 2>&1
		# shellcheck disable=SC2086
		"$plume" $view "${@:3}" "$2" >other.out 2>&1
		sed -i 's/see plume doctor .*/see plume doctor/' one.out other.out # it names the file
		diff one.out other.out || { echo "# $view ${*:3}"; return 1; }
	done
}
# program NAME LINE OWN COMMAND...: the hot line, and the one where `hot` begins (-: not known)
program() {
	local name=$1 line=$2 own=$3 options
	shift 3
	timeout -s INT 120 "$plume" record -q -F 999 -o "$name.data" -o "$name.plume" -- "$@" >"$name.out" 2>"$name.err"
	"$plume" fold -q --srcline "$name.plume" >"$name.lines"
	"$plume" fold -q "$name.plume" >"$name.folded"
	ok "$name: recorded without --srcline, shown with the hot line" at_least 90 "$name.lines" "hot[^;]* ${name}\\.[a-z]+:${line}[; _]"
	is "... and without --srcline with none" "$(grep -cE "$name\\.[a-z]+:[0-9]" "$name.folded")" 0
	"$plume" report --json --limit 0 "$name.plume" >"$name.json" 2>/dev/null
	[ "$own" = - ] || ok "... the report has the line where it begins" grep -qE "\"name\":\"[^\"]*hot[^\"]*\".*${name}\\.[a-z]+\",\"line\":${own}[,}]" "$name.json"
	"$plume" convert -q "$name.data" -o again.plume
	for options in "" --srcline --context; do
		# shellcheck disable=SC2086 # none, or one
		ok "... ${options:-no option}: perf.data and the .plume made of it look alike" same_views "$name.data" again.plume $options
	done
	"$plume" fold -q --srcline "$name.data" >data.lines
	ok "... and the perf.data of the recording has that line" at_least 90 data.lines "hot[^;]* ${name}\\.[a-z]+:${line}[; _]"
}
has() { command -v "$1" >/dev/null || { skip "${2:-$1}" "there is no $1 here"; false; }; }
has gcc C && gcc -O1 -g -o c c.c && program c 6 3 ./c
has g++ C++ && g++ -O1 -g -o cpp cpp.cpp && {
	program cpp 9 8 ./cpp
	ok "cpp: what is inlined has its own line" at_least 90 cpp.lines "hot[^;]* cpp\\.cpp:9;[^;]*spin[^;]* cpp\\.cpp:4_\\[i\\]"
}
# A function's code may be from another file than its beginning.
printf '	for (unsigned long i = 0; i < n; i++)\n		x = x * 6364136223846793005u + i;\n' >body.inc
cat >part.c <<'END'
__attribute__((noinline)) unsigned long eval(unsigned long n)
{
	unsigned long x = n | 1;
#include "body.inc"
	return x;
}

int main(void)
{
	volatile unsigned long n = 100000000, s = 0;
	for (int i = 0; i < 4; i++)
		s = s + eval(n);
	return 0;
}
END
if command -v gcc >/dev/null && gcc -O1 -g -o part part.c; then
	timeout -s INT 120 "$plume" record -q -F 999 -o part.plume -- ./part >part.out 2>part.err
	"$plume" report --json --limit 0 part.plume 2>/dev/null | grep '"name":"eval"' >part.json
	ok "a function begins in its own file" grep -q '/part\.c","line":1[,}]' part.json
	ok "... whatever file its code is from" grep -qE 'eval body\.inc:[12][; ]' <("$plume" fold -q --srcline part.plume)
fi
has rustc Rust && rustc -C opt-level=1 -g -o rust rust.rs && program rust 6 2 ./rust
if has go Go && GOCACHE=$work/gocache GOFLAGS=-mod=mod go build -o go-hot go.go 2>go.out; then
	program go 6 - ./go-hot # older compilers do not say where functions begin
fi

# --- JavaScript: the name has where the function begins ---
if has node JavaScript; then
	timeout -s INT 120 "$plume" record -q -F 999 -o js.plume -- node js.js >js.out 2>js.err
	"$plume" fold -q --srcline js.plume >js.lines
	"$plume" fold -q js.plume >js.folded
	if grep -q 'JS:.hot' js.folded; then
		ok "js: the line of the call, behind where the function begins" at_least 80 js.lines "JS:.hot [^;]*js\\.js:1:[0-9]+ js\\.js:4"
		ok "... and without --srcline with none" test "$(grep -c 'js\.js:4' js.folded)" = 0
		"$plume" convert -q js.plume -o js.pb.gz
		"$plume" fold -q --srcline js.pb.gz >js.pprof
		ok "... a pprof file has it as well" cmp js.lines js.pprof
	else
		skip "lines of JavaScript" "this Node.js has no names: $(tail -1 js.err)"
	fi
fi

# --- formats on the way ---
if [ -s cpp.plume ]; then
	"$plume" fold -q cpp.plume >want
	"$plume" fold -q --srcline cpp.plume >want.lines
	for way in pb.gz flat.json firefox.json; do
		"$plume" convert -q --srcline cpp.plume -o "way.$way"
		[ $way = firefox.json ] && continue
		"$plume" fold -q "way.$way" >got
		"$plume" fold -q --srcline "way.$way" >got.lines
		ok "$way: functions" cmp want got
		ok "... and lines" cmp want.lines got.lines
	done
	ok "firefox.json: a function once, its frames at several lines" node -e '
		const { shared: { frameTable: f, funcTable: g, stringArray: s } } = JSON.parse(require("fs").readFileSync("way.firefox.json"));
		const hot = g.name.map((n, i) => [s[n], i]).filter(([n]) => /\bspin\b/.test(n));
		const lines = new Set(f.func.flatMap((x, i) => x === hot[0][1] ? [f.line[i]] : []));
		console.log(hot, g.lineNumber[hot[0][1]], [...lines]);
		process.exit(hot.length === 1 && g.lineNumber[hot[0][1]] === 3 && lines.has(4) ? 0 : 1)'
	"$plume" convert -q cpp.plume again.plume -o both.plume 2>/dev/null
	"$plume" record -q -F 999 -o shown.svg -o kept.plume --srcline -- ./cpp >/dev/null 2>&1
	ok "record --srcline: what is written beside a .plume has lines, too" grep -q 'hot[^<]* cpp\.cpp:9' shown.svg
fi

# --- files of older versions ---
old=$fixtures/plume/version-1.1.plume
"$plume" fold --srcline "$old" >old.out 2>old.err
is "an older .plume: --srcline is refused" "$?$(wc -c <old.out)" 10
ok "... with what to do" grep -q 'record again' old.err
"$plume" convert -q "$old" -o renewed.plume
"$plume" fold --context renewed.plume >old.out 2>old.err
is "... and so it is when it was converted" "$?$(wc -c <old.out)" 10
is "... but it opens" "$("$plume" fold -q "$old" | wc -l)$("$plume" fold -q renewed.plume | wc -l)" 11
is "... also beside others" "$("$plume" fold -q --srcline "$fixtures/perf-script/default.perf" "$old" 2>&1 >/dev/null | grep -c 'record again')" 1
finish
