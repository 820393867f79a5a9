/*
 * The text of an original file, from a map's sourcesContent. The text is found by the index of its source, and a map
 * may have its keys in any order, so it is read twice: for the index, then for the text.
 */
#include "source_map/source_map_int.h"

enum { MAX_SOURCES = 1 << 20 };

struct content_search {
	struct json *j;
	struct str folder, file;
	uint32_t parts;	       /* begun so far: the map, or the sections of an indexed map */
	uint32_t part, source; /* where the file is; INDEX_NONE until found */
	struct buf *text;      /* NULL in the first pass */
	bool has_text;
};

/* A map, or one of the sections of an indexed map. */
struct part {
	uint32_t number;
	struct buf root;
	struct text_list sources;
};

static void part_fini(struct part *p)
{
	buf_fini(&p->root);
	text_list_fini(&p->sources);
}

static void read_sources(struct content_search *s, struct part *p)
{
	struct str text;
	if (!json_array(s->j))
		return;
	while (json_element(s->j)) {
		bool is_text = json_string(s->j, &text) && text.n <= MAX_SOURCE_BYTES;
		if (p->sources.n < MAX_SOURCES)
			text_list_add(&p->sources, is_text ? text : STR(""));
	}
}

static void read_root(struct content_search *s, struct part *p)
{
	struct str text;
	p->root.n = 0;
	if (json_string(s->j, &text))
		buf_add(&p->root, str_first(text, MAX_SOURCE_BYTES));
}

static void read_content(struct content_search *s)
{
	struct str text;
	if (!json_array(s->j))
		return;
	for (uint32_t i = 0; json_element(s->j); i++) {
		if (i != s->source) {
			json_skip(s->j);
			continue;
		}
		s->has_text = json_string(s->j, &text);
		if (s->has_text)
			buf_add(s->text, text);
	}
}

static void read_part(struct content_search *s);

static void read_sections(struct content_search *s)
{
	struct str key;
	if (!json_array(s->j))
		return;
	while (json_element(s->j)) {
		if (!json_object(s->j))
			continue;
		while (json_key(s->j, &key))
			if (str_eq(key, STR("map")))
				read_part(s);
			else
				json_skip(s->j);
	}
}

static void find_file(struct content_search *s, const struct part *p)
{
	AUTO(buf) struct buf path = { 0 };
	for (uint32_t i = 0; i < p->sources.n && s->source == INDEX_NONE; i++) {
		path.n = 0;
		source_map_resolve(s->folder, buf_str(&p->root), str_from(p->sources.p[i]), &path);
		if (!str_eq(buf_str(&path), s->file))
			continue;
		s->part = p->number;
		s->source = i;
	}
}

static void read_part(struct content_search *s)
{
	AUTO(part) struct part p = { .number = s->parts++ };
	struct str key;
	if (!json_object(s->j))
		return;
	while (json_key(s->j, &key))
		if (str_eq(key, STR("sources")) && !s->text)
			read_sources(s, &p);
		else if (str_eq(key, STR("sourceRoot")) && !s->text)
			read_root(s, &p);
		else if (str_eq(key, STR("sourcesContent")) && s->text && p.number == s->part)
			read_content(s);
		else if (str_eq(key, STR("sections")) && !p.number)
			read_sections(s);
		else
			json_skip(s->j);
	if (!s->text)
		find_file(s, &p);
}

static void read_pass(struct content_search *s, struct str map)
{
	struct reader *r = reader_of_memory(map, 0);
	source_map_skip_guard(r);
	s->j = json_new(r);
	s->parts = 0;
	read_part(s);
	json_free(s->j);
	reader_free(r);
}

bool source_map_content(struct str map, struct str folder, struct str file, struct buf *text)
{
	struct content_search s = {
		.folder = folder, .file = file, .part = INDEX_NONE, .source = INDEX_NONE
	};
	read_pass(&s, map);
	if (s.source == INDEX_NONE)
		return false;
	s.text = text;
	read_pass(&s, map);
	return s.has_text;
}
