/*
 * Sorting strings eight bytes at a time: items are ordered by a word of each string, and only where words are equal
 * by the next one. Names share long prefixes, which a comparison of whole strings would walk through every time.
 */
#include "base/base.h"

struct item {
	uint64_t word;
	uint32_t index;
};

/* Eight bytes from `depth` on as a number that orders like the bytes; zeros behind the end. */
static uint64_t word_at(struct str s, size_t depth)
{
	uint64_t word = 0;
	size_t n = depth < s.n ? s.n - depth : 0;
	if (n)
		memcpy(&word, s.p + depth, n < 8 ? n : 8);
	return __builtin_bswap64(word);
}

static int by_word(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	if (x->word != y->word)
		return x->word < y->word ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* By length, then as given: for strings that are equal but for zero bytes at the end. */
static int by_length(const void *a, const void *b, void *strings)
{
	const struct item *x = a, *y = b;
	const struct str *s = strings;
	if (s[x->index].n != s[y->index].n)
		return s[x->index].n < s[y->index].n ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Items that are equal up to `depth`. */
struct range {
	uint32_t start, n;
	size_t depth;
};

/* Ranges still to be sorted: a list instead of recursion, as depth is the input's to choose. */
struct range_list {
	struct range *p;
	uint32_t n, capacity;
};

static void sort_range(const struct str *strings, struct item *items, struct range r,
		       struct range_list *todo)
{
	bool has_more = false;
	for (uint32_t i = r.start; i < r.start + r.n; i++) {
		items[i].word = word_at(strings[items[i].index], r.depth);
		has_more |= strings[items[i].index].n > r.depth;
	}
	if (!has_more) {
		qsort_r(items + r.start, r.n, sizeof(*items), by_length, (void *)strings);
		return;
	}
	qsort(items + r.start, r.n, sizeof(*items), by_word);
	for (uint32_t i = r.start, next; i < r.start + r.n; i = next) {
		for (next = i + 1; next < r.start + r.n && items[next].word == items[i].word;)
			next++;
		if (next - i > 1)
			vec_push(todo, (struct range){ i, next - i, r.depth + 8 });
	}
}

void str_sort(const struct str *strings, uint32_t *order, uint32_t n)
{
	struct item *items = mem_alloc(n, sizeof(*items));
	struct range_list todo = { 0 };
	for (uint32_t i = 0; i < n; i++)
		items[i].index = i;
	vec_push(&todo, (struct range){ 0, n, 0 });
	while (todo.n) {
		struct range r = todo.p[--todo.n];
		sort_range(strings, items, r, &todo);
	}
	for (uint32_t i = 0; i < n; i++)
		order[i] = items[i].index;
	vec_fini(&todo);
	free(items);
}
