/*
 * Other files that contain parts of a file's DWARF: what dwz moved out of several files (7.3.6),
 * and split DWARF (7.3.2).
 */
#include "debug_info/dwarf_int.h"

/* The folder of a file, with a trailing slash. */
static struct str folder_of(const char *path)
{
	struct str all = str_from(path);
	return str_first(all, (size_t)(str_find_last_char(all, '/') + 1));
}

static struct elf *open_in(struct str folder, struct str path)
{
	AUTO(buf) struct buf whole = { 0 };
	struct err e;
	if (!path.n || (path.p[0] == '/' && folder.n))
		return NULL;
	buf_add(&whole, folder);
	if (whole.n && whole.p[whole.n - 1] != '/')
		buf_add_char(&whole, '/');
	buf_add(&whole, path);
	return elf_open(buf_c_string(&whole), &e);
}

/* --- dwz --- */

static struct elf *checked(struct elf *elf, struct str build_id)
{
	if (!elf || (build_id.n && str_eq(elf->build_id, build_id)))
		return elf;
	elf_free(elf);
	return NULL;
}

static struct elf *open_by_build_id(struct str id)
{
	AUTO(buf) struct buf path = { 0 };
	struct err e;
	if (id.n < 2)
		return NULL;
	buf_addf(&path, "/usr/lib/debug/.build-id/%02x/", (uint8_t)id.p[0]);
	for (size_t i = 1; i < id.n; i++)
		buf_addf(&path, "%02x", (uint8_t)id.p[i]);
	buf_add(&path, STR(".debug"));
	return checked(elf_open(buf_c_string(&path), &e), id);
}

static struct elf *open_alternate(struct elf *elf)
{
	const struct elf_section *section = elf_find_section(elf, STR(".gnu_debugaltlink"));
	struct str link = elf_section_bytes(elf, section);
	ptrdiff_t end = str_find_char(link, 0);
	if (end <= 0)
		return NULL;
	struct str path = str_first(link, (size_t)end), id = str_from_byte(link, (size_t)end + 1);
	struct elf *found = path.p[0] == '/' ? checked(open_in(STR(""), path), id)
					     : checked(open_in(folder_of(elf->path), path), id);
	return found ? found : open_by_build_id(id);
}

static struct dwarf_file *add_file(struct debug_info *d, struct elf *elf, bool is_split)
{
	if (elf)
		budget_nest(&elf->budget, &d->elf->budget);
	struct dwarf_file *file = elf ? dwarf_file_new(d, elf, is_split) : NULL;
	if (file)
		file->owns_elf = true;
	else
		elf_free(elf);
	return file;
}

struct dwarf_file *dwarf_alternate(struct debug_info *d)
{
	if (!d->looked_for_alternate) {
		d->looked_for_alternate = true;
		d->alternate = add_file(d, open_alternate(d->elf), false);
	}
	return d->alternate;
}

/* --- split DWARF --- */

/* The file holds one unit of code, which must be the one that belongs to the skeleton. */
static struct dwarf_unit *find_half(struct dwarf_file *file, const struct dwarf_unit *skeleton)
{
	dwarf_list_units(file);
	for (uint32_t i = 0; i < file->unit_offsets.n; i++) {
		struct dwarf_unit *u = dwarf_unit_at(file, file->unit_offsets.p[i]);
		if (u && u->tag == DW_TAG_compile_unit && u->has_dwo_id &&
		    u->dwo_id == skeleton->dwo_id)
			return u;
	}
	return NULL;
}

static struct dwarf_unit *open_half(struct dwarf_unit *skeleton)
{
	struct debug_info *d = skeleton->file->info;
	struct str name = skeleton->dwo_name, here = folder_of(d->elf->path);
	struct {
		struct str folder, name;
	} places[] = {
		{ name.n && name.p[0] == '/' ? STR("") : skeleton->comp_dir, name },
		{ here, name },
		{ here, str_basename(name) },
	};
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct elf *elf = open_in(places[i].folder, places[i].name);
		struct dwarf_file *file = add_file(d, elf, true);
		struct dwarf_unit *u = file ? find_half(file, skeleton) : NULL;
		if (u)
			return u;
	}
	return NULL;
}

struct dwarf_unit *dwarf_full_unit(struct dwarf_unit *u)
{
	if (!u->dwo_name.n || !u->has_dwo_id || u->skeleton)
		return u;
	if (!u->looked_for_split) {
		u->looked_for_split = true;
		u->split = open_half(u);
		if (u->split)
			u->split->skeleton = u;
	}
	return u->split;
}
