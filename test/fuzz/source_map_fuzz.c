/*
 * Any bytes as a map, whole and in pieces; as a script that its words are looked for in; as addresses and
 * paths. What a map says of a place is within what it has.
 */
#include "fuzz.h"
#include "source_map/source_map.h"

static void add_found(const struct source_map *m, uint32_t line, uint32_t column, struct buf *seen)
{
	struct source_place p;
	if (source_map_find(m, line, column, &p)) {
		if (!p.line || !p.column || !p.file.n)
			abort();
		buf_addf(seen, "\n%.*s:%u:%u", STR_ARG(p.file), p.line, p.column);
	}
	struct str name = source_map_function(m, line, column, STR("a"));
	buf_addf(seen, " %.*s", STR_ARG(name));
}

static void look(struct str bytes, size_t step, struct buf *seen)
{
	struct err e = { 0 };
	struct reader *r = reader_of_memory(bytes, step);
	struct source_map *m = source_map_read(r, STR("/app/dist"), &e);
	reader_free(r);
	buf_addf(seen, "%s", e.text);
	if (!m && !e.text[0])
		abort();
	if (m)
		source_map_read_words(m, bytes);
	for (uint32_t line = 0; m && line < 8; line++)
		for (uint32_t column = 0; column < 40; column++)
			add_found(m, line, column, seen);
	source_map_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t steps[] = { 1, 64 };
	struct str bytes = { (const char *)data, size }, url;
	AUTO(buf) struct buf whole = { 0 }, path = { 0 }, inside = { 0 };
	look(bytes, 0, &whole);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		AUTO(buf) struct buf pieces = { 0 };
		look(bytes, steps[i], &pieces);
		if (!str_eq(buf_str(&whole), buf_str(&pieces)))
			abort();
	}
	if (source_map_url(bytes, &url) && source_map_data(url, &inside))
		look(buf_str(&inside), 0, &whole);
	source_map_resolve(STR("/app"), str_first(bytes, size / 2), bytes, &path);
	path.n = 0;
	source_map_script_path(bytes, &path);
	return 0;
}
