#!/bin/bash
# Our Firefox profiles in the Firefox Profiler itself: its loader, its upgraders and its call tree must give the stacks and
# sums of plume fold. FIREFOX_PROFILER_DIR names a checkout of github.com/firefox-devtools/profiler with the packages that
# its loader needs in node_modules:
#   npm install --no-save common-tags memoize-immutable namedtuplemap mixedtuplemap @streamparser/json long protobufjs
# Not compared: marks such as _[i], which are no part of names there (inlined calls and others are one function in its tree).
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
viewer=${FIREFOX_PROFILER_DIR:-/nonexistent}
if [ ! -e "$viewer/src/profile-logic/process-profile.ts" ]; then
	skip "the Firefox Profiler reads our profiles" "set FIREFOX_PROFILER_DIR to a checkout of the profiler to run this"
	finish
fi

# Its own binary format and a part for traced values are not needed to load JSON.
cat >absent.js <<'END'
export const isJsonSlabsFile = () => false, decode = null, encode = null;
export class ValueSummaryReader {}
END
bundle() {
	(cd "$viewer" && esbuild "$suite/firefox_viewer.mjs" --bundle --platform=node --format=esm --log-level=error \
		--banner:js='import { createRequire } from "module"; const require = createRequire(import.meta.url);' \
		--alias:firefox-profiler=./src --alias:firefox-profiler-res=./res "--alias:json-slabs=$work/absent.js" \
		"--alias:devtools-reps=$work/absent.js" --loader:.png=dataurl --loader:.svg=dataurl "--outfile=$work/viewer.mjs")
}
ok "the profiler's loader can be bundled" bundle

# The same lines from folded stacks: S by stack, F by function name.
cat >sums.pl <<'END'
use Encode;
binmode STDOUT, ":utf8";
while (<>) {
	$_ = decode("UTF-8", $_);
	s/\x{fffd}+/\x{fffd}/g;
	my ($stack, $count) = /^(.*) ([\d.]+)$/ or next;
	$stack =~ s/_\[[kijw]\](?=;|$)//g;
	$stacks{$stack} += $count;
	my @names = split /;/, $stack, -1;
	$self{$names[-1]} += $count;
	my %seen;
	$total{$_} += $count for grep { !$seen{$_}++ } @names;
}
print "S $_ ", 0 + sprintf("%.3f", $stacks{$_}), "\n" for grep { $stacks{$_} } keys %stacks;
print "F ", 0 + sprintf("%.3f", $self{$_} // 0), " ", 0 + sprintf("%.3f", $total{$_}), " $_\n" for grep { $total{$_} } keys %total;
END
agrees() { # agrees FILE FOLD-OPTION...
	local file=$1
	shift
	"$plume" convert -q "$file" -o out.firefox.json || [ $? = 3 ] || return 1
	node viewer.mjs out.firefox.json >viewer.out || return 1
	"$plume" fold -q "$@" "$file" >ours.folded || [ $? = 3 ] || return 1
	perl sums.pl ours.folded | LC_ALL=C sort >ours
	LC_ALL=C sort viewer.out >theirs
	diff <(grep ^S ours) <(grep ^S theirs) || return 1
	# Names that several functions have, and names of threads, are not in theirs.
	[ -z "$(comm -13 ours theirs)" ] || { comm -13 ours theirs; return 1; }
	[ "$(grep -c ^F theirs)" -gt 0 ]
}
while read -r file; do
	"$plume" fold -q "$file" 2>/dev/null | grep -q ';' || continue # no profile, or without a single frame
	ok "the viewer's stacks and functions are ours: $(basename "$file")" agrees "$file"
done < <(find "$fixtures" -type f ! -name '*.cmd' | sort)
perl "$suite/random_folded.pl" 3 decimals 300 >decimals.folded
ok "the viewer's stacks and functions are ours: folded stacks with decimals" agrees decimals.folded
perl "$suite/random_folded.pl" 4 plain 300 >plain.folded
ok "the viewer's stacks and functions are ours: folded stacks" agrees plain.folded
finish
