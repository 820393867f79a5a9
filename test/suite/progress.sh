#!/bin/bash
# On a terminal, what takes longer than a second says how far it is, in a line that goes; not in a pipe, not with -q.
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=test/suite/tap.bash
. "$(dirname "$0")/tap.bash" "$1"
command -v script >/dev/null || { skip "progress" "there is no script(1)"; finish; }
mkfifo in
printf '\r\033[K' >removed
# reading TEXT: what a command says on a terminal (said) while its input, the FIFO, is open
reading() {
	script -qefc "$1" said </dev/null >/dev/null 2>&1 &
	exec 3>in
	printf 'a;b 1\n' >&3
}
done_now() {
	exec 3>&-
	wait
}
says() { # says RE: within a minute
	for _ in {1..600}; do
		grep -qaE "$1" said && return
		sleep 0.1
	done
	cat said
	return 1
}
ends_removed() { [ "$(tail -c 200 said | grep -ao $'\r\033\[K' | wc -l)" -ge 1 ] && ! tail -c 120 said | grep -qa 'reading in[^[:cntrl:]]*$'; }

reading "$plume fold --input folded -o out.folded in"
ok "a long wait is seen to be one" says 'plume: reading in, .*[1-9][0-9]* s'
done_now
ok "... and the line goes at the end" ends_removed
is "... and what was read is right" "$(cat out.folded)" "a;b 1"
reading "$plume fold -q --input folded -o out.folded in"
sleep 2 # longer than it takes to be said
done_now
ok "nothing of it with -q" eval '! grep -qa reading said'
"$plume" fold --input folded -o out.folded in 2>said &
exec 3>in
printf 'a;b 1\n' >&3
sleep 2
done_now
ok "nor where nobody looks" eval '! grep -qa reading said'
perl -e 'print "a;b;c$_;d 1\n" for 1 .. 200000' >big.folded
"$plume" fold -q big.folded >whole
script -qefc "$plume fold --threads 3 -o out.folded big.folded" said </dev/null >/dev/null 2>&1
ok "a file that is read in pieces is read as in one" cmp whole out.folded
finish
