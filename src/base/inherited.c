#include "base/inherited.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
	mode_t umask;
	sigset_t blocked, ignored;
} at_start;

/*
 * A closed standard output must stay an error, and messages must not land in a file that we write: so
 * they are opened without the right to read or write.
 */
static void take_standard_descriptors(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		/* The lowest number that is free is this one. A bare chroot has no /dev. */
		if (open("/dev/null", O_PATH | O_CLOEXEC) < 0)
			(void)!open("/", O_PATH | O_CLOEXEC);
	}
}

void inherited_remember(void)
{
	struct sigaction action;
	take_standard_descriptors();
	at_start.umask = umask(0);
	umask(at_start.umask);
	sigprocmask(SIG_SETMASK, NULL, &at_start.blocked);
	sigemptyset(&at_start.ignored);
	for (int i = 1; i <= SIGRTMAX; i++)
		if (sigaction(i, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			sigaddset(&at_start.ignored, i);
}

bool inherited_ignores(int signal_number)
{
	return sigismember(&at_start.ignored, signal_number) == 1;
}

void inherited_restore(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	umask(at_start.umask);
	for (int i = 1; i <= SIGRTMAX; i++) {
		action.sa_handler = inherited_ignores(i) ? SIG_IGN : SIG_DFL;
		sigaction(i, &action, NULL); /* some cannot be set: those are as they were */
	}
	sigprocmask(SIG_SETMASK, &at_start.blocked, NULL);
}
