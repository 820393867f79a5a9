#include "source/source_int.h"

const struct source_format *const source_formats[] = {
	/* Formats that know themselves by their first bytes or keys. */
	&perf_data_format,
	&plume_format,
	&pprof_format,
	&speedscope_format,
	&cpuprofile_format,
	&trace_format,
	&json_flat_format,
	&json_tree_format,
	/* Lines. */
	&csv_format,
	&perf_script_format,
	&folded_diff_format,
	&folded_format,
	NULL,
};

const char *const source_input_names[] = {
	"auto",	     "perf-data", "plume", "pprof",	  "speedscope", "cpuprofile",  "trace",
	"json-tree", "json-flat", "csv",   "perf-script", "folded",	"folded-diff", NULL,
};
