/*
 * Maps pairs of 32-bit ids to an id: (parent node, frame) to node. Keys are stored in the slots, so
 * a lookup touches memory in one place. For other kinds of keys use index_map.
 */
#pragma once
#include "base/hash.h"
#include "base/index_map.h"

struct pair_slot {
	uint32_t a, b;
	uint32_t index; /* INDEX_NONE marks a free slot */
};

struct pair_map {
	struct pair_slot *slots;
	uint32_t mask; /* slot count - 1; a power of two, at most three quarters full */
	uint32_t used;
};

void pair_map_fini(struct pair_map *m);
/* Makes room for n pairs, so that adding them does not rehash. */
void pair_map_reserve(struct pair_map *m, uint64_t n);
void pair_map_grow(struct pair_map *m);

/*
 * Where the pair's id is stored. If *place is INDEX_NONE the pair is new, and the caller stores its
 * id there before the next call.
 */
static inline uint32_t *pair_map_place(struct pair_map *m, uint32_t a, uint32_t b)
{
	if (!m->slots || m->used >= m->mask - m->mask / 4)
		pair_map_grow(m);
	for (uint32_t at = hash_pair(a, b) & m->mask;; at = (at + 1) & m->mask) {
		struct pair_slot *s = &m->slots[at];
		if (s->index == INDEX_NONE) {
			s->a = a;
			s->b = b;
			m->used++;
			return &s->index;
		}
		if (s->a == a && s->b == b)
			return &s->index;
	}
}

/* The pair's id, or INDEX_NONE. */
static inline uint32_t pair_map_find(const struct pair_map *m, uint32_t a, uint32_t b)
{
	if (!m->slots)
		return INDEX_NONE;
	for (uint32_t at = hash_pair(a, b) & m->mask;; at = (at + 1) & m->mask) {
		const struct pair_slot *s = &m->slots[at];
		if (s->index == INDEX_NONE || (s->a == a && s->b == b))
			return s->index;
	}
}
