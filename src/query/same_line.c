#include "query/same_line.h"

struct same_lines {
	VEC(struct name_parts) list; /* the first of each; column 0 if there is another one */
	struct index_map map;
};

static uint32_t hash_of(const struct name_parts *f)
{
	return hash_pair(hash_pair(hash_str(f->function), hash_str(f->file)), f->line);
}

static bool is_same_line(const void *list, uint32_t i, const void *key)
{
	const struct name_parts *a = (const struct name_parts *)list + i, *b = key;
	return a->line == b->line && str_eq(a->function, b->function) && str_eq(a->file, b->file);
}

static uint32_t index_of(const struct same_lines *s, const struct name_parts *f)
{
	return index_map_find(&s->map, hash_of(f), is_same_line, s->list.p, f);
}

struct same_lines *same_lines_of(const struct profile *p)
{
	struct same_lines *s = mem_zalloc(1, sizeof(*s));
	for (frame_id i = 0; i < p->frames.n; i++) {
		const struct frame *frame = &p->frames.p[i];
		struct name_parts f;
		if (!name_parts_of(profile_str(p, frame->name), profile_str(p, frame->file), &f) ||
		    !f.column)
			continue;
		uint32_t at = index_of(s, &f);
		if (at == INDEX_NONE) {
			index_map_add(&s->map, hash_of(&f), s->list.n);
			vec_push(&s->list, f);
		} else if (s->list.p[at].column != f.column) {
			s->list.p[at].column = 0;
		}
	}
	return s;
}

void same_lines_free(struct same_lines *s)
{
	if (!s)
		return;
	vec_fini(&s->list);
	index_map_fini(&s->map);
	free(s);
}

bool same_lines_has(const struct same_lines *s, const struct name_parts *function)
{
	uint32_t at = index_of(s, function);
	return at != INDEX_NONE && !s->list.p[at].column;
}
