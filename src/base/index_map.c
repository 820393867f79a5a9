#include "base/base.h"

enum { FIRST_SLOTS = 64 };

void index_map_fini(struct index_map *m)
{
	free(m->slots);
	*m = (struct index_map){ 0 };
}

static struct index_slot *free_slots(uint64_t n)
{
	struct index_slot *slots = mem_alloc(n, sizeof(*slots));
	memset(slots, 0xff, n * sizeof(*slots)); /* index == INDEX_NONE everywhere */
	return slots;
}

static void place(struct index_slot *slots, uint32_t mask, struct index_slot s)
{
	uint32_t at = s.hash & mask;
	while (slots[at].index != INDEX_NONE)
		at = (at + 1) & mask;
	slots[at] = s;
}

static void resize(struct index_map *m, uint64_t n)
{
	struct index_slot *slots = free_slots(n);
	for (uint64_t i = 0; m->slots && i <= m->mask; i++)
		if (m->slots[i].index != INDEX_NONE)
			place(slots, (uint32_t)(n - 1), m->slots[i]);
	free(m->slots);
	m->slots = slots;
	m->mask = (uint32_t)(n - 1);
}

uint32_t *index_none_alloc(uint64_t n)
{
	uint32_t *indices = mem_alloc(n, sizeof(*indices));
	memset(indices, 0xff, n * sizeof(*indices));
	return indices;
}

void index_map_add(struct index_map *m, uint32_t hash, uint32_t index)
{
	if (!m->slots || m->used >= m->mask - m->mask / 4)
		resize(m, m->slots ? ((uint64_t)m->mask + 1) * 2 : FIRST_SLOTS);
	place(m->slots, m->mask, (struct index_slot){ hash, index });
	m->used++;
}

void index_map_reserve(struct index_map *m, uint64_t n)
{
	uint64_t slots = FIRST_SLOTS;
	while (slots - slots / 4 <= n)
		slots *= 2;
	if (slots <= (1ull << 32) && (!m->slots || slots > (uint64_t)m->mask + 1))
		resize(m, slots);
}

void index_map_clear(struct index_map *m)
{
	if (m->slots)
		memset(m->slots, 0xff, ((size_t)m->mask + 1) * sizeof(*m->slots));
	m->used = 0;
}
