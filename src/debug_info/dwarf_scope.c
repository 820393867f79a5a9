/*
 * Finds the scope that an entry is declared in, because entries do not say. The walk that finds functions leaves a
 * list of scopes; the inside of functions, such as the classes of lambdas, is walked on demand.
 */
#include "debug_info/dwarf_int.h"

struct open_scope {
	struct dwarf_parent self;
	uint32_t depth;
};

struct walk {
	struct dwarf_unit *u;
	struct cursor c;
	const char *section;
	uint64_t goal;
	uint32_t depth;
	VEC(struct open_scope) open;
};

static const struct dwarf_scope *find_listed(struct dwarf_unit *u, uint64_t die)
{
	uint32_t from = 0, to = u->scopes.n;
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (u->scopes.p[middle].start < die)
			from = middle + 1;
		else
			to = middle;
	}
	uint32_t i = from ? from - 1 : INDEX_NONE;
	while (i != INDEX_NONE && u->scopes.p[i].end <= die &&
	       dwarf_spend(&u->file->info->budget, 1))
		i = u->scopes.p[i].parent;
	return i == INDEX_NONE ? NULL : &u->scopes.p[i];
}

/* Returns false when the goal has been reached, or cannot be reached. */
static bool step(struct walk *w)
{
	uint64_t offset = (uint64_t)(w->c.p - w->section), behind;
	if (offset >= w->goal)
		return false;
	uint64_t code = cursor_uleb(&w->c);
	if (!code) {
		w->depth--;
		while (w->open.n && w->open.p[w->open.n - 1].depth >= w->depth)
			w->open.n--;
		return w->depth && !w->c.is_short;
	}
	const struct dwarf_abbreviation *a = dwarf_abbreviation_find(w->u->abbreviations, code);
	if (!a)
		return false;
	if (a->has_children && dwarf_find_sibling(w->u, &w->c, a, &behind) && behind <= w->goal) {
		w->c.p = w->section + behind;
		return true;
	}
	if (a->has_children && dwarf_is_scope(a->tag))
		vec_push(&w->open,
			 (struct open_scope){ { offset, a->tag == DW_TAG_subprogram }, w->depth });
	w->depth += a->has_children;
	return dwarf_skip_attributes(w->u, &w->c, a);
}

static void find_in_function(struct dwarf_unit *u, uint64_t die, struct dwarf_parent *parent)
{
	struct dwarf_die function;
	if (!dwarf_read_die(u, parent->die, &function))
		return;
	struct str info = str_first(u->file->sections[DWARF_INFO], u->end);
	struct walk w = { .u = u,
			  .c = cursor_at(info, function.next),
			  .section = info.p,
			  .goal = die,
			  .depth = 1 };
	while (dwarf_spend(&u->file->info->budget, 1) && step(&w))
		;
	if (w.open.n)
		*parent = w.open.p[w.open.n - 1].self;
	vec_fini(&w.open);
}

bool dwarf_find_parent(struct dwarf_unit *u, uint64_t die, struct dwarf_parent *parent)
{
	dwarf_find_functions(u, false);
	const struct dwarf_scope *s = find_listed(u, die);
	if (!s)
		return false;
	*parent = (struct dwarf_parent){ s->start, s->is_function };
	if (s->is_function)
		find_in_function(u, die, parent);
	return true;
}
