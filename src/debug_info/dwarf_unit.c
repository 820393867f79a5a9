/* Units: their headers (7.5.1) and first entries. */
#include "debug_info/dwarf_int.h"

bool dwarf_unit_length(struct cursor *c, uint8_t *offset_bytes)
{
	uint64_t length = cursor_unsigned(c, 4);
	*offset_bytes = 4;
	if (length == 0xffffffff) {
		length = cursor_unsigned(c, 8);
		*offset_bytes = 8;
	} else if (length >= 0xfffffff0) {
		return false;
	}
	if (c->is_short || length > cursor_left(c))
		return false;
	c->end = c->p + length;
	return true;
}

bool dwarf_read_die(const struct dwarf_unit *u, uint64_t offset, struct dwarf_die *die)
{
	struct str info = str_first(u->file->sections[DWARF_INFO], u->end);
	if (offset < u->first_die || !dwarf_spend(&u->file->info->budget, 1))
		return false;
	struct cursor c = cursor_at(info, offset);
	const struct dwarf_abbreviation *a =
		dwarf_abbreviation_find(u->abbreviations, cursor_uleb(&c));
	die->offset = offset;
	return a && dwarf_read_attributes(u, &c, a, die);
}

static bool read_header(struct dwarf_unit *u, uint64_t *abbreviations)
{
	struct str info = u->file->sections[DWARF_INFO];
	struct cursor c = cursor_at(info, u->offset);
	if (!dwarf_unit_length(&c, &u->offset_bytes))
		return false;
	u->end = (uint64_t)(c.end - info.p);
	u->version = (uint16_t)cursor_unsigned(&c, 2);
	if (u->version >= 5) {
		u->kind = cursor_u8(&c);
		u->address_bytes = cursor_u8(&c);
		*abbreviations = cursor_unsigned(&c, u->offset_bytes);
	} else {
		u->kind = DW_UT_compile;
		*abbreviations = cursor_unsigned(&c, u->offset_bytes);
		u->address_bytes = cursor_u8(&c);
	}
	if (u->kind == DW_UT_skeleton || u->kind == DW_UT_split_compile) {
		u->dwo_id = cursor_unsigned(&c, 8);
		u->has_dwo_id = true;
	} else if (u->kind == DW_UT_type || u->kind == DW_UT_split_type) {
		cursor_take(&c, 8 + (uint64_t)u->offset_bytes);
	}
	u->first_die = (uint64_t)(c.p - info.p);
	return !c.is_short && u->version >= 2 && u->version <= 5 &&
	       (u->address_bytes == 8 || u->address_bytes == 4);
}

/* Split DWARF has only one of each table, so its units do not say where they begin: 7.26, 7.28. */
static void set_bases(struct dwarf_unit *u, const struct dwarf_die *die)
{
	bool is_5 = u->version >= 5;
	u->str_offsets_base = is_5 ? 2ull * u->offset_bytes : 0;
	u->rnglists_base = u->offset_bytes == 8 ? 20 : 12;
	u->addr_base = is_5 ? 8 : 0;
	if (dwarf_has(die, SLOT_STR_OFFSETS_BASE))
		u->str_offsets_base = dwarf_die_constant(die, SLOT_STR_OFFSETS_BASE);
	if (dwarf_has(die, SLOT_RNGLISTS_BASE))
		u->rnglists_base = dwarf_die_constant(die, SLOT_RNGLISTS_BASE);
	if (dwarf_has(die, SLOT_ADDR_BASE))
		u->addr_base = dwarf_die_constant(die, SLOT_ADDR_BASE);
	u->ranges_base = dwarf_die_constant(die, SLOT_RANGES_BASE);
}

static bool read_first_die(struct dwarf_unit *u)
{
	struct dwarf_die die;
	if (!dwarf_read_die(u, u->first_die, &die))
		return false;
	set_bases(u, &die);
	u->tag = die.abbreviation->tag;
	u->language = dwarf_die_constant(&die, SLOT_LANGUAGE);
	u->has_line_table = dwarf_has(&die, SLOT_STMT_LIST);
	u->line_table = dwarf_die_constant(&die, SLOT_STMT_LIST);
	u->comp_dir = dwarf_die_text(u, &die, SLOT_COMP_DIR);
	u->dwo_name = dwarf_die_text(u, &die, SLOT_DWO_NAME);
	if (dwarf_has(&die, SLOT_DWO_ID)) {
		u->dwo_id = dwarf_die_constant(&die, SLOT_DWO_ID);
		u->has_dwo_id = true;
	}
	if (dwarf_has(&die, SLOT_LOW) && !dwarf_address(u, die.values[SLOT_LOW], &u->low))
		u->low = 0;
	return true;
}

static bool is_at(const void *array, uint32_t i, const void *key)
{
	const struct dwarf_file *file = array;
	return file->units.p[i]->offset == *(const uint64_t *)key;
}

struct dwarf_unit *dwarf_unit_at(struct dwarf_file *file, uint64_t offset)
{
	uint32_t hash = dwarf_hash(offset, 0);
	uint32_t i = index_map_find(&file->units_by_offset, hash, is_at, file, &offset);
	if (i != INDEX_NONE)
		return file->units.p[i]->abbreviations ? file->units.p[i] : NULL;
	if (!dwarf_keep(&file->info->budget, sizeof(struct dwarf_unit)))
		return NULL;
	struct dwarf_unit *u = mem_zalloc(1, sizeof(*u));
	uint64_t abbreviations;
	u->file = file;
	u->offset = offset;
	index_map_add(&file->units_by_offset, hash, file->units.n);
	vec_push(&file->units, u);
	/* An unreadable unit is remembered, without abbreviations. */
	if (!read_header(u, &abbreviations))
		return NULL;
	u->abbreviations = dwarf_abbreviations_at(file, abbreviations);
	if (u->abbreviations && !read_first_die(u))
		u->abbreviations = NULL;
	return u->abbreviations ? u : NULL;
}

void dwarf_list_units(struct dwarf_file *file)
{
	struct str info = file->sections[DWARF_INFO];
	if (file->has_unit_offsets)
		return;
	file->has_unit_offsets = true;
	for (uint64_t offset = 0; offset < info.n;) {
		struct cursor c = cursor_at(info, offset);
		uint8_t offset_bytes;
		if (!dwarf_unit_length(&c, &offset_bytes) || !dwarf_spend(&file->info->budget, 1) ||
		    !dwarf_keep(&file->info->budget, sizeof(offset)))
			return;
		vec_push(&file->unit_offsets, offset);
		offset = (uint64_t)(c.end - info.p);
	}
}

struct dwarf_unit *dwarf_unit_of_die(struct dwarf_file *file, uint64_t die)
{
	dwarf_list_units(file);
	uint32_t from = 0, to = file->unit_offsets.n;
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (file->unit_offsets.p[middle] <= die)
			from = middle + 1;
		else
			to = middle;
	}
	struct dwarf_unit *u = from ? dwarf_unit_at(file, file->unit_offsets.p[from - 1]) : NULL;
	return u && die >= u->first_die && die < u->end ? u : NULL;
}

void dwarf_unit_free(struct dwarf_unit *u)
{
	dwarf_lines_free(u->lines);
	free(u->spans.p);
	vec_fini(&u->functions);
	vec_fini(&u->scopes);
	free(u);
}
