#!/bin/bash
# pprof: every fixture there and back, files that were cut, and go's pprof as a second opinion.
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/replay.bash
. "$suite/replay.bash"

# The format's texts are UTF-8: what is not is replaced, on both sides here.
ascii() { LC_ALL=C tr -d '\200-\377' | LC_ALL=C sort; }
fold() { "$plume" fold -q "$@" 2>/dev/null | ascii; }
# same NAME FILE COPY OPTION...: both fold to the same.
same() {
	local name=$1 file=$2 copy=$3
	shift 3
	replay fold -q "$@" "$file"
	ascii <out >want
	replay fold -q "$@" "$copy"
	ascii <out >got
	ok "$name" cmp want got
}
all=(--where event=all --weight period --tid --kernel --jit)
mapfile -t profiles < <(cd "$fixtures" && find . -type f -size +0 | grep -vE '\.(cmd|md|txt|js|mjs|ts|html|go|c|py|java|sh)$|/(elf|debug-info|doctor|symfs|programs|source-map)/|/make$|/tmp/' | sort)
for file in "${profiles[@]/#/$fixtures/}"; do
	name=$(basename "$file")
	replay convert -q "$file" -o sums.pb.gz
	replay convert -q --each-sample "$file" -o each.pb
	same "$name: the same stacks and samples" "$file" sums.pb.gz
	same "$name: the same threads, events, periods and kinds" "$file" sums.pb.gz "${all[@]}"
	same "$name: each sample by itself, too" "$file" each.pb "${all[@]}"
	same "$name: times" "$file" each.pb "${all[@]}" --time 0.004,
	same "$name: cpus" "$file" each.pb "${all[@]}" --where cpu=0,-1
	replay convert -q --each-sample each.pb -o again.pb
	ok "$name: written again it is the same file" cmp each.pb again.pb
done

# The name decides whether it is compressed.
small=$fixtures/perf-script/default.perf
"$plume" convert -q "$small" -o a.pb
"$plume" convert -q "$small" -o a.pb.gz
"$plume" convert -q "$small" -o a.pprof
"$plume" convert -q "$small" --format pprof -o - >a.stdout
gzip -dc a.pb.gz >a.plain
ok ".pb.gz is .pb compressed" cmp a.pb a.plain
ok ".pprof is compressed" cmp a.pprof a.pb.gz
ok "standard output is compressed" cmp a.stdout a.pb.gz
is "gzip's header holds no time" "$(head -c 8 a.pb.gz | od -An -tx1 | tr -d ' ')" 1f8b080000000000
"$plume" fold -q - <a.pb >got
"$plume" fold -q "$small" >want
ok "it is read from a pipe" cmp got want
zstd -qc a.pb >a.zst
"$plume" fold -q a.zst >got
ok "it is read from zstd" cmp got want

# Cut at any byte it says so; unit tests do this without a program around it.
bad=0
for ((n = 1; n < $(stat -c %s a.pb); n += 37)); do
	head -c "$n" a.pb >cut.pb
	replay fold cut.pb
	code=$?
	[ $code = 1 ] || [ $code = 3 ] || { bad=$((bad + 1)) && echo "# $n bytes: exit $code"; }
	grep -q "^plume: " err || bad=$((bad + 1))
	[ $code = 1 ] || grep -q "byte" err || { bad=$((bad + 1)) && sed "s/^/# $n bytes: /" err; }
	! grep -q "Sanitizer\|runtime error" err || bad=$((bad + 1))
done
is "cut at every 37th byte: a sentence with the place" $bad 0
ok "no sanitizer report, and no memory leaked" replay_ends

# Go's own reader.
if ! command -v go >/dev/null 2>&1 || ! HOME=$work go tool pprof -raw a.pb.gz >/dev/null 2>&1; then
	skip "go tool pprof reads what we write" "there is no go here"
	finish
