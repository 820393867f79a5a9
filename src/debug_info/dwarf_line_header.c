/* The header of a line table: its folders and files (6.2.4; 1-based before DWARF 5). */
#include "debug_info/dwarf_int.h"

enum { MAX_FORMATS = 32, MAX_PART_BYTES = 4096 };

struct format {
	uint64_t content;
	uint16_t form;
};

static bool add_folder(struct dwarf_lines *lines, struct str name)
{
	struct dwarf_budget *budget = &lines->unit->file->info->budget;
	if (!dwarf_spend(budget, 1) || !dwarf_keep(budget, sizeof(name)))
		return false;
	vec_push(&lines->folders, name);
	return true;
}

static bool add_file(struct dwarf_lines *lines, struct dwarf_line_file file)
{
	struct dwarf_budget *budget = &lines->unit->file->info->budget;
	if (!dwarf_spend(budget, 1) || !dwarf_keep(budget, sizeof(file)))
		return false;
	vec_push(&lines->files, file);
	return true;
}

static bool read_old_tables(struct dwarf_lines *lines, struct cursor *c)
{
	struct str name;
	while ((name = cursor_c_string(c)).n)
		if (!add_folder(lines, name))
			return false;
	while (!c->is_short && (name = cursor_c_string(c)).n) {
		struct dwarf_line_file file = { .name = name, .folder = cursor_uleb(c) };
		cursor_uleb(c);
		cursor_uleb(c);
		if (!add_file(lines, file))
			return false;
	}
	return !c->is_short;
}

static struct str read_path(const struct dwarf_unit *u, struct cursor *c, uint16_t form)
{
	struct dwarf_value v;
	if (form == DW_FORM_string)
		return cursor_c_string(c);
	return dwarf_read_value(u, c, form, &v) ? dwarf_text(u, v) : STR("");
}

static bool read_entry(const struct dwarf_unit *u, struct cursor *c, const struct format *formats,
		       unsigned count, struct dwarf_line_file *file)
{
	for (unsigned i = 0; i < count && !c->is_short; i++) {
		struct dwarf_value v = { 0 };
		uint16_t form = formats[i].form;
		if (formats[i].content == DW_LNCT_path)
			file->name = read_path(u, c, form);
		else if (form == DW_FORM_string)
			cursor_c_string(c);
		else if (!dwarf_read_value(u, c, form, &v))
			return false;
		if (formats[i].content == DW_LNCT_directory_index)
			file->folder = dwarf_constant(v);
	}
	return !c->is_short;
}

static bool read_table(struct dwarf_lines *lines, const struct dwarf_unit *u, struct cursor *c,
		       bool are_files)
{
	struct format formats[MAX_FORMATS];
	unsigned format_count = cursor_u8(c);
	if (format_count > MAX_FORMATS)
		return false;
	for (unsigned i = 0; i < format_count; i++) {
		formats[i].content = cursor_uleb(c);
		formats[i].form = (uint16_t)cursor_uleb(c);
	}
	uint64_t count = cursor_uleb(c);
	/* An entry has at least one byte, so a false count is limited by the table's size. */
	if (c->is_short || count > cursor_left(c) || (count && !format_count))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct dwarf_line_file file = { 0 };
		if (!read_entry(u, c, formats, format_count, &file) ||
		    !(are_files ? add_file(lines, file) : add_folder(lines, file.name)))
			return false;
	}
	return true;
}

static bool read_tables(struct dwarf_lines *lines, const struct dwarf_line_program *p,
			struct cursor c)
{
	if (p->version < 5)
		return read_old_tables(lines, &c);
	struct dwarf_unit sized = *lines->unit;
	sized.offset_bytes = p->offset_bytes;
	lines->counts_from_zero = true;
	return read_table(lines, &sized, &c, false) && read_table(lines, &sized, &c, true);
}

bool dwarf_read_line_header(struct dwarf_lines *lines, struct dwarf_line_program *p)
{
	struct dwarf_unit *u = lines->unit;
	struct cursor c = cursor_at(u->file->sections[DWARF_LINE], u->line_table);
	if (!dwarf_unit_length(&c, &p->offset_bytes))
		return false;
	p->version = (uint16_t)cursor_unsigned(&c, 2);
	p->address_bytes = u->address_bytes;
	if (p->version >= 5) {
		p->address_bytes = cursor_u8(&c);
		cursor_u8(&c);
	}
	uint64_t header_bytes = cursor_unsigned(&c, p->offset_bytes);
	p->c = c;
	cursor_take(&p->c, header_bytes);
	c.end = p->c.p;
	p->least_instruction = cursor_u8(&c);
	if (p->version >= 4)
		cursor_u8(&c); /* operations per instruction: 1 except on VLIW machines */
	cursor_u8(&c);
	p->line_base = (int8_t)cursor_u8(&c);
	p->line_range = cursor_u8(&c);
	p->first_special = cursor_u8(&c);
	for (unsigned i = 1; i < p->first_special; i++)
		p->operands[i] = cursor_u8(&c);
	if (p->c.is_short || c.is_short || p->version < 2 || p->version > 5 || !p->line_range ||
	    !p->first_special)
		return false;
	return read_tables(lines, p, c);
}

/* --- paths --- */

static void add_part(struct buf *path, struct str part)
{
	if (!part.n)
		return;
	if (part.p[0] == '/')
		path->n = 0;
	else if (path->n && path->p[path->n - 1] != '/')
		buf_add_char(path, '/');
	buf_add(path, str_first(part, MAX_PART_BYTES));
}

static struct str make_path(struct dwarf_lines *lines, const struct dwarf_line_file *file)
{
	struct debug_info *d = lines->unit->file->info;
	AUTO(buf) struct buf path = { 0 };
	/* The first folder is the compiler's working directory, which is not in the table before DWARF 5. */
	uint64_t folder = lines->counts_from_zero ? file->folder : file->folder - 1;
	add_part(&path, lines->unit->comp_dir);
	if (folder < lines->folders.n)
		add_part(&path, lines->folders.p[folder]);
	add_part(&path, file->name);
	dwarf_keep(&d->budget, path.n);
	return arena_copy(&d->arena, buf_str(&path));
}

struct str dwarf_line_file_path(struct dwarf_lines *lines, uint32_t number)
{
	uint32_t i = lines->counts_from_zero ? number : number - 1;
	if (i >= lines->files.n || !lines->files.p[i].name.n)
		return STR("");
	struct dwarf_line_file *file = &lines->files.p[i];
	if (!file->path.n)
		file->path = make_path(lines, file);
	return file->path;
}
