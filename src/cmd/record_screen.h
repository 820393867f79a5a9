/* What a recording shows of itself on the terminal while it runs: a line, and the hottest functions. */
#pragma once
#include "cmd/screen.h"
#include "view/view.h"

struct record_progress {
	uint64_t elapsed_ns, duration_ns; /* duration 0: until Ctrl-C */
	uint64_t samples, lost;
	double on_cpu;	       /* 1.0: one processor was busy all the time; below 0: not known */
	uint64_t output_bytes; /* 0: nothing to tell */
	const char *state;     /* "recording", "naming" */
};

struct record_screen;
/*
 * NULL when fd is no terminal that can be drawn on (TERM=dumb): the functions below do nothing then.
 * title: `node (pid 12)`; copied.
 */
struct record_screen *record_screen_new(int fd, const char *title);
/*
 * Draws anew, in the size that the terminal has now. Never waits for the terminal, and leaves it alone
 * while plume is in the background. profile: the growing one; it may be another than before, or NULL.
 */
void record_screen_update(struct record_screen *s, const struct record_progress *p,
			  const struct profile *profile);
/* Takes the picture away, for something to be printed; the next update brings it back below. */
void record_screen_clear(struct record_screen *s);
/* Takes it away for good. */
void record_screen_free(struct record_screen *s);

/* --- drawing --- */

enum { RECORD_SCREEN_FUNCTIONS = 10 };
struct record_view {
	struct report_style style; /* columns: of the terminal */
	unsigned lines;
	const char *title;
};
/*
 * Appends what draws a picture from the cursor's line down, at most `lines` lines of less than `columns`
 * columns, and puts the cursor back to where it was: the top, so that whatever is printed next, or a
 * change of the terminal's width, leaves nothing of the picture above it.
 */
void record_screen_draw(const struct record_view *view, const struct record_progress *p,
			const struct hot_functions *hot, struct buf *out);
