/*
 * The grammar of perf script text, line by line. doc/formats/perf-script.md shows it with examples.
 */
#pragma once
#include "base/base.h"

/*
 * The first line of a record: `comm pid/tid [cpu] time: period event: rest`; every part may be
 * missing.
 */
struct script_header {
	struct str comm;
	int32_t pid, tid, cpu; /* PID_UNKNOWN, PID_UNKNOWN, -1 */
	bool has_time, has_period, is_period_too_large;
	bool is_sample; /* false: a PERF_RECORD_ line of --show-task-events and its like */
	uint64_t time_ns;
	uint64_t period;
	struct str event;
	struct str rest; /* fields of a tracepoint, or the frame of a one-line sample */
};

/*
 * True when the line can only be the start of a record: it has a time, or a pid or cpu and an
 * event.
 */
bool script_header_parse(struct str line, struct script_header *h);

/* `address symbol+0xoffset (dso)`; symbol and dso may be missing. */
struct script_frame {
	uint64_t address;
	struct str address_text;
	struct str symbol; /* without the offset; empty when it is [unknown] or missing */
	struct str dso;	   /* without (deleted), ;build-id, +0xoffset; empty like symbol */
	bool has_dso;	   /* a dso stood in parentheses */
	bool is_inlined;   /* (inlined) stood there */
};

bool script_frame_parse(struct str line, struct script_frame *f);

/* The extra line of `perf script -F +srcline`: `  file.c:123` or `  file.c:123 (inlined)`. */
struct script_source {
	struct str file; /* empty: perf found none */
	uint32_t line;
	bool is_inlined;
};
bool script_source_parse(struct str line, struct script_source *s);
