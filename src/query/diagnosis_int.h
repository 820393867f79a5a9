#pragma once
#include "query/query_int.h"

/* The reader's note that the recorder was killed or still runs; empty if it ended normally. */
struct str unfinished_note(const struct profile *p);
/* There are no samples, and the file may hold only a part of the recording. */
bool is_cut_before_samples(const struct profile *p);

/* Whether any sample has a caller. A function inlined into another one is not a caller. */
bool has_callers(const struct profile *p);

/* How stacks were recorded. */
enum stack_source {
	STACKS_UNKNOWN,
	STACKS_FRAME_POINTERS,
	STACKS_COPIED,
	STACKS_LBR,
	STACKS_JOINED, /* by plume record: stack copies first, frame pointers beyond them */
};
/* `plume record` or `perf record`: the recorder's name, for advice. */
const char *recorder_of(const struct profile *p);
bool is_by_plume(const struct profile *p);
enum stack_source stack_source_of(const struct profile *p);
/* Checks whether the samples account for the CPU time. */
void diagnose_charged(const struct profile *p, struct diagnosis *d);
