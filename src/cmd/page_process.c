/* The page of a recorder, in a separate process. */
#include "cmd/invoker.h"
#include "cmd/page_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reads the recorder's message: `L` or `F`, the path, NUL. Returns false if the pipe was closed before that. */
static bool read_message(int fd, bool *is_live, struct buf *path)
{
	char c;
	for (bool is_first = true;; is_first = false) {
		ssize_t n = read(fd, &c, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		if (is_first)
			*is_live = c == 'L';
		else if (!c)
			return true;
		else
			buf_add_char(path, c);
	}
}

/* Ctrl-C is for the recorder: the page ends when the recorder closes the pipe. */
static int run_child(int fd, const struct page_options *options,
		     const struct source_options *source, bool is_quiet)
{
	AUTO(buf) struct buf path = { 0 };
	AUTO(text_list) struct text_list paths = { 0 };
	struct err e = { 0 };
	bool is_live = false;
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (!invoker_become(&e) || !read_message(fd, &is_live, &path))
		return e.kind ? say_error(NULL, &e) : EXIT_DONE;
	if (!is_live)
		text_list_add(&paths, buf_str(&path));
	struct page_plan plan = { .options = options,
				  .paths = &paths,
				  .live = is_live ? buf_c_string(&path) : NULL,
				  .source = source,
				  .is_quiet = is_quiet };
	int code = page_serve(&plan, fd, &e);
	if (e.kind)
		say("cannot show the page: %s", e.text);
	return code;
}

bool page_process_begin(struct page_process *p, const struct page_options *options,
			const struct source_options *source, bool is_quiet, struct err *e)
{
	int ends[2];
	*p = (struct page_process){ .fd = -1 };
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set(e, "cannot start the page: %s", strerror(errno));
	fflush(NULL);
	p->pid = fork();
	if (p->pid == 0) {
		close(ends[1]);
		int code = run_child(ends[0], options, source, is_quiet);
		fflush(NULL);
		_exit(code);
	}
	close(ends[0]);
	p->fd = ends[1];
	return p->pid > 0 || err_set(e, "cannot start the page: %s", strerror(errno));
}

void page_process_show(struct page_process *p, const char *path, bool is_live)
{
	AUTO(buf) struct buf message = { 0 };
	if (p->pid <= 0)
		return;
	buf_add_char(&message, is_live ? 'L' : 'F');
	buf_add(&message, str_from(path));
	buf_add_char(&message, 0);
	if (write(p->fd, message.p, message.n) != (ssize_t)message.n)
		say("the page has stopped: %s", strerror(errno));
}

static void ignore(int number)
{
	(void)number;
}

void page_process_wait(struct page_process *p, bool is_quiet)
{
	struct sigaction action = { .sa_handler = ignore };
	if (p->pid <= 0)
		return;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	if (!is_quiet)
		say("press Ctrl-C to close the page");
	int status;
	pid_t ended;
	do
		ended = waitpid(p->pid, &status, 0); /* a signal interrupts it */
	while (ended < 0 && errno != EINTR && errno != ECHILD);
	if (ended == p->pid)
		p->pid = 0;
}

void page_process_fini(struct page_process *p)
{
	if (p->fd > 0)
		close(p->fd);
	if (p->pid > 0)
		while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
			;
	p->pid = 0;
	p->fd = -1;
}
