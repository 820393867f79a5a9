/*
 * Finds the unit that an address belongs to: from .debug_aranges (6.1.2), which is short and in one
 * place; for units missing there (clang and rustc write none) from their first entries, or, if
 * those do not say either, from their functions.
 */
#include "debug_info/dwarf_int.h"

struct adding {
	struct debug_info *d;
	uint64_t unit;
	uint32_t of; /* INDEX_NONE before the first one */
};

static void add_span(void *to, struct dwarf_range range)
{
	struct adding *a = to;
	struct debug_info *d = a->d;
	if (!dwarf_keep(&d->budget, sizeof(struct dwarf_span)))
		return;
	if (a->of == INDEX_NONE) {
		a->of = d->span_units.n;
		vec_push(&d->span_units, a->unit);
	}
	vec_push(&d->spans,
		 (struct dwarf_span){ .low = range.low, .high = range.high, .of = a->of });
}

/* Reads one unit's addresses. Returns false if the next unit cannot be found. */
static bool read_set(struct debug_info *d, struct cursor *all)
{
	struct cursor c = *all;
	const char *start = c.p;
	uint8_t offset_bytes;
	if (!dwarf_unit_length(&c, &offset_bytes))
		return false;
	all->p = c.end;
	uint64_t version = cursor_unsigned(&c, 2);
	struct adding a = { d, cursor_unsigned(&c, offset_bytes), INDEX_NONE };
	unsigned bytes = cursor_u8(&c), segment_bytes = cursor_u8(&c);
	if (c.is_short || version != 2 || (bytes != 4 && bytes != 8) || segment_bytes)
		return true;
	uint64_t before = (uint64_t)(c.p - start) % (2 * bytes);
	cursor_take(&c, before ? 2 * bytes - before : 0);
	while (dwarf_spend(&d->budget, 1)) {
		uint64_t low = cursor_unsigned(&c, bytes), n = cursor_unsigned(&c, bytes);
		if (c.is_short || (!low && !n))
			return true;
		if (low && n && low + n > low && low >= d->code_low && low < d->code_high)
			add_span(&a, (struct dwarf_range){ low, low + n });
	}
	return false;
}

static void read_aranges(struct debug_info *d)
{
	struct cursor all = cursor_at(d->files.p[0]->sections[DWARF_ARANGES], 0);
	d->has_aranges = true;
	while (cursor_left(&all) && read_set(d, &all))
		;
	dwarf_spans_sort(&d->spans);
}

/* Adds the spans of a unit's functions if the unit does not say where it is. */
static void add_function_spans(struct dwarf_unit *u, struct adding *a)
{
	struct dwarf_unit *full = dwarf_full_unit(u);
	if (!full)
		return;
	dwarf_find_functions(full, false);
	for (uint32_t i = 0; i < full->spans.n; i++)
		add_span(a, (struct dwarf_range){ full->spans.p[i].low, full->spans.p[i].high });
}

static void add_unit(struct debug_info *d, struct dwarf_unit *u)
{
	struct adding a = { d, u->offset, INDEX_NONE };
	struct dwarf_die die;
	if (u->is_in_aranges || (u->tag != DW_TAG_compile_unit && u->tag != DW_TAG_skeleton_unit) ||
	    !dwarf_read_die(u, u->first_die, &die))
		return;
	if (!dwarf_each_range(u, &die, add_span, &a))
		add_function_spans(u, &a);
}

static void read_first_dies(struct debug_info *d)
{
	struct dwarf_file *file = d->files.p[0];
	d->has_roots = true;
	dwarf_list_units(file);
	for (uint32_t i = 0; i < d->span_units.n; i++) {
		struct dwarf_unit *u = dwarf_unit_at(file, d->span_units.p[i]);
		if (u)
			u->is_in_aranges = true;
	}
	for (uint32_t i = 0; i < file->unit_offsets.n && !d->budget.is_spent; i++) {
		struct dwarf_unit *u = dwarf_unit_at(file, file->unit_offsets.p[i]);
		if (u)
			add_unit(d, u);
	}
	dwarf_spans_sort(&d->spans);
}

struct dwarf_unit *dwarf_unit_of_address(struct debug_info *d, uint64_t address)
{
	if (!d->has_aranges)
		read_aranges(d);
	uint32_t i = dwarf_spans_find(d, &d->spans, address);
	if (i == INDEX_NONE && !d->has_roots) {
		read_first_dies(d);
		i = dwarf_spans_find(d, &d->spans, address);
	}
	if (i == INDEX_NONE)
		return NULL;
	return dwarf_unit_at(d->files.p[0], d->span_units.p[d->spans.p[i].of]);
}
