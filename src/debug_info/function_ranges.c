/* The entries of .eh_frame and .eh_frame_hdr, as far as they say where functions are (LSB 5.0, 10.6). */
#include "debug_info/dwarf_int.h"
#include "debug_info/function_ranges.h"

enum {
	FORMAT_MASK = 0x0f,
	FROM_MASK = 0x70,
	SORTED_HEAD_BYTES = 4,
	SORTED_ROW_BYTES = 8,
	MAX_LIST = 1 << 22, /* the largest programs have a million */
};

static int32_t s32_at(struct str bytes, size_t at)
{
	int32_t value;
	memcpy(&value, bytes.p + at, sizeof(value));
	return value;
}

/* --- pointers --- */

/* Pointers of fixed size, as linkers write them; 0 for other encodings. */
static unsigned pointer_bytes(const struct function_ranges *f, uint8_t encoding)
{
	switch (encoding & FORMAT_MASK) {
	case DW_EH_PE_absptr:
		return f->is_64 ? 8 : 4;
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2:
		return 2;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		return 4;
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return 8;
	default:
		return 0;
	}
}

static uint64_t take_pointer(const struct function_ranges *f, struct cursor *c, uint8_t encoding)
{
	unsigned n = pointer_bytes(f, encoding);
	uint64_t here = f->frames_address + (uint64_t)(c->p - f->frames.p);
	uint64_t value = cursor_unsigned(c, n);
	unsigned spare = 64 - 8 * n;
	if (encoding & DW_EH_PE_signed && n)
		value = (uint64_t)((int64_t)(value << spare) >> spare);
	if ((encoding & FROM_MASK) == DW_EH_PE_pcrel)
		value += here;
	return f->is_64 ? value : (uint32_t)value;
}

/* --- entries --- */

/* How the FDEs of a CIE encode addresses. Returns false if the encoding is not supported. */
static bool read_cie(const struct function_ranges *f, uint64_t at, uint8_t *encoding)
{
	struct cursor c = cursor_at(f->frames, at);
	uint8_t offset_bytes;
	*encoding = DW_EH_PE_absptr;
	if (!dwarf_unit_length(&c, &offset_bytes) || offset_bytes != 4 ||
	    cursor_unsigned(&c, 4) != 0)
		return false;
	uint8_t version = cursor_u8(&c);
	struct str letters = cursor_c_string(&c);
	if ((version != 1 && version != 3) || (letters.n && letters.p[0] != 'z'))
		return false;
	cursor_uleb(&c);
	cursor_sleb(&c);
	if (version == 1)
		cursor_u8(&c);
	else
		cursor_uleb(&c);
	if (letters.n)
		cursor_uleb(&c);
	for (size_t i = 1; i < letters.n && !c.is_short; i++) {
		uint8_t byte = strchr("RLP", letters.p[i]) ? cursor_u8(&c) : 0;
		if (letters.p[i] == 'R')
			*encoding = byte;
		else if (letters.p[i] == 'P' && pointer_bytes(f, byte))
			cursor_take(&c, pointer_bytes(f, byte));
		else if (!strchr("RLSBG", letters.p[i]))
			return false;
	}
	uint8_t from = *encoding & ~FORMAT_MASK;
	return !c.is_short && pointer_bytes(f, *encoding) &&
	       (from == DW_EH_PE_pcrel || from == DW_EH_PE_absptr);
}

/* Caches the CIE that neighbouring entries share. */
struct last_cie {
	uint64_t at;
	bool is_good;
	uint8_t encoding;
};

/* Reads the entry at the cursor and moves past it. Returns false if it is not an FDE, or is invalid. */
static bool read_entry(const struct function_ranges *f, struct cursor *c, struct last_cie *cie,
		       struct function_range *range)
{
	struct cursor entry = *c;
	uint8_t offset_bytes;
	if (!dwarf_unit_length(&entry, &offset_bytes)) {
		cursor_fail(c);
		return false;
	}
	c->p = entry.end;
	uint64_t here = (uint64_t)(entry.p - f->frames.p);
	uint64_t back = cursor_unsigned(&entry, 4);
	if (entry.is_short || offset_bytes != 4 || !back || back > here)
		return false;
	if (here - back != cie->at) {
		cie->at = here - back;
		cie->is_good = read_cie(f, cie->at, &cie->encoding);
	}
	if (!cie->is_good)
		return false;
	range->start = take_pointer(f, &entry, cie->encoding);
	range->end = range->start + take_pointer(f, &entry, cie->encoding & FORMAT_MASK);
	return !entry.is_short && range->end > range->start;
}

