#include "perf/perf_int.h"

void locations_fini(struct locations *l)
{
	vec_fini(&l->list);
	index_map_fini(&l->map);
}

/* ip is 0 in keys unless it tells locations apart. */
struct location_key {
	uint64_t address, ip;
	uint32_t mapped, code, is_call, unused;
};

static bool location_equal(const void *list, uint32_t i, const void *key)
{
	const struct location *a = &((const struct location *)list)[i];
	const struct location_key *k = key;
	return a->address == k->address && a->mapped == k->mapped && a->code == k->code &&
	       a->is_call == k->is_call && (!k->ip || a->ip == k->ip);
}

location_id locations_get(struct locations *l, const struct location *location)
{
	struct location_key key = { location->address, l->by_ip ? location->ip : 0,
				    location->mapped,  location->code,
				    location->is_call, 0 };
	uint32_t hash = hash_bytes(&key, sizeof(key));
	uint32_t i = index_map_find(&l->map, hash, location_equal, l->list.p, &key);
	if (i != INDEX_NONE)
		return i;
	index_map_add(&l->map, hash, l->list.n);
	vec_push(&l->list, *location);
	return l->list.n - 1;
}
