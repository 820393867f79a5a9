/* Attributes of entries: their forms (7.5.6) and the meaning of their values. */
#include "debug_info/dwarf_int.h"

/* v->u is the offset of a text or block in the section, or the number itself. */
bool dwarf_read_value(const struct dwarf_unit *u, struct cursor *c, uint16_t form,
		      struct dwarf_value *v)
{
	uint64_t n = 0;
	if (form == DW_FORM_indirect) {
		n = cursor_uleb(c);
		/* A form that refers to itself, or a constant stored elsewhere, is invalid. */
		if (n == DW_FORM_indirect || n == DW_FORM_implicit_const || n > UINT16_MAX)
			return false;
		form = (uint16_t)n;
	}
	v->form = form;
	v->u = 0;
	switch (form) {
	case DW_FORM_flag_present:
		v->u = 1;
		break;
	case DW_FORM_implicit_const:
		break;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		v->u = cursor_u8(c);
		break;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		v->u = cursor_unsigned(c, 2);
		break;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		v->u = cursor_unsigned(c, 3);
		break;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		v->u = cursor_unsigned(c, 4);
		break;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		v->u = cursor_unsigned(c, 8);
		break;
	case DW_FORM_data16:
		cursor_take(c, 16);
		break;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		v->u = cursor_unsigned(c, u->offset_bytes);
		break;
	case DW_FORM_addr:
		v->u = cursor_unsigned(c, u->address_bytes);
		break;
	case DW_FORM_ref_addr:
		v->u = cursor_unsigned(c, u->version <= 2 ? u->address_bytes : u->offset_bytes);
		break;
	case DW_FORM_sdata:
		v->u = (uint64_t)cursor_sleb(c);
		break;
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_rnglistx:
	case DW_FORM_loclistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		v->u = cursor_uleb(c);
		break;
	case DW_FORM_string:
		v->u = (uint64_t)(c->p - u->file->sections[DWARF_INFO].p);
		cursor_c_string(c);
		break;
	case DW_FORM_block1:
		cursor_take(c, cursor_u8(c));
		break;
	case DW_FORM_block2:
		cursor_take(c, cursor_unsigned(c, 2));
		break;
	case DW_FORM_block4:
		cursor_take(c, cursor_unsigned(c, 4));
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		cursor_take(c, cursor_uleb(c));
		break;
	default:
		return false;
	}
	return !c->is_short;
}

static uint64_t bytes_of(const struct dwarf_unit *u, struct dwarf_size size)
{
	return size.plain + (uint64_t)size.offsets * u->offset_bytes +
	       (uint64_t)size.addresses * u->address_bytes;
}

bool dwarf_skip_attributes(const struct dwarf_unit *u, struct cursor *c,
			   const struct dwarf_abbreviation *a)
{
	struct dwarf_value ignored;
	if (a->has_fixed_size) {
		cursor_take(c, bytes_of(u, a->size));
		return !c->is_short;
	}
	const struct dwarf_attribute *all = &u->abbreviations->attributes.p[a->first];
	for (uint32_t i = 0; i < a->count; i++)
		if (!dwarf_read_value(u, c, all[i].form, &ignored))
			return false;
	return true;
}

bool dwarf_read_attributes(const struct dwarf_unit *u, struct cursor *c,
			   const struct dwarf_abbreviation *a, struct dwarf_die *die)
{
	const struct dwarf_attribute *all =
		a->count ? &u->abbreviations->attributes.p[a->first] : NULL;
	die->abbreviation = a;
	die->present = 0;
	for (uint32_t i = 0; i < a->count; i++) {
		struct dwarf_value *v = &die->values[all[i].slot];
		if (!dwarf_read_value(u, c, all[i].form, v))
			return false;
		if (all[i].form == DW_FORM_implicit_const)
			v->u = (uint64_t)all[i].constant;
		die->present |= 1u << all[i].slot;
	}
	die->next = (uint64_t)(c->p - u->file->sections[DWARF_INFO].p);
	return true;
}

/* --- meaning --- */

static struct str text_in(struct str section, uint64_t offset)
{
	struct cursor c = cursor_at(section, offset);
	return cursor_c_string(&c);
}

static struct str indexed_text(const struct dwarf_unit *u, uint64_t index)
{
	uint64_t at;
	if (__builtin_mul_overflow(index, u->offset_bytes, &at) ||
	    __builtin_add_overflow(at, u->str_offsets_base, &at))
		return STR("");
	struct cursor c = cursor_at(u->file->sections[DWARF_STR_OFFSETS], at);
	uint64_t offset = cursor_unsigned(&c, u->offset_bytes);
	return c.is_short ? STR("") : text_in(u->file->sections[DWARF_STR], offset);
}

