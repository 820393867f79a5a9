#pragma once
#include "query/query.h"

/* --- selection.c: row selection --- */

struct selection;
struct labels;

struct selection *selection_new(const struct profile *p, const struct query *q,
				struct labels *labels, struct err *e);
void selection_free(struct selection *s);
/* What the selection does with the row. gave_up: expressions that reached their limit. */
enum row_fate selection_fate(struct selection *s, uint32_t row, uint64_t *gave_up);
/* True if the row is shown; otherwise counts the reason in the ledger. */
bool selection_has(struct selection *s, uint32_t row, struct query_ledger *ledger);
/* The event shown, or INDEX_NONE if there are several. */
event_id selection_event(const struct selection *s);

/* --- stack_text.c: --only and --without --- */

struct stack_texts;

struct stack_texts *stack_texts_new(const struct profile *p, const struct query *q,
				    struct labels *labels, struct err *e);
void stack_texts_free(struct stack_texts *s);
/*
 * Whether a thread's stack matches --only and --without. Each stack is tested once; gave_up counts expressions that
 * reached their limit.
 */
bool stack_texts_hold(struct stack_texts *s, thread_id thread, node_id node, uint64_t *gave_up);

/* --- selection.c: lists of expressions --- */

/* The expressions of one option. */
struct regex_list {
	struct regex **p;
	uint32_t n, capacity;
};
bool regex_list_compile(struct regex_list *list, const struct text_list *patterns,
			struct regex_budget *budget, struct err *e);
void regex_list_fini(struct regex_list *list);
/* Increments gave_up if an expression reaches its limit. */
bool regex_list_any(const struct regex_list *list, struct str subject, uint64_t *gave_up);

/* Adds to a ledger count, clamped to the largest value. */
static inline void ledger_add(uint64_t *count, uint64_t more)
{
	uint64_t ignored = 0;
	*count = saturating_add(*count, more, &ignored);
}

/* --- labels.c: names for display --- */

struct labels *labels_new(const struct profile *p, const struct query *q, struct tree *tree);
void labels_free(struct labels *l);
/* Index into tree->labels. */
uint32_t label_of_frame(struct labels *l, frame_id frame);
/* The frame's name with its mark as in folded stacks, whatever way it is shown. */
struct str folded_name_of(struct labels *l, frame_id frame);
/* INDEX_NONE if nothing is known about the thread. */
uint32_t label_of_thread(struct labels *l, thread_id thread);
uint32_t label_of_text(struct labels *l, struct str text);
/* A name that stands for several functions. */
uint32_t label_of_stand_in(struct labels *l, struct str text, enum frame_kind kind);
/* The same label with the mark _[w]. */
uint32_t label_as_waker(struct labels *l, uint32_t label);
const struct tree *labels_tree(const struct labels *l);
/* Labels by frame, INDEX_NONE if never requested. The caller takes ownership. */
uint32_t *labels_take_frames(struct labels *l);

/* The frames of a stack, root first, go into out (cleared first). */
struct frame_path {
	frame_id *p;
	uint32_t n, capacity;
};
void frame_path_of(const struct profile *p, node_id node, struct frame_path *out);

/* --- tree.c: tree construction --- */

/* Stacks are merged only with the previous one: in time order, or in line order. */
static inline bool query_keeps_order(const struct query *q)
{
	return q->in_order || q->as_lines;
}

/* A node of a tree under construction; a parent always has a smaller index than its children. */
struct growing_node {
	uint32_t parent, label;
};

struct growth {
	const struct profile *p;
	const struct query *q;
	struct tree *tree;
	struct labels *labels;
	unsigned value_count;
	unsigned decimals;
	bool mixes_events; /* clocks and other events are shown together */
	uint64_t overflows;

	struct child_map map; /* (parent, label) to node */
	VEC(struct growing_node) nodes;
	VEC(uint64_t) self[TREE_MAX_VALUES];
	uint64_t *total[TREE_MAX_VALUES];
	VEC(uint32_t) own_stacks;
	VEC(uint64_t) starts; /* in time order: the sum of all rows before the node's first row */
	uint64_t elapsed;

	/* For each stack of the profile: its tree node, and the root of its last lookup. */
	uint32_t *known_root, *known_node;
	struct frame_path pending;

	/* Transforms. */
	struct pair_map transformed; /* (label of the thread, stack) to tree node */
	struct regex_list hide, root;
	bool changes_paths;
	uint8_t *fate;		 /* by frame: result of the expressions; 0 until evaluated */
	unsigned folds, charges; /* sets of categories, as bits */
	uint8_t *categories;	 /* by frame, enum category; 0 until known */
	struct frame_path path, labels_path;
	struct frame_path open; /* in time order: the nodes of the previous stack */
	thread_id last_thread;	/* ... and its thread */
};

/* Returns false and sets e if an expression of q is invalid. The caller frees the tree. */
bool growth_init(struct growth *g, const struct profile *p, const struct query *q, struct err *e);
void growth_fini(struct growth *g);
/*
 * Applies --root, --skip-after, --hide, --charge, --collapse-recursion and --fold; the frames of the stack are then
 * in g->path, root first; some may be stand-ins. Returns false if --root matches no frame.
 */
bool growth_transform(struct growth *g, node_id node, uint64_t *gave_up);
void growth_add_node(struct growth *g, uint32_t parent, uint32_t label);
/* The row's weight in the tree's units; *is_in_periods is set if it is a sum of periods. */
uint64_t growth_weight(struct growth *g, uint32_t row, bool *is_in_periods);
/* The tree column that the row adds to: event 0 is before, event 1 after. */
static inline unsigned growth_value_of(const struct growth *g, uint32_t row)
{
	return g->p->is_differential && g->p->samples.event[row] == 1;
}

/* --- fold.c: frames by category, and stand-ins for several --- */

/* Returns false and sets e if --fold or --charge name no category. */
bool growth_parse_categories(struct growth *g, struct err *e);
/* Whether the frame's time goes to its caller, by --charge or --your-code. */
bool growth_charges(struct growth *g, frame_id frame);
/* The placeholder for a stack with no frames left. */
frame_id growth_stand_in(struct growth *g, node_id node);
/* Applies --fold to g->path. */
void growth_fold(struct growth *g);
bool growth_is_stand_in(const struct growth *g, frame_id frame, enum category *of);
/* The label of a frame of g->path. */
uint32_t growth_label_of(struct growth *g, frame_id frame);

/* --- row_order.c --- */

/* The rows of a tree in time order, as q wants them. The caller frees it. */
uint32_t *rows_in_order(const struct profile *p, const struct query *q);

/* --- tree_mirror.c: when the profile's own stacks are the tree --- */

bool growth_can_mirror(struct growth *g);
/* Makes all nodes, their values and the ledger's counts in one go. */
void growth_mirror(struct growth *g, struct query_ledger *ledger);

/* --- tree_order.c: conversion to preorder --- */

/* Computes the totals. */
void growth_sum_totals(struct growth *g);
/*
 * Pictures leave out what is too narrow to see: drops what is on top of such nodes before the nodes
 * are ordered. The nodes themselves stay, because they take up space among their siblings.
 */
void growth_drop_small(struct growth *g);
/* Makes the tree's arrays from the growing nodes. */
void growth_order(struct growth *g);