static int by_start(const void *a, const void *b)
{
	const struct function_range *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static void read_list(struct function_ranges *f)
{
	struct cursor c = cursor_at(f->frames, 0);
	struct last_cie cie = { .at = UINT64_MAX };
	while (cursor_left(&c) && f->list.n < MAX_LIST) {
		struct function_range range;
		const char *before = c.p;
		if (read_entry(f, &c, &cie, &range))
			vec_push(&f->list, range);
		else if (c.p - before == sizeof(uint32_t))
			break; /* a length of 0 marks the end */
	}
	f->n = f->list.n;
	if (f->n)
		qsort(f->list.p, f->n, sizeof(*f->list.p), by_start);
}

/* --- the linker's table --- */

/* All linkers write it like this: everything in four bytes, relative to the table's own address. */
static bool take_sorted(struct function_ranges *f, struct elf *elf)
{
	static const char head[SORTED_HEAD_BYTES] = { 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4,
						      DW_EH_PE_udata4,
						      DW_EH_PE_datarel | DW_EH_PE_sdata4 };
	enum { COUNT_AT = SORTED_HEAD_BYTES + 4, ROWS_AT = COUNT_AT + 4 };
	const struct elf_section *s = elf_find_section(elf, STR(".eh_frame_hdr"));
	if (!s || s->flags & SHF_COMPRESSED)
		return false;
	struct str bytes = elf_section_bytes(elf, s);
	if (bytes.n < ROWS_AT || memcmp(bytes.p, head, sizeof(head)) != 0)
		return false;
	uint32_t n = (uint32_t)s32_at(bytes, COUNT_AT);
	uint64_t most = (bytes.n - ROWS_AT) / SORTED_ROW_BYTES;
	f->sorted = str_from_byte(bytes, ROWS_AT);
	f->sorted_from = s->address;
	f->n = n < most ? n : (uint32_t)most;
	return f->n;
}

void function_ranges_init(struct function_ranges *f, struct elf *elf)
{
	const struct elf_section *s = elf_find_section(elf, STR(".eh_frame"));
	*f = (struct function_ranges){ .is_64 = elf->is_64 };
	if (!s || s->flags & SHF_COMPRESSED)
		return;
	f->frames = elf_section_bytes(elf, s);
	f->frames_address = s->address;
	if (!f->frames.n || take_sorted(f, elf))
		return;
	/* Everything is read, and each entry of 16 bytes or more becomes a row of 16, in a list that doubles. */
	if (elf_section_scan(elf, s).n && budget_hold(&elf->budget, 2 * f->frames.n))
		read_list(f);
}

void function_ranges_fini(struct function_ranges *f)
{
	vec_fini(&f->list);
}

/* --- lookup --- */

uint64_t function_ranges_start(const struct function_ranges *f, uint32_t i)
{
	if (f->list.n)
		return f->list.p[i].start;
	uint64_t start =
		f->sorted_from + (uint64_t)(int64_t)s32_at(f->sorted, i * (size_t)SORTED_ROW_BYTES);
	return f->is_64 ? start : (uint32_t)start;
}

uint32_t function_ranges_find(const struct function_ranges *f, uint64_t address)
{
	uint32_t low = 0, high = f->n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (function_ranges_start(f, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : INDEX_NONE;
}

bool function_ranges_get(const struct function_ranges *f, uint32_t i, struct function_range *range)
{
	struct last_cie cie = { .at = UINT64_MAX };
	if (f->list.n) {
		*range = f->list.p[i];
		return true;
	}
	uint64_t at = f->sorted_from - f->frames_address +
		      (uint64_t)(int64_t)s32_at(f->sorted, i * (size_t)SORTED_ROW_BYTES + 4);
	struct cursor c = cursor_at(f->frames, at);
	if (!read_entry(f, &c, &cie, range))
		return false;
	/* Both must agree: a table that does not belong to the entries is ignored. */
	return range->start == function_ranges_start(f, i);
}
