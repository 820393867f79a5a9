/* The layout of a picture: the tree as boxes on rows, without narrow ones. Values, not pixels. */
#pragma once
#include "model/model.h"

struct box {
	uint32_t node;
	uint32_t depth;
	uint64_t start; /* from the left */
	uint64_t value; /* width */
	uint64_t self;	/* the self part of it, on the left */
};

struct layout_query {
	/* By node: what widths are made of; the tree's own columns, or what a view derives from them. */
	const uint64_t *self, *total;
	double min_value; /* narrower frames are left out, with everything on top of them */
};

struct layout {
	VEC(struct box) boxes; /* preorder: parents before children, left before right */
	uint32_t max_depth;
	uint32_t narrow; /* frames left out, here and by the query */
	uint64_t total;
};

/*
 * Siblings are in flamegraph.pl's order, with a frame's self part left of its callees; in a tree in
 * time order, everything is placed by time.
 */
void layout_tree(const struct tree *t, const struct layout_query *q, struct layout *out);
void layout_fini(struct layout *l);
