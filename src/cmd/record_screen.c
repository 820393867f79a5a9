/* The terminal that the live picture is drawn on. */
#include "cmd/record_screen.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct record_screen {
	int fd;
	char *title;
	bool has_colours, is_unicode;
	bool is_drawn;
	struct hot_functions hot;
	struct buf frame;
};

static bool is_drawable(int fd)
{
	const char *term = getenv("TERM");
	return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

struct record_screen *record_screen_new(int fd, const char *title)
{
	if (!is_drawable(fd))
		return NULL;
	struct record_screen *s = mem_zalloc(1, sizeof(*s));
	s->fd = fd;
	s->title = mem_strdup(title);
	s->has_colours = screen_wants_colours();
	s->is_unicode = screen_is_utf8();
	return s;
}

/* Drawing from the background would garble the foreground, or stop plume (`stty tostop`). */
static bool is_in_front(const struct record_screen *s)
{
	return tcgetpgrp(s->fd) == getpgrp();
}

/* Ctrl-S blocks the terminal, and samples are lost while plume waits. */
static bool takes_bytes(const struct record_screen *s)
{
	struct pollfd poll_fd = { .fd = s->fd, .events = POLLOUT };
	return poll(&poll_fd, 1, 0) == 1 && poll_fd.revents & POLLOUT;
}

static void put(const struct record_screen *s, struct str bytes)
{
	while (bytes.n) {
		ssize_t n = write(s->fd, bytes.p, bytes.n);
		if (n < 0 && errno != EINTR)
			return;
		bytes = str_from_byte(bytes, n > 0 ? (size_t)n : 0);
	}
}

static struct record_view view_of(const struct record_screen *s)
{
	enum { USUAL_COLUMNS = 80, USUAL_LINES = 24 };
	struct winsize size = { 0 };
	ioctl(s->fd, TIOCGWINSZ, &size);
	return (struct record_view){
		.style = { .columns = size.ws_col ? size.ws_col : USUAL_COLUMNS,
			   .has_colours = s->has_colours,
			   .is_unicode = s->is_unicode },
		.lines = size.ws_row ? size.ws_row : USUAL_LINES,
		.title = s->title,
	};
}

void record_screen_update(struct record_screen *s, const struct record_progress *p,
			  const struct profile *profile)
{
	if (!s)
		return;
	if (profile)
		hot_functions_update(&s->hot, profile);
	if (!is_in_front(s) || !takes_bytes(s))
		return;
	struct record_view view = view_of(s);
	s->frame.n = 0;
	record_screen_draw(&view, p, &s->hot, &s->frame);
	put(s, buf_str(&s->frame));
	s->is_drawn = true;
}

void record_screen_clear(struct record_screen *s)
{
	/* tmux keeps what is cleared from the first column of the first line on, so start elsewhere. */
	if (s && s->is_drawn && is_in_front(s))
		put(s, STR("\r\033[K\0337\033[B\033[J\0338"));
	if (s)
		s->is_drawn = false;
}

void record_screen_free(struct record_screen *s)
{
	if (!s)
		return;
	record_screen_clear(s);
	hot_functions_fini(&s->hot);
	buf_fini(&s->frame);
	free(s->title);
	free(s);
}
