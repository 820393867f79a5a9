#include "query/same_line.h"

/* --- parts --- */

/* Strips what V8 and others put before names of script functions; `JS::Call` is C++. */
static struct str without_prefix(struct str name)
{
	static const struct str prefixes[] = { STR("JS:"), STR("LazyCompile:"), STR("Function:"),
					       STR("Script:"), STR("Eval:") };
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		struct str rest = str_from_byte(name, prefixes[i].n);
		if (!str_starts(name, prefixes[i]) || str_starts(rest, STR(":")))
			continue;
		bool has_tier = rest.n && memchr("~^+*", rest.p[0], 4);
		return str_from_byte(rest, has_tier);
	}
	return name;
}

/* The `collatz:/app/t.py` in names made by CPython's -X perf; C++ has names like `py::list::append`. */
static bool python_parts(struct str name, struct name_parts *out)
{
	static const struct str prefix = STR("py::");
	struct str rest = str_from_byte(name, prefix.n);
	ptrdiff_t colon = str_starts(name, prefix) ? str_find_char(rest, ':') : -1;
	if (colon <= 0 || (size_t)colon + 1 == rest.n || rest.p[colon + 1] == ':')
		return false;
	*out = (struct name_parts){ .function = str_first(rest, (size_t)colon),
				    .file = str_from_byte(rest, (size_t)colon + 1) };
	return true;
}

bool name_is_python(struct str name, struct str *file)
{
	struct name_parts parts;
	bool is_python = python_parts(name, &parts);
	*file = is_python ? parts.file : STR("");
	return is_python;
}

/* The last blank outside brackets: `f [worker eval]:1:2`. */
static ptrdiff_t blank_before_place(struct str name)
{
	ptrdiff_t blank = str_find_last_char(name, ' ');
	if (blank < 0)
		return blank;
	struct str before = str_first(name, (size_t)blank);
	struct str place = str_from_byte(name, (size_t)blank + 1);
	ptrdiff_t opens = str_find_last_char(before, '[');
	bool is_inside = str_find_char(place, ']') >= 0 && str_find_char(place, '[') < 0;
	return is_inside && opens > 0 && before.p[opens - 1] == ' ' ? opens - 1 : blank;
}

/* The length of `:12` at the end; 0 if there is none. */
static size_t number_at_end(struct str s)
{
	size_t digits = 0;
	while (digits < s.n && is_digit(s.p[s.n - 1 - digits]))
		digits++;
	return digits && digits < s.n && s.p[s.n - 1 - digits] == ':' ? digits + 1 : 0;
}

/* The blank in `f lib/t.py`, `main /usr/bin/app`, `load <frozen importlib>`: places in Python have no lines. */
static ptrdiff_t blank_before_python_file(struct str name)
{
	ptrdiff_t frozen = str_ends(name, STR(">")) ? str_find(name, STR(" <frozen ")) : -1;
	ptrdiff_t blank = str_find_last_char(name, ' ');
	if (frozen >= 0 || blank < 0)
		return frozen;
	struct str place = str_from_byte(name, (size_t)blank + 1);
	bool is_path = place.n > 1 && place.p[0] == '/' && place.p[1] != ' ';
	return is_path || str_ends(place, STR(".py")) ? blank : -1;
}

ptrdiff_t name_place_at(struct str name)
{
	size_t number = number_at_end(name);
	ptrdiff_t blank = number ? blank_before_place(name) : blank_before_python_file(name);
	bool is_name_before = blank > 0 && name.p[blank - 1] != ' ';
	return is_name_before && (size_t)blank + 1 < name.n - number ? blank + 1 : -1;
}

static uint32_t take_number(struct str *place)
{
	size_t n = number_at_end(*place);
	uint64_t number = 0;
	if (!n || !str_to_u64(str_from_byte(*place, place->n - n + 1), &number) ||
	    number > UINT32_MAX)
		return 0;
	place->n -= n;
	return (uint32_t)number;
}

/* Where ` FILE:` begins; paths may contain blanks. */
static ptrdiff_t blank_before_file(struct str name, struct str file)
{
	for (size_t from = 0; file.n && from < name.n;) {
		ptrdiff_t found = str_find(str_from_byte(name, from), file);
		if (found < 0)
			return -1;
		size_t at = from + (size_t)found, end = at + file.n;
		if (at && name.p[at - 1] == ' ' && end < name.n && name.p[end] == ':')
			return (ptrdiff_t)at - 1;
		from = at + 1;
	}
	return -1;
}

bool name_parts_of(struct str name, struct str file, struct name_parts *out)
{
	struct str bare = without_prefix(name);
	bool is_script = bare.p != name.p;
	if (python_parts(name, out))
		return true;
	ptrdiff_t blank = blank_before_file(bare, file);
	if (blank < 0)
		blank = number_at_end(bare) ? blank_before_place(bare) : -1;
	if (blank < 0 && is_script) { /* without a place */
		*out = (struct name_parts){ .function = bare };
		return bare.n > 0;
	}
	if (blank < 0 || (blank == 0 && !is_script))
		return false;
	struct str place = str_from_byte(bare, (size_t)blank + 1);
	*out = (struct name_parts){ .function = str_first(bare, (size_t)blank) };
	uint32_t last = take_number(&place), before = last ? take_number(&place) : 0;
	out->file = place;
	out->line = before ? before : last;
	out->column = before ? last : 0;
	return place.n > 0;
}

/* --- paths --- */

static struct str without_scheme(struct str file)
{
	return str_starts(file, STR("file://")) ? str_from_byte(file, 7) : file;
}

