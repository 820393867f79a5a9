#!/bin/bash
# plume report: numbers against a plain count of folded stacks, screens that fit, words when there is nothing.
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
oracle=$suite/report_oracle.pl
# shellcheck disable=SC2016 # Perl
is_json() { perl -e 'require "$ARGV[0]/json.pl"; local $/; json_parse(<STDIN>)' "$suite" <"$1"; }

# --- functions and paths against a plain count ---

agrees() { # agrees NAME [--process] FILE OPTION...
	local name=$1 process='' file
	shift
	if [ "$1" = --process ]; then
		process=--process
		shift
	fi
	file=$1
	shift
	if [[ $file = *.folded ]]; then
		"$plume" fold -q "$@" "$file" >count.folded
	else # a report shows a function once, folded stacks show its tiers and inlined copies
		"$plume" fold -q --merge-tiers "$@" "$file" | sed 's/_\[i\]//g; s/\[perf-[0-9]*\.map\]/[JIT]/g' >count.folded
	fi
	"$plume" report -q --json "$@" "$file" >report.json
	# shellcheck disable=SC2086 # an option or nothing
	is "$name" "$(perl "$oracle" $process count.folded report.json | head -5)" ""
}
zstd -dcq "$fixtures/recordings/node-prettier.perf.zst" >prettier.perf
agrees "node: functions and paths" --process prettier.perf
agrees "node: periods" --process prettier.perf --weight period
agrees "node: kernel hidden" --process prettier.perf --hide '^(asm_|exc_|do_)'
agrees "node: tiers as one, recursion collapsed" --process prettier.perf --merge-tiers --collapse-recursion
agrees "node: from a function on" prettier.perf --root '^JS:'
"$plume" fold -q prettier.perf >count.folded
"$plume" report -q --json --split-tiers prettier.perf >report.json
is "node: tiers apart" "$(perl "$oracle" --process count.folded report.json | head -5)" ""
agrees "node: a second of it" --process prettier.perf --time 0.2,1
for shape in default java machine-wide dwarf-inline plus-srcline several-events no-g node-no-map; do
	agrees "$shape" --process "$fixtures/perf-script/$shape.perf"
done
for seed in 1 2 3 4 5 6; do
	perl "$suite/random_folded.pl" $seed >random.folded
	agrees "random stacks $seed" random.folded
done
printf 'a;b 0.5\na;c 1.25\n' >decimals.folded
agrees "counts with decimals" decimals.folded

# --- one screen ---

lines_of() { "$plume" report -q "$@" prettier.perf | wc -l; }
widest() { LC_ALL=C.UTF-8 "$plume" report -q "$@" prettier.perf | LC_ALL=C.UTF-8 wc -L; }
for width in 60 80 120 200; do
	ok "--width $width: no line is wider" test "$(widest --width $width)" -le $width
	ok "--width $width --callers: no line is wider" test "$(widest --width $width --callers malloc --callees malloc)" -le $width
	ok "--width $width --by: no line is wider" test "$(widest --width $width --by module)" -le $width
	ok "--width $width: 40 lines hold it" test "$(lines_of --width $width)" -le 40
done
for lines in 20 30 60 100; do
	ok "--lines $lines is kept" test "$(lines_of --width 80 --lines $lines)" -le $lines
	ok "... and used" test "$(lines_of --width 80 --lines $lines)" -ge $((lines * 3 / 4))
done
# keeps_least OPTION...: the least that plume names is obeyed, one less is refused.
keeps_least() {
	local least
	least=$("$plume" report -q "$@" --lines 1 prettier.perf 2>&1 >/dev/null | sed -n 's/.*needs at least \([0-9]*\) lines/\1/p')
	[ "$("$plume" report -q "$@" --lines $((least - 1)) prettier.perf 2>/dev/null | wc -l)" = 0 ] || return 1
	[ "$(lines_of "$@" --lines "$least")" -le "$least" ] && [ "$(lines_of "$@" --lines "$least")" -ge $((least - 1)) ]
}
for view in '' '--width 80' '--width 60' '--by thread' '--callers malloc' '--callers malloc --callees malloc --width 80'; do
	# shellcheck disable=SC2086 # words
	ok "--lines, report $view: few are obeyed, too few refused" keeps_least $view
