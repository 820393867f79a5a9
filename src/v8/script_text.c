/* The text of a script that a process runs. */
#include "v8/heap_scan.h"
#include "v8/inspection.h"
#include "v8/v8_int.h"

enum { MAX_FILE_CHARS = 4096, MAX_OFFSET = 1 << 20 };

/* A script that was loaded again has the same name and a larger number. */
struct script_search {
	struct v8_process *p;
	struct str file;
	uint64_t source;
	int32_t id, line_offset;
	bool is_found;
};

static bool has_name(struct script_search *s, uint64_t name)
{
	struct buf *text = &s->p->scratch;
	text->n = 0;
	return v8_read_string(&s->p->heap, name, MAX_FILE_CHARS, text) &&
	       str_eq(buf_str(text), s->file);
}

static bool look_at_script(void *context, uint64_t object, const uint64_t *words, size_t n)
{
	struct script_search *s = context;
	const struct v8_layout *l = s->p->layout;
	uint64_t name, id, source, offset;
	(void)words;
	(void)n;
	if (!v8_read_word(&s->p->heap, object, v8_get(l, V8_SCRIPT_NAME), &name) ||
	    !v8_read_word(&s->p->heap, object, v8_get(l, V8_SCRIPT_ID), &id) ||
	    !v8_read_word(&s->p->heap, object, v8_get(l, V8_SCRIPT_SOURCE), &source) ||
	    !v8_read_word(&s->p->heap, object, v8_get(l, V8_SCRIPT_LINE_OFFSET), &offset) ||
	    !v8_is_smi(id) || (s->is_found && v8_smi(id) < s->id) || !has_name(s, name))
		return true;
	s->is_found = true;
	s->id = v8_smi(id);
	s->source = source;
	s->line_offset = v8_smi(offset);
	return true;
}

bool v8_script_text(struct v8_inspection *v, struct str file, uint32_t most, struct buf *text,
		    struct err *e)
{
	struct v8_process *p = v->process;
	struct script_search s = { .p = p, .file = file };
	uint64_t map = v8_find_map(p, v->metamap, v8_get(p->layout, V8_TYPE_SCRIPT));
	size_t before = text->n;
	if (map)
		v8_visit_objects(p, map, look_at_script, &s);
	if (!s.is_found)
		return err_set(e, "%s has no script %.*s", v->of->name,
			       STR_ARG(str_first(file, 200)));
	for (int32_t i = 0; i < s.line_offset && i < MAX_OFFSET; i++)
		buf_add_char(text, '\n'); /* the script starts this many lines into its file */
	size_t begin = text->n;
	if (v8_read_string(&p->heap, s.source, most, text) && text->n > begin)
		return true;
	text->n = before;
	return err_set(e, "%s no longer has the text of %.*s", v->of->name,
		       STR_ARG(str_first(file, 200)));
}
