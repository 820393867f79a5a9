#!/bin/bash
# Options are declared once: the manual, the help and the completions must name every one of them.
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
man=$suite/../../doc/man

commands=$("$plume" help | awk '/^  [a-z]/ { print $1 }')
ok "help lists commands" test -n "$commands"
for shell in bash zsh fish; do
	"$plume" completion $shell >"completion.$shell"
	is "completion $shell: exit code" $? 0
done
ok "the bash completion is valid" bash -n completion.bash
for shell in zsh fish; do
	if command -v $shell >/dev/null; then
		ok "the $shell completion is valid" $shell -n completion.$shell
	else
		skip "the $shell completion is valid" "$shell is not installed"
	fi
done
for command in $commands; do
	page=$man/plume-$command.1.scd
	ok "plume-$command has a manual page" test -s "$page"
	ok "plume(1) names $command" grep -q "$command" "$man/plume.1.scd"
	options=$("$plume" help "$command" | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+')
	for option in $options; do
		ok "plume-$command(1) names $option" grep -qF -- "*$option*" "$page"
		for shell in bash zsh fish; do
			ok "completion $shell names $option" grep -qF -- "${option#--}" completion.$shell
		done
	done
done

formats=$("$plume" fold --input none 2>&1 | sed -n 's/.*must be one of auto, //p' | tr -d ,)
ok "an error lists the input formats" test -n "$formats"
for format in $formats; do
	ok "plume(1) names input format $format" grep -qF "(_${format}_)" "$man/plume.1.scd"
	ok "help names input format $format" grep -qwF -- "$format" <<<"$("$plume" help fold)"
done

# What bash offers for a half-typed word.
offer() {
	bash -c 'source completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _plume; echo "${COMPREPLY[*]}"' _ "$@"
}
is "bash completes a command" "$(offer plume fo)" fold
is "bash completes a value" "$(offer plume fold --weight sa)" samples
is "bash completes the name of a command" "$(offer plume help comp)" completion
is "bash completes an option" "$(offer plume fold --collapse)" --collapse-recursion
for words in 'record -p' 'record --pid' 'doctor -p' 'js doctor -p'; do
	# shellcheck disable=SC2086 # several words
	ok "bash completes pids: $words" grep -qwF $$ <<<"$(offer plume $words '')"
done
is "... those that begin so" "$(offer plume record -p $$)" $$
ok "zsh completes pids" grep -qF ":PID\[,PID\]:_pids'" completion.zsh
ok "fish completes pids" grep -qF -- "-l pid -s p -x -a '(__fish_complete_pids)'" completion.fish
for command in '' $commands; do
	# shellcheck disable=SC2086 # none is none
	"$plume" help $command >help.txt
	ok "help${command:+ $command} fits 80 columns" bash -c "! grep -E '^.{81}' help.txt"
done
finish
