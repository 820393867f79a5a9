/*
 * A query that can be answered cheaply for any range. The tree of all samples is built once. The tree
 * of a range has the same nodes without the empty ones, so it takes time proportional to the samples
 * of the range and the nodes of the whole tree, and no names are made again.
 */
#pragma once
#include "query/time_ranges.h"

struct query;
struct query_ledger;
struct prepared;
/*
 * Both arguments must outlive it. Ignores q's times. Returns NULL and sets e like query_tree.
 */
struct prepared *prepared_new(const struct profile *p, const struct query *q, struct err *e);
void prepared_free(struct prepared *q);

/* The tree of all samples, and what happened to them. */
const struct tree *prepared_whole(const struct prepared *q);
const struct query_ledger *prepared_ledger(const struct prepared *q);

/*
 * The tree of the samples in any of the ranges; NULL: of all. Its labels are those of the whole
 * tree, so it must not outlive q.
 */
struct tree *prepared_tree(const struct prepared *q, const struct time_ranges *ranges,
			   struct query_ledger *ledger);

/* By node of the profile: the weight of the shown samples with that stack. The caller frees it. */
uint64_t *prepared_stack_weights(const struct prepared *q, const struct time_ranges *ranges);

/* --- grids: samples over time --- */

enum grid_by {
	GRID_OFFSET,
	GRID_CPU,
	GRID_THREAD,
	GRID_PROCESS,
	GRID_EVENT,
	GRID_TOTAL,
	GRID_KEYS
};
/* By enum grid_by; NULL-terminated: offset, cpu, ... */
extern const char *const grid_key_names[];

enum { GRID_MAX_CELLS = 4 << 20, GRID_MAX_PARTS = 1000 };

struct grid_request {
	enum grid_by by;
	uint32_t parts;	    /* rows of GRID_OFFSET */
	uint64_t column_ns; /* wider ones are used if there would be too many cells */
	/* In ns of the profile's clock; the columns begin at `origin_ns` plus a whole number of columns. */
	int64_t from_ns, until_ns, origin_ns;
	const bool *is_hit; /* by node of the whole tree: also counted in `hits`; NULL: none */
};

struct grid_row {
	uint64_t key;	 /* what the row is: a cpu, a thread_id, a pid, an event_id */
	uint64_t weight; /* of the whole, not only of the part shown */
	uint64_t samples;
	thread_id thread; /* one of the row's, to name it; THREAD_NONE if there is none */
};

struct grid {
	uint32_t columns, rows;
	uint64_t column_ns;
	int64_t from_ns;	   /* where the first column begins */
	uint64_t *value, *hits;	   /* column by column; hits may be NULL */
	uint64_t max, top, total;  /* top: the 99.5th percentile of the cells that are not 0 */
	VEC(struct grid_row) list; /* in order; empty for GRID_OFFSET */
};

/* Returns NULL and sets e if the profile lacks what the request needs. */
struct grid *prepared_grid(const struct prepared *q, const struct grid_request *r, struct err *e);
void grid_free(struct grid *g);

/* By node of t: whether its label, or that of a node above it, is wanted. The caller frees it. */
bool *tree_nodes_within(const struct tree *t, const bool *is_wanted_label);