done
is "--lines 3 --limit 4: rows that are asked for are shown" "$(lines_of --lines 3 --limit 4 | awk '{ print ($1 > 8) }')" 1
held() { sed -n 's/.*these paths cover >*\([0-9.]*\) %.*/\1/p' | awk '{ exit !($1 >= 50) }'; }
half_is_held() { "$plume" report -q "$1" | held; }
ok "a screen holds half of the samples" half_is_held prettier.perf
is "piped: the same bytes, whatever the terminal" "$(COLUMNS=40 LC_ALL=C.UTF-8 "$plume" report -q prettier.perf | md5sum)" \
	"$("$plume" report -q prettier.perf | md5sum)"
ok "piped: no escapes" bash -c "! '$plume' report -q prettier.perf | grep -q \$'\\033'"
ok "piped: ASCII where names are" bash -c "! '$plume' report -q prettier.perf | grep -qP '[^\\x00-\\x7f]'"
is "piped: awk finds numbers and names" "$(printf 'm;a b 3\nm;c 1\n' | "$plume" report -q - | awk '$3 == 3 { print $1, $4, $7, $8 }')" "75.00 3 a b"
is "--limit 2" "$("$plume" report -q --limit 2 prettier.perf | grep -c -- ' \(\[kernel\.kallsyms\]\|node\|libc\.so\.6\) - ')" 2
all=$("$plume" report -q --json prettier.perf | grep -o '"function_count":[0-9]*' | cut -d: -f2)
is "--limit 0 shows all functions" "$("$plume" report -q --limit 0 prettier.perf | sed '1,/^# self.* function/d;/^$/,$d' | wc -l)" "$all"
first_total=$("$plume" report -q --sort total prettier.perf | sed -n '/^# self.* function/{n;p}' | awk '{ print $2 }')
ok "--sort total: the largest total comes first" test "$first_total" = "$("$plume" report -q --limit 0 prettier.perf | sed '1,/^# self.* function/d;/^$/,$d' | awk '{ print $2 }' | sort -rn | head -1)"
# A terminal has colours and its own width; NO_COLOR takes the colours away.
if command -v script >/dev/null; then
	on_terminal() { script -qec "stty cols $1 rows 50; $2 '$plume' report -q prettier.perf" /dev/null </dev/null; }
	ok "a terminal has colours" bash -c "$(declare -f on_terminal); plume='$plume'; on_terminal 80 '' | grep -q \$'\\033\\[1'"
	ok "NO_COLOR is honoured" bash -c "$(declare -f on_terminal); plume='$plume'; ! on_terminal 80 NO_COLOR=1 | grep -q \$'\\033'"
	is "a terminal's lines fit its width" "$(on_terminal 90 NO_COLOR=1 | tr -d '\r' | awk 'length($0) > 90' | head -1)" ""
	ok "... and it is as long as its height" test "$(on_terminal 90 NO_COLOR=1 | wc -l)" -gt 40
	height_of() { script -qec "stty cols 90 rows $1; NO_COLOR=1 '$plume' report -q $2 prettier.perf" /dev/null </dev/null | wc -l; }
	for rows in 20 25 30; do
		ok "a terminal of $rows lines: the first one can be seen" test "$(height_of $rows '')" -lt $rows
		ok "... and they are used" test "$(height_of $rows '')" -ge $((rows * 3 / 4))
		ok "... --by is as long" test "$(height_of $rows '--by module')" -lt $rows
		ok "... --callers is as long" test "$(height_of $rows '--callers malloc')" -lt $rows
	done
	ok "a terminal of 5 lines gets 12" test "$(height_of 5 '')" -ge 10
else
	skip "a terminal has colours" "script is not installed"
fi

long_name=$(printf 'name_%.0s' {1..30})
perl -e 'print "app 1 1.0: 1 cpu-clock:\n\t1 $_+0x1 (/bin/app)\n\n" for @ARGV' "$long_name" short other >long.perf
ok "a long name does not push modules aside" bash -c "'$plume' report -q --width 200 long.perf | grep -qE '^.{95}app\$'"

# --- callers and callees ---

printf 'main;a;f;g;f;h 5\nmain;b;f 3\nf;f;f 2\nmain;a 10\n' >calls.folded
is "callers: each sample once" "$("$plume" report -q --callers f calls.folded | sed '1,/^# total/d;/^#/d' | sed 's/^ *//')" \
	"$(printf '50.00 f\n25.00   a < main\n15.00   b < main')"
is "callers: how much it took" "$("$plume" report -q --callers f calls.folded | grep 'of all samples')" \
	"# 50 % of all samples with callees, 25 % self"
