# TAP for shell tests: ok NAME COMMAND... ; is NAME GOT WANT ; skip NAME REASON ; finish
tests=0 failures=0
ok() {
	local name=$1
	shift
	tests=$((tests + 1))
	if "$@" >"$work/ok.out" 2>&1; then
		echo "ok $tests - $name"
	else
		echo "not ok $tests - $name"
		sed 's/^/#   /' "$work/ok.out" | head -20
		failures=$((failures + 1))
	fi
}
is() {
	tests=$((tests + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $tests - $1"
	else
		printf 'not ok %d - %s\n#    got: %s\n#   want: %s\n' "$tests" "$1" "$2" "$3"
		failures=$((failures + 1))
	fi
}
skip() {
	tests=$((tests + 1))
	echo "ok $tests - $1 # skip $2"
}
finish() {
	echo "1..$tests"
	exit $((failures > 0))
}
plume=$(realpath "$1")
suite=$(cd "$(dirname "$0")" && pwd)
fixtures=$(cd "$suite/../fixtures" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
cd "$work" || exit 1
