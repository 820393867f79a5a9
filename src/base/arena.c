#include "base/base.h"

#include <stdalign.h>

struct arena_block {
	struct arena_block *older;
	alignas(max_align_t) char data[];
};

enum { FIRST_BLOCK_BYTES = 4 << 10, LARGEST_BLOCK_BYTES = 1 << 20 };

void arena_fini(struct arena *a)
{
	for (struct arena_block *b = a->blocks, *older; b; b = older) {
		older = b->older;
		free(b);
	}
	*a = (struct arena){ 0 };
}

/* Blocks double, so that a small document costs little and a large one few calls. */
static void add_block(struct arena *a, size_t at_least)
{
	size_t size = a->total_bytes ? a->total_bytes : FIRST_BLOCK_BYTES;
	if (size > LARGEST_BLOCK_BYTES)
		size = LARGEST_BLOCK_BYTES;
	if (size < at_least)
		size = at_least;
	struct arena_block *b = mem_alloc(sizeof(*b) + size, 1);
	b->older = a->blocks;
	a->blocks = b;
	a->next = b->data;
	a->end = b->data + size;
	a->total_bytes += size;
}

static char *take(struct arena *a, size_t n)
{
	if (!a->next || n > (size_t)(a->end - a->next))
		add_block(a, n);
	char *p = a->next;
	a->next += n;
	return p;
}

void *arena_alloc(struct arena *a, size_t n)
{
	size_t padding = -(uintptr_t)a->next & (alignof(max_align_t) - 1);
	size_t left = (size_t)(a->end - a->next);
	if (!a->next || padding > left || n > left - padding)
		add_block(a, n);
	else
		a->next += padding;
	return take(a, n);
}

struct str arena_copy(struct arena *a, struct str s)
{
	char *p = take(a, s.n + 1);
	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return (struct str){ p, s.n };
}
