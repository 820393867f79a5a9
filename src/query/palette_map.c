#include "query/palette_map.h"

struct painted {
	struct str name;
	struct colour colour;
};

struct palette_map {
	struct index_map map;
	VEC(struct painted) all;
	struct arena text;
};

struct palette_map *palette_map_new(void)
{
	return mem_zalloc(1, sizeof(struct palette_map));
}

void palette_map_free(struct palette_map *m)
{
	if (!m)
		return;
	index_map_fini(&m->map);
	vec_fini(&m->all);
	arena_fini(&m->text);
	free(m);
}

static bool name_equal(const void *all, uint32_t i, const void *key)
{
	return str_eq(((const struct painted *)all)[i].name, *(const struct str *)key);
}

static uint32_t find(const struct palette_map *m, struct str name)
{
	return index_map_find(&m->map, hash_str(name), name_equal, m->all.p, &name);
}

bool palette_map_get(const struct palette_map *m, struct str name, struct colour *c)
{
	uint32_t i = find(m, name);
	if (i != INDEX_NONE)
		*c = m->all.p[i].colour;
	return i != INDEX_NONE;
}

void palette_map_add(struct palette_map *m, struct str name, struct colour c)
{
	uint32_t i = find(m, name);
	if (i != INDEX_NONE) {
		m->all.p[i].colour = c;
		return;
	}
	index_map_add(&m->map, hash_str(name), m->all.n);
	vec_push(&m->all, (struct painted){ arena_copy(&m->text, name), c });
}

static bool channel_parse(struct str *s, char end, uint8_t *value)
{
	uint64_t number;
	ptrdiff_t at = str_find_char(*s, end);
	if (at < 0 || !str_to_u64(str_first(*s, (size_t)at), &number) || number > 255)
		return false;
	*value = (uint8_t)number;
	*s = str_from_byte(*s, (size_t)at + 1);
	return true;
}

/* A name may contain "->", so the last arrow counts. */
static bool line_parse(struct str line, struct painted *p)
{
	static const struct str arrow = STR("->rgb(");
	for (size_t at = line.n >= arrow.n ? line.n - arrow.n + 1 : 0; at-- > 0;) {
		struct str rest = str_from_byte(line, at);
		if (!str_starts(rest, arrow))
			continue;
		rest = str_from_byte(rest, arrow.n);
		p->name = str_first(line, at);
		return channel_parse(&rest, ',', &p->colour.r) &&
		       channel_parse(&rest, ',', &p->colour.g) &&
		       channel_parse(&rest, ')', &p->colour.b) && rest.n == 0;
	}
	return false;
}

bool palette_map_parse(struct palette_map *m, struct str text, struct err *e)
{
	for (unsigned number = 1; text.n; number++) {
		struct painted p;
		ptrdiff_t newline = str_find_char(text, '\n');
		struct str line = str_first(text, newline < 0 ? text.n : (size_t)newline);
		text = str_from_byte(text, line.n + 1);
		if (!line_parse(line, &p))
			return err_set(e, "line %u is not `name->rgb(r,g,b)`: '%.*s'", number,
				       STR_ARG(str_first(line, 60)));
		palette_map_add(m, p.name, p.colour);
	}
	return true;
}

static int compare_names(const void *a, const void *b)
{
	return str_compare(((const struct painted *)a)->name, ((const struct painted *)b)->name);
}

void palette_map_print(const struct palette_map *m, struct buf *out)
{
	struct painted *sorted = mem_alloc(m->all.n, sizeof(*sorted));
	if (m->all.n)
		memcpy(sorted, m->all.p, m->all.n * sizeof(*sorted));
	qsort(sorted, m->all.n, sizeof(*sorted), compare_names);
	for (uint32_t i = 0; i < m->all.n; i++) {
		buf_add(out, sorted[i].name);
		buf_addf(out, "->rgb(%u,%u,%u)\n", sorted[i].colour.r, sorted[i].colour.g,
			 sorted[i].colour.b);
	}
	free(sorted);
}
