/* Maps JavaScript frames back to the code as it was written, before compilers and bundlers. */
#include "naming/naming.h"
#include "name/name.h"

/*
 * Finds where the function was written. The top level of a script maps to the file it was made from; if there are
 * several files it stays as it is, because the first mapped position is only a place in one of them.
 */
static bool find_definition(const struct source_map *map, const struct name_v8_place *v8,
			    struct source_place *place)
{
	bool is_top = v8->line == 1 && v8->column == 1;
	if (!is_top)
		return source_map_find(map, v8->line, v8->column, place);
	struct str file = source_map_only_file(map);
	*place = (struct source_place){ file.n ? file : v8->file, 1, 1 };
	return true;
}

/* `f /app/a.js:1:2`, as in V8's own profiles: the end repeats file, line and column. */
static bool plain_place(const struct named_frame *f, struct name_v8_place *place)
{
	AUTO(buf) struct buf end = { 0 };
	buf_addf(&end, " %.*s:%u:%u", STR_ARG(f->file), f->line, f->column);
	if (!f->file.n || !str_ends(f->name, buf_str(&end)))
		return false;
	*place = (struct name_v8_place){ str_first(f->name, f->name.n - end.n), f->file, f->line,
					 f->column };
	return true;
}

/* Keeps kind and tier in front, and replaces function and place: `JS:*f /app/a.ts:1:2`. */
static void write_name(struct str v8_name, const struct name_v8_place *v8, struct str function,
		       const struct source_place *place, struct buf *text)
{
	size_t before = (size_t)(v8->function.p - v8_name.p);
	buf_add(text, str_first(v8_name, before));
	/* `get a`, `b.c`: the map names only the last word. */
	size_t words = v8->function.n;
	while (function.n && words && v8->function.p[words - 1] != '.' &&
	       v8->function.p[words - 1] != ' ')
		words--;
	buf_add(text, str_first(v8->function, words));
	buf_add(text, function);
	buf_addf(text, " %.*s:%u:%u", STR_ARG(place->file), place->line, place->column);
}

void naming_find_original(struct source_maps *maps, int32_t pid, struct named_frame *f,
			  struct buf *text)
{
	struct name_v8_place v8;
	struct source_place definition, call;
	if (!name_v8_place(f->name, &v8) && !plain_place(f, &v8))
		return;
	const struct source_map *map = source_maps_get(maps, pid, v8.file);
	if (!map || !find_definition(map, &v8, &definition))
		return;
	struct str function = source_map_function(map, v8.line, v8.column, v8.function);
	bool has_call = f->line && (f->line != v8.line || f->column != v8.column);
	if (!has_call || !source_map_find(map, f->line, f->column, &call))
		call = definition;
	text->n = 0;
	write_name(f->name, &v8, function, &definition, text);
	f->name = buf_str(text);
	f->file = call.file;
	f->line = call.line;
	f->column = call.column;
	f->function_file = definition.file;
	f->function_line = definition.line;
	f->function_column = definition.column;
}

bool naming_set_original(struct source_maps *maps, struct profile *p, frame_id id)
{
	AUTO(buf) struct buf text = { 0 };
	struct frame *frame = &p->frames.p[id];
	struct named_frame f = { .name = profile_str(p, frame->name),
				 .file = profile_str(p, frame->file),
				 .line = frame->line,
				 .column = frame->column };
	naming_find_original(maps, 0, &f, &text);
	if (!text.n)
		return false;
	frame->name = profile_add_str(p, f.name);
	frame->file = profile_add_str(p, f.file);
	frame->line = f.line;
	frame->column = f.column;
	frame->function_file = profile_add_str(p, f.function_file);
	frame->function_line = f.function_line;
	frame->function_column = f.function_column;
	return true;
}

/* Bundles are few; they are what is deployed without its sources. */
enum { MOST_SCRIPTS = 16 };

void naming_add_source_map_facts(const struct source_maps *maps, struct profile *p)
{
	AUTO(buf) struct buf text = { 0 };
	source_maps_describe(maps, &text);
	if (text.n)
		profile_add_fact(p, STR("source maps"), buf_str(&text));
	for (uint32_t i = 0; i < source_maps_scripts(maps) && i < MOST_SCRIPTS; i++) {
		text.n = 0;
		source_maps_script(maps, i, &text);
		profile_add_fact(p, STR("mapped script"), buf_str(&text));
	}
	for (uint32_t i = 0; i < source_maps_troubles(maps); i++) {
		text.n = 0;
		source_maps_trouble(maps, i, &text);
		profile_add_note(p, buf_str(&text));
	}
}
