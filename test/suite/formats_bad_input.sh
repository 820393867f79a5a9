#!/bin/bash
# Every format that plume reads, cut at every byte (cuts.pl): the exit code is 0, 1 or 3 and no signal; a sentence whenever
# it is not 0; 0 only where the cut file is complete by the format's own rules. Files are made by plume itself from a small
# recording where it writes the format. Recordings of other programs in test/fixtures/ are cut when they are small.
# perf.data has a test of its own.
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/replay.bash
. "$suite/replay.bash"

perl -ne 'BEGIN { $/ = "" } print if $. <= 2' "$fixtures/perf-script/node.perf" >small.perf
printf 'main;a;b 12\nmain;a;c_[k] 3.5\nmain 7\n' >small.folded
for ending in plume pb.gz pb speedscope.json cpuprofile flat.json json csv; do
	"$plume" convert -q small.perf -o "made.$ending" 2>/dev/null || continue # not written by this plume
	"$plume" fold -q "made.$ending" >/dev/null 2>&1 || continue # written only
	ok "$ending made by plume, cut at every byte" perl "$suite/cuts.pl" "$replayer" "$ending" "made.$ending"
done
ok "perf script text cut at every byte" perl "$suite/cuts.pl" "$replayer" perf small.perf
ok "folded stacks cut at every byte" perl "$suite/cuts.pl" "$replayer" folded small.folded
while read -r file; do
	"$plume" fold -q "$file" >/dev/null 2>&1 || continue # not a profile
	name=$(basename "$file")
	ok "$name cut at every byte" perl "$suite/cuts.pl" "$replayer" "${name#*.}" "$file"
done < <(find "$fixtures" -type f -size -10k ! -path '*/perf-script/*' ! -path '*/perf-data/*' | sort)
finish
