/*
 * The tree: flame graphs, folded text and reports are made from it. Its arrays are in preorder, so
 * a view skips a subtree in O(1) and the arrays can be sent as they are.
 */
#pragma once
#include "base/base.h"

/* A frame as it is shown: its name with marks, and what it is. Equal labels under one parent share a tree node. */
struct tree_label {
	struct str name;   /* identifies the function; never holds ';' or a newline */
	struct str module; /* its file, without folders; empty if not known */
	/*
	 * For people: `parse /srv/app/lib/a.js:12:3`, and its parts: the function, and the short form of where it
	 * begins, `lib/a.js:12` or empty. In folded stacks these are the name without its mark.
	 */
	struct str shown, function, place;
	uint8_t kind;	    /* enum frame_kind */
	bool is_process;    /* not a function: a thread's name, or the root */
	char tier;	    /* of all frames shown with this label; 0: none, or several */
	uint8_t mark_bytes; /* length of a mark such as _[k] at the end of name */
	uint8_t tiers;	    /* the tiers of its frames, as bits by tier_bit */
	bool has_inlined;   /* some of its frames were inlined; flags say whether all were */
	uint16_t flags;
	bool is_recursive; /* it calls itself, and those calls are merged into it */
};

enum { TREE_MAX_VALUES = 2 };

/* V8's compilers, slowest code first. */
#define TREE_TIERS "~^+*"
enum { TREE_TIER_COUNT = sizeof(TREE_TIERS) - 1 };
/* 0 if there is no tier. */
static inline uint8_t tier_bit(char tier)
{
	const char *at = tier ? strchr(TREE_TIERS, tier) : NULL;
	return at ? (uint8_t)(1 << (at - TREE_TIERS)) : 0;
}

/* By row and by frame of the profile; INDEX_NONE if not shown. */
struct tree_rows {
	uint32_t *label;    /* of the row's leaf */
	uint32_t *node;	    /* of its stack; INDEX_NONE for all if small nodes were dropped */
	uint64_t *weight;   /* of the row, in the tree's units */
	uint8_t *fate;	    /* enum row_fate (query.h) */
	uint32_t *of_frame; /* the frame's label */
};

struct tree {
	uint32_t n; /* nodes; node 0 is the root "all", whose label is not in folded text */
	uint32_t *label;
	uint32_t *depth;      /* the root has 0 */
	uint32_t *end;	      /* one past the last node of the subtree */
	unsigned value_count; /* 1, or 2 for before and after */
	uint64_t *self[TREE_MAX_VALUES];
	uint64_t *total[TREE_MAX_VALUES];
	uint64_t *start; /* for a tree in time order: where the node begins; otherwise NULL */
	/* Counts stacks separately, because a stack with the value 0 still exists. */
	uint32_t *own_stacks; /* how many rows end here */
	unsigned decimals;    /* values are in units of 10^-decimals */
	uint32_t left_out;    /* nodes dropped because they are too small, as the query asked */

	/* Where the profile's rows and frames went, for queries that keep them; otherwise NULL. */
	struct tree_rows *rows;

	/* Siblings are ordered bytewise by name; in a tree in time order, by time. */
	VEC(struct tree_label) labels;
	struct arena text;
	bool borrows_labels; /* they are another tree's, which outlives this one */
};

struct tree *tree_new(void);
void tree_free(struct tree *t);
/* Allocates the node arrays for n nodes. */
void tree_alloc_nodes(struct tree *t, uint32_t n, unsigned value_count);

/* How many of the tree's units make a value of 1: 10^decimals. */
static inline uint64_t tree_unit(const struct tree *t)
{
	uint64_t unit = 1;
	for (unsigned d = 0; d < t->decimals; d++)
		unit *= 10;
	return unit;
}

static inline const struct tree_label *tree_label_of(const struct tree *t, uint32_t node)
{
	return &t->labels.p[t->label[node]];
}

/* The name for people, in a list: with the mark if one was requested. */
static inline struct str tree_label_listed(const struct tree_label *l)
{
	return l->place.n ? l->shown : l->name;
}

/* The name without its mark. */
static inline struct str tree_label_bare(const struct tree_label *l)
{
	return str_first(l->name, l->name.n - l->mark_bytes);
}
