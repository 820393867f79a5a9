/* Arena allocator: pieces are allocated one by one and freed all at once. One arena per document. */
#pragma once
#include "base/str.h"

struct arena_block;

struct arena {
	struct arena_block *blocks;
	char *next, *end;
	size_t total_bytes; /* obtained from the heap so far */
};

void arena_fini(struct arena *a);
/* n bytes aligned for any type. */
void *arena_alloc(struct arena *a, size_t n);
/* A copy of s, unaligned and NUL-terminated. */
struct str arena_copy(struct arena *a, struct str s);
