/* A recording from its start to its end, with what is seen of it on a terminal. */
#pragma once
#include "cmd/record_output.h"

struct record_plan {
	const struct record_options *options;
	const char *title;	 /* whom it is about */
	const char *about_event; /* `cpu-clock, 99 Hz` */
	uint64_t duration_ns;	 /* 0: until it ends, or Ctrl-C */
	const char *duration;	 /* as it was typed */
	struct record_outputs *outputs;
	const struct rotation_options
		*rotation; /* NULL: one recording; else outputs are not used */
	bool is_quiet, is_verbose, shows_overhead;
};
/* The exit code: the command's own, where one was recorded. False-hood is said, and e is for what is not. */
int record_run(const struct record_plan *plan, struct err *e);
