/* Choosing the lines of paths, while it goes on. */
#pragma once
#include "query/query.h"

/* A node that is large enough to be a line's end. */
struct candidate {
	uint32_t node, parent; /* parent: a candidate */
	double area;	       /* of all below it: what one frame more explains */
	double place;	       /* how much of a stack is explained up to here, in units of area */
	double end;	       /* what it explains of the samples that end here */
	bool is_glue;	       /* tells little as the end of a line */

	bool is_line;
	bool is_closed; /* no lines below it */
	bool has_rest;	/* a line of its own for what has no line below it */

	/* Of the round. */
	uint32_t line_above; /* the nearest, not itself */
	uint32_t fork;	     /* the nearest on the way to a line, itself included */
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
	all; /* preorder; the first is the trunk's end, a line that takes none */
	uint32_t line_count, max_lines;
};

/* Sums that were held at their largest value need not add up. */
static inline uint64_t without(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Fills in is_line, is_closed and has_rest, and what is of the round. */
void paths_choose(struct chooser *c);
