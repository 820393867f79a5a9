/*
 * The functions that samples end in, counted incrementally as a profile grows: an update costs only
 * as much as the new rows.
 */
#pragma once
#include "query/query.h"

struct hot_function {
	str_id name, module; /* ids in the profile; no name: all unnamed functions of the module */
	uint64_t self;	     /* samples */
	bool is_idle;	     /* the processor is idle */
};

struct hot_functions {
	const struct profile *profile; /* whose rows were counted */
	uint32_t rows;
	event_id event;	      /* the event that is counted: a clock, if there is one */
	uint64_t total, idle; /* samples of that event; total excludes idle ones */
	VEC(struct hot_function) list;
	struct index_map map;
	VEC(uint32_t) of_frame; /* index into list; INDEX_NONE until seen */
};

void hot_functions_fini(struct hot_functions *h);
/* Counts the new rows. Starts from 0 for another profile, or if the event to count changes. */
void hot_functions_update(struct hot_functions *h, const struct profile *p);
/* The indices of the n hottest functions except idle ones, hottest first; returns how many there are. */
uint32_t hot_functions_top(const struct hot_functions *h, uint32_t *top, uint32_t n);
