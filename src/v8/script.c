/* Scripts: their names and line ends. */
#include "v8/v8_int.h"

enum { MAX_LINES = 1 << 22, MAX_SOURCE_CHARS = 16 << 20, MAX_FILE_CHARS = 4096 };

static void script_fini(struct script *s)
{
	free(s->line_ends);
	free((char *)s->file.p);
	*s = (struct script){ 0 };
}

void v8_scripts_fini(struct v8_process *p)
{
	for (uint32_t i = 0; p->scripts && i < KNOWN_SCRIPTS; i++)
		script_fini(&p->scripts[i]);
	free(p->scripts);
}

/* V8 has counted them already: an array of small integers. */
static bool read_line_ends(struct v8_process *p, uint64_t array, struct script *s)
{
	struct v8_heap *h = &p->heap;
	uint32_t n;
	if (v8_type_of(h, array) != v8_get(p->layout, V8_TYPE_FIXED_ARRAY) ||
	    !v8_array_length(h, array, MAX_LINES, &n) || !n)
		return false;
	AUTO_FREE uint64_t *words = mem_alloc(n, sizeof(*words));
	if (!v8_read(h, array, v8_get(p->layout, V8_ARRAY_DATA), words, n * sizeof(*words)))
		return false;
	s->line_ends = mem_alloc(n, sizeof(*s->line_ends));
	s->lines = n;
	for (uint32_t i = 0; i < n; i++)
		s->line_ends[i] = (uint32_t)v8_smi(words[i]);
	return true;
}

/* --- from the text --- */

struct counted {
	VEC(uint32_t) ends;
	uint32_t at;
	bool was_return; /* \r came last: with \n behind it that is one end, at \n */
};

static void count_char(struct counted *c, uint32_t unit)
{
	if (c->was_return && unit != '\n' && c->ends.n < MAX_LINES)
		vec_push(&c->ends, c->at - 1);
	c->was_return = unit == '\r';
	if ((unit == '\n' || unit == 0x2028 || unit == 0x2029) && c->ends.n < MAX_LINES)
		vec_push(&c->ends, c->at);
	c->at++;
}

static bool count_piece(void *context, const struct v8_piece *piece)
{
	struct counted *c = context;
	for (uint32_t i = 0; i < piece->n; i++)
		count_char(c, piece->is_two_byte ? ((const uint16_t *)piece->chars)[i]
						 : ((const uint8_t *)piece->chars)[i]);
	return true;
}

static void count_lines(struct v8_process *p, uint64_t source, struct script *s)
{
	struct counted c = { 0 };
	if (!v8_visit_string(&p->heap, source, MAX_SOURCE_CHARS, count_piece, &c)) {
		vec_fini(&c.ends);
		return;
	}
	if (c.was_return)
		vec_push(&c.ends, c.at - 1);
	vec_push(&c.ends, c.at);
	s->line_ends = c.ends.p;
	s->lines = c.ends.n;
}

/* --- all --- */

static uint64_t word_at(const uint64_t *words, const struct v8_layout *l, enum v8_constant c)
{
	return words[(uint32_t)v8_get(l, c) / sizeof(*words)];
}

static struct str copy_of(struct str text)
{
	char *copy = mem_alloc(text.n + 1, 1);
	if (text.n)
		memcpy(copy, text.p, text.n);
	return (struct str){ copy, text.n };
}

/* What was made by eval or new Function has no name of its own: it is told by who made it. */
static void add_origin(struct v8_process *p, uint64_t from, struct buf *file)
{
	const struct v8_layout *l = p->layout;
	uint64_t script, name;
	if (v8_type_of(&p->heap, from) != v8_get(l, V8_TYPE_SFI) ||
	    !v8_read_word(&p->heap, from, v8_get(l, V8_SFI_SCRIPT), &script) ||
	    v8_type_of(&p->heap, script) != v8_get(l, V8_TYPE_SCRIPT) ||
	    !v8_read_word(&p->heap, script, v8_get(l, V8_SCRIPT_NAME), &name))
		return;
	size_t before = file->n;
	buf_add(file, STR("[eval] "));
	if (!v8_read_string(&p->heap, name, MAX_FILE_CHARS, file))
		file->n = before;
}

static void read_script(struct v8_process *p, const uint64_t *words, struct script *s)
{
	const struct v8_layout *l = p->layout;
	struct buf *file = &p->scratch;
	file->n = 0;
	if (!v8_read_string(&p->heap, word_at(words, l, V8_SCRIPT_NAME), MAX_FILE_CHARS, file))
		file->n = 0;
	if (!file->n && l->origin[V8_SCRIPT_EVAL_FROM])
		add_origin(p, word_at(words, l, V8_SCRIPT_EVAL_FROM), file);
	s->file = copy_of(buf_str(file));
	s->line_offset = v8_smi(word_at(words, l, V8_SCRIPT_LINE_OFFSET));
	s->column_offset = v8_smi(word_at(words, l, V8_SCRIPT_COLUMN_OFFSET));
	if (!read_line_ends(p, word_at(words, l, V8_SCRIPT_LINE_ENDS), s))
		count_lines(p, word_at(words, l, V8_SCRIPT_SOURCE), s);
}

/* Where it is kept, or will be: in one of a few slots, so that two need not push each other out. */
static uint32_t slot_for(const struct v8_process *p, uint64_t script)
{
	enum { PLACES = 4 };
	uint32_t first = v8_slot(script, KNOWN_SCRIPTS), free_slot = first;
	for (uint32_t i = PLACES; i-- > 0;) {
		uint32_t slot = (first + i) % KNOWN_SCRIPTS;
		if (p->scripts[slot].object == script)
			return slot;
		if (!p->scripts[slot].object)
			free_slot = slot;
	}
	return free_slot;
}

uint32_t v8_script_get(struct v8_process *p, uint64_t script)
{
	enum { WORDS = 14 };
	const struct v8_layout *l = p->layout;
	uint64_t words[WORDS];
	if (!v8_is_pointer(script) || !v8_read(&p->heap, script, 0, words, sizeof(words)) ||
	    v8_type_of_map(&p->heap, words[0]) != v8_get(l, V8_TYPE_SCRIPT))
		return V8_NONE;
	uint32_t slot = slot_for(p, script);
	struct script *s = &p->scripts[slot];
	int32_t id = v8_smi(word_at(words, l, V8_SCRIPT_ID));
	if (s->object == script && s->id == id)
		return slot;
	uint64_t failures = v8_failures(&p->heap);
	script_fini(s);
	s->object = script;
	s->id = id;
	read_script(p, words, s);
	/* What could not be read just now is read again. */
	if (v8_failures(&p->heap) != failures)
		s->id = ~id;
	return slot;
}

void v8_script_line(const struct script *s, int32_t position, uint32_t *line, uint32_t *column)
{
	uint32_t low = 0, high = s->lines;
	*line = *column = 0;
	if (!s->lines || position < 0 || (uint32_t)position > s->line_ends[s->lines - 1])
		return;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (s->line_ends[middle] < (uint32_t)position)
			low = middle + 1;
		else
			high = middle;
	}
	int64_t first = low ? (int64_t)s->line_ends[low - 1] + 1 : -(int64_t)s->column_offset;
	int64_t n = (int64_t)low + s->line_offset + 1, c = position - first + 1;
	*line = n > 0 ? (uint32_t)n : 0;
	*column = c > 0 ? (uint32_t)c : 0;
}
