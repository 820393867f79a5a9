/*
 * The functions of a unit, and the namespaces and classes that they are declared in: one walk over the
 * entries. What is inside of functions is passed over where the compiler left the means to (gcc does),
 * unless with_nested asks for it.
 */
#include "symbol/dwarf_int.h"

struct walk {
	struct dwarf_unit *u;
	struct dwarf_cursor c;
	const uint8_t *section;
	bool with_nested;
	uint32_t depth; /* 1: children of the unit */
	uint32_t scope; /* the innermost that is open, or INDEX_NONE */
};

static uint64_t position(const struct walk *w)
{
	return (uint64_t)(w->c.p - w->section);
}

static bool is_scope(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type: /* Rust's have functions */
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

/* Where the entry behind the children of this one is; false: it does not say. */
static bool find_sibling(const struct walk *w, const struct dwarf_die *die, uint64_t *at)
{
	struct dwarf_unit *unit;
	return dwarf_has(die, SLOT_SIBLING) &&
	       dwarf_reference(w->u, die->values[SLOT_SIBLING], &unit, at) && unit == w->u &&
	       *at >= die->next;
}

static void open_scope(struct walk *w, const struct dwarf_die *die, uint64_t end, bool is_passed)
{
	struct dwarf_unit *u = w->u;
	if (!dwarf_keep(&u->file->info->budget, sizeof(struct dwarf_scope)))
		return;
	struct dwarf_scope s = { die->offset, end, w->scope, w->depth,
				 die->abbreviation->tag == DW_TAG_subprogram };
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

/* An entry that matters, or that has a short way past its children. */
static bool visit(struct walk *w, const struct dwarf_abbreviation *a, uint64_t offset)
{
	struct dwarf_die die;
	uint64_t behind = w->u->end;
	bool is_function = a->tag == DW_TAG_subprogram;
	die.offset = offset;
	if (!dwarf_read_attributes(w->u, &w->c, a, &die))
		return false;
	if (is_function)
		add_function(w->u, &die);
	if (!a->has_children)
		return true;
	bool is_passed = !w->with_nested && (is_function || !is_scope(a->tag)) &&
			 find_sibling(w, &die, &behind);
	if (is_scope(a->tag))
		open_scope(w, &die, behind, is_passed);
	if (is_passed)
		w->c.p = w->section + behind;
	else
		w->depth++;
	return true;
}

static bool step(struct walk *w)
{
	uint64_t offset = position(w);
	uint64_t code = dwarf_uleb(&w->c);
	if (!code) {
		w->depth--;
		close_scopes(w);
		return w->depth && !w->c.is_bad;
	}
	const struct dwarf_abbreviation *a = dwarf_abbreviation_find(w->u->abbreviations, code);
	if (!a)
		return false;
	if (a->tag == DW_TAG_subprogram ||
	    (a->has_children && (a->has_sibling || is_scope(a->tag))))
		return visit(w, a, offset);
	w->depth += a->has_children;
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
			  .c = dwarf_cursor_at(info, first.next),
			  .section = (const uint8_t *)info.p,
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
