#include "source/source_int.h"

const struct source_format *const source_formats[] = {
	/* Formats that know themselves by their first bytes or keys. */
	&plume_format,
	&pprof_format,
	/* Lines. */
	&perf_script_format,
	&folded_diff_format,
	&folded_format,
	NULL,
};

const char *const source_input_names[] = { "auto",   "plume",	    "pprof", "perf-script",
					   "folded", "folded-diff", NULL };
