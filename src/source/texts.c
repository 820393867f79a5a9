#include "source/texts_int.h"

void texts_init(struct texts *t)
{
	*t = (struct texts){ 0 };
	texts_add(t, STR(""));
}

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
	uint32_t i = index_map_find(&t->map, hash, text_equal, t->list.p, &s);
	if (i != INDEX_NONE)
		return i;
	index_map_add(&t->map, hash, t->list.n);
	vec_push(&t->list, arena_copy(&t->bytes, s));
	return t->list.n - 1;
}
