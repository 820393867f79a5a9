/*
 * The input formats: each row is the format's struct source_format and its name for --input. If two match equally
 * well the first one wins, so formats with distinctive bytes or keys come before lines of text.
 */
#pragma once

/* clang-format off */
#define SOURCE_FORMATS(ROW)                      \
	ROW(perf_data_format, "perf-data")       \
	ROW(plume_format, "plume")               \
	ROW(pprof_format, "pprof")               \
	ROW(speedscope_format, "speedscope")     \
	ROW(cpuprofile_format, "cpuprofile")     \
	ROW(trace_format, "trace")               \
	ROW(json_flat_format, "json-flat")       \
	ROW(json_tree_format, "json-tree")       \
	ROW(csv_format, "csv")                   \
	ROW(perf_script_format, "perf-script")   \
	ROW(folded_diff_format, "folded-diff")   \
	ROW(folded_format, "folded")
/* clang-format on */
