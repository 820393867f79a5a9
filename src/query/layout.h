/*
 * Where the frames of a picture stand: a tree as boxes on rows, narrow ones left out. Values, not
 * pixels.
 */
#pragma once
#include "model/model.h"

struct box {
	uint32_t node;
	uint32_t depth;
	uint64_t start; /* from the left */
	uint64_t value; /* width */
	uint64_t self;	/* of it the frame's own, on the left */
};

struct layout_query {
	/* By node: what widths are made of; a tree's own columns or what a view makes of them. */
	const uint64_t *self, *total;
	double min_value; /* narrower frames are left out, with all that is on them */
};

struct layout {
	VEC(struct box) boxes; /* preorder: parents before children, left before right */
	uint32_t max_depth;
	uint32_t narrow; /* frames left out, here and by the query */
	uint64_t total;
};

/*
 * Siblings stand in the order in which flamegraph.pl has them, a frame's own part left of what it
 * calls; in a tree in order of time all stand where they were in time.
 */
void layout_tree(const struct tree *t, const struct layout_query *q, struct layout *out);
void layout_fini(struct layout *l);
