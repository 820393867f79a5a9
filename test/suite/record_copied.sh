#!/bin/bash
# Stacks and names of code that a program copies and tells of as CPython does (-X perf, -X perf_jit): test/truth/copied.c,
# and Python itself where one is at hand that can (3.12 and later).
# needs: recording
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
recording_allowed || finish
seconds=3 # of CPU time: the file is written while it is recorded, and names come behind that

# percent FILE RE: of the samples of FILE, how many match; rounded down
percent() {
	re=$2 awk '{ n = $NF; sub(/ [0-9]+$/, ""); all += n; if ($0 ~ ENVIRON["re"]) good += n }
		END { print all ? int(100 * good / all) : 0 }' "$1"
}
at_least() { # at_least TEXT PERCENT LEAST
	is "$1: $2 %" "$(($2 >= $3))" 1
}

gcc -O2 -g -fomit-frame-pointer -fno-optimize-sibling-calls -rdynamic -o copied "$truth/copied.c"
sums=';run_sums;py::sums:/app/main.py;evaluate;py::adds:/app/main.py;evaluate;py::adds'
rows=';run_counts;py::Table.rows:/app/main.py;evaluate;py::counts:/app/main.py;evaluate;py::counts'
for mode in map jitdump; do
	record $mode -- bash -c 'echo $$ >pid; exec ./copied "$@"' bash $mode $mode.truth $seconds
	rm -f "/tmp/perf-$(cat pid).map"
	grep -v ';bprm_execve' $mode.folded >$mode.mine # in the middle of exec
	at_least "$mode: stacks reach the start of their thread" "$(percent $mode.mine '^[^;]*;_start;')" 98
	grep ';run_[sc]' $mode.mine >$mode.copied
	at_least "$mode: functions with their callers, in order" "$(percent $mode.copied "$sums|$rows")" 95
	# By chance, one run in a million fails.
	ok "$mode: shares as the program measured them" "$suite/record_truth.pl" --limit 5.3 $mode.truth $mode.mine \
		'sums=;run_sums;py::sums:' 'rows=;run_counts;py::Table.rows:' 'native=;run_native;'
	sed 's/^/# /' ok.out
	is "$mode: all copies have names" "$(grep -c '\[\(jit\|perf\)-[0-9]*\.\(dump\|map\)' $mode.folded)" 0
done
if command -v node >/dev/null; then
	node "$suite/plume_dump.mjs" jitdump.plume >jitdump.dumped
	at_least "names that came late, by another reader of the file" "$(grep -c 'py::adds:' jitdump.dumped)" 1
else
	skip "names that came late, by another reader of the file" "node is not installed"
fi

cat >work.py <<'EOF'
import sys, time
def inner(n):
    total = 0
    for i in range(n):
        total += i * i
    return total
class Table:
    def rows(self):
        return inner(20000)
def main():
    end = time.process_time() + float(sys.argv[1])
    table = Table()
    while time.process_time() < end:
        table.rows()
main()
EOF
# python_that_can OPTION: one that knows it, as its own path
python_that_can() {
	local each
	for each in ${PYTHON_PERF:-} python3.14 python3.13 python3.12 python3 "$HOME"/.pyenv/versions/3.1[2-9]*/bin/python3; do
		"$each" -X "$1" -c 'import sys; sys.is_stack_trampoline_active() or sys.exit(1); print(sys.executable)' \
			2>/dev/null && return
	done
	return 1
}
nested=';py::<module>:[^;]*work.py;.*;py::main:[^;]*work.py;.*;py::Table.rows:[^;]*work.py;.*;py::inner:[^;]*work.py;'
for option in perf perf_jit; do
	if ! python=$(python_that_can $option); then
		skip "Python, -X $option" "no python3 that knows it is installed"
		continue
	fi
	record py-$option -- bash -c 'echo $$ >pid; exec "$@"' bash "$python" -X $option work.py $seconds
	rm -f "/tmp/perf-$(cat pid).map" "/tmp/jit-$(cat pid).dump"
	grep ';_PyEval_EvalFrameDefault' py-$option.folded >py-$option.mine
	at_least "Python, -X $option: stacks reach the start of their thread" "$(percent py-$option.mine ';_start;')" 97
	at_least "Python, -X $option: functions with their callers" "$(percent py-$option.mine "$nested")" 75
done
finish
