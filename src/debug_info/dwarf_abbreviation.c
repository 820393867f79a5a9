/* Abbreviations: the kinds of entries in a unit, and the attributes of each (7.5.3). */
#include "debug_info/dwarf_int.h"

static uint8_t slot_of(uint64_t name)
{
	switch (name) {
	case DW_AT_sibling:
		return SLOT_SIBLING;
	case DW_AT_name:
		return SLOT_NAME;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return SLOT_LINKAGE_NAME;
	case DW_AT_low_pc:
		return SLOT_LOW;
	case DW_AT_high_pc:
		return SLOT_HIGH;
	case DW_AT_ranges:
		return SLOT_RANGES;
	case DW_AT_abstract_origin:
		return SLOT_ORIGIN;
	case DW_AT_specification:
		return SLOT_SPECIFICATION;
	case DW_AT_call_file:
		return SLOT_CALL_FILE;
	case DW_AT_call_line:
		return SLOT_CALL_LINE;
	case DW_AT_call_column:
		return SLOT_CALL_COLUMN;
	case DW_AT_decl_file:
		return SLOT_DECLARED_FILE;
	case DW_AT_decl_line:
		return SLOT_DECLARED_LINE;
	case DW_AT_language:
		return SLOT_LANGUAGE;
	case DW_AT_stmt_list:
		return SLOT_STMT_LIST;
	case DW_AT_comp_dir:
		return SLOT_COMP_DIR;
	case DW_AT_str_offsets_base:
		return SLOT_STR_OFFSETS_BASE;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		return SLOT_ADDR_BASE;
	case DW_AT_rnglists_base:
		return SLOT_RNGLISTS_BASE;
	case DW_AT_GNU_ranges_base:
		return SLOT_RANGES_BASE;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return SLOT_DWO_NAME;
	case DW_AT_GNU_dwo_id:
		return SLOT_DWO_ID;
	default:
		return SLOT_NONE;
	}
}

/* Adds a form's size to the total of all attributes, if it is fixed. */
static void add_size(struct dwarf_abbreviation *a, uint16_t form)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		a->size.plain += 1;
		return;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		a->size.plain += 2;
		return;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		a->size.plain += 3;
		return;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		a->size.plain += 4;
		return;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		a->size.plain += 8;
		return;
	case DW_FORM_data16:
		a->size.plain += 16;
		return;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		a->size.offsets += 1;
		return;
	case DW_FORM_addr:
		a->size.addresses += 1;
		return;
	default:
		a->has_fixed_size = false;
	}
}

static void read_attributes(struct dwarf_abbreviations *all, struct cursor *c,
			    struct dwarf_abbreviation *a)
{
	while (!c->is_short) {
		uint64_t name = cursor_uleb(c), form = cursor_uleb(c);
		int64_t constant = form == DW_FORM_implicit_const ? cursor_sleb(c) : 0;
		if ((!name && !form) || form > UINT16_MAX)
			return;
		uint8_t slot = slot_of(name);
		a->has_code |= slot == SLOT_LOW || slot == SLOT_RANGES;
		a->count++;
		if (slot == SLOT_SIBLING) {
			a->sibling = a->count;
			a->has_fixed_sibling = a->has_fixed_size;
			a->before_sibling = a->size;
		}
		add_size(a, (uint16_t)form);
		vec_push(&all->attributes,
			 (struct dwarf_attribute){ slot, (uint16_t)form, constant });
	}
}

static int by_code(const void *a, const void *b)
{
	uint64_t x = ((const struct dwarf_abbreviation *)a)->code;
	uint64_t y = ((const struct dwarf_abbreviation *)b)->code;
	return x < y ? -1 : x > y;
}

static struct dwarf_abbreviations *read_all(struct debug_info *d, struct cursor c)
{
	struct dwarf_abbreviations *all = mem_zalloc(1, sizeof(*all));
	all->is_dense = true;
	uint64_t code;
	while ((code = cursor_uleb(&c)) && !c.is_short) {
		struct dwarf_abbreviation a = { .code = code,
						.first = all->attributes.n,
						.has_fixed_size = true };
		a.tag = (uint16_t)cursor_uleb(&c);
		a.has_children = cursor_u8(&c);
		read_attributes(all, &c, &a);
		if (c.is_short || !dwarf_spend(&d->budget, 1 + a.count) ||
		    !dwarf_keep(&d->budget, sizeof(a) + a.count * sizeof(struct dwarf_attribute)))
			break;
		vec_push(&all->all, a);
		all->is_dense &= code == all->all.n;
	}
	if (!all->is_dense)
		qsort(all->all.p, all->all.n, sizeof(*all->all.p), by_code);
	return all;
}

static bool is_at(const void *array, uint32_t i, const void *key)
{
	const struct dwarf_file *file = array;
	return file->abbreviations.p[i]->offset == *(const uint64_t *)key;
}

struct dwarf_abbreviations *dwarf_abbreviations_at(struct dwarf_file *file, uint64_t offset)
{
	uint32_t hash = dwarf_hash(offset, 0);
	uint32_t i = index_map_find(&file->abbreviations_by_offset, hash, is_at, file, &offset);
	if (i != INDEX_NONE)
		return file->abbreviations.p[i];
	struct cursor c = cursor_at(file->sections[DWARF_ABBREV], offset);
	if (c.is_short)
		return NULL;
	struct dwarf_abbreviations *all = read_all(file->info, c);
	all->offset = offset;
	index_map_add(&file->abbreviations_by_offset, hash, file->abbreviations.n);
	vec_push(&file->abbreviations, all);
	return all;
}

void dwarf_abbreviations_free(struct dwarf_abbreviations *all)
{
	vec_fini(&all->all);
	vec_fini(&all->attributes);
	free(all);
}

const struct dwarf_abbreviation *dwarf_abbreviation_find(const struct dwarf_abbreviations *all,
							 uint64_t code)
{
	if (all->is_dense)
		return code && code <= all->all.n ? &all->all.p[code - 1] : NULL;
	struct dwarf_abbreviation key = { .code = code };
	return all->all.n ? bsearch(&key, all->all.p, all->all.n, sizeof(key), by_code) : NULL;
}
