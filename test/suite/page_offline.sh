#!/bin/bash
# Pages without a server: which options they honour, what is in them, and that their engine answers like plume. How they behave in a
# browser is in test/browser/page_offline_test.mjs.
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
printf 'main;a 3\nmain;b 4\n' >in.folded
printf 'main;a 6\nmain;b 4\n' >after.folded
if ! "$plume" flame -q in.folded -o page.html 2>says; then
	grep -q 'built without offline pages' says && skip "offline pages" "plume was built without them" && finish
fi

# status WANT COMMAND...: its exit code; what it says is in the file says
status() {
	local want=$1
	shift
	"$plume" "$@" >out 2>says
	[ $? = "$want" ]
}
is_page() { head -c 15 "$1" | grep -qi '<!doctype html>' && tail -c 8 "$1" | grep -q '</html>' && grep -q 'id="plume-engine"' "$1"; }
contents() { sed -n 's/.*id="plume-page">\(.*\)<\/script>/\1/p' "$1"; }
refuses() { # refuses OPTION WORDS...: exit 2, and the sentence names the option; nothing is written
	local option=$1
	shift
	rm -f no.html
	status 2 "$@" -o no.html && grep -q -- "plume: $option" says && [ ! -e no.html ]
}

# --- where it goes ---

ok "flame -o x.html" is_page page.html
ok "flame --format html" status 0 flame --format html in.folded
ok "... on standard output" is_page out
ok "flame -o -" status 0 flame --format html in.folded -o -
ok "... is the same" is_page out
ok "convert -o x.html" status 0 convert in.folded -o converted.html
ok "... is a page" is_page converted.html
ok "diff -o x.html" status 0 diff in.folded after.folded -o diff.html
ok "... is a page" is_page diff.html
ok "diff writes it beside others" status 0 diff in.folded after.folded -o two.html -o two.svg -o two.txt
ok "... a page" is_page two.html
ok "... and the picture as without it" cmp two.svg <("$plume" diff --format svg in.folded after.folded)
ok "scope -o x.html" status 0 scope in.folded after.folded -o scope.html
is "... with each file by itself" "$(contents scope.html)" \
	'{"title":"","state":"","hasSources":false,"files":[{"name":"in.folded","shown":true},{"name":"after.folded","shown":true}]}'
ok "scope -o serves nothing" refuses '-o writes a file' scope --port 0 in.folded
ok "scope -o needs .html" status 2 scope in.folded -o page.svg
ok "the same input gives the same bytes" cmp page.html <("$plume" flame --format html - <in.folded | sed 's/"profile"/"in.folded"/; s/<title>profile/<title>in.folded/')
"$plume" flame in.folded >before.svg
ok "standard input" status 0 flame - -o stdin.html <in.folded
is "... has the page's name" "$(contents stdin.html | grep -o '"name":"[^"]*"')" '"name":"stdin"'
ok "an empty selection is no page" status 1 flame --where comm=nobody in.folded -o no.html
ok "... which is said" grep -q 'no stacks left' says
ok "a wrong expression is no page" status 2 flame --only '(' in.folded -o no.html
ok "a folder that is missing" status 1 flame in.folded -o missing/page.html
printf 'main;a 3\nrubbish\n' >bad.folded
ok "damaged input: a page, and exit 3" status 3 flame bad.folded -o bad.html
ok "... which is a page" is_page bad.html

# --- options ---

for words in '--width 800' '--height 20' '--minwidth 1' '--fonttype Arial' '--fontsize 10' '--fontwidth 0.5' '--countname x' '--nametype x' \
	'--nameattr x' '--factor 2' '--notes x' '--encoding utf-8' '--subtitle x' '--bgcolors blue' '--negate' '--hash' '--random' '--cp' '--total 9' '--compat'; do
	# shellcheck disable=SC2086 # words
	ok "flame $words" refuses "${words%% *} has no effect on a page" flame $words in.folded
done
ok "flame --colors hot" refuses '--colors hot: a page has only kind and tier' flame --colors hot in.folded
for words in '--width 800' '--width-by after' '--normalize' '--strip-hex' '--scale-by total'; do
	# shellcheck disable=SC2086 # words
	ok "diff $words" refuses "${words%% *}.* has no effect on a page" diff $words in.folded after.folded
done
ok "diff: a picture's option beside a page" refuses '--width has no effect' diff --width 800 in.folded after.folded -o x.svg

state() { # state WORDS...: what the page shows first
	"$plume" "$@" -q -o state.html && contents state.html | sed 's/.*"state":"\([^"]*\)".*/\1/; s/\\u0026/\&/g'
}
is "flame: nothing was asked for" "$(state flame in.folded)" ""
is "flame: selections and transforms" "$(state flame --only 'a|b c' --hide 'x&y=%#' --your-code --weight samples --pid in.folded)" \
	"only=a%7Cb%20c&hide=x%26y=%25%23&your-code&pid&weight=samples"
is "flame: looks" "$(state flame --inverted --colors tier --reverse in.folded)" "view=callers&colour=tier&icicle"
is "flame: order of time" "$(state flame --flamechart in.folded)" "view=time"
is "diff: two files" "$(state diff in.folded after.folded)" "base.file=2&view=diff"
is "diff: options" "$(state diff --absolute --delta total --only main in.folded after.folded)" \
	"only=main&base.file=2&base.only=main&view=diff&absolute&delta=total"
times=$fixtures/recordings/node-prettier.perf.zst
is "flame --time" "$(state flame --time 100ms,0.2 --time 500ms, "$times" | sed 's/,0\.88[0-9]*$/,END/')" "time=0.1,0.2&time=0.5,END"
is "diff --time" "$(state diff --time 0,0.2 --time 200ms,0.4 "$times")" "time=0.2,0.4&base&base.time=0,0.2&view=diff"

# --- its size ---

perl -e '
	srand(42);
	my @stacks = map { my $n = 5 + int(rand(25)); join("", map { sprintf("\t%x function_%d+0x10 (/srv/app/bin/server)\n", 0x400000 + 16 * $_, $_) }
		map { int(rand(3000)) } 1 .. $n) } 1 .. 3000;
	for my $i (1 .. 60000) {
		printf("server 100/%d [%03d] %.6f: 10000000 cpu-clock:\n%s\n", 100 + $i % 8, $i % 2, 1000 + $i / 1000 + rand(0.0005), $stacks[rand(3000)]);
	}' >large.perf
ok "60,000 samples" status 0 flame large.perf -o large.html
bytes=$(($(stat -c %s large.html) - $(stat -c %s page.html)))
ok "... add $bytes bytes to a page, at most 9 each" test $bytes -le 540000
ok "a page of nearly nothing has $(stat -c %s page.html) bytes, at most 600,000" test "$(stat -c %s page.html)" -le 600000

# --- its engine ---

ask=$(dirname "$plume")/test/api_ask/api_ask
for program in node esbuild "$ask"; do
	command -v "$program" >/dev/null || { skip "answers of the engine" "no $(basename "$program")" && finish; }
done
node "$suite/../browser/engine_test.mjs" "$plume" "$ask" >engine 2>&1
ok "the engine answers like plume: $(grep -c '^ok' engine) tests" sh -c '! grep -q "^not ok" engine && grep -q "^1\.\." engine || { grep -A9 "^not ok" engine; tail -3 engine; false; }'
finish
