#!/bin/bash
# What plume record says of programs that know where their own CPU time went (test/truth): the shares of their parts are
# within the error that sampling has, stacks reach the start of their thread, frames have names, and every sample that
# came in comes out.
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
recording_allowed || finish

# By chance, one run of this suite in a thousand may fail: about 40 comparisons, 4.2 standard errors each (Bonferroni).
# The stricter check is that nearly 95 % of all are within the 95 % interval: the last one.
limit=4.2
seconds=3 # of CPU time: about 3,000 samples

# shares TEXT NAME [OPTION...] [PART=RE...]
shares() {
	local text=$1 name=$2
	local options=()
	shift 2
	while [ $# -gt 0 ] && [ "${1#--}" != "$1" ]; do
		options+=("$1" "$2")
		shift 2
	done
	ok "$text: shares as the program measured them" \
		"$suite/record_truth.pl" --limit $limit --tally tally "${options[@]}" "$name.truth" "$name.folded" "$@"
	sed 's/^/# /' ok.out
}
# whole TEXT NAME PERCENT: so many stacks reach a thread's start, names are there, and no sample is missing.
whole() {
	"$plume" report --json "$2.plume" >"$2.json" 2>/dev/null
	stripped "$2"
	ok "$1: $3 % of stacks reach the start of their thread, 99 % of frames have names" \
		"$suite/record_roots.pl" "$2.folded" "$2.json" "$3"
	sed 's/^/# /' ok.out
	grep -F '[unknown]' "$2.folded" | awk '{ print $NF, $0 }' | sort -rn | head -3 | cut -c 1-300 | sed 's/^/#   no name: /'
}
# counted TEXT NAME: a program that used $seconds of CPU time was seen as often as the rate says.
counted() {
	is "$1: a sample for each 1/999 s of CPU time, to 5 %: $(sum "$2.folded")" \
		"$(sum "$2.folded" | awk -v n=$((999 * seconds)) '{ print ($1 > 0.95 * n && $1 < 1.05 * n) }')" 1
}
# running NAME COMMAND...: COMMAND NAME.truth is recorded by its pid, while it has used $seconds of CPU time
running() {
	local name=$1
	shift
	start "$name" "$@" "$name.truth" || return 1
	record "$name" -p "$pid" -- "$truth/until_used" "$pid" $seconds
	local status=$?
	stop "$pid"
	return $status
}

# C, recorded from its first instruction to its last.
build() { # build NAME COMPILER-OPTION... of split.c
	gcc -O2 -g -fno-optimize-sibling-calls -o "$1" "$truth/split.c" "${@:2}"
}
build with-fp -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
build without-fp -fomit-frame-pointer
for name in with-fp without-fp; do
	record $name -- ./$name $name.truth $seconds
	shares "C, $name" $name
	whole "C, $name" $name 98
	counted "C, $name" $name
done
if command -v musl-gcc >/dev/null; then
	musl-gcc -static -O2 -fno-optimize-sibling-calls -o musl "$truth/split.c"
	running musl ./musl
	# Its qsort and memset come without tables to unwind by: a stack may begin there.
	shares "C, static, musl" musl 'sorts=;(sorts|compare|__qsort_r|qsort|smoothsort|sift|trinkle|cycle|memcpy)(;|$)' \
		'fills=;(fills|memset)(;|$)' 'reads=;(reads|read|sccp)(;|$)'
else
	skip "C, static, musl" "musl-gcc is not installed (Debian: musl-tools)"
fi

g++ -O2 -g -fno-optimize-sibling-calls -o inlines "$truth/inlines.cpp"
running inlines ./inlines
shares "C++, inlined functions" inlines
whole "C++, inlined functions" inlines 98

gcc -O2 -g -pthread -o threads "$truth/threads.c"
record threads -- ./threads threads.truth $seconds
shares "threads" threads forty=^forty thirty=^thirty twenty=^twenty seven=^seven three=^three
whole "threads" threads 98
counted "threads" threads

# Node.js and Java: recorded when they are warm.
if command -v node >/dev/null; then
	graph=fp running node node --perf-basic-prof --no-turbo-inlining "$truth/split.js"
	shares "Node.js" node 'sums=sums .*split.js' 'sorts=(sorts|sift|scatter) .*split.js' 'texts=texts .*split.js'
	whole "Node.js" node 97
else
	skip "Node.js" "node is not installed"
fi
if command -v javac >/dev/null; then
	javac -d . "$truth/Split.java"
	graph=fp running java java -XX:+PreserveFramePointer -cp . Split
	shares "Java" java 'Sums=Split.Sums[.:]+run' 'Sorts=Split.Sorts[.:]+' 'Texts=Split.Texts[.:]+run' 'Divides=Split.Divides[.:]+run'
	whole "Java" java 99
else
	skip "Java" "javac is not installed"
fi
if python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null); then
	running python "$python" "$truth/split.py"
	shares "Python" python 'crc32=;crc32' 'deflate=;(deflate|compress2?)' interpreter=.
	whole "Python" python 98
else
	skip "Python" "python3 is not installed"
fi

# The kernel's part of dd, by what the kernel counted: a tick each 4 ms (or so) says where it was, so it is a sample, too.
kernel_heavy() {
	record dd -- bash -c 'TIMEFORMAT="%U %S"; { time dd if=/dev/zero of=/dev/null bs=4k count=6000000 2>/dev/null; } 2>dd.times'
	local user system
	read -r user system <dd.times
	awk -v u="$user" -v s="$system" 'BEGIN { printf "user %d\nkernel %d\n", u * 1000, s * 1000 }' >dd.truth
	ticks=$(awk -v u="$user" -v s="$system" 'BEGIN { printf "%d", (u + s) * 250 }')
	"$plume" fold -q --kernel --where comm=dd dd.plume >dd.folded
}
kernel_heavy
shares "dd" dd --ticks "$ticks" 'kernel=_\[k\]$' user=.

# All together.
ok "of all shares, as many within the 95 % interval as there should be" within_interval tally
sed 's/^/# /' ok.out
finish
