/* Reads a map from JSON. Keys come in any order, so whatever depends on others waits for the end of its object. */
#include "source_map/source_map_int.h"

enum {
	MAX_TEXTS = 1 << 20,
	MAX_TEXT_BYTES = 64 << 20,
	MAX_OFFSET = 1 << 30,
	MAX_SECTIONS = 1 << 16
};

struct map_reader {
	struct json *j;
	struct source_map *m;
	struct str folder;
	struct err *e;
	bool is_bad; /* e says why */
	uint32_t sections;
};

/* A map, or one of the sections of an indexed map. */
struct part {
	uint32_t first_segment, first_source, first_name;
	int64_t version;
	bool has_mappings, has_sections;
	struct buf root;
};

void source_map_free(struct source_map *m)
{
	if (!m)
		return;
	vec_fini(&m->segments);
	vec_fini(&m->sources);
	vec_fini(&m->names);
	arena_fini(&m->text);
	free(m);
}

static bool fail(struct map_reader *r, const char *why)
{
	if (!r->is_bad)
		err_set(r->e, "%s", why);
	r->is_bad = true;
	return false;
}

/* --- texts --- */

/* A text longer than max becomes empty: its index must stay valid. */
static struct str keep_text(struct map_reader *r, struct str text, size_t max)
{
	if (r->m->text.total_bytes > MAX_TEXT_BYTES)
		fail(r, "its names take more than 64 MB");
	return text.n && text.n <= max ? arena_copy(&r->m->text, text) : STR("");
}

static void read_texts(struct map_reader *r, struct text_array *list, size_t max)
{
	struct str text;
	if (!json_array(r->j))
		return;
	while (!r->is_bad && json_element(r->j)) {
		if (list->n >= MAX_TEXTS)
			fail(r, "it has more than 1,048,576 names or sources");
		else /* an unknown source is null */
			vec_push(list,
				 json_string(r->j, &text) ? keep_text(r, text, max) : STR(""));
	}
}

/*
 * Names become part of stacks, and of texts that are split at blanks: reject what is not a valid
 * name in any language.
 */
static bool is_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] <= ' ' || name.p[i] == 0x7f || name.p[i] == ';')
			return false;
	return true;
}

/* --- parts --- */

static void resolve_sources(struct map_reader *r, const struct part *part)
{
	AUTO(buf) struct buf path = { 0 };
	for (uint32_t i = part->first_source; i < r->m->sources.n && !r->is_bad; i++) {
		struct str *source = &r->m->sources.p[i];
		path.n = 0;
		if (source->n)
			source_map_resolve(r->folder, buf_str(&part->root), *source, &path);
		*source = keep_text(r, buf_str(&path), MAX_SOURCE_BYTES);
	}
	for (uint32_t i = part->first_name; i < r->m->names.n; i++)
		if (!is_name(r->m->names.p[i]))
			r->m->names.p[i] = STR("");
}

/* Line and column numbers in a section are relative to its start. */
static void place_part(struct map_reader *r, const struct part *part, uint32_t line,
		       uint32_t column)
{
	uint32_t sources = r->m->sources.n - part->first_source;
	uint32_t names = r->m->names.n - part->first_name;
	for (uint32_t i = part->first_segment; i < r->m->segments.n; i++) {
		struct segment *s = &r->m->segments.p[i];
		s->source = s->source < sources ? s->source + part->first_source : INDEX_NONE;
		s->name = s->name < names ? s->name + part->first_name : INDEX_NONE;
		s->column += s->line ? 0 : column;
		s->line += line;
	}
}

static void read_sections(struct map_reader *r);

static void read_key(struct map_reader *r, struct part *part, struct str key)
{
	struct source_map *m = r->m;
	struct str text;
	if (str_eq(key, STR("version"))) {
		json_number(r->j, 0, &part->version);
	} else if (str_eq(key, STR("sources"))) {
		read_texts(r, &m->sources, MAX_SOURCE_BYTES);
	} else if (str_eq(key, STR("names"))) {
		read_texts(r, &m->names, MAX_NAME_BYTES);
	} else if (str_eq(key, STR("sourceRoot"))) {
		part->root.n = 0;
		if (json_string(r->j, &text))
			buf_add(&part->root, str_first(text, MAX_SOURCE_BYTES));
	} else if (str_eq(key, STR("mappings"))) {
		bool is_text = json_string(r->j, &text);
		r->is_bad |= is_text && !source_map_decode(m, text, r->e);
		part->has_mappings |= is_text;
	} else if (str_eq(key, STR("sections")) && !r->sections) {
		part->has_sections = true;
		read_sections(r);
	} else {
		json_skip(r->j);
	}
}

