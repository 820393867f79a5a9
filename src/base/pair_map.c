#include "base/base.h"

enum { FIRST_SLOTS = 64 };

void pair_map_fini(struct pair_map *m)
{
	free(m->slots);
	*m = (struct pair_map){ 0 };
}

static void resize(struct pair_map *m, uint64_t n)
{
	struct pair_map old = *m;
	m->slots = mem_alloc(n, sizeof(*m->slots));
	memset(m->slots, 0xff, n * sizeof(*m->slots)); /* index == INDEX_NONE everywhere */
	m->mask = (uint32_t)(n - 1);
	for (uint64_t i = 0; old.slots && i <= old.mask; i++) {
		struct pair_slot s = old.slots[i];
		if (s.index == INDEX_NONE)
			continue;
		uint32_t at = hash_pair(s.a, s.b) & m->mask;
		while (m->slots[at].index != INDEX_NONE)
			at = (at + 1) & m->mask;
		m->slots[at] = s;
	}
	free(old.slots);
}

void pair_map_grow(struct pair_map *m)
{
	resize(m, m->slots ? ((uint64_t)m->mask + 1) * 2 : FIRST_SLOTS);
}

void pair_map_reserve(struct pair_map *m, uint64_t n)
{
	uint64_t slots = FIRST_SLOTS;
	while (slots - slots / 4 <= n)
		slots *= 2;
	if (slots <= (1ull << 32) && (!m->slots || slots > (uint64_t)m->mask + 1))
		resize(m, slots);
}
