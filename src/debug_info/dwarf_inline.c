/*
 * What was inlined into a function (3.3.8): on first use, walks its entries and makes sorted pieces
 * of code, each with its innermost function.
 */
#include "debug_info/dwarf_int.h"

/* Inlined functions whose children are being walked. */
struct open_inline {
	uint32_t number, depth;
};

struct walk {
	struct dwarf_unit *u;
	struct cursor c;
	const char *section;
	uint32_t depth;
	VEC(struct open_inline) open;
	struct dwarf_spans spans;
};

static void add_span(void *to, struct dwarf_range range)
{
	struct walk *w = to;
	struct debug_info *d = w->u->file->info;
	if (dwarf_keep(&d->budget, sizeof(struct dwarf_span)))
		vec_push(&w->spans, (struct dwarf_span){ .low = range.low,
							 .high = range.high,
							 .of = d->inlines.n });
}

static uint32_t small(uint64_t value)
{
	return value > UINT32_MAX ? 0 : (uint32_t)value;
}

static void add_inline(struct walk *w, const struct dwarf_die *die)
{
	struct debug_info *d = w->u->file->info;
	struct dwarf_inline i = {
		.die = die->offset,
		.parent = w->open.n ? w->open.p[w->open.n - 1].number : INDEX_NONE,
		.call_file = small(dwarf_die_constant(die, SLOT_CALL_FILE)),
		.call_line = small(dwarf_die_constant(die, SLOT_CALL_LINE)),
		.call_column = small(dwarf_die_constant(die, SLOT_CALL_COLUMN)),
		.name = INDEX_NONE,
	};
	if (!dwarf_keep(&d->budget, sizeof(i)))
		return;
	dwarf_each_range(w->u, die, add_span, w);
	if (die->abbreviation->has_children)
		vec_push(&w->open, (struct open_inline){ d->inlines.n, w->depth });
	vec_push(&d->inlines, i);
}

static void close_inlines(struct walk *w)
{
	while (w->open.n && w->open.p[w->open.n - 1].depth >= w->depth)
		w->open.n--;
}

static bool step(struct walk *w)
{
	struct dwarf_die die = { .offset = (uint64_t)(w->c.p - w->section) };
	uint64_t code = cursor_uleb(&w->c);
	if (!code) {
		w->depth--;
		close_inlines(w);
		return w->depth && !w->c.is_short;
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

/* --- pieces --- */

static void add_piece(struct debug_info *d, uint32_t first, struct dwarf_piece piece)
{
	if (d->pieces.n > first && d->pieces.p[d->pieces.n - 1].low == piece.low)
		d->pieces.p[d->pieces.n - 1].of = piece.of;
	else if (dwarf_keep(&d->budget, sizeof(piece)))
		vec_push(&d->pieces, piece);
}

/* Closes everything that ends before an address; what encloses it continues there. */
static void end_spans(struct debug_info *d, uint32_t first, struct dwarf_spans *around, uint64_t at)
{
	while (around->n && around->p[around->n - 1].high <= at) {
		uint64_t high = around->p[--around->n].high;
		uint32_t of = around->n ? around->p[around->n - 1].of : INDEX_NONE;
		add_piece(d, first, (struct dwarf_piece){ high, of });
	}
}

static void cut_to_pieces(struct debug_info *d, struct dwarf_spans *spans)
{
	struct dwarf_spans around = { 0 };
	uint32_t first = d->pieces.n;
	if (spans->n)
		qsort(spans->p, spans->n, sizeof(*spans->p), dwarf_spans_nest);
	for (uint32_t i = 0; i < spans->n; i++) {
		struct dwarf_span s = spans->p[i];
		end_spans(d, first, &around, s.low);
		/* An entry that claims to extend beyond its parent is clipped. */
		if (around.n && s.high > around.p[around.n - 1].high)
			s.high = around.p[around.n - 1].high;
		vec_push(&around, s);
		add_piece(d, first, (struct dwarf_piece){ s.low, s.of });
	}
	end_spans(d, first, &around, UINT64_MAX);
	vec_fini(&around);
}

static void find_inlines(struct dwarf_unit *u, struct dwarf_function *f)
{
	struct debug_info *d = u->file->info;
	struct dwarf_die die;
	f->is_walked = true;
	f->first_piece = d->pieces.n;
	if (!dwarf_read_die(u, f->die, &die) || !die.abbreviation->has_children)
		return;
	struct str info = str_first(u->file->sections[DWARF_INFO], u->end);
	struct walk w = { .u = u, .c = cursor_at(info, die.next), .section = info.p, .depth = 1 };
	while (dwarf_spend(&d->budget, 1) && step(&w))
		;
	cut_to_pieces(d, &w.spans);
	f->piece_count = d->pieces.n - f->first_piece;
	vec_fini(&w.open);
	vec_fini(&w.spans);
}

static uint32_t innermost_at(const struct debug_info *d, const struct dwarf_function *f,
			     uint64_t address)
{
	uint32_t from = f->first_piece, to = f->first_piece + f->piece_count;
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (d->pieces.p[middle].low <= address)
			from = middle + 1;
		else
			to = middle;
	}
	return from > f->first_piece ? d->pieces.p[from - 1].of : INDEX_NONE;
}

uint32_t dwarf_inlines_at(struct dwarf_unit *u, uint32_t function, uint64_t address,
			  uint32_t *chain)
{
	struct debug_info *d = u->file->info;
	struct dwarf_function *f = &u->functions.p[function];
	if (!f->is_walked)
		find_inlines(u, f);
	uint32_t innermost = innermost_at(d, f, address), n = 0;
	for (uint32_t i = innermost; i != INDEX_NONE && dwarf_spend(&d->budget, 1);
	     i = d->inlines.p[i].parent)
		n++;
	/* If there are too many, drops the innermost ones: a stack is recognised by its callers. */
	uint32_t i = innermost;
	for (; n > DEBUG_MAX_INLINES; n--)
		i = d->inlines.p[i].parent;
	for (uint32_t at = n; at--; i = d->inlines.p[i].parent)
		chain[at] = i;
	return n;
}
