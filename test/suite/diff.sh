#!/bin/bash
# plume diff: numbers by hand, numbers against a plain count. record_diff.sh compares real recordings.
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# frame NAME SVG: its title, rectangle and colour, without the rest of the line
frame() {
	sed -n "s/^<g><title>$1 (\(.*\))<\/title><rect x=\"\([0-9.]*\)\" y=\"[0-9.]*\" width=\"\([0-9.]*\)\".*fill=\"\([^\"]*\)\".*/\1 | \2 \3 | \4/p" "$2"
}
title() { frame "$@" | sed 's/ | .*//'; }
width() { frame "$@" | sed 's/.* | .* \(.*\) | .*/\1/'; }
grey='rgb(217,217,217)'
is_grey() { frame "$@" | grep -qF "$grey"; }
is_coloured() { [ -n "$(frame "$@")" ] && ! is_grey "$@"; }
# shellcheck disable=SC2016 # Perl
is_json() { perl -e 'require "$ARGV[0]/json.pl"; local $/; json_parse(<STDIN>)' "$suite" <"$1"; }

# --- by hand ---

printf 'm;a 40\nm;b 60\nm;gone 10\n' >before.folded
printf 'm;a 100\nm;b 60\nm;new;x 20\n' >after.folded
"$plume" diff --format svg --delta total before.folded after.folded >shares.svg
is "shares: what grew" "$(title a shares.svg)" "before 40 samples, 36.36%; after 100 samples, 55.56%; +19.19 points"
is "shares: what shrank" "$(title b shares.svg)" "before 60 samples, 54.55%; after 60 samples, 33.33%; -21.21 points"
is "shares: what vanished" "$(title gone shares.svg)" "before 10 samples, 9.09%; after 0 samples, 0.00%; -9.09 points"
is "shares: what is new" "$(title x shares.svg)" "before 0 samples, 0.00%; after 20 samples, 11.11%; +11.11 points"
is "shares: a caller of all of it" "$(title m shares.svg)" \
	"before 110 samples, 100.00%; after 180 samples, 100.00%; no change"
# BEFORE times 180/110: a 65.45, b 98.18, gone 16.36; the larger of each: 100 + 98.18 + 16.36 + 20 = 234.55.
is "union: widths" "$(for f in m a b gone new x; do width $f shares.svg; done | tr '\n' ' ')" "1180.0 503.1 494.0 82.3 100.6 100.6 "
"$plume" diff --format svg --delta total --width-by after before.folded after.folded >after.svg
is "after: widths" "$(for f in m a b new x; do width $f after.svg; done | tr '\n' ' ')" "1180.0 655.6 393.3 131.1 131.1 "
is "after: what vanished is not there" "$(frame gone after.svg)" ""
ok "... but counted" grep -q '"narrow":{"frames":1,' after.svg
"$plume" diff --format svg --delta total --width-by before before.folded after.folded >widths.svg
is "before: widths" "$(for f in m a b gone; do width $f widths.svg; done | tr '\n' ' ')" "1180.0 429.1 643.6 107.3 "
is "before: what is new is not there" "$(frame new widths.svg)" ""
"$plume" diff --format svg --delta total --absolute before.folded after.folded >absolute.svg
is "--absolute: changes are counts" "$(title a absolute.svg)" "before 40 samples, 36.36%; after 100 samples, 55.56%; +60"
is "--absolute: union of counts as they are" "$(for f in m a b gone x; do width $f absolute.svg; done | tr '\n' ' ')" \
	"1180.0 621.1 372.6 62.1 124.2 "
ok "--absolute: b did not change and is grey" is_grey b absolute.svg
is "--scale-by none is --absolute" "$("$plume" diff --format svg --delta total --scale-by none before.folded after.folded | md5sum)" "$(md5sum <absolute.svg)"
is "--scale-by total, where no rest is found, is the default" \
	"$("$plume" diff --format svg --delta total --scale-by total before.folded after.folded | md5sum)" "$(md5sum <shares.svg)"
