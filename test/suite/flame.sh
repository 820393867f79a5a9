#!/bin/bash
# plume flame: where frames stand (against a naive drawing of our own), what the model holds, hostile names, wrong
# options, the same picture from any way of reading. No other program is needed.
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/replay.bash
. "$suite/replay.bash"
xmllint=$(command -v xmllint)

well_formed() { # well_formed FILE...
	perl "$suite/well_formed.pl" "$@" || return 1
	local file
	for file in "$@"; do
		[ -z "$xmllint" ] || "$xmllint" --noout --huge "$file" || return 1
	done
}
# --- frames, against the rule ---

as_the_rule_says() { # as_the_rule_says KIND OPTION...
	local kind=$1 seed diff=()
	shift
	case $kind in diff*) diff=(--diff) ;; esac
	for seed in 1 2 3; do
		perl "$suite/flame_oracle.pl" "${diff[@]}" "$@" "$kind-$seed.folded" >want || return 1
		replay flame -q --compat "$@" "$kind-$seed.folded" -o got.svg || return 1
		perl "$suite/svg_frames.pl" got.svg && [ -s want ] && diff want got.svg.frames || return 1
		case $kind in *prefixes) continue ;; esac # without --compat these frames are not cut in two
		replay flame -q "$@" "$kind-$seed.folded" -o got.svg || return 1
		perl "$suite/svg_frames.pl" got.svg && diff want got.svg.frames || return 1
	done
}
kinds="plain prefixes zeros decimals diff diff-prefixes"
for kind in $kinds; do
	for seed in 1 2 3; do
		perl "$suite/random_folded.pl" $seed "$kind" $((30 * seed * seed)) >"$kind-$seed.folded"
	done
	ok "$kind: frames are where the rule puts them" as_the_rule_says "$kind"
	ok "$kind: ... upside down" as_the_rule_says "$kind" --inverted
	ok "$kind: ... 700 px wide, from 0.5 px on" as_the_rule_says "$kind" --width 700 --minwidth 0.5
	ok "$kind: ... with frames of any width" as_the_rule_says "$kind" --minwidth 0
done

# --- the model ---

model_holds() { # model_holds KIND OPTION...
	local kind=$1 seed
	shift
	for seed in 1 2 3; do
		replay flame -q "$@" "$kind-$seed.folded" -o got.svg || return 1
		perl "$suite/flame_model.pl" got.svg "$kind-$seed.folded" || return 1
		well_formed got.svg || return 1
	done
}
for kind in plain prefixes zeros; do
	ok "$kind: the model adds up and agrees with the frames" model_holds "$kind"
	ok "$kind: ... with most frames too narrow" model_holds "$kind" --minwidth 30 --width 500
	ok "$kind: ... with frames of any width" model_holds "$kind" --minwidth 0
done

# --- counts ---

field() { # field NAME FILE: a line of the model
	sed -n "s/^\"$1\":\"\(.*\)\".*/\1/p" "$2"
}
printf 'a;b 9007199254740993\na;c 9223372036854775808\n' >big.folded
"$plume" flame big.folded >big.svg
is "counts above 2^53 are exact in the model" "$(field value big.svg)" \
	"9232379236109516801 9232379236109516801 9007199254740993 9223372036854775808"
is "... and where they begin" "$(field start big.svg)" "0 0 0 9007199254740993"
ok "... and in titles" grep -q '<title>b (9,007,199,254,740,993 samples, 0.10%)</title>' big.svg
ok "... of 2^63" grep -q '<title>c (9,223,372,036,854,775,808 samples, 99.90%)</title>' big.svg
printf 'a;b 18446744073709551615\na;c 5\n' >over.folded
"$plume" flame over.folded >over.svg 2>err
is "a sum above 2^64: exit code" $? 3
ok "... says so" grep -q "too large" err
ok "... and in the picture" grep -q 'id="ledger".*damaged or incomplete' over.svg
ok "... is held at the largest" grep -q '"total":"18446744073709551615"' over.svg
ok "... and is a picture" well_formed over.svg
ok "... of as many samples" grep -q 'id="ledger".*18,446,744,073,709,551,615 samples' over.svg
fixtures=$suite/../fixtures
has_no_times() { [ -s "$1" ] && ! grep -q '<title>all ([^)]* m\?s)\|"count_ns"' "$1"; }
"$plume" flame -q "$fixtures/perf-data/events.data" >clock.svg
ok "samples of a clock have a time in titles" grep -q '<title>all (18 samples, 100%, 36.2 ms)</title>' clock.svg
ok "... and in the model" grep -q '"count_ns":201[0-9]*,' clock.svg
ok "the ledger says how long, how often and where" \
	grep -q 'id="ledger"[^>]*>18 samples of cpu-clock in 3 stacks .* 71.7 ms at 497 Hz on recorder .* 13 of' clock.svg
