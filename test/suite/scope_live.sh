#!/bin/bash
# A Node.js program recorded by plume scope while a browser looks at it: the page grows, the heat map shows when a job blocked and
# when the heap was swept, and a range names the function. Ctrl-C ends the recording, then the page.
# needs: recording
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
for program in node esbuild chromium; do
	if ! command -v $program >/dev/null; then
		skip "plume scope -p in a browser" "no $program"
		finish
	fi
done
recording_allowed || finish
exec node "$suite/scope_live.mjs" "$plume" "$work"
