/* Functions by name. The sorted table cannot be used: it keeps only the best of several names for an address. */
#include "symbol/binary_int.h"

struct function_visit {
	bool (*visit)(void *context, const struct binary_function *f);
	void *context;
};

/* False: no more are wanted. */
static bool visit_section(struct elf *elf, const struct elf_section *section,
			  const struct function_visit *v)
{
	size_t bytes = elf->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	size_t n = elf_section_scan(elf, section).n / bytes;
	for (uint32_t i = 0; i < n && i < INDEX_NONE; i++) {
		struct elf_symbol s;
		if (!elf_symbol_at(elf, section, i, &s) || !elf_symbol_is_function(elf, &s.fields))
			continue;
		struct binary_function f = {
			.name = s.name,
			.start = s.fields.st_value,
			.is_chooser = ELF64_ST_TYPE(s.fields.st_info) == STT_GNU_IFUNC,
		};
		if (!v->visit(v->context, &f))
			return false;
	}
	return true;
}

static bool visit_file(struct elf *elf, const struct function_visit *v)
{
	for (uint32_t i = 0; elf && i < elf->sections.n; i++) {
		uint32_t type = elf->sections.p[i].type;
		if ((type == SHT_SYMTAB || type == SHT_DYNSYM) &&
		    !visit_section(elf, &elf->sections.p[i], v))
			return false;
	}
	return true;
}

void binary_visit_functions(struct binary *b,
			    bool (*visit)(void *context, const struct binary_function *f),
			    void *context)
{
	struct function_visit v = { visit, context };
	struct binary_symbol ignored;
	binary_find_symbol(b, 0, &ignored); /* finds the files with symbols */
	if (visit_file(b->code, &v) && visit_file(b->debug, &v))
		visit_file(b->inner, &v);
}
