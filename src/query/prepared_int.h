#pragma once
#include "query/prepared.h"
#include "query/query_int.h"

/* Rows whose times are in order: all of them or, in a tree that has one thread after the other, a thread's. */
struct row_run {
	uint32_t from, until;
};

/* The rows in the order of their times, or of their threads and times. */
struct prepared {
	const struct profile *p;
	struct tree *whole;
	struct query_ledger ledger;
	uint32_t n;
	uint32_t *row;
	uint64_t *time_ns; /* NULL without times */
	uint64_t *elapsed; /* for a tree in time order: the weight of all rows before this one */
	VEC(struct row_run) runs;
	uint64_t of_fate[ROW_FATES]; /* samples */
};

/* The first position of a run whose time is not before time_ns. */
uint32_t prepared_position(const struct prepared *q, const struct row_run *run, uint64_t time_ns);