"$plume" diff --format svg --delta total --negate before.folded after.folded >negated.svg
is "--negate turns signs" "$(title a negated.svg)" "before 40 samples, 36.36%; after 100 samples, 55.56%; -19.19 points"
is "--negate swaps hues" "$(frame x negated.svg | sed 's/.*| //')" "$("$plume" diff --format svg --delta total after.folded before.folded --width-by before | sed -n 's/.*<title>x .*fill="\([^"]*\)".*/\1/p')"
ok "... which were others" test "$(frame x negated.svg | sed 's/.*| //')" != "$(frame x shares.svg | sed 's/.*| //')"

# The example of plume-diff(1): all but compress agree on (204+309+231+146) / (210+300+240+150) = 890/900.
printf 'main;parse 210\nmain;render;draw 300\nmain;render;layout 240\nmain;save;compress 100\nmain;save;write 150\n' >v1.folded
printf 'main;parse 204\nmain;render;draw 309\nmain;render;layout 231\nmain;save;compress 310\nmain;save;write 146\n' >v2.folded
"$plume" diff --json v1.folded v2.folded >rest.json
ok "rest: found" grep -q '"scaled_by":"rest"' rest.json
ok "rest: its factor is 890/900" grep -q '"scale":0.988888888888889,' rest.json
"$plume" diff --format svg --delta total v1.folded v2.folded >rest.svg
is "rest: compress cost (310 - 100 * 890/900) / 1200" "$(title compress rest.svg)" \
	"before 100 samples, 10.00%; after 310 samples, 25.83%; +17.59 points"
is "rest: its caller" "$(title save rest.svg)" "before 250 samples, 25.00%; after 456 samples, 38.00%; +17.40 points"
is "rest: all" "$(title all rest.svg)" "before 1,000 samples, 100.00%; after 1,200 samples, 100.00%; +17.59 points"
for f in parse render draw layout write; do
	ok "rest: $f is grey" is_grey $f rest.svg
	ok "rest: $f is within noise" grep -q 'within noise' <(title $f rest.svg)
done
for f in all main save compress; do
	ok "rest: $f is not grey" is_coloured $f rest.svg
done
ok "rest: the ledger line says so" grep -q 'id="ledger".*before scaled by 0.989 so that the unchanged 90% match' rest.svg
"$plume" diff --format svg --delta total --scale-by total v1.folded v2.folded >total.svg
is "total: main seems not to have changed" "$(title main total.svg)" \
	"before 1,000 samples, 100.00%; after 1,200 samples, 100.00%; no change"
is "total: draw seems to have" "$(title draw total.svg)" "before 300 samples, 30.00%; after 309 samples, 25.75%; -4.25 points"
"$plume" diff --format svg --delta self v1.folded v2.folded >self.svg
ok "--delta self: callers are grey" is_grey save self.svg
ok "... and the function is not" is_coloured compress self.svg
ok "... and has its own change" grep -q 'own +17.59 points' <(title compress self.svg)

"$plume" diff --format svg --delta total v1.folded v1.folded >same.svg
is "a file and itself: every frame is grey" "$(grep -c '^<g><title>' same.svg)" "$(grep '^<g><title>' same.svg | grep -cF "$grey")"
"$plume" diff --json v1.folded v1.folded >same.json
is "... every change is 0" "$(grep -o '"change":{[^}]*}' same.json | sort -u)" '"change":{"self":0,"total":0}'
is "... and noise" "$(grep -o '"noise":{[^}]*}' same.json | sort -u)" '"noise":{"self":true,"total":true}'
changes() { # changes OPTION...: own and whole change of each function
	"$plume" diff --format table --limit 0 "$@" | sed -n '/ function$/,$p' | awk 'NR > 1 { print $NF, $3, $6 }' | sort
}
for by in total none; do
	is "--scale-by $by: swapped files and --negate have the same changes" "$(changes --scale-by $by --negate v2.folded v1.folded)" \
		"$(changes --scale-by $by v1.folded v2.folded)"
done
"$plume" diff --format svg --delta total --scale-by total v2.folded v1.folded >swapped.svg
is "swapped files: the sign is turned" "$(title draw swapped.svg)" "before 309 samples, 25.75%; after 300 samples, 30.00%; +4.25 points"

# --- folded output ---

is "folded: both counts, 0 where there is none" "$("$plume" diff --format folded before.folded after.folded)" \
	"$(printf 'm;a 40 100\nm;b 60 60\nm;gone 10 0\nm;new;x 0 20')"
is "-n: BEFORE times 180/110, rounded down" "$("$plume" diff -n --format folded before.folded after.folded)" \
	"$(printf 'm;a 65 100\nm;b 98 60\nm;gone 16 0\nm;new;x 0 20')"
printf 'a 1\nb 2\n' >three.folded
printf 'a 5\n' >five.folded
is "-n: 5/3 is 1 and 10/3 is 3" "$("$plume" diff -n --format folded three.folded five.folded)" "$(printf 'a 1 5\nb 3 0')"
is "-n of equal totals changes nothing" "$("$plume" diff -n --format folded v1.folded v1.folded | awk '{ print $1, $2 }')" "$(cat v1.folded)"
printf 'f_0x7f3a;g 0x1 3\nx0x 1\n' >hex1.folded
printf 'f_0x1;g 0xffff 4\nx0x 1\n' >hex2.folded
is "-s: numbers are one" "$("$plume" diff -s --format folded hex1.folded hex2.folded)" "$(printf 'f_0x...;g 0x... 3 4\nx0x 1 1')"
is "without -s they are not" "$("$plume" diff -q --format folded hex1.folded hex2.folded | wc -l)" 3
"$plume" diff --format folded before.folded after.folded -o both.folded
"$plume" diff --json both.folded >both.json
is "a file with two counts a line is both sides" "$(sed -n '/functions/,$p' both.json)" \
	"$("$plume" diff --json before.folded after.folded | sed -n '/functions/,$p')"
printf 'a 0.5\nb 0.7\nc 9.9\n' >tenths1.folded
printf 'a 0.4\nb 0.8\nc 9.8\n' >tenths2.folded
printf 'a 0.5 0.4\nb 0.7 0.8\nc 9.9 9.8\n' >tenths.folded
same_noise() {
	[ "$("$plume" diff --json tenths1.folded tenths2.folded | grep -o '"noise".*')" = "$("$plume" diff --json tenths.folded | grep -o '"noise".*')" ] &&
		"$plume" diff --json tenths1.folded tenths2.folded | grep -q '"samples":11.1,'
}
ok "counts with decimals are as many samples in two files as in one" same_noise
printf 'a 1\n' >small.folded
printf 'a 1234568\n' >large.folded
"$plume" diff --absolute --json small.folded large.folded >exact.json
ok "--absolute: changes are exact in JSON" grep -q '"change":{"self":1234567,"total":1234567}' exact.json
# A quarter of BEFORE in 200 stacks that vanished, each less than one sample of AFTER's: 300 of 374.4 are left.
{ for i in $(seq 300); do echo "main;work;w$i 200"; done; for i in $(seq 200); do echo "main;old;o$i 99"; done; } >old1.folded
for i in $(seq 300); do echo "main;work;w$i 1"; done >old2.folded
"$plume" diff --format svg --delta total -q old1.folded old2.folded >old.svg
is "what vanished is as wide as it was, however small its parts" "$(width old old.svg)" 234.6
# A flat profile: a thousand functions that did not change, and one that did.
{ for i in $(seq 1000); do echo "main;g$((i % 10));f$i 50"; done; echo 'main;slow 10000'; } >flat1.folded
{ for i in $(seq 1000); do echo "main;g$((i % 10));f$i 50"; done; echo 'main;slow 30000'; } >flat2.folded
is "the rest is found among a thousand functions" \
	"$("$plume" diff --format table flat1.folded flat2.folded | awk '/ slow$| main$| g0$/ { print $8, $9 }' | tr '\n' ' ')" "+25.00 slow +25.00 main 0 g0 "
"$plume" fold both.folded >again.folded
ok "folded output reads back" cmp both.folded again.folded

# --- against a plain count ---

agrees() { # agrees BEFORE AFTER OPTION...
	local before=$1 after=$2
	shift 2
	"$plume" diff -q --json "$@" "$before" "$after" >got.json || return 1
	COLUMNS=300 "$plume" diff -q --format table --limit 0 "$@" "$before" "$after" >got.table || return 1
	perl "$suite/diff_oracle.pl" "$before" "$after" got.json got.table
}
ok "JSON and table agree with a plain count: before, after" agrees before.folded after.folded
ok "... v1, v2" agrees v1.folded v2.folded
for seed in 1 2 3 4 5 6; do
	perl "$suite/random_folded.pl" $seed diff $((15 * seed * seed)) >random
	perl -ne '/^(.*) (\d+) (\d+)$/; print "$1 $2\n" if $2' random >r1.folded
	perl -ne '/^(.*) (\d+) (\d+)$/; print "$1 ", $3 + ($. % 7 ? 0 : 20), "\n" if $. % 5' random >r2.folded
	for options in '' '--scale-by total' --absolute '--delta self'; do
		# shellcheck disable=SC2086 # words
		ok "random files $seed $options: JSON and table agree with a plain count" agrees r1.folded r2.folded $options
		# shellcheck disable=SC2086
		ok "... and the other way round" agrees r2.folded r1.folded $options
	done
	# Small changes everywhere and one large one: the rest is found.
	perl -ne 'BEGIN { srand 3 } /^(.*) (\d+) (\d+)$/; print "$1 ", 40 * $3 + int rand 7, "\n"' random >q1.folded
	perl -ne 'BEGIN { srand 4 } /^(.*) (\d+) (\d+)$/; print "$1 ", ($. == 5 ? 400 : 40) * $3 + int rand 7, "\n"' random >q2.folded
	ok "random files $seed, one stack ten times as large: JSON and table agree with a plain count" agrees q1.folded q2.folded
	ok "... and the rest is found" grep -q '"scaled_by":"rest"' got.json
	"$plume" diff --json r1.folded r2.folded >got.json
	if perl -MJSON::PP -e1 2>/dev/null; then
		ok "random files $seed: JSON is JSON" perl -MJSON::PP -e 'local $/; decode_json(<STDIN>)' <got.json
	else
		skip "random files $seed: JSON is JSON" "there is no JSON::PP"
	fi
	"$plume" diff --format svg --delta total r1.folded r2.folded >got.svg
	ok "random files $seed: the picture is well-formed" perl "$suite/well_formed.pl" got.svg
	is "random files $seed: noise is grey, and grey is noise" "$(grep '^<g><title>' got.svg | grep -v '<title>all ' | grep -cF "$grey")" \
		"$(grep '^<g><title>' got.svg | grep -c 'within noise)')"
	if [ -e "${FLAMEGRAPH_DIR:-/nonexistent}/difffolded.pl" ]; then
		for option in '' -n; do
			perl "$FLAMEGRAPH_DIR/difffolded.pl" $option r1.folded r2.folded | sort >want
			"$plume" diff --format folded $option r1.folded r2.folded | sort >got
			ok "random files $seed: folded $option equals difffolded.pl's" cmp want got
		done
	fi
done
if [ -e "${FLAMEGRAPH_DIR:-/nonexistent}/difffolded.pl" ]; then
	perl "$FLAMEGRAPH_DIR/difffolded.pl" -s hex1.folded hex2.folded | sort >want
	ok "-s equals difffolded.pl's" cmp want <("$plume" diff -s --format folded hex1.folded hex2.folded | sort)
else
	skip "folded output equals difffolded.pl's" "set FLAMEGRAPH_DIR to a checkout of FlameGraph to run this"
fi
"$plume" diff --format table --limit 2 v1.folded v2.folded >limited
is "--limit 2: two rows, and how many more" "$(sed -n '/ function$/,$p' limited | tail -n +2 | wc -l) $(tail -1 limited)" \
	"3 and 6 more functions: --limit 0 shows all"
printf 'r;f;r;f;g 10\n' >recursive.folded
"$plume" diff --json recursive.folded recursive.folded >recursive.json
ok "recursion counts once" grep -q '"name":"f",.*"before":{"self":0,"total":10,' recursive.json

# --- --fail-above ---

# script BETA: 1,000 samples of JavaScript, BETA of them in what `beta` calls, as perf script prints them. No function
# below beta has a share of its own that says whose fault it is.
script() {
	awk -v beta="$1" 'BEGIN {
		for (i = 0; i < 1000; i++) {
			slow = i < beta
			printf "node 7/7 [000] %d.%03d000: 1 cpu-clock:\n", i / 1000, i % 1000
			if (slow || i % 2)
				printf "\t5%05x v8::base::ieee754::sin%d (/usr/bin/node)\n", i % 16, i % 16
			printf "\t3f000%d JS:*%s /app/x.js:%d:1 (/tmp/perf-7.map)\n", slow, slow ? "beta" : "other" i % 20, slow ? 6 : 9
			printf "\t400000 node::Start (/usr/bin/node)\n\n"
		}
	}'
}
script 200 >beta1.perf
script 300 >beta2.perf
fails_above() { "$plume" diff -q --scale-by total --fail-above "$@" >fail.out 2>fail.err; echo $?; }
is "--fail-above: a script's function whose built-ins take longer" "$(fails_above 5% beta1.perf beta2.perf)" 4
ok "... is named, once" test "$(grep -c 'beta x.js:6 grew by 10.00 % of AFTER (with --your-code)' fail.err) $(wc -l <fail.err)" = "1 1"
is "... also in JSON" "$("$plume" diff -q --json --fail-above 5% beta1.perf beta2.perf 2>/dev/null | tail -1 | sed 's/ \/app\/x.js:6.*"/ .../')" \
	"$("$plume" diff -q --json --your-code --fail-above 5% beta1.perf beta2.perf 2>/dev/null | tail -1 | sed 's/ \/app\/x.js:6.*"/ .../')"
is "... nothing of it stands in plain own time" "$("$plume" diff -q --json beta1.perf beta2.perf | grep -c '"change":{"self":[5-9]')" 0
is "... above what it grew by: nothing" "$(fails_above 11% beta1.perf beta2.perf)" 0
is "... what shrank is no failure" "$(fails_above 5% beta2.perf beta1.perf)" 0
is "--fail-above: a program without scripts has one view" "$(fails_above 5% v1.folded v2.folded) $(cat fail.err)" \
	"4 plume: compress grew by 15.83 % of AFTER; the limit is --fail-above 5%"

# --- two ranges of one file ---

file=$fixtures/perf-script/default.perf
"$plume" diff -q --json --time 0,5ms --time 5ms, "$file" >times.json
is "two --time ranges are both sides" "$(sed -n 's/.*"samples":\([0-9]*\),.*/\1/p' times.json | tr '\n' ' ')" \
	"$("$plume" fold -q --time 0,5ms "$file" | awk '{ s += $NF } END { printf "%d ", s }')$("$plume" fold -q --time 5ms, "$file" | awk '{ s += $NF } END { printf "%d ", s }')"
ok "... and are named" grep -q '"text":"[0-9]* samples of cpu-clock, .*default.perf, time 0,5ms"' times.json
"$plume" diff -q --json --time 0,5ms "$file" "$file" >times.json
is "one --time holds for both" "$(sed -n 's/.*"samples":\([0-9]*\),.*/\1/p' times.json | sort -u | wc -l)" 1

# --- wrong usage, bad input ---

# refuses CODE TEXT WORD...: exit code, a text on standard error, nothing on standard output
refuses() {
	local code=$1 text=$2
	shift 2
	"$plume" diff "$@" >out 2>err
	is "diff $*: exit code" $? "$code"
	ok "diff $*: says '$text'" grep -qaF -- "$text" err
	is "diff $*: writes nothing" "$(cat out)" ""
}
: >empty
printf 'a 0\nb 0\n' >zero.folded
refuses 2 "only one profile given (v1.folded)" v1.folded
refuses 2 "diff needs two profiles"
refuses 2 "diff needs two profiles" v1.folded v2.folded before.folded
refuses 1 "the input is empty" empty empty
refuses 1 "the input is empty" v1.folded empty
refuses 1 "all counts are 0" zero.folded zero.folded
refuses 2 "cannot be combined" --absolute -n v1.folded v2.folded
refuses 2 "must be one of auto, svg, html, folded, table, json" --format xml v1.folded v2.folded
refuses 2 "must be one of rest, total, none" --scale-by x v1.folded v2.folded
refuses 2 "must be one of union, after, before" --width-by x v1.folded v2.folded
refuses 2 "must be one of self, total" --delta x v1.folded v2.folded
refuses 2 "--time can be given at most twice" --time 0,1 --time 1,2 --time 2,3 "$file"
refuses 1 "nosuch: No such file" v1.folded nosuch
refuses 1 "nosuch: No such file" nosuch v1.folded
refuses 2 "--width abc: must be" --width abc v1.folded v2.folded
refuses 2 "has two counts per line already" both.folded v1.folded
refuses 2 "name the file .svg, .html, .folded, .txt or .json" -o x.png v1.folded v2.folded
refuses 1 "cannot write: No such file" -o nosuch/x.svg v1.folded v2.folded
if [ "$(id -u)" != 0 ]; then
	cp v1.folded secret
	chmod 0 secret
	refuses 1 "secret: Permission denied" v1.folded secret
fi
echo before >target.svg
"$plume" diff v1.folded empty -o target.svg 2>/dev/null
is "a side without stacks leaves the output alone" "$(cat target.svg)" before
"$plume" diff --width 1 v1.folded v2.folded -o target.svg 2>/dev/null
is "a wrong option leaves the output alone" "$(cat target.svg)" before
"$plume" diff --format svg --delta total -q v1.folded zero.folded >out.svg 2>err
is "an AFTER of zeros is no side: exit code" $? 1
ok "... says which" grep -q 'zero.folded: nothing to compare: all counts are 0' err
for _ in $(seq 300); do cat v2.folded; done | gzip -9n >whole.gz
head -c 60 whole.gz >cut.gz
"$plume" diff --json v1.folded cut.gz >out 2>err
is "a damaged AFTER: exit code" $? 3
ok "... what was read is compared" grep -q '"name":"main"' out
ok "... and said" grep -q "cut.gz" err
for format in svg html folded txt json; do
	"$plume" diff v1.folded v2.folded -o "out.$format"
	is "-o out.$format: exit code" $? 0
done
ok "-o out.html is a page" grep -q '<!doctype html>' out.html
ok "-o out.txt is the table" grep -q ' function$' out.txt
ok "-o out.json is JSON" is_json out.json
ok "-o out.folded is folded" cmp out.folded <("$plume" diff --format folded v1.folded v2.folded)
printf '<script>;\001\xff"\\ 30\n' >hostile.folded
"$plume" diff -q hostile.folded v1.folded -o hostile.svg
ok "hostile names in svg: well-formed" perl "$suite/well_formed.pl" hostile.svg
"$plume" diff -q --json hostile.folded v1.folded >hostile.json
ok "hostile names in JSON: JSON" is_json hostile.json
"$plume" diff -q --format table hostile.folded v1.folded >hostile.table
ok "hostile names in the table: no control characters" bash -c "! LC_ALL=C grep -q '[[:cntrl:]]' hostile.table"
finish