struct str dwarf_text(const struct dwarf_unit *u, struct dwarf_value v)
{
	struct dwarf_file *alternate;
	switch (v.form) {
	case DW_FORM_string:
		return text_in(u->file->sections[DWARF_INFO], v.u);
	case DW_FORM_strp:
		return text_in(u->file->sections[DWARF_STR], v.u);
	case DW_FORM_line_strp:
		return text_in(u->file->sections[DWARF_LINE_STR], v.u);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		alternate = dwarf_alternate(u->file->info);
		return alternate ? text_in(alternate->sections[DWARF_STR], v.u) : STR("");
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return indexed_text(u, v.u);
	default:
		return STR("");
	}
}

bool dwarf_indexed_address(const struct dwarf_unit *u, uint64_t index, uint64_t *address)
{
	/* The addresses of a split unit are in the linked file. */
	const struct dwarf_unit *owner = u->skeleton ? u->skeleton : u;
	uint64_t at;
	if (__builtin_mul_overflow(index, owner->address_bytes, &at) ||
	    __builtin_add_overflow(at, owner->addr_base, &at))
		return false;
	struct cursor c = cursor_at(owner->file->sections[DWARF_ADDR], at);
	*address = cursor_unsigned(&c, owner->address_bytes);
	return !c.is_short;
}

bool dwarf_is_address(struct dwarf_value v)
{
	switch (v.form) {
	case DW_FORM_addr:
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return true;
	default:
		return false;
	}
}

bool dwarf_address(const struct dwarf_unit *u, struct dwarf_value v, uint64_t *address)
{
	*address = v.u;
	if (v.form == DW_FORM_addr)
		return true;
	return dwarf_is_address(v) && dwarf_indexed_address(u, v.u, address);
}

uint64_t dwarf_constant(struct dwarf_value v)
{
	switch (v.form) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
	case DW_FORM_sec_offset:
	case DW_FORM_rnglistx:
	case DW_FORM_flag:
	case DW_FORM_flag_present:
		return v.u;
	default:
		return 0;
	}
}

static bool within_unit(struct dwarf_unit *u, uint64_t offset, struct dwarf_unit **unit,
			uint64_t *die)
{
	*unit = u;
	return !__builtin_add_overflow(u->offset, offset, die) && *die >= u->first_die &&
	       *die < u->end;
}

bool dwarf_reference(struct dwarf_unit *u, struct dwarf_value v, struct dwarf_unit **unit,
		     uint64_t *die)
{
	struct dwarf_file *file = u->file;
	switch (v.form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		return within_unit(u, v.u, unit, die);
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		file = dwarf_alternate(u->file->info);
		break;
	case DW_FORM_ref_addr:
		break;
	default:
		return false;
	}
	*die = v.u;
	*unit = file ? dwarf_unit_of_die(file, v.u) : NULL;
	return *unit;
}

static bool read_sibling(const struct dwarf_unit *u, struct cursor *c,
			 const struct dwarf_abbreviation *a, struct dwarf_value *v)
{
	const struct dwarf_attribute *all = &u->abbreviations->attributes.p[a->first];
	uint32_t i = 0;
	if (a->has_fixed_sibling) {
		cursor_take(c, bytes_of(u, a->before_sibling));
		i = a->sibling - 1;
	}
	for (; i < a->sibling; i++)
		if (!dwarf_read_value(u, c, all[i].form, v))
			return false;
	return true;
}

bool dwarf_find_sibling(struct dwarf_unit *u, const struct cursor *c,
			const struct dwarf_abbreviation *a, uint64_t *at)
{
	struct cursor behind = *c;
	struct dwarf_unit *unit;
	struct dwarf_value v;
	return a->sibling && read_sibling(u, &behind, a, &v) && dwarf_reference(u, v, &unit, at) &&
	       unit == u && u->file->sections[DWARF_INFO].p + *at >= behind.p;
}

struct str dwarf_die_text(const struct dwarf_unit *u, const struct dwarf_die *die,
			  enum dwarf_slot slot)
{
	return dwarf_has(die, slot) ? dwarf_text(u, die->values[slot]) : STR("");
}

uint64_t dwarf_die_constant(const struct dwarf_die *die, enum dwarf_slot slot)
{
	return dwarf_has(die, slot) ? dwarf_constant(die->values[slot]) : 0;
}
