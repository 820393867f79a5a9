/*
 * The children of nodes: (parent, key) to child, where nodes are numbered from 0, the root, in the
 * order they are made. Most nodes of a call tree have one child, which is kept beside its parent;
 * only the others need a hash table. So a path that was walked before, and a new path, mostly touch
 * memory in order.
 */
#pragma once
#include "base/pair_map.h"
#include "base/vec.h"

struct first_child {
	uint32_t key;
	uint32_t child; /* 0, the root, is nobody's child: there is none yet */
};

struct child_map {
	VEC(struct first_child) first; /* by parent; as long as there are nodes */
	struct pair_map others;
};

/* Starts with the root alone. */
void child_map_init(struct child_map *m);
void child_map_fini(struct child_map *m);
/* Adds a node without a parent's key, e.g. the root; returns its number. */
uint32_t child_map_add_node(struct child_map *m);
uint32_t child_map_get_other(struct child_map *m, uint32_t parent, uint32_t key);

/*
 * The child of parent for key. A number that was not there before is the number of nodes so far:
 * the child is new.
 */
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
