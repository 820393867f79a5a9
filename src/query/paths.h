/*
 * The hottest paths of a tree in a few lines: which frames deserve a line, and what the lines leave
 * out. For a reader with one screen.
 */
#pragma once
#include "model/model.h"

/* How lines are valued. */
enum paths_aim {
	PATHS_TO_ENDS,	  /* by how deep they lead, and what ends there */
	PATHS_FROM_START, /* near the root is best: callers of a function, whose ends are alike */
};

struct paths_query {
	enum paths_aim aim;
	uint32_t max_lines;
	uint64_t least;	   /* less is never worth a line, whatever the total */
	double least_held; /* share of the total that the lines must cover, if they can */
};

/*
 * A line leads from the line above it, over frames that have no line, to `node`. All of total came
 * this way. Siblings branch off right after their parent.
 */
struct path_line {
	uint32_t node;		     /* in the tree */
	uint32_t depth;		     /* number of lines above it */
	uint32_t chain, chain_count; /* its frames, in paths.labels */
	uint64_t self, total;	     /* of the node */
	bool has_lines_below;
	/*
	 * Not a path, but everything that passed through node and is on none of the lines below it; always the last
	 * of those lines. It has no frames of its own, and its total equals further.
	 */
	bool is_rest;
	/* The rest of total: what is below the node but on no line. One of the two is 0. */
	uint64_t further;   /* there are no lines below it */
	uint64_t elsewhere; /* there are, but they lead elsewhere */
	uint32_t stacks;    /* distinct stacks in the rest */
	/* The function with the largest self value in further; INDEX_NONE if nothing is further down. */
	uint32_t hottest;
	uint64_t hottest_weight;
};

struct paths {
	VEC(struct path_line) lines; /* preorder, heaviest first */
	VEC(uint32_t) labels;
	uint32_t trunk_count; /* the first labels: what nearly all stacks share gets no line */
	/* ends + further + rests + left_out = total, exactly. */
	uint64_t total;
	uint64_t ends;	   /* in functions at the end of a line, or of the trunk */
	uint64_t further;  /* below lines without lines below them */
	uint64_t rests;	   /* on lines that are rests */
	uint64_t left_out; /* what remains, in left_out_stacks distinct stacks */
	uint32_t left_out_stacks;
	uint32_t counted_stacks; /* in further and rests */
};

void paths_of_tree(const struct tree *t, const struct paths_query *q, struct paths *out);
/* ends + further + rests: everything except left_out. */
uint64_t paths_held(const struct paths *p);
void paths_fini(struct paths *p);
