/* A recording that comes in by a pipe, written as it comes. */
#pragma once
#include "cmd/cmd.h"
#include "store/store.h"

/*
 * `perf script | plume convert -o FILE.plume` may run for hours. So the file is written as the samples
 * come, a block each second or each so many samples, and what has been written stays whatever
 * happens.
 */
struct live {
	const char *path;
	struct writer *out; /* NULL until there is something to write */
	struct store_writer *store;
	uint64_t last_ns;
	uint32_t written_rows;
	struct err error;
};

/*
 * For struct source_options: context is a struct live. False when the file cannot be written; live_end
 * says why.
 */
bool live_on_progress(void *context, const struct profile *p);
/* Writes the rest. */
bool live_end(struct live *l, const struct profile *p, struct err *e);
void live_fini(struct live *l);
/*
 * Ctrl-C reaches the whole pipeline: what writes into it ends, and its last samples are still to be
 * read. A second one ends plume itself.
 */
void live_outlive_interrupt(void);