"$plume" flame -q --where event=page-faults "$fixtures/perf-data/events.data" >faults.svg
ok "... of another event have none" has_no_times faults.svg
"$plume" flame -q --compat "$fixtures/perf-data/events.data" >compat.svg
ok "... nor with --compat" has_no_times compat.svg
"$plume" flame -q "$fixtures/perf-data/events.data" "$fixtures/perf-data/file.data" >two.svg
ok "of two recordings, durations add up and what differs is left out" grep -q 'stacks .* 227 ms on recorder .* 13 of' two.svg
printf 'main;one 1\n' >one.folded
"$plume" flame one.folded >one.svg
is "one stack: three frames over the whole width" "$(grep -c 'width="1180.0" height="15.0"' one.svg)" 3
ok "one sample, one stack: the ledger" grep -q 'id="ledger".*>1 sample in 1 stack<' one.svg
ok "decimals are in the model as whole numbers of their unit" bash -c \
	"printf 'a 0.25\nb 1.5\n' | '$plume' flame - | grep -q '^\"value\":\"175 25 150\"'"
ok "... which it names" bash -c "printf 'a 0.25\nb 1.5\n' | '$plume' flame - | grep -q '^\"decimals\":2,'"

# --- names that want to be markup ---

perl -e 'binmode STDOUT; my @names = ("<script>alert(1)</script>", "</script><script>alert(1)", "]]>", "<![CDATA[", "a--b", "-->",
	"<!--", "</svg>", "</title>", "</metadata>", "\x01\x02\x1b[31m", "nul\0l", "\xff\xfe", "\xc3", "\xed\xa0\x80", "\xf5\x80\x80\x80",
	"\xef\xbf\xbe", "\xef\xbf\xbf", "\xc0\xaf", "\xf0\x9f\x98\x80", "\xd7\xa9\xd7\x9c", "\xe2\x80\xaeevil", "\xc2\x85", "\x7f", "\\u003c",
	"\"quote\" onload=\"x", "&amp; &lt; &#0;", "tab\there", "\\", "%s%n", "\${x}", "`x`", "\x27", "x" x 100000, "<" x 1000, "\xe2\x80\xa8");
	my $i = 0; print "root;$_;leaf ", 10 + $i++, "\n" for @names; print join(";", @names), " 40\n"' >hostile.folded
for options in '' --compat '--colors java --hash' --inverted '--minwidth 0'; do
	# shellcheck disable=SC2086 # words
	replay flame -q --input folded $options hostile.folded -o hostile.svg
	is "hostile names $options: exit code" $? 0
	ok "hostile names $options: well-formed" well_formed hostile.svg
done
is "hostile names: one script begins" "$(grep -aoi '<script' hostile.svg | wc -l)" 1
is "... and ends" "$(grep -aoi '</script' hostile.svg | wc -l)" 1
is "... one model" "$(grep -aoi '</metadata' hostile.svg | wc -l)" 1
ok "markup in a name is text in its title" grep -q '<title>&lt;script&gt;alert(1)&lt;/script&gt; (' hostile.svg
ok "a control character is shown as U+FFFD" grep -q $'<title>\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\\[31m (' hostile.svg
ok "an emoji stays what it is" grep -q $'<title>\xf0\x9f\x98\x80 (' hostile.svg
printf 'a;b 5\n' >small.folded
for option in title subtitle countname nametype notes; do
	for value in '<script>' ']]>' '--' '-->x<!--' '&amp;' $'\x01' $'\xff\xfe' $'\xef\xbf\xbe' $'\xf0\x9f\x98\x80' '"' "'" '</text>' 'a;b'; do
		[ $option != notes ] || [[ $value != *[\<\>]* ]] || continue
		replay flame --$option="$value" small.folded -o option.svg
		ok "--$option $(printf %q "$value"): well-formed" well_formed option.svg
	done
done
for value in Verdana 'DejaVu Sans Mono' 'Noto Sans, monospace' Courier-10.5_x; do
	"$plume" flame --fonttype "$value" small.folded -o option.svg
	ok "--fonttype $value is in the style" grep -qF "text{font-family:$value," option.svg
done
"$plume" flame --notes 'a--b' small.folded >notes.svg
ok "--notes are a comment" grep -q '<!-- NOTES: a- - b -->' notes.svg

