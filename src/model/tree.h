/*
 * The tree: what flame graphs, folded text and reports are drawn from. Preorder arrays, so that a
 * view skips a subtree in O(1) and the same arrays can be sent as they are.
 */
#pragma once
#include "base/base.h"

/*
 * A frame as it is shown: name with marks, what it is. Equal labels under one parent are one tree
 * node.
 */
struct tree_label {
	struct str name;   /* what makes it one function; never holds ';' or a newline */
	struct str module; /* the file it comes from, without folders; empty: not known */
	/*
	 * As people read it: `parse /srv/app/lib/a.js:12:3`; and its parts: the function, and where it begins, in short:
	 * `lib/a.js:12`, or nothing. In folded stacks these are the name without its mark.
	 */
	struct str shown, function, place;
	uint8_t kind;	    /* enum frame_kind */
	bool is_process;    /* not a function: a thread's name, the root of all */
	char tier;	    /* of all frames that are shown as this label; 0: none, or several */
	uint8_t mark_bytes; /* of a mark such as _[k] at the end of name */
	uint8_t tiers;	    /* bits by tier_bit: those that its frames have */
	bool has_inlined;   /* some of its frames were inlined; flags say whether all were */
	uint16_t flags;
	bool is_recursive; /* it calls itself, and what it called then is added to it */
};

enum { TREE_MAX_VALUES = 2 };

/* V8's compilers, the slowest code first. */
#define TREE_TIERS "~^+*"
enum { TREE_TIER_COUNT = sizeof(TREE_TIERS) - 1 };
/* 0 for what has no tier. */
static inline uint8_t tier_bit(char tier)
{
	const char *at = tier ? strchr(TREE_TIERS, tier) : NULL;
	return at ? (uint8_t)(1 << (at - TREE_TIERS)) : 0;
}

/* By row and by frame of the profile; INDEX_NONE: not shown. */
struct tree_rows {
	uint32_t *label;    /* that the row's stack ends in */
	uint64_t *weight;   /* of the row, in units of the tree */
	uint32_t *of_frame; /* the frame's label */
};

struct tree {
	uint32_t n; /* nodes; node 0 is the root "all", whose label is not shown in folded text */
	uint32_t *label;
	uint32_t *depth;      /* the root has 0 */
	uint32_t *end;	      /* one past the last node of the subtree */
	unsigned value_count; /* 1, or 2 for before and after */
	uint64_t *self[TREE_MAX_VALUES];
	uint64_t *total[TREE_MAX_VALUES];
	uint64_t *start; /* in order of time: where the node begins; else NULL */
	/* A stack with the value 0 is still a stack that was there. */
	uint32_t *own_stacks; /* how many rows ended here */
	unsigned decimals;    /* values are in units of 10^-decimals */
	uint32_t left_out;    /* nodes that are too small to be here, as the query wished */

	/* What became of the profile's rows and frames, for queries that keep them; else NULL. */
	struct tree_rows *rows;

	/* Siblings are ordered by name, bytewise; in a tree in order of time, by time. */
	VEC(struct tree_label) labels;
	struct arena text;
};

struct tree *tree_new(void);
void tree_free(struct tree *t);
/* Allocates the node arrays for n nodes. */
void tree_alloc_nodes(struct tree *t, uint32_t n, unsigned value_count);

/* What a value of 1 is in the tree's values: 10^decimals. */
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

/* As people read it, in a list: with the mark that was asked for. */
static inline struct str tree_label_listed(const struct tree_label *l)
{
	return l->place.n ? l->shown : l->name;
}

/* The name without its mark. */
static inline struct str tree_label_bare(const struct tree_label *l)
{
	return str_first(l->name, l->name.n - l->mark_bytes);
}
