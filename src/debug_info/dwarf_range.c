/* Ranges of code: range lists (2.17.3, 7.25; before DWARF 5 in .debug_ranges), and lookup in them. */
#include "debug_info/dwarf_int.h"

struct list {
	struct dwarf_unit *unit;
	struct cursor c;
	uint64_t base;
	dwarf_range_fn *add;
	void *to;
	bool has_any;
};

/*
 * Code dropped by the linker is still described, at 0 or at the highest addresses, and so are empty
 * ranges: no address of the program is in any of them.
 */
static void add_range(struct list *l, uint64_t low, uint64_t high)
{
	const struct debug_info *d = l->unit->file->info;
	l->has_any = true;
	if (low < high && low && low >= d->code_low && low < d->code_high)
		l->add(l->to, (struct dwarf_range){ low, high });
}

static void read_old_list(struct list *l)
{
	unsigned bytes = l->unit->address_bytes;
	uint64_t highest = bytes == 8 ? UINT64_MAX : UINT32_MAX;
	while (dwarf_spend(&l->unit->file->info->budget, 1)) {
		uint64_t low = cursor_unsigned(&l->c, bytes), high = cursor_unsigned(&l->c, bytes);
		if (l->c.is_short || (!low && !high))
			return;
		if (low == highest)
			l->base = high;
		else
			add_range(l, l->base + low, l->base + high);
	}
}

static uint64_t take_index(struct list *l)
{
	uint64_t address;
	return dwarf_indexed_address(l->unit, cursor_uleb(&l->c), &address) ? address : 0;
}

/* Returns false at the end of the list. */
static bool read_entry(struct list *l)
{
	unsigned bytes = l->unit->address_bytes;
	uint64_t low;
	switch (cursor_u8(&l->c)) {
	case DW_RLE_base_addressx:
		l->base = take_index(l);
		return true;
	case DW_RLE_base_address:
		l->base = cursor_unsigned(&l->c, bytes);
		return true;
	case DW_RLE_startx_endx:
		low = take_index(l);
		add_range(l, low, take_index(l));
		return true;
	case DW_RLE_startx_length:
		low = take_index(l);
		add_range(l, low, low + cursor_uleb(&l->c));
		return true;
	case DW_RLE_offset_pair:
		low = l->base + cursor_uleb(&l->c);
		add_range(l, low, l->base + cursor_uleb(&l->c));
		return true;
	case DW_RLE_start_end:
		low = cursor_unsigned(&l->c, bytes);
		add_range(l, low, cursor_unsigned(&l->c, bytes));
		return true;
	case DW_RLE_start_length:
		low = cursor_unsigned(&l->c, bytes);
		add_range(l, low, low + cursor_uleb(&l->c));
		return true;
	default:
		return false;
	}
}

static void read_list(struct list *l)
{
	while (dwarf_spend(&l->unit->file->info->budget, 1) && !l->c.is_short && read_entry(l))
		;
}

static void find_old_list(struct list *l, uint64_t offset)
{
	const struct dwarf_unit *skeleton = l->unit->skeleton;
	struct dwarf_file *file = skeleton ? skeleton->file : l->unit->file;
	if (skeleton && __builtin_add_overflow(offset, skeleton->ranges_base, &offset))
		return;
	l->c = cursor_at(file->sections[DWARF_RANGES], offset);
	read_old_list(l);
}

static void find_list(struct list *l, struct dwarf_value v)
{
	struct str section = l->unit->file->sections[DWARF_RNGLISTS];
	uint64_t offset = v.u, at;
	if (v.form == DW_FORM_rnglistx) {
		if (__builtin_mul_overflow(v.u, l->unit->offset_bytes, &at) ||
		    __builtin_add_overflow(at, l->unit->rnglists_base, &at))
			return;
		struct cursor c = cursor_at(section, at);
		offset = cursor_unsigned(&c, l->unit->offset_bytes);
		if (c.is_short || __builtin_add_overflow(offset, l->unit->rnglists_base, &offset))
			return;
	}
	l->c = cursor_at(section, offset);
	read_list(l);
}

bool dwarf_each_range(struct dwarf_unit *u, const struct dwarf_die *die, dwarf_range_fn *add,
		      void *to)
{
	struct list l = { .unit = u, .add = add, .to = to };
	l.base = u->skeleton ? u->skeleton->low : u->low;
	uint64_t low, high;
	if (dwarf_has(die, SLOT_RANGES)) {
		if (u->version >= 5)
			find_list(&l, die->values[SLOT_RANGES]);
		else
			find_old_list(&l, dwarf_die_constant(die, SLOT_RANGES));
	} else if (dwarf_has(die, SLOT_LOW) && dwarf_has(die, SLOT_HIGH) &&
		   dwarf_address(u, die->values[SLOT_LOW], &low)) {
		struct dwarf_value v = die->values[SLOT_HIGH];
		if (!dwarf_is_address(v))
			high = low + dwarf_constant(v);
		else if (!dwarf_address(u, v, &high))
			return false;
		add_range(&l, low, high);
	}
	return l.has_any;
}

/* --- spans --- */

/* With equal starts the larger one goes first; with equal ranges, the later one. */
static int by_low(const void *a, const void *b)
{
	const struct dwarf_span *x = a, *y = b;
	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->high != y->high)
		return x->high > y->high ? -1 : 1;
	return x->of > y->of ? -1 : x->of < y->of;
}

int dwarf_spans_nest(const void *a, const void *b)
{
	const struct dwarf_span *x = a, *y = b;
	if (x->low != y->low || x->high != y->high)
		return by_low(a, b);
	return x->of < y->of ? -1 : x->of > y->of;
}

void dwarf_spans_sort(struct dwarf_spans *spans)
{
	bool is_sorted = true;
	for (uint32_t i = 1; i < spans->n && is_sorted; i++)
		is_sorted = by_low(&spans->p[i - 1], &spans->p[i]) <= 0;
	if (!is_sorted)
		qsort(spans->p, spans->n, sizeof(*spans->p), by_low);
	for (uint32_t i = 0; i < spans->n; i++) {
		struct dwarf_span *s = &spans->p[i];
		s->reach = i && s[-1].reach > s->high ? s[-1].reach : s->high;
	}
}

uint32_t dwarf_spans_find(struct debug_info *d, const struct dwarf_spans *spans, uint64_t address)
{
	uint32_t from = 0, to = spans->n;
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (spans->p[middle].low <= address)
			from = middle + 1;
		else
			to = middle;
	}
	while (from-- && spans->p[from].reach > address && dwarf_spend(&d->budget, 1))
		if (address < spans->p[from].high)
			return from;
	return INDEX_NONE;
}
