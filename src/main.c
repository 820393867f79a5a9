#include "cmd/cmd.h"

#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>

/*
 * Ends by the same signal as the recorded command, so that our caller sees it. The core dump, if
 * any, is the command's, and ours must not replace it.
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
	return 128 + number; /* a signal that is ignored by default */
}

static int end(int code)
{
	return code > EXIT_BY_SIGNAL ? end_by_signal(code - EXIT_BY_SIGNAL) : code;
}

int main(int argc, char **argv)
{
	inherited_remember();
	/*
	 * Large tables are allocated, freed and allocated again: keep their pages instead of
	 * returning them to the kernel and faulting them in again, which costs 7 % of a whole run.
	 */
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	mallopt(M_TOP_PAD, 16 << 20);
	/*
	 * A closed pipe is then an error of write(2): files are cleaned up, and other outputs
	 * written, before plume ends.
	 */
	signal(SIGPIPE, SIG_IGN);
	/* If it is ignored the kernel does not keep the exit status of children. */
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
