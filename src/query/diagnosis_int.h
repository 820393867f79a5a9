#pragma once
#include "query/query_int.h"

/* The note of a reader that the recorder was killed or still runs; empty: it ended. */
struct str unfinished_note(const struct profile *p);
/* There are no samples, and there might be more to the recording than the file has. */
bool is_cut_before_samples(const struct profile *p);

/* Whether any sample has more than the function that ran; what was inlined into it is no caller. */
bool has_callers(const struct profile *p);

/* How stacks were recorded. */
enum stack_source {
	STACKS_UNKNOWN,
	STACKS_FRAME_POINTERS,
	STACKS_COPIED,
	STACKS_LBR,
	STACKS_JOINED, /* by plume record: copies first, frame pointers from there on */
};
/* `plume record` or `perf record`: what made the recording, for advice. */
const char *recorder_of(const struct profile *p);
bool is_by_plume(const struct profile *p);
enum stack_source stack_source_of(const struct profile *p);
/* Whether samples account for the CPU time there was. */
void diagnose_charged(const struct profile *p, struct diagnosis *d);
