/* The tree of a .cpuprofile under construction: the profile's stacks below their threads. */
#pragma once
#include "sink/profile_format.h"

enum out_kind { OUT_ROOT, OUT_GAP, OUT_THREAD, OUT_FRAME };

struct out_node {
	uint32_t parent; /* index; the root is its own parent */
	enum out_kind kind;
	uint32_t what; /* frame or thread */
	uint64_t hits;
};

/* Indices are ids - 1. */
struct out_tree {
	const struct profile *p;
	VEC(struct out_node) nodes;
	struct child_map children;
	struct pair_map known; /* (thread, node) to index */
	VEC(node_id) path;
	/* Scripts by the text that represents them, numbered by first use; 0 until used. */
	uint32_t *script_of;
	uint32_t scripts;
};

void out_tree_init(struct out_tree *t, const struct profile *p);
void out_tree_fini(struct out_tree *t);
/* The node of a stack in a thread, made if new. */
uint32_t out_tree_stack(struct out_tree *t, thread_id thread, node_id node);
/* The node for time in which nothing ran. */
uint32_t out_tree_gap(struct out_tree *t);
/* `"nodes":[...]` */
void out_tree_write(struct out_tree *t, struct json_out *out);
