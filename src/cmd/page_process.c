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

/* What the recorder waits for: `.`, or an error. */
static void write_status(int fd, const struct err *e)
{
	ssize_t ignored = e->kind ? write(fd, e, sizeof(*e)) : write(fd, ".", 1);
	(void)ignored;
	close(fd);
}

/* Ctrl-C is for the recorder: the page ends when the recorder closes the pipe. */
static int run_child(int fd, int status_fd, const struct page_options *options,
		     const struct source_options *source, bool is_quiet)
{
	AUTO(buf) struct buf path = { 0 };
	AUTO(text_list) struct text_list paths = { 0 };
	struct err e = { 0 };
	bool is_live = false;
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	struct page *page = invoker_become(&e) ? page_new(options, &e) : NULL;
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* which another user would have undone */
	write_status(status_fd, &e);
	if (!page || !read_message(fd, &is_live, &path)) {
		page_free(page);
		return EXIT_DONE;
	}
	if (!is_live)
		text_list_add(&paths, buf_str(&path));
	struct page_plan plan = { .options = options,
				  .paths = &paths,
				  .live = is_live ? buf_c_string(&path) : NULL,
				  .source = source,
				  .is_quiet = is_quiet };
	bool ok = page_run(page, &plan, fd, &e);
	if (!ok)
		say("cannot show the page: %s", e.text);
	page_free(page);
	return ok ? EXIT_DONE : EXIT_FAILED;
}

static bool read_status(int fd, struct err *e)
{
	char bytes[sizeof(*e)];
	size_t n = 0;
	for (ssize_t got; n < sizeof(bytes);) {
		got = read(fd, bytes + n, sizeof(bytes) - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	close(fd);
	if (n == 1)
		return true;
	if (n != sizeof(*e))
		return err_set(e, "cannot start the page: its process ended");
	memcpy(e, bytes, sizeof(*e));
	return false;
}

bool page_process_begin(struct page_process *p, const struct page_options *options,
			const struct source_options *source, bool is_quiet, struct err *e)
{
	int ends[2], status[2];
	*p = (struct page_process){ .fd = -1 };
	if (pipe2(ends, O_CLOEXEC) < 0 || pipe2(status, O_CLOEXEC) < 0)
		return err_set(e, "cannot start the page: %s", strerror(errno));
	fflush(NULL);
	p->pid = fork();
	if (p->pid == 0) {
		close(ends[1]);
		close(status[0]);
		int code = run_child(ends[0], status[1], options, source, is_quiet);
		fflush(NULL);
		_exit(code);
	}
	close(ends[0]);
	close(status[1]);
	p->fd = ends[1];
	if (p->pid > 0)
		return read_status(status[0], e);
	close(status[0]);
	return err_set(e, "cannot start the page: %s", strerror(errno));
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

/* Returns true once it has ended. */
static bool has_ended(struct page_process *p)
{
	if (waitpid(p->pid, NULL, WNOHANG) != p->pid)
		return false;
	p->pid = 0;
	return true;
}

void page_process_wait(struct page_process *p, bool is_quiet)
{
	enum { STEP_MS = 200 };
	if (p->pid <= 0)
		return;
	struct pollfd stop = { .fd = page_stop_signals(), .events = POLLIN };
	bool is_gone = has_ended(p);
	if (is_gone)
		say("the page has stopped");
	else if (!is_quiet)
		say("press Ctrl-C to close the page");
	while (!is_gone && poll(&stop, 1, STEP_MS) <= 0)
		is_gone = has_ended(p);
	close(stop.fd);
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
