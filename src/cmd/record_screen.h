/* What a recording shows on the terminal while it runs: a status line, and the hottest functions. */
#pragma once
#include "cmd/screen.h"
#include "view/view.h"

struct record_progress {
	uint64_t elapsed_ns, duration_ns; /* duration 0: until Ctrl-C */
	uint64_t samples, lost;
	double on_cpu;	       /* 1.0: one processor was busy all the time; below 0 if not known */
	uint64_t output_bytes; /* 0 if not shown */
	const char *state;     /* "recording", "naming" */
};

struct record_screen;
/*
 * Returns NULL if fd is not a terminal that can be drawn on (TERM=dumb): the functions below then
 * do nothing. title: `node (pid 12)`; copied.
 */
struct record_screen *record_screen_new(int fd, const char *title);
/*
 * Redraws at the terminal's current size. Never blocks on the terminal, and leaves it alone while plume is in the
 * background. profile: the growing one; it may differ from the last call's, or be NULL.
 */
void record_screen_update(struct record_screen *s, const struct record_progress *p,
			  const struct profile *profile);
/* Erases the picture so that something else can be printed; the next update redraws it below. */
void record_screen_clear(struct record_screen *s);
/* Erases it for good. */
void record_screen_free(struct record_screen *s);

/* --- drawing --- */

enum { RECORD_SCREEN_FUNCTIONS = 10 };
struct record_view {
	struct report_style style; /* columns: of the terminal */
	unsigned lines;
	const char *title;
};
/*
 * Appends what draws the picture from the cursor's line down, at most `lines` lines of less than
 * `columns` columns, and moves the cursor back to its top, so that neither later output nor a
 * change of the terminal's width leaves parts of the picture above it.
 */
void record_screen_draw(const struct record_view *view, const struct record_progress *p,
			const struct hot_functions *hot, struct buf *out);