# --- wrong options and inputs ---

# refuses CODE TEXT OPTION...: exit code, a text on standard error, out.svg as it was.
refuses() {
	local code=$1 text=$2
	shift 2
	echo before >out.svg
	replay flame -o out.svg "$@"
	is "flame $*: exit code" $? "$code"
	ok "flame $*: says '$text'" grep -qaF -- "$text" err
	is "flame $*: writes nothing" "$(cat out.svg out)" before
}
for value in 0 -5 39 abc 99999999 1e3 ''; do refuses 2 "--width $value: must be" --width "$value" small.folded; done
for value in 0 1 -1 x 2000; do refuses 2 "--height $value: must be" --height "$value" small.folded; done
for value in x -1 5%% nan 1e400 % ''; do refuses 2 "--minwidth $value: must be" --minwidth "$value" small.folded; done
for value in 0 -3 nan x 1001; do refuses 2 "--fontsize $value: must be" --fontsize "$value" small.folded; done
for value in 0 -1 x inf; do refuses 2 "--fontwidth $value: must be" --fontwidth "$value" small.folded; done
for value in 0 -1 x nan; do refuses 2 "--factor $value: must be" --factor "$value" small.folded; done
for value in x -1 nan ''; do refuses 2 "--total $value: must be" --total "$value" small.folded; done
refuses 2 "kind, tier, hot, mem, io, wakeup, chain, java, js, perl, python, rust, red, green" --colors nosuch small.folded
refuses 2 "--bgcolors nosuch: must be" --bgcolors nosuch small.folded
refuses 2 "--bgcolors #12345g: must be" --bgcolors '#12345g' small.folded
refuses 2 "must be UTF-8" --encoding latin1 small.folded
refuses 2 "must not contain < or >" --notes '<b>' small.folded
refuses 2 "must be one of auto, svg, html" --format png small.folded
for value in '' '</style><script>' '}*{display:none' '"x", serif' '@import url(x)' 'a;b' "\\" $'\xff' $'\xef\xbf\xbe'; do
	refuses 2 "--fonttype: must contain only" --fonttype "$value" small.folded
done
refuses 1 "nosuch: No such file" --nameattr nosuch small.folded
: >empty
printf '\n\n\n' >blank
printf 'a;b 0\nc 0\n' >zero.folded
refuses 1 "the input is empty" empty
refuses 1 "no stacks found" blank
refuses 1 "all counts are 0" zero.folded
refuses 1 "nosuch: No such file" nosuch
refuses 1 "is a folder" .
refuses 1 "" --only nosuch small.folded
"$plume" flame small.folded -o x.png 2>err
is "-o x.png: exit code" $? 2
ok "... says what to do" grep -q "use a name ending in .svg or .html" err
ok "... and writes nothing" test ! -e x.png
"$plume" flame --format svg small.folded -o x.picture
ok "--format goes before the ending" well_formed x.picture
"$plume" flame small.folded -o nosuch/x.svg 2>err
is "a folder that is not there: exit code" $? 1
ok "... says so" grep -q "nosuch/x.svg: cannot write: No such file" err
if [ "$(id -u)" != 0 ]; then
	echo 'a 1' >secret
	chmod 0 secret
	refuses 1 "secret: Permission denied" secret
fi
"$plume" flame small.folded -o /dev/full 2>err
is "a full disk: exit code" $? 1
ok "... says so" grep -q "No space left on device" err
"$plume" flame --minwidth 200% small.folded -o narrow.svg
is "nothing but the root is wide enough: exit code" $? 0
ok "... and it is drawn" grep -q '<title>all (5 samples, 100%)' narrow.svg

# --- --cp ---

for text in hello 'a->rgb(1,2,300)' 'a->rgb(1,2)' 'a->rgb(1,2,3)x' 'a->b'; do
	printf 'ok->rgb(1,2,3)\n%s\n' "$text" >palette.map
	cp palette.map before.map
	refuses 1 "is not a palette file, so it was left alone: line 2" --cp small.folded
	ok "a palette.map with '$text' stays as it is" cmp palette.map before.map
done
printf 'b->rgb(1,2,3)\nelsewhere->rgb(4,5,6)\n' >palette.map
"$plume" flame --cp small.folded -o kept.svg
ok "--cp takes colours from palette.map" grep -q '<title>b .*fill="rgb(1,2,3)"' kept.svg
is "... and adds what is new, by name" "$(sed 's/->.*//' palette.map | tr '\n' ,)" ",a,b,elsewhere,"
cp palette.map before.map
"$plume" flame --cp --colors mem small.folded -o again.svg
ok "... and another palette changes nothing" cmp palette.map before.map
is "... in the picture either" "$(grep -o 'fill="rgb[^"]*"' again.svg | sort)" "$(grep -o 'fill="rgb[^"]*"' kept.svg | sort)"
rm -f palette.map

