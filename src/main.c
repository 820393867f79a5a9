#include "cmd/cmd.h"

#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>

/*
 * As the command that was run: what called us sees the signal. The core dump, where there is one, is the
 * command's, and ours must not replace it.
 */
static int end_by_signal(int number)
{
	sigset_t blocked;
	sigemptyset(&blocked);
	sigaddset(&blocked, number);
	fflush(NULL);
	prctl(PR_SET_DUMPABLE, 0);
	signal(number, SIG_DFL);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	return 128 + number; /* one that is ignored by default */
}

static int end(int code)
{
	return code > EXIT_BY_SIGNAL ? end_by_signal(code - EXIT_BY_SIGNAL) : code;
}

int main(int argc, char **argv)
{
	inherited_remember();
	/*
	 * Large tables are made, freed and made again: keep their pages instead of giving them back
	 * to the kernel and faulting them in anew, which costs 7 % of a whole run.
	 */
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	mallopt(M_TOP_PAD, 16 << 20);
	/* A closed pipe is an error of write(2): files are cleaned up, and other outputs written, before the end. */
	signal(SIGPIPE, SIG_IGN);
	/* Where it is ignored the kernel keeps no exit status of children. */
	signal(SIGCHLD, SIG_DFL);
	const char *name = argc > 1 ? argv[1] : "";
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0 ||
	    strcmp(name, "version") == 0)
		return end(print_out(STR("plume " PLUME_VERSION "\n")));
	if (argc < 2 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
		int code = help_command.run(&help_command, NULL, 0);
		return argc < 2 ? EXIT_WRONG_USAGE : end(code);
	}
	const struct command *c = command_by_name(name);
	if (!c) {
		struct err e = { 0 };
		command_explain_unknown(name, &e);
		return say_error(&help_command, &e);
	}
	return end(c->run(c, argv + 2, (size_t)argc - 2));
}
