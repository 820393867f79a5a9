/* A command started by plume: it waits until events are open on it, then execs. */
#include "record/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In the child: system calls only. */
static void become(int go_fd, int failure_fd, char *const *words)
{
	char go;
	inherited_restore();
	if (read(go_fd, &go, 1) != 1) /* plume has given up */
		_exit(127);
	execvp(words[0], words);
	int error = errno;
	ssize_t ignored = write(failure_fd, &error, sizeof(error));
	(void)ignored;
	_exit(127);
}

/*
 * Forks before plume changes anything that children inherit, such as limits and priorities. Signals
 * stay blocked meanwhile, so that our handlers never run in the child.
 */
static pid_t fork_with_signals_blocked(void)
{
	sigset_t all, before;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	pid_t pid = fork();
	if (pid != 0) {
		int error = errno;
		sigprocmask(SIG_SETMASK, &before, NULL);
		errno = error;
	}
	return pid;
}

bool command_prepare(struct started_command *c, char *const *words, struct err *e)
{
	int go[2], failure[2];
	*c = (struct started_command){ .go_fd = -1, .failure_fd = -1 };
	if (pipe2(go, O_CLOEXEC) != 0)
		return err_set(e, "cannot create a pipe: %s", strerror(errno));
	if (pipe2(failure, O_CLOEXEC) != 0) {
		close(go[0]);
		close(go[1]);
		return err_set(e, "cannot create a pipe: %s", strerror(errno));
	}
	c->pid = fork_with_signals_blocked();
	if (c->pid == 0) {
		close(go[1]);
		become(go[0], failure[1], words);
	}
	close(go[0]);
	close(failure[1]);
	c->go_fd = go[1];
	c->failure_fd = failure[0];
	return c->pid > 0 || err_set(e, "cannot start %s: %s", words[0], strerror(errno));
}

bool command_go(struct started_command *c, const char *name, struct err *e)
{
	int error = 0;
	ssize_t sent = write(c->go_fd, "", 1);
	ssize_t n = sent == 1 ? read(c->failure_fd, &error, sizeof(error)) : -1;
	close(c->go_fd);
	c->go_fd = -1;
	if (n == 0)
		return true;
	waitpid(c->pid, &c->status, 0);
	c->is_over = true;
	if (n <= 0)
		return err_set(e, "%s: it exited before it started", name);
	err_fill(e, error == ENOENT ? ERR_NOT_FOUND : ERR_NOT_EXECUTABLE, "cannot run %s: %s", name,
		 strerror(error));
	return false;
}

bool command_is_over(struct started_command *c)
{
	if (c->pid > 0 && !c->is_over)
		c->is_over = waitpid(c->pid, &c->status, WNOHANG) == c->pid;
	return c->pid > 0 && c->is_over;
}

void command_end(struct started_command *c)
{
	enum { TRIES = 100 };
	const struct timespec pause = { .tv_nsec = 10000000 };
	if (c->pid <= 0 || command_is_over(c))
		return;
	/* The command is about to exit, or its time is over. */
	for (int i = 0; i < TRIES && !command_is_over(c); i++) {
		if (i == 2)
			c->was_ended = kill(c->pid, SIGTERM) == 0;
		nanosleep(&pause, NULL);
	}
}

void command_fini(struct started_command *c)
{
	if (c->go_fd > 0)
		close(c->go_fd); /* ends a command that still waits */
	if (c->failure_fd > 0)
		close(c->failure_fd);
	if (c->pid > 0 && !c->is_over && c->go_fd > 0)
		waitpid(c->pid, &c->status, 0);
}
