/* Columns of numbers in JSON: `[1,2,3]`, or one number that applies to all rows. */
#pragma once
#include "base/base.h"

struct column {
	VEC(uint64_t) values; /* in units of 10^-decimals; negative ones in two's complement */
	unsigned decimals;
	bool is_signed; /* keep negative numbers; otherwise they become 0 and are counted */
	bool is_there;
	bool is_same; /* all equal values.p[0] */
	uint64_t negatives, overflows;
};
void column_fini(struct column *c);
/* Empties the column but keeps the memory. */
void column_clear(struct column *c);
/* Adds a number; the column adopts its decimals. */
void column_add(struct column *c, const struct json_decimal *d);
/*
 * Takes the current value, an array of numbers or one number. Anything else becomes `otherwise`. If
 * the input is cut right after a number, that number may be incomplete and is left out. More than
 * `most` numbers are a fault: "more than 67,108,864 samples".
 */
struct column_rules {
	unsigned max_decimals;
	uint64_t otherwise;
	uint32_t most;
	const char *what;
};
void column_read(struct json *j, struct column *c, const struct column_rules *rules);
/* Converts all numbers to units of 10^-decimals: rounded to the nearest, or clamped to the largest value. */
void column_scale(struct column *c, unsigned decimals);
/* Reduces decimals to as few as the numbers need. */
void column_reduce(struct column *c);

/* The number of row i, or `otherwise` if there is none. */
static inline uint64_t column_get(const struct column *c, uint32_t i, uint64_t otherwise)
{
	if (!c->values.n)
		return otherwise;
	return c->is_same ? c->values.p[0] : i < c->values.n ? c->values.p[i] : otherwise;
}
