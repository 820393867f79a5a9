/* Memory that is given out piece by piece and freed whole: one arena per document. */
#pragma once
#include "base/str.h"

struct arena_block;

struct arena {
	struct arena_block *blocks;
	char *next, *end;
	size_t total_bytes; /* asked from the heap so far */
};

void arena_fini(struct arena *a);
/* n bytes aligned for any type. */
void *arena_alloc(struct arena *a, size_t n);
/* A copy of s, unaligned, with a NUL behind it. */
struct str arena_copy(struct arena *a, struct str s);
