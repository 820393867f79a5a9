/* Runs a recording from start to end, and shows its progress on a terminal. */
#pragma once
#include "cmd/record_output.h"

struct record_plan {
	const struct record_options *options;
	const char *title;	 /* the target */
	const char *about_event; /* `cpu-clock, 99 Hz` */
	uint64_t duration_ns;	 /* 0: until the target ends, or Ctrl-C */
	const char *duration;	 /* as it was typed */
	struct record_outputs *outputs;
	const struct rotation_options
		*rotation; /* NULL: one recording; otherwise outputs is not used */
	/* Called once the files are open, before the first sample; may be NULL. */
	void (*on_begin)(void *context);
	void *context;
	bool is_quiet, is_verbose, shows_overhead;
};
/* Returns the exit code: that of the command, if one was recorded. Failures that it has not printed are in e. */
int record_run(const struct record_plan *plan, struct err *e);
