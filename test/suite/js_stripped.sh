#!/bin/bash
# JavaScript's names where V8 has no symbols of its own functions: a Node.js that was stripped, and Debian's, which is a small
# program with a stripped library: js_stripped.sh PLUME [NODE]. Debian's is the one that is installed, or $LIBNODE_DIR is a
# folder in which its packages are unpacked (dpkg -x libnode*.deb DIR; the same with nodejs, libuv1, libc-ares2, node-acorn,
# node-cjs-module-lexer, node-undici and others that are not installed).
# needs: recording
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
# shellcheck source=test/suite/recording.bash
. "$suite/recording.bash"
# shellcheck source=test/suite/js_names.bash
. "$suite/js_names.bash"
recording_allowed || finish
original=${2:-$("$suite/../../tools/node-matrix" --list ends 2>/dev/null | head -1)}

# The shares, of which interpreted functions have most, and what V8's own map says.
compare() {
	if run fresh fresh.js; then
		shares fresh
		named fresh
		check "fresh: functions are interpreted" ask tier fresh.folded 'fresh(Sums|Texts|Pairs) ' '~' 50
	fi
	if run shop shop.js; then
		shares shop
		named shop
	fi
	run server-map shop.js --perf-basic-prof --interpreted-frames-native-stack && agrees server-map 99.9
}

# From Node.js 24 on nothing says any more where V8's own code is.
stripped_node() {
	local major
	if [ -z "$original" ] || ! command -v strip >/dev/null; then
		skip "a stripped Node.js" "there is no node, or no strip (Debian: binutils)"
		return
	fi
	major=$("$original" -p 'process.versions.node.split(".")[0]')
	node=$work/node version="v$major, stripped"
	if [ "$major" -ge 24 ] || ldd "$original" | grep -q libnode || ! strip -o "$node" "$original"; then
		skip "$version" "it is of Node.js 24 or later, or a library, or cannot be stripped"
		return
	fi
	compare
}

# It looks for some of its own JavaScript in /usr/share/nodejs.
unpacked() { # unpacked DIR
	local library
	library=$(find "$1/usr/lib" -name 'libnode.so.*' | head -1)
	[ -n "$library" ] || return 1
	cat >libnode <<-END
		#!/bin/sh
		exec unshare -m sh -c 'mount --bind "$1/usr/share" /usr/share &&
			LD_LIBRARY_PATH="$(dirname "$library")" exec "$1/usr/bin/node" "\$@"' - "\$@"
	END
	chmod +x libnode
	node=$work/libnode
}
debian_node() {
	if [ -n "${LIBNODE_DIR:-}" ]; then
		if [ "$(id -u)" != 0 ] || ! unpacked "$(cd "$LIBNODE_DIR" && pwd)"; then
			skip "Debian's Node.js" "LIBNODE_DIR needs root, and usr/lib/*/libnode.so.* in it"
			return
		fi
	elif ! { node=$(command -v node) && ldd "$node" | grep -q libnode; }; then
		skip "Debian's Node.js" "it is not installed, and LIBNODE_DIR is not set"
		return
	fi
	version="libnode $("$node" --version)"
	compare
	# Copies of stacks are small at high rates, and Debian's libuv has no frame pointers that lead to the root.
	if rate=4999 run fast fresh.js; then
		shares fast
		named fast
	fi
}
stripped_node
debian_node
finish
