#include "jit/jitdump_int.h"

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Sorts all addresses where code begins or ends, without duplicates. */
static void find_bounds(struct jit_index *index, const struct jit_code *codes, uint32_t n)
{
	uint32_t kept = 0;
	size_t all = 2 * (size_t)n;
	index->bounds = mem_alloc(all, sizeof(*index->bounds));
	for (uint32_t i = 0; i < n; i++) {
		index->bounds[2 * (size_t)i] = codes[i].start;
		index->bounds[2 * (size_t)i + 1] = codes[i].start + codes[i].size_bytes;
	}
	qsort(index->bounds, all, sizeof(*index->bounds), by_value);
	for (size_t i = 0; i < all; i++)
		if (!kept || index->bounds[i] != index->bounds[kept - 1])
			index->bounds[kept++] = index->bounds[i];
	index->bound_count = kept;
}

/* The number of bounds at or below the address. */
static uint32_t bounds_up_to(const struct jit_index *index, uint64_t address)
{
	uint32_t low = 0, high = index->bound_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (index->bounds[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Visits the nodes that cover a code's range. With `fill`, adds the code to them; otherwise counts
 * the room they need, in the element after the node's own.
 */
static void visit_nodes(struct jit_index *index, const struct jit_code *code, uint32_t id,
			bool fill)
{
	uint64_t leaves = index->bound_count;
	uint64_t low = bounds_up_to(index, code->start) - 1 + leaves;
	uint64_t high = bounds_up_to(index, code->start + code->size_bytes) - 1 + leaves;
	for (; low < high; low >>= 1, high >>= 1) {
		uint64_t nodes[2];
		int n = 0;
		if (low & 1)
			nodes[n++] = low++;
		if (high & 1)
			nodes[n++] = --high;
		for (int i = 0; i < n; i++) {
			if (fill)
				index->codes[index->first[nodes[i]]++] = id;
			else
				index->first[nodes[i] + 1]++;
		}
	}
}

void jit_index_init(struct jit_index *index, const struct jit_code *codes, uint32_t n)
{
	find_bounds(index, codes, n);
	uint64_t nodes = 2 * (uint64_t)index->bound_count;
	index->first = mem_zalloc(nodes + 1, sizeof(*index->first));
	for (uint32_t i = 0; i < n; i++)
		visit_nodes(index, &codes[i], i, false);
	for (uint64_t i = 0; i < nodes; i++)
		index->first[i + 1] += index->first[i];
	index->codes = mem_alloc(index->first[nodes], sizeof(*index->codes));
	for (uint32_t i = 0; i < n; i++)
		visit_nodes(index, &codes[i], i, true);
	/* Filling advanced each node's begin to its end, which is where the next one begins. */
	memmove(index->first + 1, index->first, nodes * sizeof(*index->first));
	index->first[0] = 0;
}

void jit_index_fini(struct jit_index *index)
{
	free(index->bounds);
	free(index->first);
	free(index->codes);
	*index = (struct jit_index){ 0 };
}

/* The last of a node's codes that is not later, or INDEX_NONE. */
static uint32_t newest_of_node(const struct jit_index *index, const struct jit_code *codes,
			       uint64_t node, uint64_t time_ns)
{
	uint64_t low = index->first[node], high = index->first[node + 1], begin = low;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (codes[index->codes[middle]].time_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low > begin ? index->codes[low - 1] : INDEX_NONE;
}

uint32_t jit_index_find(const struct jit_index *index, const struct jit_code *codes,
			uint64_t address, uint64_t time_ns)
{
	uint32_t best = INDEX_NONE, leaf = bounds_up_to(index, address);
	if (leaf == 0)
		return INDEX_NONE;
	for (uint64_t node = leaf - 1 + (uint64_t)index->bound_count; node >= 1; node >>= 1) {
		uint32_t code = newest_of_node(index, codes, node, time_ns);
		if (code != INDEX_NONE && (best == INDEX_NONE || code > best))
			best = code;
	}
	return best;
}
