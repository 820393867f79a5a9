#!/bin/bash
# The page's API over HTTP: the same JSON as the commands, every sample accounted for under every filter, and questions that make no
# sense. For each profile, in a server of its own.
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
if ! command -v node >/dev/null; then
	skip "the API of the page" "no node"
	finish
fi
exec node "$suite/scope_api.mjs" "$plume" "$fixtures"
