/*
 * A hash index over a dense array that the caller owns. The map holds only (hash, index) pairs: the
 * caller's array keeps insertion order, so iteration and output are deterministic, and growing the
 * map never touches it.
 *
 *	static bool is_name(const void *names, uint32_t i, const void *key) { ... }
 *	uint32_t i = index_map_place(&map, hash, is_name, names.p, &key, names.n);
 *	if (i == names.n)
 *		vec_push(&names, key);
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define INDEX_NONE UINT32_MAX

/* n times INDEX_NONE; the caller frees it. */
uint32_t *index_none_alloc(uint64_t n);

struct index_slot {
	uint32_t hash;
	uint32_t index; /* INDEX_NONE marks a free slot */
};

struct index_map {
	struct index_slot *slots;
	uint32_t mask; /* slot count - 1; a power of two, at most three quarters full */
	uint32_t used;
};

void index_map_fini(struct index_map *m);
/* Adds an index under a hash. The caller makes sure that its key is not there yet. */
void index_map_add(struct index_map *m, uint32_t hash, uint32_t index);
/* Removes everything but keeps the memory. */
void index_map_clear(struct index_map *m);
/* Makes room for n indices, so that adding them does not rehash. */
void index_map_reserve(struct index_map *m, uint64_t n);

typedef bool index_map_equal(const void *array, uint32_t index, const void *key);

/* The index whose element equals key, or INDEX_NONE. Inlined together with its comparison: this is the hot loop. */
static inline __attribute__((always_inline)) uint32_t index_map_find(const struct index_map *m,
								     uint32_t hash,
								     index_map_equal *equal,
								     const void *array,
								     const void *key)
{
	if (!m->slots)
		return INDEX_NONE;
	for (uint32_t at = hash & m->mask;; at = (at + 1) & m->mask) {
		struct index_slot s = m->slots[at];
		if (s.index == INDEX_NONE)
			return INDEX_NONE;
		if (s.hash == hash && equal(array, s.index, key))
			return s.index;
	}
}

/*
 * Finds or adds: if no element equals key, adds n under the hash and returns it, and the caller appends the element.
 */
static inline __attribute__((always_inline)) uint32_t index_map_place(struct index_map *m,
								      uint32_t hash,
								      index_map_equal *equal,
								      const void *array,
								      const void *key, uint32_t n)
{
	uint32_t i = index_map_find(m, hash, equal, array, key);
	if (i != INDEX_NONE)
		return i;
	index_map_add(m, hash, n);
	return n;
}

/* Prefetches a hash's slot for a later lookup. */
static inline void index_map_prefetch(const struct index_map *m, uint32_t hash)
{
	if (m->slots)
		__builtin_prefetch(&m->slots[hash & m->mask]);
}
