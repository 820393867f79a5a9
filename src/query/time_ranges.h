/* The ranges of --time, as times of the profile's clock. */
#pragma once
#include "model/model.h"

struct time_range {
	uint64_t from_ns, until_ns; /* until is excluded */
};

/* Sorted, not empty and not touching, so that a sample is in at most one. */
struct time_ranges {
	VEC(struct time_range) list;
};

/*
 * Reads texts such as `1,2.5`, `200ms,` or `-5s`, relative to the profile's samples. Returns false
 * and sets e if one is wrong, or if the samples have no times. out begins empty; the caller frees
 * it in both cases.
 */
bool query_time_ranges(const struct profile *p, const struct text_list *times,
		       struct time_ranges *out, struct err *e);
bool time_ranges_have(const struct time_ranges *r, uint64_t time_ns);
void time_ranges_fini(struct time_ranges *r);
