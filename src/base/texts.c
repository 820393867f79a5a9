#include "base/texts.h"
#include "base/hash.h"

void texts_fini(struct texts *t)
{
	vec_fini(&t->list);
	index_map_fini(&t->map);
	arena_fini(&t->bytes);
}

static bool text_equal(const void *list, uint32_t i, const void *key)
{
	return str_eq(((const struct str *)list)[i], *(const struct str *)key);
}

text_id texts_add(struct texts *t, struct str s)
{
	uint32_t hash = hash_str(s);
	uint32_t i = index_map_place(&t->map, hash, text_equal, t->list.p, &s, t->list.n);
	if (i == t->list.n)
		vec_push(&t->list, arena_copy(&t->bytes, s));
	return i;
}
