/* Finds the function that a user means. */
#include "query/query.h"
#include "query/report.h"

static bool is_of_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '$' || (unsigned char)c >= 0x80;
}

/* True for `parse` in `get parse` and in `Json::parse(int)`, but not in `parseAll`. */
static bool holds_word(struct str name, struct str word)
{
	for (size_t from = 0; from < name.n;) {
		ptrdiff_t found = str_find(str_from_byte(name, from), word);
		if (found < 0)
			return false;
		size_t at = from + (size_t)found, end = at + word.n;
		if ((at == 0 || !is_of_word(name.p[at - 1])) &&
		    (end == name.n || !is_of_word(name.p[end])))
			return true;
		from = at + 1;
	}
	return false;
}

/* `parse lib/a.js:12` */
static bool is_brief(const struct tree_label *l, struct str text)
{
	return l->place.n && text.n == l->function.n + 1 + l->place.n &&
	       str_starts(text, l->function) && text.p[l->function.n] == ' ' &&
	       str_ends(text, l->place);
}

/* Also for names as in folded stacks. */
static struct str function_of(const struct tree_label *l)
{
	struct name_parts parts;
	bool is_whole = !l->place.n && name_parts_of(l->function, STR(""), &parts);
	return is_whole ? parts.function : l->function;
}

static enum name_match match_of(const struct tree_label *l, struct str text)
{
	if (str_eq(l->name, text) || str_eq(tree_label_bare(l), text) || str_eq(l->shown, text) ||
	    str_eq(l->function, text) || is_brief(l, text))
		return MATCH_EXACT;
	/* Ignores the place: a word in a path would match every function of the file. */
	if (holds_word(function_of(l), text))
		return MATCH_WORD;
	return str_find(function_of(l), text) >= 0 ? MATCH_PART : MATCH_NONE;
}

/* The labels used by nodes of the tree, except the root's and processes'. */
static bool *functions_in(const struct tree *t)
{
	bool *is_there = mem_zalloc(t->labels.n, 1);
	for (uint32_t i = 1; i < t->n; i++)
		is_there[t->label[i]] = !t->labels.p[t->label[i]].is_process;
	return is_there;
}

enum name_match report_find(const struct tree *t, struct str text, bool *is_wanted)
{
	AUTO_FREE bool *is_there = functions_in(t);
	enum name_match best = MATCH_NONE;
	for (uint32_t i = 0; i < t->labels.n && text.n; i++) {
		enum name_match match = is_there[i] ? match_of(&t->labels.p[i], text) : MATCH_NONE;
		if (match != MATCH_NONE && (best == MATCH_NONE || match < best))
			best = match;
	}
	for (uint32_t i = 0; i < t->labels.n; i++)
		is_wanted[i] = best != MATCH_NONE && is_there[i] &&
			       match_of(&t->labels.p[i], text) == best;
	return best;
}

struct near {
	uint32_t label, distance;
	uint64_t total;
};

static int compare_near(const void *a, const void *b)
{
	const struct near *x = a, *y = b;
	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return (x->label > y->label) - (x->label < y->label);
}

/* Functions with the same name, in several files or with different template arguments, are one suggestion. */
static bool is_named(const struct tree *t, const uint32_t *labels, uint32_t n, uint32_t label)
{
	for (uint32_t i = 0; i < n; i++)
		if (str_eq(function_of(&t->labels.p[labels[i]]), function_of(&t->labels.p[label])))
			return true;
	return false;
}

uint32_t report_nearest(const struct tree *t, struct str text, uint32_t *labels, uint32_t n)
{
	enum { LONGEST_NAME = 500 };
	uint32_t found = 0;
	VEC(struct near) list = { 0 };
	AUTO(functions) struct functions functions = { 0 };
	functions_of_tree(t, &functions);
	text = str_first(text, STR_DISTANCE_BYTES);
	for (uint32_t i = 0; i < functions.rows.n; i++) {
		const struct function *f = &functions.rows.p[i];
		const struct tree_label *l = &t->labels.p[f->label];
		if (l->is_process)
			continue;
		uint32_t d = str_distance(str_first(function_of(l), LONGEST_NAME), text);
		if (d * 2 <= text.n) /* at least half of it is right */
			vec_push(&list, (struct near){ f->label, d, f->total[0] });
	}
	if (list.n)
		qsort(list.p, list.n, sizeof(*list.p), compare_near);
	for (uint32_t i = 0; found < n && i < list.n; i++)
		if (!is_named(t, labels, found, list.p[i].label))
			labels[found++] = list.p[i].label;
	vec_fini(&list);
	return found;
}
