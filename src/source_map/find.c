/* Looks up positions and names in a map. */
#include "source_map/source_map_int.h"

uint32_t source_map_segments(const struct source_map *m)
{
	return m->segments.n;
}

uint32_t source_map_segment(const struct source_map *m, uint32_t line, uint32_t column)
{
	uint32_t low = 0, high = m->segments.n; /* segments before low are not past it */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct segment *s = &m->segments.p[middle];
		if (s->line < line || (s->line == line && s->column <= column))
			low = middle + 1;
		else
			high = middle;
	}
	return low && m->segments.p[low - 1].line == line ? low - 1 : INDEX_NONE;
}

bool source_map_find(const struct source_map *m, uint32_t line, uint32_t column,
		     struct source_place *original)
{
	uint32_t i = line && column ? source_map_segment(m, line - 1, column - 1) : INDEX_NONE;
	const struct segment *s = i == INDEX_NONE ? NULL : &m->segments.p[i];
	if (!s || s->source == INDEX_NONE || !m->sources.p[s->source].n)
		return false;
	*original = (struct source_place){ m->sources.p[s->source], s->original_line + 1,
					   s->original_column + 1 };
	return true;
}

struct str source_map_only_file(const struct source_map *m)
{
	return m->sources.n == 1 ? m->sources.p[0] : STR("");
}

/* --- names --- */

static struct str name_of(const struct source_map *m, const struct segment *s)
{
	return s->name == INDEX_NONE ? STR("") : m->names.p[s->name];
}

/* A constructor is named after its class, whose name may be far before it. */
static struct str class_name(const struct source_map *m, uint32_t at, uint32_t word)
{
	enum { MAX_BACK = 1 << 16 };
	for (uint32_t back = 0; back < MAX_BACK && back <= at; back++) {
		const struct segment *s = &m->segments.p[at - back];
		if (s->is_class && s->word == word)
			return name_of(m, s);
	}
	return STR("");
}

/*
 * For V8 functions begin at their parameters: `function a(`, `a=(`, `a=async b=>`. The word that
 * names one is the nearest one before that, on the same line.
 */
static struct str near_name(const struct source_map *m, uint32_t at, uint32_t word)
{
	enum { MAX_BACK = 8 };
	uint32_t line = m->segments.p[at].line;
	for (uint32_t back = 0; back < MAX_BACK && back <= at; back++) {
		const struct segment *s = &m->segments.p[at - back];
		if (s->line != line)
			break;
		if (s->word == word)
			return name_of(m, s);
	}
	return STR("");
}

struct str source_map_function(const struct source_map *m, uint32_t line, uint32_t column,
			       struct str function)
{
	const struct str constructor = STR("constructor");
	uint32_t i = line && column ? source_map_segment(m, line - 1, column - 1) : INDEX_NONE;
	/* V8 calls `a.b=function(` a.b. */
	function = str_from_byte(function, (size_t)(str_find_last_char(function, '.') + 1));
	if (i == INDEX_NONE || !function.n)
		return STR("");
	const struct segment *s = &m->segments.p[i];
	uint32_t word = source_map_hash_word(function);
	if (s->word == source_map_hash_word(constructor) && !str_eq(function, constructor))
		return class_name(m, i, word);
	return near_name(m, i, word);
}
