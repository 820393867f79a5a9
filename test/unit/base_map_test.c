/* Hash maps: index_map against forced collisions, pair_map and child_map against tables. */
#include "base/base.h"
#include "random.h"
#include "tap.h"

enum { KEYS = 100000 };

static bool key_equal(const void *keys, uint32_t i, const void *key)
{
	return ((const uint32_t *)keys)[i] == *(const uint32_t *)key;
}

/*
 * `hashes` distinct hashes for all keys, each at the end of the table so that look-ups wrap around.
 */
static uint32_t poor_hash(uint32_t key, uint32_t hashes)
{
	return UINT32_MAX - hash_pair(key, 0) % hashes * 2048;
}

static uint32_t find(const struct index_map *m, uint32_t hashes, const uint32_t *keys, uint32_t key)
{
	return index_map_find(m, poor_hash(key, hashes), key_equal, keys, &key);
}

static void add_all(struct index_map *m, uint32_t hashes, uint32_t *keys, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		keys[i] = i * 3;
		index_map_add(m, poor_hash(keys[i], hashes), i);
	}
}

/* All keys are where they were added, and none is found that was not. */
static bool holds(const struct index_map *m, uint32_t hashes, const uint32_t *keys, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (find(m, hashes, keys, i * 3) != i ||
		    find(m, hashes, keys, i * 3 + 1) != INDEX_NONE)
			return false;
	return true;
}

static void check_index_map(uint32_t hashes, uint32_t n)
{
	struct index_map m = { 0 };
	uint32_t *keys = mem_alloc(n, sizeof(*keys));
	tap_ok(find(&m, hashes, keys, 1) == INDEX_NONE, "an empty index map finds nothing");
	add_all(&m, hashes, keys, n);
	tap_ok(holds(&m, hashes, keys, n), "%u keys under %u hashes are found", n, hashes);
	tap_num_eq(m.used, n, "%u keys are counted", n);
	tap_ok(m.used <= (uint64_t)(m.mask + 1ull) * 3 / 4,
	       "the map is at most three quarters full");
	index_map_clear(&m);
	tap_ok(find(&m, hashes, keys, 3) == INDEX_NONE && m.used == 0,
	       "a cleared map finds nothing");
	uint32_t mask = m.mask;
	add_all(&m, hashes, keys, n);
	tap_ok(holds(&m, hashes, keys, n) && m.mask == mask,
	       "a cleared map is filled again in its memory");
	index_map_fini(&m);
	tap_ok(!m.slots && !m.used, "a finished map is empty");
	free(keys);
}

static void check_index_reserve(void)
{
	struct index_map m = { 0 };
	uint32_t *keys = mem_alloc(KEYS, sizeof(*keys));
	index_map_clear(&m);
	tap_ok(!m.slots, "clearing an empty map is allowed");
	index_map_reserve(&m, KEYS);
	struct index_slot *slots = m.slots;
	add_all(&m, UINT32_MAX, keys, KEYS);
	tap_ok(m.slots == slots, "a map with room reserved does not grow on the way");
	index_map_reserve(&m, 10);
	tap_ok(m.slots == slots, "reserving less does not shrink");
	index_map_reserve(&m, 4 * KEYS);
	tap_ok(holds(&m, UINT32_MAX, keys, KEYS), "reserving more keeps what is there");
	index_map_fini(&m);
	free(keys);
}

static void check_reserve_borders(void)
{
	bool ok = true;
	for (uint32_t n = 0; n < 800; n++) {
		struct index_map m = { 0 };
		struct pair_map pairs = { 0 };
		index_map_reserve(&m, n);
		pair_map_reserve(&pairs, n);
		void *slots = m.slots, *pair_slots = pairs.slots;
		for (uint32_t i = 0; i < n; i++) {
			index_map_add(&m, i, i);
			*pair_map_place(&pairs, i, i) = i;
		}
		ok &= m.slots == slots && pairs.slots == pair_slots;
		index_map_fini(&m);
		pair_map_fini(&pairs);
	}
	tap_ok(ok, "room for n is room for n, for each n below 800");
}

/* --- pair_map --- */

enum { SIDE = 400 };

static uint32_t pair_at(uint32_t i, unsigned side)
{
	return hash_pair(i, side) % SIDE;
}

