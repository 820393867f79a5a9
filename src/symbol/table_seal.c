/*
 * Sorts symbols and sets missing ends, like perf (symbols__fixup_end and symbols__fixup_duplicate
 * in tools/perf/util/symbol.c), except that a symbol without a size ends with its function or its
 * section (table_extent.c).
 */
#include "symbol/table_int.h"

/*
 * Stable, by 11 bits of the start at a time: three times as fast here as comparing. Symbols mostly
 * come in order of object files, not of addresses.
 */
static void sort_rows(struct symbol_table *t)
{
	enum { BITS = 11, SLOTS = 1 << BITS };
	uint64_t differing = 0;
	for (uint32_t i = 1; i < t->rows.n; i++)
		differing |= t->rows.p[i].start ^ t->rows.p[0].start;
	struct symbol_row *from = t->rows.p, *to = mem_alloc(t->rows.n, sizeof(*to));
	AUTO_FREE uint32_t *at = mem_alloc(SLOTS, sizeof(*at));
	for (unsigned shift = 0; shift < 64; shift += BITS) {
		if (!(differing >> shift & (SLOTS - 1)))
			continue;
		memset(at, 0, SLOTS * sizeof(*at));
		for (uint32_t i = 0; i < t->rows.n; i++)
			at[from[i].start >> shift & (SLOTS - 1)]++;
		for (uint32_t i = 0, sum = 0; i < SLOTS; i++) {
			uint32_t n = at[i];
			at[i] = sum;
			sum += n;
		}
		for (uint32_t i = 0; i < t->rows.n; i++)
			to[at[from[i].start >> shift & (SLOTS - 1)]++] = from[i];
		struct symbol_row *swap = from;
		from = to;
		to = swap;
	}
	free(to);
	t->rows.p = from;
	t->rows.capacity = t->rows.n;
}

static int by_range_start(const void *a, const void *b)
{
	const struct symbol_range *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

static int by_start_and_rank(const void *a, const void *b)
{
	const struct symbol_row *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->rank != y->rank ? (int)y->rank - (int)x->rank
				  : (x->name > y->name) - (x->name < y->name);
}

/* Where the section with the address ends; the address itself when it is in none. */
static uint64_t code_end(const struct symbol_table *t, uint64_t address)
{
	uint32_t low = 0, high = t->code.n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (t->code.p[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && t->code.p[low - 1].end > address ? t->code.p[low - 1].end : address;
}

/* What a symbol that says no size may have: up to the next one, or where its function ends. */
static uint32_t size_until(struct symbol_table *t, uint64_t start, uint64_t next_start)
{
	uint64_t end = code_end(t, start);
	if (end > next_start)
		end = next_start;
	end = symbol_extent_end(t, start, end);
	return end - start < SYMBOL_MAX_BYTES ? (uint32_t)(end - start) : SYMBOL_MAX_BYTES;
}

/*
 * Of the rows [from, to) of one start, appends those that can be shown at `kept`: the best ones, between
 * which only their names decide, and lesser ones that reach further.
 */
static uint32_t keep_best(struct symbol_table *t, uint32_t from, uint32_t to, uint32_t kept)
{
	struct symbol_row *rows = t->rows.p;
	uint64_t next_start = to < t->rows.n ? rows[to].start : UINT64_MAX;
	uint32_t best = 0, reach = 0;
	for (uint32_t i = from; i < to; i++) {
		uint32_t quality = rows[i].rank | (rows[i].size_bytes ? 16 : 0);
		if (quality > best)
			reach = 0;
		if (quality >= best && rows[i].size_bytes > reach)
			reach = rows[i].size_bytes;
		if (quality > best)
			best = quality;
	}
	for (uint32_t i = from; i < to; i++) {
		struct symbol_row row = rows[i];
		uint32_t quality = row.rank | (row.size_bytes ? 16 : 0);
		if (quality < best && row.size_bytes <= reach)
			continue;
		if (!row.size_bytes)
			row.size_bytes = size_until(t, row.start, next_start) & SYMBOL_MAX_BYTES;
		rows[kept++] = row;
	}
	return kept;
}

static inline uint64_t row_end(const struct symbol_row *row)
{
	return row->start + row->size_bytes;
}

static void find_outer(struct symbol_table *t)
{
	t->outer = mem_alloc(t->rows.n, sizeof(*t->outer));
	for (uint32_t i = 0; i < t->rows.n; i++) {
		uint32_t j = i ? i - 1 : INDEX_NONE;
		while (j != INDEX_NONE && row_end(&t->rows.p[j]) <= row_end(&t->rows.p[i]))
			j = t->outer[j];
		t->outer[i] = j;
	}
}

static bool has_size(const struct symbol_table *t, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (t->rows.p[i].size_bytes)
			return true;
	return false;
}

void symbol_table_seal(struct symbol_table *t)
{
	uint32_t kept = 0;
	uint64_t reached = 0; /* the end of the functions so far */
	if (!t->rows.n)
		return;
	sort_rows(t);
	if (t->code.n)
		qsort(t->code.p, t->code.n, sizeof(*t->code.p), by_range_start);
	if (t->choosers.n)
		qsort(t->choosers.p, t->choosers.n, sizeof(*t->choosers.p), by_start_and_rank);
	for (uint32_t from = 0, to; from < t->rows.n; from = to) {
		for (to = from + 1; to < t->rows.n; to++)
			if (t->rows.p[to].start != t->rows.p[from].start)
				break;
		/* A label without a size that lies inside a function is a place in it. */
		uint32_t first = kept;
		if (t->rows.p[from].start >= reached || has_size(t, from, to))
			kept = keep_best(t, from, to, kept);
		for (; first < kept; first++)
			if (row_end(&t->rows.p[first]) > reached)
				reached = row_end(&t->rows.p[first]);
	}
	t->rows.n = kept;
	t->rows.p = mem_realloc(t->rows.p, kept, sizeof(*t->rows.p));
	t->rows.capacity = kept;
	find_outer(t);
}
