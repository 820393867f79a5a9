/*
 * Entries of .eh_frame and .debug_frame: CIEs, which hold what functions have in common, and FDEs,
 * one per range of code (DWARF 5, 6.4.1; Linux Standard Base, 10.6.1).
 */
#include "unwind/unwind_int.h"

#include <dwarf.h>

/* An encoding of pointers (LSB, 10.5.1): how it is written, what it counts from. */
enum {
	FORMAT_MASK = 0x0f,
	FROM_MASK = 0x70,
	/* Those of real files have less than 100 bytes; each FDE may make us run one. */
	MAX_CIE_PROGRAM_BYTES = 1024,
	MAX_LETTERS = 32,
};

/* --- pointers --- */

static uint64_t address_at(const struct cfi_section *s, const struct cursor *c)
{
	return s->address + (uint64_t)(c->p - s->bytes.p);
}

static bool read_format(struct cursor *c, uint8_t encoding, uint64_t *value)
{
	switch (encoding & FORMAT_MASK) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		*value = cursor_unsigned(c, 8);
		break;
	case DW_EH_PE_uleb128:
		*value = cursor_uleb(c);
		break;
	case DW_EH_PE_udata2:
		*value = cursor_unsigned(c, 2);
		break;
	case DW_EH_PE_udata4:
		*value = cursor_unsigned(c, 4);
		break;
	case DW_EH_PE_sleb128:
		*value = (uint64_t)cursor_sleb(c);
		break;
	case DW_EH_PE_sdata2:
		*value = (uint64_t)cursor_signed(c, 2);
		break;
	case DW_EH_PE_sdata4:
		*value = (uint64_t)cursor_signed(c, 4);
		break;
	default:
		return false;
	}
	return !c->is_short;
}

/* The word that the program finds at an address when it starts, as far as the file has it. */
static bool read_word(const struct elf *elf, uint64_t address, uint64_t *value)
{
	for (uint32_t i = 0; elf && i < elf->segments.n; i++) {
		const struct elf_segment *g = &elf->segments.p[i];
		if (address < g->address || address - g->address >= g->file_bytes)
			continue;
		uint64_t at = g->offset + (address - g->address);
		if (at > elf->bytes.n || elf->bytes.n - at < sizeof(*value))
			return false;
		memcpy(value, elf->bytes.p + at, sizeof(*value));
		return true;
	}
	return false;
}

static bool skip_to_aligned(const struct cfi_section *s, struct cursor *c)
{
	cursor_take(c, -address_at(s, c) & 7);
	return !c->is_short;
}

bool cfi_read_pointer(const struct cfi_section *s, struct cursor *c, uint8_t encoding,
		      uint64_t *value)
{
	*value = 0;
	if (encoding == DW_EH_PE_omit)
		return true;
	if ((encoding & FROM_MASK) == DW_EH_PE_aligned) {
		if (!skip_to_aligned(s, c))
			return false;
		encoding = DW_EH_PE_absptr;
	}
	uint64_t here = address_at(s, c);
	if (!read_format(c, encoding, value))
		return false;
	switch (encoding & FROM_MASK) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		*value += here;
		break;
	case DW_EH_PE_textrel:
		*value += s->text_address;
		break;
	case DW_EH_PE_datarel:
		*value += s->data_address;
		break;
	default:
		return false;
	}
	return !(encoding & DW_EH_PE_indirect) || read_word(s->elf, *value, value);
}

/* --- entries --- */

struct entry {
	uint64_t id;
	size_t id_at;
	bool is_cie, is_end;
	struct cursor rest;
};

/* The entry at *at, which moves behind it. */
static bool next_entry(const struct cfi_section *s, size_t *at, struct entry *entry)
{
	struct cursor c = cursor_over(str_from_byte(s->bytes, *at));
	uint64_t length = cursor_unsigned(&c, 4);
	unsigned id_bytes = 4;
	if (length == UINT32_MAX) {
		length = cursor_unsigned(&c, 8);
		id_bytes = 8;
	}
	struct str content = cursor_bytes(&c, length);
	if (c.is_short)
		return false;
	*at = s->bytes.n - cursor_left(&c);
	/* A length of 0 ends the list for whoever reads on and on; linkers put some in between. */
	*entry = (struct entry){ .is_end = length == 0,
				 .id_at = *at - content.n,
				 .rest = cursor_over(content) };
	if (entry->is_end)
		return true;
	entry->id = cursor_unsigned(&entry->rest, id_bytes);
	uint64_t of_cie = s->is_eh_frame ? 0 : id_bytes == 8 ? UINT64_MAX : UINT32_MAX;
	entry->is_cie = entry->id == of_cie;
	return true;
}

/* --- CIE --- */

