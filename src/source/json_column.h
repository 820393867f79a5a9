/* Columns of numbers in JSON: `[1,2,3]`, or one number that all rows have. */
#pragma once
#include "base/base.h"

struct column {
	VEC(uint64_t) values; /* in units of 10^-decimals; negative ones as two's complement */
	unsigned decimals;
	bool is_signed; /* negative numbers are kept; else they are 0, and counted */
	bool is_there;
	bool is_same; /* all are values.p[0] */
	uint64_t negatives, overflows;
};
void column_fini(struct column *c);
/* Makes an empty column of it, keeps the memory. */
void column_clear(struct column *c);
/* Adds a number; the column takes over its decimals. */
void column_add(struct column *c, const struct json_decimal *d);
/*
 * Takes the value at hand, an array of numbers or one number. What is no number is `otherwise`. A
 * number right before the place where the input is cut may be half of one, and is left out. More
 * numbers than `most` are a fault: "more than 67,108,864 samples".
 */
struct column_rules {
	unsigned max_decimals;
	uint64_t otherwise;
	uint32_t most;
	const char *what;
};
void column_read(struct json *j, struct column *c, const struct column_rules *rules);
/* All numbers in units of 10^-decimals: rounded to the nearest, or held at the largest value. */
void column_scale(struct column *c, unsigned decimals);
/* As few decimals as the numbers need. */
void column_reduce(struct column *c);

/* The number of row i, or `otherwise` where there is none. */
static inline uint64_t column_get(const struct column *c, uint32_t i, uint64_t otherwise)
{
	if (!c->values.n)
		return otherwise;
	return c->is_same ? c->values.p[0] : i < c->values.n ? c->values.p[i] : otherwise;
}
