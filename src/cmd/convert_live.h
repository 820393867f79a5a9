/* Writes a recording that arrives through a pipe while it arrives. */
#pragma once
#include "cmd/cmd.h"
#include "store/store.h"

/*
 * `perf script | plume convert -o FILE.plume` may run for hours. So the file is written as samples arrive, one block
 * per second or per some number of samples, and whatever has been written survives a crash.
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
 * For struct source_options: context is a struct live. Returns false if the file cannot be written;
 * live_end says why.
 */
bool live_on_progress(void *context, const struct profile *p);
/* Writes the rest. */
bool live_end(struct live *l, const struct profile *p, struct err *e);
void live_fini(struct live *l);
/*
 * Ctrl-C reaches the whole pipeline: the writing side ends, but its last samples must still be
 * read. A second Ctrl-C ends plume.
 */
void live_outlive_interrupt(void);
