#!/bin/bash
# CSV: what is written comes back, as fold and as all other columns see it; a file that breaks off says so.
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/replay.bash
. "$suite/replay.bash"

comes_back() { # comes_back FILE: the same folded stacks, by threads, marks, events, weights, cpus and times
	local options
	replay convert -q "$1" -o there.csv || [ $? = 3 ] || { cat err; return 1; }
	while read -r options; do
		# In CSV the first event is that of the first line, in perf.data the first that was asked for.
		[ "$(basename "$1")" != events.data ] || options="$options --where event=all"
		# shellcheck disable=SC2086 # words
		replay fold -q $options "$1"
		mv out want
		# shellcheck disable=SC2086
		replay fold -q $options there.csv
		cmp want out || { echo "$options"; diff want out | head -4; return 1; }
	done <<-END

		--all --where event=all --weight samples
		--tid --weight period --where kind=kernel,unknown
		--where cpu=0,1 --time 0.001,0.1
	END
	replay convert -q there.csv -o again.csv && cmp there.csv again.csv
}
while read -r file; do
	replay fold -q "$file" || continue # not a profile
	ok "$(basename "$file") comes back from CSV" comes_back "$file"
done < <(find "$fixtures" -type f -size -40k ! -name '*.cmd' | sort)
for kind in plain zeros decimals prefixes; do
	perl "$suite/random_folded.pl" 5 $kind 200 >$kind.folded
	ok "folded stacks, $kind, come back from CSV" comes_back $kind.folded
done
zstd -dqc "$fixtures/recordings/node-prettier.perf.zst" >recording.perf
ok "a recording comes back from CSV" comes_back recording.perf
"$plume" convert -q recording.perf -o recording.csv
"$plume" fold -q recording.csv >want
# shellcheck disable=SC2002 # a pipe is the point: a file would be mapped
cat recording.csv | "$plume" fold -q - >got
ok "a pipe gives the same as a file" cmp want got
"$plume" convert -q recording.perf -o recording.csv.gz
"$plume" fold -q recording.csv.gz >got
ok ".csv.gz is compressed and reads the same" cmp want got
ok "... it is gzip" gzip -t recording.csv.gz
(cat recording.csv; printf '1,"no end\n') >stray.csv
"$plume" fold -q stray.csv >got
is "a quote without an end at the end of a file: exit 3" $? 3
ok "... and all else is there" cmp want got

# A quote that does not end must not take time that grows with the square of the input.
perl -e 'print "count,stack\n1,\"a\n"; print "x" x 99, "\n" for 1 .. 600_000' >open.csv
# shellcheck disable=SC2002
ok "60 MB behind an open quote, in a pipe" bash -c "cat open.csv | timeout 100 $plume fold - 2>err; [ \$? = 1 ] || [ \$? = 3 ]"
rm -f open.csv

# Cut at every byte: complete at the ends of records only.
printf 'count,comm,stack\n2,"a ""b""",main\n12,c,"main;f,x"\n1,d,"main;g"\n' >small.csv
bad=0
for ((n = 0; n <= $(stat -c %s small.csv); n++)); do
	head -c $n small.csv >cut.csv
	replay fold cut.csv
	code=$?
	case $n in
	[0-9]|1[0-9]|2[0-9]) want=1 ;; # in the header and the first record there is nothing to show yet
	3[0-4]|49|50|62|63) want=0 ;; # a record's end; `main` has no quotes there, so `m` is as good
	*) want=3 ;;
	esac
	[ $code = $want ] || { bad=$((bad + 1)); echo "# cut at $n: exit $code, not $want: $(tail -1 cut.csv)"; }
	[ $code = 0 ] || grep -q "at byte\|no stacks found" err || bad=$((bad + 1))
	! grep -q Sanitizer err || bad=$((bad + 1))
done
is "cut at every byte: a sentence, and exit 0 at the end of a record only" $bad 0
ok "no memory leaked in all of these" replay_ends
finish