# --- --nameattr ---

attributes() { # attributes LINE...: small.folded with them
	printf '%b\n' "$@" >attributes
	replay flame --nameattr attributes small.folded -o attributes.svg
}
for line in 'a' 'a\tnokey' 'a\tfoo=bar' 'a\thref=javascript:alert(1)' 'a\thref= javascript:alert(1)' 'a\thref=data:text/html,x' \
	'a\thref=x\ta_extra=href="javascript:alert(1)"' 'a\thref=JavaScript:alert(1)' 'a\thref=\x01javascript:alert(1)' 'a\thref=vbscript:x' \
	'a\tg_extra=x="1"><script>' 'a\tg_extra=x="1" y' "a\tg_extra=x='1'" 'a\tg_extra=x="a&b"' 'a\tg_extra=x="<"' 'a\ta_extra="' \
	'a\ttitle=x\tb'; do
	rm -f attributes.svg
	attributes 'b\tclass=ok' "$line"
	is "--nameattr $line: exit code" $? 1
	ok "... names the line" grep -q "attributes: line 2 is not" err
	ok "... writes nothing" test ! -e attributes.svg
done
attributes 'a\ttitle=A & B\thref=https://example.org/?a=1&b=2\tclass=c"d' 'b\tid=<b>\tg_extra=data-x="1" onclick="f(1)"' ''
is "--nameattr: exit code" $? 0
ok "... well-formed" well_formed attributes.svg
ok "... a link with a target" grep -qF \
	'<a xlink:href="https://example.org/?a=1&amp;b=2" target="_top"  class="c&quot;d" ><title>A &amp; B</title>' attributes.svg
ok "... attributes as they stand" grep -qF '<g id="&lt;b&gt;" data-x="1" onclick="f(1)"><title>b (5 samples, 100.00%)</title>' attributes.svg
refused_or_well_formed() {
	! attributes "$1" || well_formed attributes.svg
}
for line in 'a\tg_extra=x="1" x="2"' 'a\tclass=p\tg_extra=class="x"' 'a\tg_extra=1a="x"' 'a\tg_extra=a="1"b="2"' 'a\tg_extra=x="\x01"' \
	'a\tg_extra=x="\xff"' 'a\thref=x\ta_extra=target="y"'; do
	ok "--nameattr $line: refused, or well-formed" refused_or_well_formed "$line"
done
ok "--nameattr with one attribute in a_extra and g_extra: refused, or well-formed" \
	refused_or_well_formed 'a\thref=x\ta_extra=data-a="1"\tg_extra=data-a="2"'
# --- colours and legends ---

legend() { # legend FILE: its texts
	sed -n '/<g id="legend">/,/^<\/g>/p' "$1" | sed -n 's/.*<text[^>]*>\(.*\)<\/text>.*/\1/p' | tr '\n' ,
}
"$plume" flame -q "$fixtures/perf-script/node.perf" -o kind.svg
ok "perf script text: what it is shows in colours" grep -q '<g id="legend">.*' kind.svg
is "... the same as --colors kind" "$("$plume" flame -q --colors kind "$fixtures/perf-script/node.perf" | md5sum)" "$(md5sum <kind.svg)"
ok "... kernel is in the legend" bash -c "sed -n '/id=\"legend\"/,\$p' kind.svg | grep -q '>kernel<'"
is "folded text: the default is hot" "$("$plume" flame plain-1.folded | md5sum)" "$("$plume" flame --colors hot plain-1.folded | md5sum)"
for palette in hot mem io wakeup red green blue aqua yellow purple orange; do
	replay flame --colors $palette plain-3.folded -o legend.svg
	ok "--colors $palette has no legend" bash -c '! grep -q "id=\"legend\"" legend.svg'
done
printf 'j_[j] 9\nin_[i] 9\nC::m 9\nk_[k] 9\nsys 9\na/b.js 9\nx:y 9\nPerl_x 9\nw_[w] 9\n' >legend.folded
while read -r palette want; do
	replay flame --colors "$palette" legend.folded -o legend.svg
	is "--colors $palette: its legend" "$(legend legend.svg)" "$want"
	ok "--colors $palette: well-formed" well_formed legend.svg
