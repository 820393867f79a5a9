/*
 * Records of perf events: decoding, ordering, processes and mappings over time, and names for their
 * addresses. perf.data in all its forms comes in here; what it says becomes a profile.
 */
#pragma once
#include "model/model.h"
#include "symbol/symbol.h"

struct perf_options {
	struct symbol_options names;
	bool keep_addresses;	  /* tell frames without a name apart by address */
	const char *unwind_cache; /* folder of unwind tables; NULL: the user's own */
	bool (*progress)(void *context, const struct profile *p); /* false: stop; may be NULL */
	void *progress_context;
};

/* True for the first bytes of perf.data, of either byte order. */
bool perf_is_data(struct str head);
/*
 * Adds what r holds to p. What ended the reading early is in *damage, with the byte in *offset; it is
 * empty when all was read. directory: of perf.data in its directory form, else NULL.
 */
void perf_read(struct reader *r, const char *directory, const struct perf_options *options,
	       struct profile *p, struct buf *damage, uint64_t *offset);
