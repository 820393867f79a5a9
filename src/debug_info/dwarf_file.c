/* The sections of a file with DWARF. */
#include "debug_info/dwarf_int.h"

enum { MAX_UNPACKED_BYTES = 1 << 30, MAX_UNPACKED_RATIO = 1100 };

static const char *const names[DWARF_SECTION_COUNT] = {
	[DWARF_INFO] = "info",	       [DWARF_ABBREV] = "abbrev",	    [DWARF_STR] = "str",
	[DWARF_LINE_STR] = "line_str", [DWARF_STR_OFFSETS] = "str_offsets", [DWARF_ADDR] = "addr",
	[DWARF_RANGES] = "ranges",     [DWARF_RNGLISTS] = "rnglists",	    [DWARF_LINE] = "line",
	[DWARF_ARANGES] = "aranges",
};

/* The format before ELF had compressed sections: "ZLIB", then the size as 8 bytes, big-endian. */
static struct str unpack_old(struct dwarf_file *file, struct str packed)
{
	uint64_t n = 0;
	if (packed.n < 12 || memcmp(packed.p, "ZLIB", 4) != 0)
		return STR("");
	for (unsigned i = 4; i < 12; i++)
		n = n << 8 | (uint8_t)packed.p[i];
	if (!n || n > MAX_UNPACKED_BYTES || n / MAX_UNPACKED_RATIO > packed.n)
		return STR("");
	char *bytes = elf_unpack_room(file->elf, n);
	if (!bytes)
		return STR("");
	vec_push(&file->unpacked, bytes);
	if (!inflate_whole(str_from_byte(packed, 12), bytes, n))
		return STR("");
	return (struct str){ bytes, n };
}

bool dwarf_is_in(const struct elf *elf)
{
	const struct elf_section *s = elf_find_section(elf, STR(".debug_info"));
	if (!s)
		s = elf_find_section(elf, STR(".zdebug_info"));
	return s && s->size_bytes && s->type != SHT_NOBITS;
}

static struct str find_section(struct dwarf_file *file, const char *name, const char *suffix)
{
	char text[40];
	snprintf(text, sizeof(text), ".debug_%s%s", name, suffix);
	const struct elf_section *s = elf_find_section(file->elf, str_from(text));
	if (s)
		return elf_section_bytes(file->elf, s);
	snprintf(text, sizeof(text), ".zdebug_%s%s", name, suffix);
	s = elf_find_section(file->elf, str_from(text));
	return s ? unpack_old(file, elf_section_bytes(file->elf, s)) : STR("");
}

struct dwarf_file *dwarf_file_new(struct debug_info *d, struct elf *elf, bool is_split)
{
	struct dwarf_file *file = mem_zalloc(1, sizeof(*file));
	file->info = d;
	file->elf = elf;
	for (uint32_t i = 0; i < DWARF_SECTION_COUNT; i++) {
		file->sections[i] = find_section(file, names[i], is_split ? ".dwo" : "");
		if (i != DWARF_STR && i != DWARF_LINE_STR)
			dwarf_allow_bytes(&d->budget, file->sections[i].n);
	}
	if (!file->sections[DWARF_INFO].n || !file->sections[DWARF_ABBREV].n) {
		dwarf_file_free(file);
		return NULL;
	}
	file->number = d->files.n;
	vec_push(&d->files, file);
	return file;
}

void dwarf_file_free(struct dwarf_file *file)
{
	for (uint32_t i = 0; i < file->units.n; i++)
		dwarf_unit_free(file->units.p[i]);
	for (uint32_t i = 0; i < file->abbreviations.n; i++)
		dwarf_abbreviations_free(file->abbreviations.p[i]);
	for (uint32_t i = 0; i < file->unpacked.n; i++)
		free(file->unpacked.p[i]);
	vec_fini(&file->units);
	vec_fini(&file->abbreviations);
	vec_fini(&file->unpacked);
	vec_fini(&file->unit_offsets);
	index_map_fini(&file->units_by_offset);
	index_map_fini(&file->abbreviations_by_offset);
	if (file->owns_elf)
		elf_free(file->elf);
	free(file);
}