/* The part after the last node_modules/ or site-packages/: a path inside packages; empty if there is none. */
static struct str path_in_packages(struct str file)
{
	static const struct str folders[] = { STR("/node_modules/"), STR("/site-packages/"),
					      STR("/dist-packages/") };
	struct str rest = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		ptrdiff_t at;
		struct str s = rest.n ? rest : file;
		while ((at = str_find(s, folders[i])) >= 0)
			rest = s = str_from_byte(s, (size_t)at + folders[i].n);
	}
	return rest;
}

static bool is_path(struct str file)
{
	return file.n && file.p[0] == '/';
}

/* The part after `/lib/python3.12/`: `json/encoder.py`; empty if the file is elsewhere. */
static struct str path_in_python(struct str file)
{
	static const struct str folders[] = { STR("/lib/python"), STR("/lib64/python"),
					      STR("/lib/pypy") };
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		ptrdiff_t at = str_find(file, folders[i]);
		if (at < 0)
			continue;
		struct str rest = str_from_byte(file, (size_t)at + folders[i].n);
		size_t n = 0;
		while (n < rest.n && (is_digit(rest.p[n]) || rest.p[n] == '.'))
			n++;
		size_t version = n;
		n += n < rest.n && rest.p[n] == 't'; /* the free-threaded build */
		if (version && n + 1 < rest.n && rest.p[n] == '/')
			return str_from_byte(rest, n + 1);
	}
	return STR("");
}

bool path_is_python_library(struct str file)
{
	return str_starts(file, STR("<frozen ")) ||
	       (path_in_python(file).n && !path_in_packages(file).n);
}

bool path_is_package(struct str file)
{
	return path_in_packages(file).n > 0;
}

static struct str folder_of(struct str file)
{
	return str_first(file, file.n - str_basename(file).n);
}

static struct str common_folder(struct str a, struct str b)
{
	size_t n = 0, slash = 0;
	for (; n < a.n && n < b.n && a.p[n] == b.p[n]; n++)
		slash = a.p[n] == '/' ? n + 1 : slash;
	return str_first(a, slash);
}

/* For script functions; folded stacks have it only in the name. */
static struct str file_of_script(const struct profile *p, const struct frame *f)
{
	struct name_parts parts;
	struct str name = profile_str(p, f->name), file;
	bool is_compiled = f->kind == FRAME_JIT || f->kind == FRAME_INTERPRETED;
	if (name_is_python(name, &file))
		return file;
	file = profile_str(p, f->file);
	if (!f->tier && !is_compiled && without_prefix(name).p == name.p)
		return STR("");
	if (!file.n && name_parts_of(name, file, &parts))
		file = parts.file;
	return without_scheme(file);
}

struct str program_folder(const struct profile *p)
{
	struct str folder = { 0 };
	for (frame_id i = 0; i < p->frames.n; i++) {
		struct str file = file_of_script(p, &p->frames.p[i]);
		if (!is_path(file) || path_in_packages(file).n || path_is_python_library(file))
			continue;
		folder = folder.n ? common_folder(folder, folder_of(file)) : folder_of(file);
	}
	return folder;
}

struct str short_path(struct str file, struct str folder)
{
	file = without_scheme(file);
	struct str in_package = path_in_packages(file);
	if (!in_package.n)
		in_package = path_in_python(file);
	if (in_package.n)
		return in_package;
	/* If the folder is the root of the file system it says nothing; use the last two names instead. */
	if (folder.n > 1 && str_starts(file, folder))
		return str_from_byte(file, folder.n);
	if (!is_path(file))
		return file;
	struct str parent = folder_of(file);
	struct str last = str_basename(str_first(parent, parent.n - 1));
	return str_from_byte(file, file.n - str_basename(file).n - (last.n ? last.n + 1 : 0));
}

/* --- labels --- */

/* In a file of long lines the line says nothing by itself, nor if another function with that name begins on it. */
enum { LONG_LINE = 160 };

static struct str place_text(struct arena *text, const struct name_parts *parts,
			     const struct naming_context *context)
{
	AUTO(buf) struct buf place = { 0 };
	bool is_alone = !context->same_lines || !same_lines_has(context->same_lines, parts);
	buf_add(&place, short_path(parts->file, context->folder));
	if (parts->line)
		buf_addf(&place, ":%u", parts->line);
	if (parts->column > LONG_LINE || (parts->column && !is_alone))
		buf_addf(&place, ":%u", parts->column);
	return arena_copy(text, buf_str(&place));
}

void label_set_shown(struct tree_label *l, struct arena *text, struct str file,
		     const struct naming_context *context)
{
	struct name_parts parts;
	struct str bare = tree_label_bare(l);
	l->shown = l->function = bare;
	l->place = STR("");
	if (!name_parts_of(bare, file, &parts))
		return;
	l->function = parts.function.n ? parts.function : STR("(anonymous)");
	if (parts.file.n)
		l->place = place_text(text, &parts, context);
	struct str rest = str_from_byte(bare, (size_t)(parts.function.p - bare.p));
	bool is_python = name_is_python(bare, &file);
	if (parts.function.n && !is_python) {
		l->shown = rest;
		return;
	}
	AUTO(buf) struct buf shown = { 0 };
	buf_add(&shown, l->function);
	buf_add(&shown, is_python ? STR(" ") : rest);
	buf_add(&shown, is_python ? file : STR(""));
	l->shown = arena_copy(text, buf_str(&shown));
}

void label_copy_text(struct tree_label *l, struct arena *text)
{
	struct str *parts[] = { &l->name, &l->module, &l->shown, &l->function, &l->place };
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		*parts[i] = arena_copy(text, *parts[i]);
}

void label_add_brief(struct buf *out, const struct tree_label *l)
{
	buf_add(out, l->function);
	if (l->place.n) {
		buf_add_char(out, ' ');
		buf_add(out, l->place);
	}
}
