/* What was inlined into a function (3.3.8): a walk over its entries when it is first asked for. */
#include "symbol/dwarf_int.h"

/* Inlined functions that are open while their children are walked. */
struct open_inline {
	uint32_t number, depth;
};

struct walk {
	struct dwarf_unit *u;
	struct dwarf_cursor c;
	const uint8_t *section;
	uint32_t depth;
	VEC(struct open_inline) open;
};

static void add_range(void *to, struct dwarf_range range)
{
	struct debug_info *d = to;
	if (dwarf_keep(&d->budget, sizeof(range)))
		vec_push(&d->ranges, range);
}

static uint32_t small(uint64_t value)
{
	return value > UINT32_MAX ? 0 : (uint32_t)value;
}

static void add_inline(struct walk *w, const struct dwarf_die *die)
{
	struct debug_info *d = w->u->file->info;
	struct dwarf_inline i = { .die = die->offset,
				  .end = d->inlines.n + 1,
				  .first_range = d->ranges.n,
				  .call_file = small(dwarf_die_constant(die, SLOT_CALL_FILE)),
				  .call_line = small(dwarf_die_constant(die, SLOT_CALL_LINE)),
				  .call_column = small(dwarf_die_constant(die, SLOT_CALL_COLUMN)),
				  .name = INDEX_NONE };
	if (!dwarf_keep(&d->budget, sizeof(i)))
		return;
	dwarf_each_range(w->u, die, add_range, d);
	i.range_count = d->ranges.n - i.first_range;
	if (die->abbreviation->has_children)
		vec_push(&w->open, (struct open_inline){ d->inlines.n, w->depth });
	vec_push(&d->inlines, i);
}

static void close_inlines(struct walk *w)
{
	struct debug_info *d = w->u->file->info;
	while (w->open.n && w->open.p[w->open.n - 1].depth >= w->depth)
		d->inlines.p[w->open.p[--w->open.n].number].end = d->inlines.n;
}

static bool step(struct walk *w)
{
	struct dwarf_die die = { .offset = (uint64_t)(w->c.p - w->section) };
	uint64_t code = dwarf_uleb(&w->c);
	if (!code) {
		w->depth--;
		close_inlines(w);
		return w->depth && !w->c.is_bad;
	}
	const struct dwarf_abbreviation *a = dwarf_abbreviation_find(w->u->abbreviations, code);
	if (!a)
		return false;
	if (a->tag != DW_TAG_inlined_subroutine) {
		w->depth += a->has_children;
		return dwarf_skip_attributes(w->u, &w->c, a);
	}
	if (!dwarf_read_attributes(w->u, &w->c, a, &die))
		return false;
	add_inline(w, &die);
	w->depth += a->has_children;
	return true;
}

static void find_inlines(struct dwarf_unit *u, struct dwarf_function *f)
{
	struct debug_info *d = u->file->info;
	struct dwarf_die die;
	f->is_walked = true;
	f->first_inline = d->inlines.n;
	if (!dwarf_read_die(u, f->die, &die) || !die.abbreviation->has_children)
		return;
	struct str info = str_first(u->file->sections[DWARF_INFO], u->end);
	struct walk w = { .u = u,
			  .c = dwarf_cursor_at(info, die.next),
			  .section = (const uint8_t *)info.p,
			  .depth = 1 };
	while (dwarf_spend(&d->budget, 1) && step(&w))
		;
	w.depth = 0;
	close_inlines(&w);
	vec_fini(&w.open);
	f->inline_count = d->inlines.n - f->first_inline;
}

static bool covers(const struct debug_info *d, const struct dwarf_inline *i, uint64_t address)
{
	for (uint32_t r = i->first_range; r < i->first_range + i->range_count; r++)
		if (address >= d->ranges.p[r].low && address < d->ranges.p[r].high)
			return true;
	return false;
}

uint32_t dwarf_inlines_at(struct dwarf_unit *u, uint32_t function, uint64_t address,
			  uint32_t *chain)
{
	struct debug_info *d = u->file->info;
	struct dwarf_function *f = &u->functions.p[function];
	if (!f->is_walked)
		find_inlines(u, f);
	uint32_t n = 0, end = f->first_inline + f->inline_count;
	for (uint32_t i = f->first_inline; i < end && dwarf_spend(&d->budget, 1);) {
		if (!covers(d, &d->inlines.p[i], address)) {
			i = d->inlines.p[i].end;
			continue;
		}
		end = d->inlines.p[i].end;
		chain[n++] = i++;
		if (n == DEBUG_MAX_INLINES)
			break;
	}
	return n;
}
