/*
 * The runtime's own description of the program, struct moduledata in src/runtime/symtab.go: it begins with a pointer
 * to the table. In position-independent programs the pointers are in the relocations, not in the file.
 */
#include "debug_info/go_int.h"

/* Words of moduledata since Go 1.16: one pointer, six slices, findfunctab, then these. */
enum { MODULE_FIRST = 20, MODULE_LAST, MODULE_TEXT, MODULE_WORDS = 48 };

struct module {
	uint64_t address;
	uint64_t words[MODULE_WORDS];
};

/* --- relocations --- */

typedef void on_relocation(void *context, uint64_t address, uint64_t value);

static uint32_t relative_type(const struct elf *elf)
{
	return elf->machine == EM_X86_64    ? R_X86_64_RELATIVE
	       : elf->machine == EM_AARCH64 ? R_AARCH64_RELATIVE
					    : UINT32_MAX;
}

/*
 * Visits the pointers that the loader writes into the program. The number of calls is bounded by
 * the size of the file.
 */
static void visit_relocations(struct elf *elf, on_relocation *visit, void *context)
{
	uint32_t relative = relative_type(elf);
	for (uint32_t i = 0; elf->is_64 && i < elf->sections.n; i++) {
		const struct elf_section *s = &elf->sections.p[i];
		if (s->type != SHT_RELA)
			continue;
		struct str bytes = elf_section_bytes(elf, s);
		for (size_t at = 0; bytes.n - at >= sizeof(Elf64_Rela); at += sizeof(Elf64_Rela)) {
			Elf64_Rela r;
			memcpy(&r, bytes.p + at, sizeof(r));
			if (ELF64_R_TYPE(r.r_info) == relative)
				visit(context, r.r_offset, (uint64_t)r.r_addend);
		}
	}
}

/* --- function starts --- */

struct relocated_starts {
	struct go_table *table;
	uint64_t address;
	unsigned step;
};

static void put_start(void *context, uint64_t address, uint64_t value)
{
	const struct relocated_starts *r = context;
	uint64_t at = address - r->address;
	if (address >= r->address && at % r->step == 0 && at / r->step <= r->table->count)
		r->table->starts[at / r->step] = value;
}

void go_module_relocate_starts(struct go_table *t, uint64_t list_address, unsigned step)
{
	struct relocated_starts r = { t, list_address, step };
	visit_relocations(t->elf, put_start, &r);
}

/* --- moduledata --- */

struct search {
	struct go_table *table;
	VEC(uint64_t) found;
	struct module *module;
};

enum { MAX_FOUND = 16 };

static void note_pointer(void *context, uint64_t address, uint64_t value)
{
	struct search *s = context;
	if (value == s->table->address && s->found.n < MAX_FOUND)
		vec_push(&s->found, address);
}

static void scan_data(struct search *s)
{
	const struct elf *elf = s->table->elf;
	unsigned n = s->table->pointer_bytes;
	for (uint32_t i = 0; i < elf->segments.n; i++) {
		const struct elf_segment *segment = &elf->segments.p[i];
		struct str bytes =
			str_first(str_from_byte(elf->bytes, segment->offset), segment->file_bytes);
		if (segment->is_executable)
			continue;
		for (size_t at = 0; at + n <= bytes.n; at += n)
			if (go_number(bytes, at, n) == s->table->address)
				note_pointer(s, segment->address + at, s->table->address);
	}
}

static void put_word(void *context, uint64_t address, uint64_t value)
{
	struct search *s = context;
	uint64_t i = (address - s->module->address) / s->table->pointer_bytes;
	if (address >= s->module->address && i < MODULE_WORDS)
		s->module->words[i] = value;
}

static void read_module(struct search *s, uint64_t address)
{
	struct module *m = s->module;
	unsigned n = s->table->pointer_bytes;
	struct str bytes = go_bytes_at(s->table->elf, address);
	m->address = address;
	for (unsigned i = 0; i < MODULE_WORDS; i++)
		m->words[i] = go_number(bytes, (uint64_t)i * n, n);
	visit_relocations(s->table->elf, put_word, s);
}

/* moduledata says where the first function begins and the last one ends, and so does the table. */
static bool is_of_table(const struct go_table *t, const struct module *m)
{
	uint64_t text = m->words[MODULE_TEXT];
	return m->words[MODULE_FIRST] == text + t->starts[0] &&
	       m->words[MODULE_LAST] == text + t->starts[t->count];
}

/* --- funcdata --- */

enum { GO_INLINE_TREE = 3 };

/*
 * Its place in moduledata differs between versions, so try each word that could be it: the first
 * functions with a tree must find entries there with valid names.
 */
bool go_funcdata_is_at(struct go_table *t, uint64_t address)
{
	enum { ENOUGH = 16, MAX_LOOKED = 1 << 14 };
	uint32_t good = 0;
	unsigned name_at = t->version >= GO_1_20 ? 4 : 12;
	t->funcdata = address;
	for (uint32_t i = 0; i < t->count && i < MAX_LOOKED && good < ENOUGH; i++) {
		struct go_function f;
		uint64_t tree;
		if (!go_table_get(t, i, &f) || !go_funcdata(t, &f, GO_INLINE_TREE, &tree))
			continue;
		struct str entry = go_bytes_at(t->elf, tree);
		uint64_t name;
		if (!go_read(entry, name_at, 4, &name) || name >= t->names.n ||
		    (name && t->names.p[name - 1]) || !t->names.p[name])
			return false;
		good += name > 0;
	}
	return good > 0;
}

static void find_funcdata(struct go_table *t, const struct module *m)
{
	for (unsigned i = MODULE_TEXT + 1; i < MODULE_WORDS && !t->has_inlines; i++)
		t->has_inlines = m->words[i] && go_funcdata_is_at(t, m->words[i]);
}

bool go_module_find(struct go_table *t)
{
	struct module m = { 0 };
	struct search s = { .table = t, .module = &m };
	bool is_found = false;
	visit_relocations(t->elf, note_pointer, &s);
	scan_data(&s);
	for (uint32_t i = 0; i < s.found.n && !is_found; i++) {
		read_module(&s, s.found.p[i]);
		is_found = is_of_table(t, &m);
	}
	vec_fini(&s.found);
	if (is_found) {
		t->text = m.words[MODULE_TEXT];
		find_funcdata(t, &m);
	}
	return is_found;
}
