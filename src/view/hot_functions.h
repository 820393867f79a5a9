/* The functions that samples end in, counted as a profile grows: a look costs what is new. */
#pragma once
#include "query/query.h"

struct hot_function {
	str_id name, module; /* of the profile; no name: all of the module that has none */
	uint64_t self;	     /* samples */
	bool is_idle;	     /* the processor has nothing to do */
};

struct hot_functions {
	const struct profile *profile; /* whose rows were counted */
	uint32_t rows;
	event_id event;	      /* the one that is counted: a clock, where there is one */
	uint64_t total, idle; /* samples of that event; total is without idle ones */
	VEC(struct hot_function) list;
	struct index_map map;
	VEC(uint32_t) of_frame; /* index into list; INDEX_NONE: not seen yet */
};

void hot_functions_fini(struct hot_functions *h);
/* Counts the rows that are new. Another profile, or one that is counted otherwise, begins at 0. */
void hot_functions_update(struct hot_functions *h, const struct profile *p);
/* The indices of the n hottest, without idle ones, hottest first; how many there are. */
uint32_t hot_functions_top(const struct hot_functions *h, uint32_t *top, uint32_t n);
