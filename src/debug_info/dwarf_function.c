/*
 * Finds the functions of a unit, and the namespaces and classes they are declared in, in one walk over the entries.
 * Skips the inside of functions if the compiler made that possible (gcc does), unless with_nested asks for it.
 */
#include "debug_info/dwarf_int.h"

struct walk {
	struct dwarf_unit *u;
	struct cursor c;
	const char *section;
	bool with_nested;
	uint32_t depth; /* 1: children of the unit */
	uint32_t scope; /* the innermost open one, or INDEX_NONE */
};

static uint64_t position(const struct walk *w)
{
	return (uint64_t)(w->c.p - w->section);
}

bool dwarf_is_scope(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type: /* Rust's can have functions */
	case DW_TAG_module:
	case DW_TAG_subprogram:
		return true;
	default:
		return false;
	}
}

static void add_span(void *to, struct dwarf_range range)
{
	struct dwarf_unit *u = to;
	if (dwarf_keep(&u->file->info->budget, sizeof(struct dwarf_span)))
		vec_push(&u->spans, (struct dwarf_span){ .low = range.low,
							 .high = range.high,
							 .of = u->functions.n });
}

static void add_function(struct dwarf_unit *u, const struct dwarf_die *die)
{
	uint32_t before = u->spans.n;
	dwarf_each_range(u, die, add_span, u);
	if (u->spans.n > before && dwarf_keep(&u->file->info->budget, sizeof(*u->functions.p)))
		vec_push(&u->functions, (struct dwarf_function){ .die = die->offset });
}

static void open_scope(struct walk *w, struct dwarf_scope s, bool is_passed)
{
	struct dwarf_unit *u = w->u;
	if (!dwarf_keep(&u->file->info->budget, sizeof(struct dwarf_scope)))
		return;
	if (!is_passed)
		w->scope = u->scopes.n;
	vec_push(&u->scopes, s);
}

static void close_scopes(struct walk *w)
{
	while (w->scope != INDEX_NONE && w->u->scopes.p[w->scope].depth >= w->depth) {
		struct dwarf_scope *s = &w->u->scopes.p[w->scope];
		s->end = position(w);
		w->scope = s->parent;
	}
}

static bool add_code(struct walk *w, const struct dwarf_abbreviation *a, uint64_t offset)
{
	struct dwarf_die die;
	struct cursor c = w->c;
	die.offset = offset;
	if (!dwarf_read_attributes(w->u, &c, a, &die))
		return false;
	add_function(w->u, &die);
	return true;
}

/* An entry with children. */
static bool enter(struct walk *w, const struct dwarf_abbreviation *a, uint64_t offset)
{
	bool is_function = a->tag == DW_TAG_subprogram;
	struct dwarf_scope s = { offset, w->u->end, w->scope, w->depth, is_function };
	bool is_passed = !w->with_nested && (is_function || !dwarf_is_scope(a->tag)) &&
			 dwarf_find_sibling(w->u, &w->c, a, &s.end);
	if (dwarf_is_scope(a->tag))
		open_scope(w, s, is_passed);
	if (is_passed) {
		w->c.p = w->section + s.end;
		return true;
	}
	w->depth++;
	return dwarf_skip_attributes(w->u, &w->c, a);
}

static bool step(struct walk *w)
{
	uint64_t offset = position(w);
	uint64_t code = cursor_uleb(&w->c);
	if (!code) {
		w->depth--;
		close_scopes(w);
		return w->depth && !w->c.is_short;
	}
	const struct dwarf_abbreviation *a = dwarf_abbreviation_find(w->u->abbreviations, code);
	if (!a)
		return false;
	if (a->tag == DW_TAG_subprogram && a->has_code && !add_code(w, a, offset))
		return false;
	if (a->has_children)
		return enter(w, a, offset);
	return dwarf_skip_attributes(w->u, &w->c, a);
}

static void forget(struct dwarf_unit *u)
{
	u->spans.n = 0;
	u->functions.n = 0;
	u->scopes.n = 0;
}

void dwarf_find_functions(struct dwarf_unit *u, bool with_nested)
{
	struct dwarf_die first;
	if (with_nested ? u->has_nested_functions : u->has_functions)
		return;
	u->has_functions = true;
	u->has_nested_functions = with_nested;
	forget(u);
	if (!dwarf_read_die(u, u->first_die, &first) || !first.abbreviation->has_children)
		return;
	struct str info = str_first(u->file->sections[DWARF_INFO], u->end);
	struct walk w = { .u = u,
			  .c = cursor_at(info, first.next),
			  .section = info.p,
			  .with_nested = with_nested,
			  .depth = 1,
			  .scope = INDEX_NONE };
	while (dwarf_spend(&u->file->info->budget, 1) && step(&w))
		;
	dwarf_spans_sort(&u->spans);
}

uint32_t dwarf_function_at(struct dwarf_unit *u, uint64_t address)
{
	struct debug_info *d = u->file->info;
	dwarf_find_functions(u, false);
	uint32_t i = dwarf_spans_find(d, &u->spans, address);
	if (i == INDEX_NONE && !u->has_nested_functions) {
		dwarf_find_functions(u, true);
		i = dwarf_spans_find(d, &u->spans, address);
	}
	return i == INDEX_NONE ? INDEX_NONE : u->spans.p[i].of;
}
