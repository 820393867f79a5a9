/*
 * The hottest paths of a tree in a few lines: which frames are worth one, and what they leave out.
 * For a reader with one screen.
 */
#pragma once
#include "model/model.h"

/* What a line is worth. */
enum paths_aim {
	PATHS_TO_ENDS,	  /* how far down it leads, and what ends there */
	PATHS_FROM_START, /* near the root most: callers of a function, whose ends are all alike */
};

struct paths_query {
	enum paths_aim aim;
	uint32_t max_lines;
	uint64_t least;	   /* less is not worth a line, whatever the total */
	double least_held; /* share of the total that must not be left out, where that can be had */
};

/*
 * A line leads from the line above it, over frames of which none has a line, to `node`. Everybody
 * in total came all this way. Siblings part right behind their parent.
 */
struct path_line {
	uint32_t node;		     /* of the tree */
	uint32_t depth;		     /* lines above it */
	uint32_t chain, chain_count; /* its frames, in paths.labels */
	uint64_t self, total;	     /* of the node */
	bool has_lines_below;
	/*
	 * Not a path, but all that came to node and is on none of the lines below it: the last of
	 * them. It has no frames of its own, and its total is further.
	 */
	bool is_rest;
	/* The rest of total: below the node, where no line says more; one of them is 0. */
	uint64_t further;   /* there are no lines below it */
	uint64_t elsewhere; /* there are, but for others */
	uint32_t stacks;    /* distinct stacks in the rest */
	/* The function with most of further by itself; INDEX_NONE: nothing is further down. */
	uint32_t hottest;
	uint64_t hottest_weight;
};

struct paths {
	VEC(struct path_line) lines; /* preorder, the heaviest first */
	VEC(uint32_t) labels;
	uint32_t trunk_count; /* of labels, the first: what nearly all have in common has no line */
	/* ends + further + rests + left_out = total, exactly. */
	uint64_t total;
	uint64_t ends;	   /* in a function at the end of a line, or of the trunk */
	uint64_t further;  /* below lines that have none below them */
	uint64_t rests;	   /* on lines that are rests */
	uint64_t left_out; /* the rest, in left_out_stacks distinct stacks */
	uint32_t left_out_stacks;
	uint32_t counted_stacks; /* in further and rests */
};

void paths_of_tree(const struct tree *t, const struct paths_query *q, struct paths *out);
/* ends + further + rests: all but what is left out. */
uint64_t paths_held(const struct paths *p);
void paths_fini(struct paths *p);
