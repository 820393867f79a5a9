#!/bin/bash
# What plume record says of a Go program that knows where its time went (test/truth/split.go), with symbols and without
# (`-s -w`), at a fixed address and not: its shares, names, lines, and stacks up to the start of the goroutine.
# needs: recording
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
recording_allowed || finish
if ! command -v go >/dev/null; then
	skip "Go" "go is not installed (Debian: golang-go)"
	finish
fi
export GOCACHE=$work/go-cache GOPATH=$work/go GO111MODULE=off GOFLAGS=

# Further off than this is one share in ten million.
limit=5.4
hot=$(grep -n 'the hottest line' "$truth/split.go" | cut -d : -f 1)

# functions NAME LEAST: those of the program's own that were seen in so many samples
functions() {
	awk -v least="$2" '{ n = $NF; sub(/ [0-9]*$/, ""); k = split($0, f, ";")
		for (i = 1; i <= k; i++) if (f[i] ~ /^main\./) count[f[i]] += n }
		END { for (name in count) if (count[name] >= least) print name }' "$1.folded" | sort
}
# missing NAME OTHER: functions that NAME has in 40 samples, and OTHER nowhere
missing() {
	comm -23 <(functions "$1" 40) <(functions "$2" 1)
}
# one TEXT NAME OPTION...: built with the options of go build, recorded, compared
one() {
	local text=$1 name=$2
	ok "$text: builds" go build -o "$name" "${@:3}" "$truth/split.go" || return
	record "$name" --srcline -- "./$name" "$name.truth" 3
	ok "$text: shares as the program measured them" "$suite/record_truth.pl" --limit $limit "$name.truth" "$name.folded" \
		'sums=;main\.sums(;|$)' 'often=;main\.often(;|$)' 'rarely=;main\.rarely(;|$)' 'sorts=;main\.sorts(;|$)' \
		'maps=;main\.maps(;|$)'
	sed 's/^/# /' ok.out
	"$plume" report --json "$name.plume" >"$name.json" 2>/dev/null
	stripped "$name"
	ok "$text: 99 % of stacks reach the start of their goroutine or thread, 99 % of frames have names" \
		"$suite/record_roots.pl" "$name.folded" "$name.json" 99
	sed 's/^/# /' ok.out
	is "$text: the hottest line of main.add" \
		"$("$plume" report --srcline "$name.plume" 2>/dev/null | grep -o -m 1 'main\.add split\.go:[0-9]*')" \
		"main.add split.go:$hot"
}
one "Go" with-symbols
one "Go, -s -w" stripped -ldflags='-s -w'
one "Go, -s -w, PIE" stripped-pie -buildmode=pie -ldflags='-s -w'
# beginning NAME: the line that plume says main.add begins in
beginning() {
	"$plume" report "$1.plume" 2>/dev/null | grep -o -m 1 'split\.go:[0-9]* main\.add$'
}
for name in with-symbols stripped; do
	record "$name-short" -- "./$name" short.truth 1
done
ok "symbols or not, main.add has a line that it begins in" test -n "$(beginning stripped-short)"
is "... the same one" "$(beginning with-symbols-short)" "$(beginning stripped-short)"
is "the linker's suffixes of the runtime's functions are not shown" "$(grep -c '\.abi0' with-symbols.folded)" 0
if command -v gcc >/dev/null; then
	one "Go, -s -w, PIE, linked by gcc" stripped-gcc -buildmode=pie -ldflags='-s -w -linkmode=external'
else
	skip "Go, linked by gcc" "gcc is not installed"
fi
is "functions with symbols, those of the turns among them" \
	"$(functions with-symbols 40 | grep -cE '^main\.(sums|descend|add|often|rarely|sorts|maps)$')" 7
is "a stripped program has the functions that it has with symbols" "$(missing with-symbols stripped)" ""
is "and no others" "$(missing stripped with-symbols)" ""
finish
