#pragma once
#include "query/prepared.h"
#include "query/query_int.h"

/* The rows in the order of their times. */
struct prepared {
	const struct profile *p;
	struct tree *whole;
	struct query_ledger ledger;
	bool has_times, is_in_order;
	uint32_t n;
	uint32_t *row;
	uint64_t *time_ns; /* NULL without times */
	uint64_t *elapsed; /* for a tree in time order: the weight of all rows before this one */
	uint64_t of_fate[ROW_FATES]; /* samples */
};

/* The first position whose time is not before time_ns. */
uint32_t prepared_position(const struct prepared *q, uint64_t time_ns);