/* The naive map is a table of SIDE x SIDE; ids are given in order of first sight. */
static void check_pairs(uint64_t reserve, const char *what)
{
	struct pair_map m = { 0 };
	uint32_t *table = mem_alloc(SIDE * SIDE, sizeof(*table)), next = 0;
	bool is_same = true;
	memset(table, 0xff, SIDE * SIDE * sizeof(*table));
	if (reserve)
		pair_map_reserve(&m, reserve);
	for (uint32_t i = 0; i < 2 * KEYS; i++) {
		uint32_t a = pair_at(i, 1), b = pair_at(i, 2);
		uint32_t *want = &table[a * SIDE + b], *got = pair_map_place(&m, a, b);
		is_same &= *want == *got;
		if (*want == INDEX_NONE)
			*want = *got = next++;
	}
	tap_ok(is_same && next > KEYS, "%s: the same ids as in a table", what);
	tap_num_eq(m.used, next, "%s: pairs are counted once", what);
	for (uint32_t i = 0; i < SIDE * SIDE; i++)
		if (table[i] != INDEX_NONE)
			is_same &= *pair_map_place(&m, i / SIDE, i % SIDE) == table[i];
	tap_ok(is_same, "%s: all pairs are there at the end", what);
	tap_ok(m.used <= (m.mask + 1ull) * 3 / 4, "%s: at most three quarters full", what);
	pair_map_fini(&m);
	free(table);
}

static void check_pair_order(void)
{
	struct pair_map m = { 0 };
	*pair_map_place(&m, 1, 2) = 10;
	*pair_map_place(&m, 2, 1) = 20;
	*pair_map_place(&m, UINT32_MAX, UINT32_MAX) = 30;
	*pair_map_place(&m, 0, 0) = 40;
	tap_num_eq(*pair_map_place(&m, 1, 2), 10, "(1, 2) is not (2, 1)");
	tap_num_eq(*pair_map_place(&m, 2, 1), 20, "(2, 1) is not (1, 2)");
	tap_num_eq(*pair_map_place(&m, UINT32_MAX, UINT32_MAX), 30, "the largest pair");
	tap_num_eq(*pair_map_place(&m, 0, 0), 40, "the smallest pair");
	tap_num_eq(m.used, 4, "four pairs");
	pair_map_fini(&m);
}

/* Into 65,536 buckets by their low bits as the maps do; chance gives about 4 for the fullest. */
static uint32_t fullest_bucket(uint32_t step_a, uint32_t step_b)
{
	enum { BUCKETS = 1 << 16 };
	uint32_t *count = mem_zalloc(BUCKETS, sizeof(*count)), fullest = 0;
	for (uint32_t i = 0; i < BUCKETS / 2; i++) {
		uint32_t n = ++count[hash_pair(i * step_a, i * step_b) % BUCKETS];
		fullest = n > fullest ? n : fullest;
	}
	free(count);
	return fullest;
}

static void check_spread(void)
{
	static const uint32_t steps[][2] = {
		{ 1, 0 },	{ 0, 1 },   { 1, 1 }, { 1 << 16, 0 },
		{ 0, 1 << 16 }, { 64, 64 }, { 3, 7 }, { 1, UINT32_MAX }
	};
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		tap_ok(fullest_bucket(steps[i][0], steps[i][1]) <= 12,
		       "pairs in steps of (%u, %u) spread over the buckets", steps[i][0],
		       steps[i][1]);
}

struct pair {
	uint32_t parent, key;
};

/* A tree of random shape, against a list of all (parent, key) pairs. */
static void check_children(uint32_t keys, const char *what)
{
	enum { STEPS = 20000 };
	struct child_map m;
	VEC(struct pair) made = { 0 };
	bool same = true, dense = true;
	child_map_init(&m);
	vec_push(&made, (struct pair){ 0, 0 });
	for (uint32_t i = 0; i < STEPS; i++) {
		uint32_t parent = random_below(made.n < 50 ? made.n : 50), key = random_below(keys);
		uint32_t child = child_map_get(&m, parent, key);
		if (child == made.n)
			vec_push(&made, (struct pair){ parent, key });
		dense &= child < made.n && child > 0;
		same &= dense && made.p[child].parent == parent && made.p[child].key == key;
	}
	tap_ok(dense, "children are numbered in the order they are made, %s", what);
	tap_ok(same, "a child is found again by parent and key, %s", what);
	vec_fini(&made);
	child_map_fini(&m);
}

int main(void)
{
	check_index_map(UINT32_MAX, KEYS);
	check_index_map(KEYS / 100, KEYS);
	check_index_map(1, 2000);
	check_index_reserve();
	check_reserve_borders();
	check_pairs(0, "growing from nothing");
	check_pairs(1000, "growing from what was reserved");
	check_pairs(4 * KEYS, "reserved in full");
	check_pair_order();
	check_spread();
	check_children(1, "one child each");
	check_children(2, "two children each");
	check_children(100, "many children each");
	return tap_done();
}
