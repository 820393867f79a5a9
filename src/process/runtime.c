/* Detects a process's runtime from the table. Mapped files count for more than its name. */
#include "process/runtime_int.h"

#define MAX_SCAN_BYTES ((size_t)256 << 20)

void runtime_fini(struct runtime *r)
{
	buf_fini(&r->version);
}

/* --- by name --- */

/* `node`, `php8.2`, `libnode.so.108`: not `nodemon`, `phpunit`. */
static bool is_called(struct str name, const char *const starts[RUNTIME_NAMES])
{
	for (int i = 0; i < RUNTIME_NAMES && starts[i]; i++) {
		struct str rest = str_from_byte(name, strlen(starts[i]));
		if (str_starts(name, str_from(starts[i])) &&
		    (!rest.n || rest.p[0] == '.' || rest.p[0] == '-' || is_digit(rest.p[0])))
			return true;
	}
	return false;
}

bool runtime_is_library(enum runtime_kind kind, struct str path)
{
	return is_called(str_basename(path), runtime_rows[kind].libraries);
}

enum runtime_kind runtime_of_file(struct str path)
{
	struct str name = str_basename(path);
	for (enum runtime_kind kind = RUNTIME_NATIVE + 1; kind < RUNTIMES; kind++)
		if (is_called(name, runtime_rows[kind].libraries) ||
		    is_called(name, runtime_rows[kind].programs))
			return kind;
	return RUNTIME_NATIVE;
}

/* --- by a library --- */

struct library_search {
	enum runtime_kind wanted; /* RUNTIME_NATIVE: any */
	enum runtime_kind found;
	struct process_mapping mapping;
	struct buf path; /* of that */
};

static void library_search_fini(struct library_search *s)
{
	buf_fini(&s->path);
}

static void look_at_mapping(void *context, const struct process_mapping *m)
{
	struct library_search *s = context;
	enum runtime_kind first = s->wanted ? s->wanted : RUNTIME_NATIVE + 1;
	enum runtime_kind end = s->found ? s->found : s->wanted ? s->wanted + 1 : RUNTIMES;
	for (enum runtime_kind kind = first; kind < end; kind++)
		if (runtime_is_library(kind, process_plain_path(m->path))) {
			s->found = kind;
			s->mapping = *m;
			s->path.n = 0;
			buf_add(&s->path, m->path);
			return;
		}
}

static void find_library(struct process *p, struct library_search *s)
{
	struct err ignored = { 0 };
	p->ops->visit_mappings(p, false, look_at_mapping, s, &ignored);
	s->mapping.path = buf_str(&s->path);
}

bool runtime_has_library(struct process *p, enum runtime_kind kind)
{
	AUTO(library_search) struct library_search s = { .wanted = kind };
	find_library(p, &s);
	return s.found;
}

int runtime_open_library(struct process *p, enum runtime_kind kind, struct buf *path)
{
	AUTO(library_search) struct library_search s = { .wanted = kind };
	find_library(p, &s);
	path->n = 0;
	buf_add(path, s.mapping.path);
	return s.found ? p->ops->open_mapped(p, &s.mapping) : -1;
}

/* --- by the program --- */

struct str runtime_section(struct elf *elf, const char *name)
{
	const struct elf_section *section = elf ? elf_find_section(elf, str_from(name)) : NULL;
	return section ? str_first(elf_section_bytes(elf, section), MAX_SCAN_BYTES) : STR("");
}

static bool exports(struct elf *elf, const char *symbol)
{
	return symbol && str_find(runtime_section(elf, ".dynstr"), str_from(symbol)) >= 0;
}

static enum runtime_kind kind_of_program(struct elf *elf, struct str name)
{
	enum runtime_kind by_name = RUNTIME_NATIVE, by_symbol = RUNTIME_NATIVE;
	for (enum runtime_kind kind = RUNTIME_NATIVE + 1; kind < RUNTIMES; kind++) {
		const struct runtime_row *row = &runtime_rows[kind];
		if (row->section && runtime_section(elf, row->section).n)
			return kind;
		if (!by_name && is_called(name, row->programs))
			by_name = kind;
		if (!by_symbol && exports(elf, row->symbol))
			by_symbol = kind;
	}
	return by_name ? by_name : by_symbol;
}

static void set_kind(struct runtime *r, enum runtime_kind kind, struct elf *elf, struct str name)
{
	r->kind = kind;
	if (runtime_rows[kind].add_version)
		runtime_rows[kind].add_version(elf, name, &r->version);
}

void runtime_of_program(struct elf *elf, struct str name, struct runtime *out)
{
	set_kind(out, kind_of_program(elf, name), elf, name);
	const char *symbol = runtime_rows[out->kind].symbol;
	out->is_in_library = elf && symbol && !exports(elf, symbol);
}

/* --- a process --- */

void runtime_of_process(struct process *p, struct runtime *out)
{
	AUTO(buf) struct buf path = { 0 };
	AUTO(library_search) struct library_search s = { 0 };
	struct elf *elf;
	*out = (struct runtime){ 0 };
	find_library(p, &s);
	if (s.found) {
		elf = process_take_elf(p->ops->open_mapped(p, &s.mapping), s.mapping.path);
		set_kind(out, s.found, elf, str_basename(s.mapping.path));
		out->is_in_library = true;
	} else {
		int fd = p->ops->open_program(p, &path);
		elf = process_take_elf(fd, buf_str(&path));
		runtime_of_program(elf, str_basename(buf_str(&path)), out);
	}
	elf_free(elf);
	runtime_read_flags(p, out);
}
