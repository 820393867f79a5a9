/* Interned strings: each is stored once and numbered in order of first use. Start with `struct texts t = { 0 };`. */
#pragma once
#include "base/arena.h"
#include "base/index_map.h"
#include "base/vec.h"

typedef uint32_t text_id;

struct texts {
	VEC(struct str) list;
	struct index_map map;
	struct arena bytes;
};

void texts_fini(struct texts *t);
text_id texts_add(struct texts *t, struct str s);

static inline struct str texts_get(const struct texts *t, text_id id)
{
	return t->list.p[id];
}