"$plume" report -q --json --callers f --callees f calls.folded >calls.json
ok "callers and callees in JSON" is_json calls.json
is "callers and callees have the function's total" "$(grep -o '"total":10,"ends"' calls.json | wc -l)" 2
printf 'main;parseAll 3\nmain;parseOne 4\n' >names.folded
"$plume" report --callers parsOne names.folded >out 2>err
is "no such function: exit code" $? 1
ok "... and the nearest names" grep -q 'no function is named parsOne; similar names: parseOne' err
"$plume" report --callers nothinglikethat calls.folded >out 2>err
ok "... or that there are none" grep -q 'or anything similar' err
"$plume" report --callees parse names.folded >out 2>err
ok "a part of names: says which were taken" grep -q 'using those that contain it: parseOne, parseAll' err
ok "... and takes them together" grep -q '100 % of all samples' out

# --- groups ---

sum_of_groups() { "$plume" report -q --limit 0 --by "$@" | awk '!/^#/ && NF >= 5 && $1 ~ /^[0-9.]+$/ { s += $2 } END { print s + 0 }'; }
while read -r name samples; do
	for key in thread pid comm cpu module kind container category; do
		is "$name: groups by $key have all samples" \
			"$(sum_of_groups $key --where event=all --weight samples "$fixtures/perf-script/$name.perf")" "$samples"
	done
	is "$name: groups by event are of all events" \
		"$(sum_of_groups event --weight samples "$fixtures/perf-script/$name.perf")" "$samples"
done < <(grep -E '^(default|machine-wide|several-events|no-comm|odd-comms|plus-pid-cpu-period) ' "$fixtures/perf-script/samples.txt")
"$plume" report -q --by comm --json prettier.perf >groups.json
ok "groups in JSON" is_json groups.json
widest_units=$("$plume" report -q --by event --weight period --width 80 "$fixtures/perf-script/several-events.perf" | wc -L)
ok "different units fit 80 columns" test "$widest_units" -le 80

# --- when there is nothing, or less than there should be ---

"$plume" report -q --where comm=nobody prettier.perf >out 2>err
is "nothing selected: exit code" $? 1
ok "... and why" grep -q 'left out by --where' err
: >empty
"$plume" report empty >out 2>err
is "an empty file: exit code" $? 1
"$plume" diff --format folded calls.folded names.folded -q >two.folded
"$plume" report two.folded >out 2>err
is "two counts a line: exit code" $? 1
ok "... and a word on diff" grep -q 'plume diff' err
printf 'a;b 0\n' | "$plume" report - >out 2>err
is "all counts 0: exit code" $? 1
gzip -c prettier.perf | head -c 200000 >cut.gz
"$plume" report cut.gz >out 2>err
is "a damaged file: exit code" $? 3
ok "... what was readable is shown" grep -q '^# total%' out
ok "... and its ledger says so" grep -q 'input damaged or incomplete' out
printf 'm;evil\033[31mname\007 5\nm;x 1\n' | "$plume" report --width 80 - >out
ok "names cannot talk to the terminal" bash -c "! grep -q \$'[\\033\\007]' out"
printf 'm;a\342\200\256b 5\nm;x 1\n' >turned.folded
ok "... nor turn its text around" bash -c "! '$plume' report --width 80 turned.folded | grep -q \$'\\342\\200\\256'"
ok "... nor in what is said of them" bash -c "! '$plume' report --callees b turned.folded 2>&1 | grep -q \$'\\342\\200\\256'"
is "a frame without a name is shown" "$(printf 'b;;c 5\nd 1\n' | "$plume" report -q - | sed '1,/^# total/d;/^#/d' | head -1)" \
	" 83.33  83.33 b > (no name) > c"
printf 'swapper;default_idle 3\nm;x 1\n' | "$plume" report -q --no-idle - >out
ok "what was left out as idle is counted" grep -q 'idle samples left out' out

# --- a file that is being written ---

"$plume" convert -q calls.folded -o whole.plume
head -c 40 whole.plume >growing.plume # no whole block, no end mark
timeout 20 "$plume" report --follow growing.plume >followed.out 2>followed.err &
for _ in $(seq 50); do [ ! -s followed.err ] || break; sleep 0.1; done
is "--follow, piped: says once that it waits" "$(cat followed.err)" "plume: growing.plume: still being written; waiting for its end"
tail -c +41 whole.plume >>growing.plume
wait $!
is "... and ends with the file" "$?" 0
ok "... with the whole report" cmp followed.out <("$plume" report -q whole.plume)
is "... having said it once" "$(grep -c waiting followed.err)" 1
"$plume" report --follow whole.plume >followed.out 2>followed.err
is "a file that has ended: no word of waiting" "$(cat followed.err)" ""

"$plume" report -q -o report.txt calls.folded
ok "-o writes the piped form" cmp report.txt <("$plume" report -q calls.folded)
finish
