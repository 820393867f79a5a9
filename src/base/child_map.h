/*
 * Maps (parent, key) to child in a tree whose nodes are numbered in the order they are made; the root is 0. Most
 * nodes of a call tree have one child, which is stored next to its parent; only the others need a hash table. So
 * walking a known path, or adding a new one, mostly touches memory in order.
 */
#pragma once
#include "base/pair_map.h"
#include "base/vec.h"

struct first_child {
	uint32_t key;
	uint32_t child; /* 0 if there is none yet: the root is nobody's child */
};

struct child_map {
	VEC(struct first_child) first; /* by parent; as long as the number of nodes */
	struct pair_map others;
};

/* Starts with only the root. */
void child_map_init(struct child_map *m);
void child_map_fini(struct child_map *m);
/* Adds a node without a parent, e.g. the root; returns its number. */
uint32_t child_map_add_node(struct child_map *m);
uint32_t child_map_get_other(struct child_map *m, uint32_t parent, uint32_t key);

/* The child of parent for key. If it equals the previous number of nodes, the child is new. */
static inline uint32_t child_map_get(struct child_map *m, uint32_t parent, uint32_t key)
{
	struct first_child *first = &m->first.p[parent];
	if (first->key == key && first->child)
		return first->child;
	if (first->child)
		return child_map_get_other(m, parent, key);
	*first = (struct first_child){ key, m->first.n };
	return child_map_add_node(m);
}
