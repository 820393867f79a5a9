/* The working state for choosing the lines of paths. */
#pragma once
#include "query/query.h"

/* A node large enough to be a line's end. */
struct candidate {
	uint32_t node, parent; /* parent: index of a candidate */
	double area;	       /* of everything below it: what one more frame explains */
	double place;	       /* how much of a stack is explained down to here, in units of area */
	double end;	       /* what it explains of the samples that end here */
	bool is_glue;	       /* says little as the end of a line */

	bool is_line;
	bool is_closed; /* no lines below it */
	bool has_rest;	/* has a line for everything that has no line below it */

	/* Recomputed in each round. */
	uint32_t line_above; /* the nearest one, not itself */
	uint32_t fork;	     /* the nearest on the way to a line, possibly itself */
	double area_below;   /* of the nearest lines below it */
	uint64_t total_below;
	bool is_shut; /* below a closed one */
};

struct chooser {
	const struct tree *t;
	const struct paths_query *q;
	double *worth;	     /* by node: of the stack that ends there */
	double *area_before; /* by node */
	uint32_t trunk;
	VEC(struct candidate)
	all; /* preorder; the first is the trunk's end, whose line costs nothing */
	uint32_t line_count, max_lines;
};

/* Subtracts without underflow: sums clamped to the largest value need not add up. */
static inline uint64_t without(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Fills in is_line, is_closed, has_rest and the per-round fields. */
void paths_choose(struct chooser *c);