/* Reads an object with a map in it; returns false if it is not one. */
static bool read_part(struct map_reader *r, struct part *part)
{
	struct str key;
	*part = (struct part){ .first_segment = r->m->segments.n,
			       .first_source = r->m->sources.n,
			       .first_name = r->m->names.n };
	if (!json_object(r->j))
		return fail(r, "it is not a JSON object");
	while (!r->is_bad && json_key(r->j, &key))
		read_key(r, part, key);
	if (!r->is_bad && !json_fault(r->j)) {
		if (part->version != 3)
			fail(r, "it is not version 3");
		else if (part->has_mappings == part->has_sections)
			fail(r, "it has neither mappings nor sections, or both");
		else if (!part->has_sections)
			resolve_sources(r, part);
	}
	buf_fini(&part->root);
	return !r->is_bad;
}

static void read_offset(struct map_reader *r, int64_t *line, int64_t *column)
{
	struct str key;
	if (!json_object(r->j))
		return;
	while (json_key(r->j, &key))
		if (str_eq(key, STR("line")))
			json_number(r->j, 0, line);
		else if (str_eq(key, STR("column")))
			json_number(r->j, 0, column);
		else
			json_skip(r->j);
	if (*line < 0 || *line > MAX_OFFSET || *column < 0 || *column > MAX_OFFSET)
		fail(r, "a section begins outside the script");
}

static void read_section(struct map_reader *r)
{
	struct part part = { .first_segment = r->m->segments.n };
	int64_t line = 0, column = 0;
	struct str key;
	if (!json_object(r->j))
		return;
	while (!r->is_bad && json_key(r->j, &key))
		if (str_eq(key, STR("offset")))
			read_offset(r, &line, &column);
		else if (str_eq(key, STR("map")) && !part.has_mappings)
			read_part(r, &part);
		else
			json_skip(r->j);
	if (!r->is_bad && part.has_mappings)
		place_part(r, &part, (uint32_t)line, (uint32_t)column);
}

static void read_sections(struct map_reader *r)
{
	if (!json_array(r->j))
		return;
	while (!r->is_bad && json_element(r->j)) {
		if (++r->sections > MAX_SECTIONS)
			fail(r, "it has more than 65,536 sections");
		else
			read_section(r);
	}
}

/* Some servers prepend `)]}'` and a newline, so that it cannot be run as a script. */
void source_map_skip_guard(struct reader *r)
{
	const struct str guard = STR(")]}'");
	while (reader_window(r).n < 4096 && reader_fill(r))
		;
	ptrdiff_t newline = str_find_char(str_first(reader_window(r), 4096), '\n');
	if (str_starts(reader_window(r), guard) && newline >= 0)
		reader_consume(r, (size_t)newline + 1);
}

struct source_map *source_map_read(struct reader *reader, struct str folder, struct err *e)
{
	struct part part;
	source_map_skip_guard(reader);
	struct map_reader r = {
		.j = json_new(reader), .m = mem_zalloc(1, sizeof(*r.m)), .folder = folder, .e = e
	};
	if (read_part(&r, &part) && json_fault(r.j)) {
		err_set(e, "%s, at byte %llu", json_fault(r.j),
			(unsigned long long)json_offset(r.j));
		r.is_bad = true;
	}
	if (!r.is_bad && part.has_mappings && !part.has_sections)
		place_part(&r, &part, 0, 0);
	if (reader_damage(reader))
		r.is_bad = !err_set(e, "%s", reader_damage(reader));
	json_free(r.j);
	if (r.is_bad) {
		source_map_free(r.m);
		return NULL;
	}
	source_map_sort(r.m);
	return r.m;
}