fi
export HOME=$work PPROF_TMPDIR=$work
# Folded stacks with names of JavaScript as other tools see them: `render` for `JS:*render /app/page.js:12:5`.
plain_js() {
	perl -ne 'my ($stack, $n) = /^(.*) (\S+)$/ or next;
		my @names = split /;/, $stack, -1;
		for (@names) {
			next unless s/^(?:JS|LazyCompile|Function|Script|Eval):(?!:)[~^+*]?(?=.)//;
			my $mark = s/(_\[[a-z]\])$// ? $1 : "";
			s/^((?:(?:get|set|static|bound|async) )*[^ ]*) .*:\d+$/$1/;
			$_ = ($_ eq "" ? "(anonymous)" : $_) . $mark;
		}
		$sum{join ";", @names} += $n;
		END { print "$_ $sum{$_}\n" for keys %sum }' | ascii
}
raw() { go tool pprof -raw "$1" 2>/dev/null | perl "$suite/pprof_raw.pl" "$2" comm | ascii; }
for file in "$fixtures"/perf-script/*.perf "$fixtures"/recordings/*; do
	name=$(basename "$file")
	"$plume" convert -q "$file" -o a.pb.gz 2>/dev/null
	raw a.pb.gz 0 >got
	fold --weight samples "$file" | grep -v ' 0$' | plain_js >want
	grep -v ' 0$' got >got.some
	ok "$name: go's pprof sees the same stacks and samples" cmp got.some want
	raw a.pb.gz 1 | grep -v ' 0$' >got
	fold --weight period "$file" | grep -v ' 0$' | plain_js >want
	ok "$name: ... and periods" cmp got want
done
for file in "$fixtures"/pprof/go-cpu.pb.gz "$fixtures"/pprof/go-heap.pb.gz; do
	name=$(basename "$file")
	"$plume" convert -q "$file" -o a.pb.gz
	go tool pprof -top -nodecount=100000 -nodefraction=0 "$file" 2>/dev/null >want
	go tool pprof -top -nodecount=100000 -nodefraction=0 a.pb.gz 2>/dev/null >got
	ok "$name: go's table is the same before and after" cmp want got
	go tool pprof -tags "$file" 2>/dev/null >want
	go tool pprof -tags a.pb.gz 2>/dev/null >got
	ok "$name: ... and its sums by label" cmp want got
	# Without addresses some of its samples are one: traces are compared as sums.
	go tool pprof -traces "$file" 2>/dev/null | perl "$suite/pprof_traces.pl" >want
	go tool pprof -traces a.pb.gz 2>/dev/null | perl "$suite/pprof_traces.pl" >got
	ok "$name: ... and its traces" cmp want got
	go tool pprof -raw a.pb.gz 2>/dev/null >raw
	is "$name: go's default is what we show" "$(grep -o '[a-z_]*/[a-z]*\[dflt\]' raw | cut -d/ -f1)" \
		"$("$plume" fold -v "$file" 2>&1 >/dev/null | sed -n 's/^ *event  *//p')"
done

# A table by function, and times.
zstd -dqc "$fixtures"/recordings/node-prettier.perf.zst >node.perf
"$plume" convert -q node.perf -o a.pb.gz
go tool pprof -top -sample_index=0 -nodecount=1000000 -nodefraction=0 a.pb.gz 2>/dev/null |
	sed -n 's/^ *\([1-9][0-9]*\) .*%  *[0-9]*  *[0-9.]*%  \(.*\)$/\2 \1/p' | sed 's/ (inline)\( [0-9]*\)$/\1/' | sort >got
"$plume" fold -q node.perf | sed 's/^.*;//; s/_\[i\]\( [0-9]*\)$/\1/' | plain_js |
	awk '{ n = $NF; sub(/ [0-9]*$/, ""); sum[$0] += n } END { for (f in sum) print f, sum[f] }' | sort >want
ok "go's table by function holds the same samples" cmp got want
is "names of JavaScript come without kind and tier" "$(go tool pprof -top -nodecount=1000000 -nodefraction=0 a.pb.gz 2>/dev/null | grep -c '  JS:')" 0

# What samples are and how long one lasts, by the names that other tools know.
printf 'a 7 1.000000: 1001001 cpu-clock:u: \n\t  10 f (/bin/a)\n\na 7 2.000000: 1001001 cpu-clock:u: \n\t  10 f (/bin/a)\n\n' >clock.perf
"$plume" convert -q clock.perf -o a.pb.gz
go tool pprof -raw a.pb.gz 2>/dev/null >raw
is "perf's clock is called cpu" "$(sed -n '/^Samples/{n;p;}' raw)" "samples/count[dflt] cpu/nanoseconds"
is "the period has a type" "$(grep -E '^Period' raw | tr '\n' ' ')" "PeriodType: cpu nanoseconds Period: 1001001 "
is "... and reads back under its own name" "$("$plume" fold -v a.pb.gz 2>&1 >/dev/null | sed -n 's/^ *event  *//p')" \
	"$("$plume" fold -v clock.perf 2>&1 >/dev/null | sed -n 's/^ *event  *//p')"
"$plume" convert -q --each-sample "$fixtures"/perf-script/plus-pid-cpu-period.perf -o a.pb.gz
go tool pprof -raw a.pb.gz 2>/dev/null | grep -o 'timestamp_ns:\[[0-9]*\]' | tr -dc '0-9\n' | sort >got
sed -n 's/^[^ \t].* \([0-9]*\)\.\([0-9]*\): .*/\1\2000/p' "$fixtures"/perf-script/plus-pid-cpu-period.perf | sort >want
ok "go's pprof sees the time of each sample" cmp got want
finish
