/* Texts of an input, each kept once, by number: names that come again and again. */
#pragma once
#include "base/base.h"

typedef uint32_t text_id; /* 0 is the empty text */

struct texts {
	VEC(struct str) list;
	struct index_map map;
	struct arena bytes;
};

void texts_init(struct texts *t);
void texts_fini(struct texts *t);
text_id texts_add(struct texts *t, struct str s);

static inline struct str texts_get(const struct texts *t, text_id id)
{
	return t->list.p[id];
}