/* The letters after 'z'; an unknown one ends what can be read, not more: its bytes are counted. */
static bool read_augmentation(const struct cfi_section *s, struct cursor *c, struct str letters,
			      struct cfi_cie *cie)
{
	uint64_t length = cursor_uleb(c);
	struct cursor data = cursor_part(c, length);
	uint64_t personality;
	for (size_t i = 0; i < letters.n; i++) {
		if (letters.p[i] == 'R')
			cie->pointer_encoding = cursor_u8(&data);
		else if (letters.p[i] == 'L')
			cursor_u8(&data);
		else if (letters.p[i] == 'S')
			cie->is_signal = true;
		else if (letters.p[i] == 'P') {
			/* Only its length matters: what it leads to may not be in the file. */
			uint8_t encoding = cursor_u8(&data);
			if (!cfi_read_pointer(s, &data, encoding & ~DW_EH_PE_indirect,
					      &personality))
				return false;
		} else if (letters.p[i] != 'B' && letters.p[i] != 'G')
			break;
	}
	return !data.is_short && !c->is_short;
}

static struct str take_text(struct cursor *c)
{
	struct str rest = str_first((struct str){ c->p, cursor_left(c) }, MAX_LETTERS);
	ptrdiff_t n = rest.n ? str_find_char(rest, 0) : -1;
	struct str text = cursor_bytes(c, n < 0 ? rest.n : (size_t)n);
	c->is_short |= cursor_u8(c) != 0;
	return text;
}

static bool read_factors(struct cursor *c, uint8_t version, struct cfi_cie *cie)
{
	cie->code_factor = cursor_uleb(c);
	cie->data_factor = cursor_sleb(c);
	cie->return_register = version == 1 ? cursor_u8(c) : cursor_uleb(c);
	return !c->is_short;
}

bool cfi_read_cie(const struct cfi_section *s, size_t at, struct cfi_cie *cie)
{
	struct entry entry;
	*cie = (struct cfi_cie){ .address_bytes = 8 };
	if (at >= s->bytes.n || !next_entry(s, &at, &entry) || entry.is_end || !entry.is_cie)
		return false;
	struct cursor *c = &entry.rest;
	uint8_t version = cursor_u8(c);
	struct str augmentation = take_text(c);
	if (c->is_short || (version != 1 && version != 3 && version != 4))
		return false;
	if (str_starts(augmentation, STR("eh"))) {
		cursor_unsigned(c, 8); /* g++ 2 put a pointer here */
		augmentation = str_from_byte(augmentation, 2);
	}
	if (version == 4) {
		cie->address_bytes = cursor_u8(c);
		cie->segment_bytes = cursor_u8(c);
	}
	if (!read_factors(c, version, cie) || cie->address_bytes > 8 || !cie->address_bytes)
		return false;
	cie->has_augmentation = str_starts(augmentation, STR("z"));
	if (augmentation.n && !cie->has_augmentation)
		return false;
	if (cie->has_augmentation && !read_augmentation(s, c, str_from_byte(augmentation, 1), cie))
		return false;
	cie->program = cursor_bytes(c, cursor_left(c));
	return cie->program.n <= MAX_CIE_PROGRAM_BYTES;
}

/* --- FDE --- */

static bool read_range(const struct cfi_section *s, struct cursor *c, const struct cfi_cie *cie,
		       struct cfi_fde *fde)
{
	uint64_t size_bytes;
	if (s->is_eh_frame) {
		if (!cfi_read_pointer(s, c, cie->pointer_encoding, &fde->start) ||
		    !cfi_read_pointer(s, c, cie->pointer_encoding & FORMAT_MASK, &size_bytes))
			return false;
	} else {
		cursor_take(c, cie->segment_bytes);
		fde->start = cursor_unsigned(c, cie->address_bytes);
		size_bytes = cursor_unsigned(c, cie->address_bytes);
	}
	fde->end = fde->start + size_bytes;
	return !c->is_short && fde->end > fde->start;
}

static bool read_fde(const struct cfi_section *s, struct entry *entry, const struct cfi_cie *cie,
		     struct cfi_fde *fde)
{
	struct cursor *c = &entry->rest;
	if (!read_range(s, c, cie, fde))
		return false;
	if (cie->has_augmentation)
		cursor_take(c, cursor_uleb(c));
	if (c->is_short)
		return false;
	fde->program = cursor_bytes(c, cursor_left(c));
	return true;
}

bool cfi_next(struct cfi_list *list, bool *has_fde, struct cfi_fde *fde)
{
	const struct cfi_section *s = list->section;
	struct entry entry;
	*has_fde = false;
	if (list->at >= s->bytes.n || !next_entry(s, &list->at, &entry))
		return false;
	if (entry.is_end || entry.is_cie)
		return true;
	/* .eh_frame says how far back its CIE is, .debug_frame where in the section. */
	uint64_t cie_at = s->is_eh_frame ? entry.id_at - entry.id : entry.id;
	if (s->is_eh_frame && entry.id > entry.id_at)
		return true;
	if (cie_at != list->cie_at || !list->has_cie) {
		list->has_cie = true;
		list->cie_at = cie_at;
		list->is_good = cfi_read_cie(s, cie_at, &list->cie);
	}
	*has_fde = list->is_good && read_fde(s, &entry, &list->cie, fde);
	fde->cie = cie_at;
	return true;
}
