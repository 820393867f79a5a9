#include "v8/v8.h"

void v8_names_clear(struct v8_names *n)
{
	n->functions.n = n->places.n = 0;
	index_map_clear(&n->function_map);
	index_map_clear(&n->place_map);
	arena_fini(&n->text);
	n->text = (struct arena){ 0 };
	n->generation++;
}

void v8_names_fini(struct v8_names *n)
{
	vec_fini(&n->functions);
	vec_fini(&n->places);
	index_map_fini(&n->function_map);
	index_map_fini(&n->place_map);
	arena_fini(&n->text);
}

static bool function_equal(const void *list, uint32_t i, const void *key)
{
	const struct v8_function *a = &((const struct v8_function *)list)[i], *b = key;
	return a->line == b->line && a->column == b->column && str_eq(a->name, b->name) &&
	       str_eq(a->file, b->file);
}

v8_function_id v8_names_function(struct v8_names *n, const struct v8_function *f)
{
	uint32_t hash =
		hash_pair(hash_str(f->name) ^ hash_str(f->file) * 31, f->line << 10 ^ f->column);
	uint32_t i = index_map_find(&n->function_map, hash, function_equal, n->functions.p, f);
	if (i != INDEX_NONE)
		return i;
	struct v8_function copy = *f;
	copy.name = arena_copy(&n->text, f->name);
	copy.file = arena_copy(&n->text, f->file);
	index_map_add(&n->function_map, hash, n->functions.n);
	vec_push(&n->functions, copy);
	return n->functions.n - 1;
}

static bool place_equal(const void *list, uint32_t i, const void *key)
{
	const struct v8_place *a = &((const struct v8_place *)list)[i], *b = key;
	return a->function == b->function && a->line == b->line && a->column == b->column &&
	       a->caller == b->caller && a->tier == b->tier;
}

v8_place_id v8_names_place(struct v8_names *n, const struct v8_place *place)
{
	uint32_t hash = hash_pair(hash_pair(place->function, place->caller),
				  place->line << 12 ^ place->column ^ (uint32_t)place->tier << 24);
	uint32_t i = index_map_find(&n->place_map, hash, place_equal, n->places.p, place);
	if (i != INDEX_NONE)
		return i;
	index_map_add(&n->place_map, hash, n->places.n);
	vec_push(&n->places, *place);
	return n->places.n - 1;
}

bool v8_function_is_wasm(const struct v8_function *f)
{
	return str_starts(f->file, STR("wasm://"));
}

void v8_function_describe(const struct v8_function *f, char tier, struct buf *out)
{
	if (!f->file.n && str_eq(f->name, STR("RegExp"))) { /* code that has no function */
		buf_add(out, f->name);
		return;
	}
	if (v8_function_is_wasm(f)) {
		buf_addf(out, "%.*s %.*s", STR_ARG(f->name), STR_ARG(f->file));
		return;
	}
	buf_add(out, STR("JS:"));
	if (tier)
		buf_add(out, (struct str){ &tier, 1 });
	buf_add(out, f->name);
	if (f->file.n)
		buf_addf(out, " %.*s", STR_ARG(f->file));
	if (f->line)
		buf_addf(out, "%s:%u:%u", f->file.n ? "" : " ", f->line, f->column);
}