done <<'END'
java Java,inlined,C++,kernel,system,
js JavaScript,built-in,C++,kernel,system,
perl Perl,C++,kernel,system,
chain off CPU,waker,
python kernel,system,
rust Rust crates,other,kernel,
END
"$plume" flame --colors java <(echo 'a 1') -o legend.svg
is "a legend names only what is there" "$(legend legend.svg)" "system,"
"$plume" flame --random small.folded -o random.svg
ok "--random: a picture" well_formed random.svg

# --- order ---

cat >times.perf <<'END'
p 1 [000] 3.000000: 1 cpu-clock:
	1 last (/srv/x)

p 1 [000] 1.000000: 1 cpu-clock:
	1 first (/srv/x)

p 1 [000] 2.000000: 1 cpu-clock:
	1 middle (/srv/x)

p 1 [000] 4.000000: 1 cpu-clock:
	1 first (/srv/x)

END
"$plume" flame -q --flamechart times.perf -o chart.svg
names() { # names FILE: of frames, from left to right
	sed -n 's/.*<title>\(.*\) ([0-9,.]* samples.*<rect x="\([0-9.]*\)" y="\([0-9.]*\)".*/\3 \2 \1/p' "$1" | sort -k1,1nr -k2,2n | awk '{ printf "%s,", $3 }'
}
is "--flamechart of perf script text is in order of time" "$(names chart.svg)" "all,p,first,middle,last,first,"
is "... and its title says what it is" "$(sed -n 's/.*<text id="title"[^>]*>\(.*\)<.*/\1/p' chart.svg)" "Flame Chart"
printf 'b 1\na;x 2\na;y 1\nb 3\n' >order.folded
"$plume" flame -q --flamechart order.folded -o chart.svg
is "--flamechart of folded text is in its order" "$(names chart.svg)" "all,b,a,b,x,y,"
printf 'a;b;c 3\na;b 5\na;b;d 2\n' >own.folded
in_time() { # in_time FILE...
	local file
	for file in "$@"; do
		perl "$suite/flame_oracle.pl" --order "$file" >want || return 1
		replay flame -q --flamechart "$file" -o got.svg || return 1
		perl "$suite/svg_frames.pl" got.svg && diff want got.svg.frames || return 1
	done
}
ok "--flamechart: frames stand where they were in time" in_time own.folded plain-[123].folded prefixes-[123].folded decimals-2.folded

ok "no memory leaked in all of these" replay_ends

# --- any way of reading gives the same bytes ---

for _ in $(seq 40); do cat "$fixtures/perf-script/node.perf"; done >many.perf
"$plume" flame -q -j1 many.perf -o one.svg
"$plume" flame -q -j2 many.perf -o two.svg
ok "2 threads give the same bytes as 1" cmp one.svg two.svg
# shellcheck disable=SC2002 # a pipe is the point
cat many.perf | "$plume" flame -q - >pipe.svg
ok "a pipe gives the same bytes as a file" cmp one.svg pipe.svg
gzip -1c many.perf >many.perf.gz
"$plume" flame -q many.perf.gz >gzip.svg
ok "gzip gives the same bytes" cmp one.svg gzip.svg
"$plume" fold -q "$fixtures/perf-script/default.perf" | "$plume" flame -q --colors hot - >folded.svg
"$plume" flame -q --colors hot "$fixtures/perf-script/default.perf" >direct.svg
perl "$suite/svg_frames.pl" folded.svg direct.svg
# Labels differ: those of folded stacks are cut as flamegraph.pl cuts them. So do titles: folded stacks have no times.
without_times() { cut -f1-8 "$1" | sed -E 's/%, [0-9.,]+ [^ ]*s\)/%)/'; }
ok "a profile and its folded stacks have the same frames" cmp <(without_times folded.svg.frames) <(without_times direct.svg.frames)

# --- size ---

perl -e 'srand 5; for (1 .. 500000) { print join(";", map { "f" . int rand 300 } 1 .. 3 + rand 12), " ", 1 + int rand 9, "\n" }' >large.folded
"$plume" flame -q large.folded -o large.svg
is "500,000 stacks: exit code" $? 0
ok "... less than 40 MB" test "$(stat -c %s large.svg)" -lt 40000000
is "... frames and narrow ones are the whole tree" \
	"$(($(grep -c '^<g><title>' large.svg) + $(sed -n 's/^"narrow":{"frames":\([0-9]*\).*/\1/p' large.svg)))" \
	"$(perl -ne 's/ \d+$//; chomp; my $path = ""; $n += !$seen{$path .= ";$_"}++ for split /;/; END { print $n + 1 }' large.folded)"
finish
