/* V8's own functions, from the symbols in its file. Their code may be mapped twice. */
#include "v8/code_walk.h"
#include "v8/inspection.h"
#include "v8/v8_int.h"

#define PREFIX STR("Builtins_")

/* Where it is in the file; false: it is none of V8's own functions. */
static bool is_builtin(struct v8_inspection *v, const Elf64_Sym *s, struct str names,
		       struct str *name, uint64_t *offset)
{
	if (s->st_shndx == SHN_UNDEF || s->st_name >= names.n || !s->st_size)
		return false;
	*name = (struct str){ names.p + s->st_name,
			      strnlen(names.p + s->st_name, names.n - s->st_name) };
	return str_starts(*name, PREFIX) && elf_offset_of_address(v->elf, s->st_value, offset) &&
	       *offset >= v->layout.blob.start && *offset < v->layout.blob.end &&
	       s->st_size <= v->layout.blob.end - *offset;
}

static void visit_places(struct v8_inspection *v, uint64_t offset, uint64_t size_bytes,
			 struct str name, v8_on_builtin *on, void *context)
{
	for (uint32_t i = 0; i < v->process->mappings.n; i++) {
		const struct code_mapping *m = &v->process->mappings.p[i];
		if (m->is_of_v8 && offset >= m->at.offset &&
		    offset - m->at.offset < m->at.end - m->at.start)
			on(context, m->at.start + (offset - m->at.offset), size_bytes, name);
	}
}

uint64_t v8_visit_builtins(struct v8_inspection *v, v8_on_builtin *on, void *context)
{
	struct str rows = elf_section_scan(v->elf, elf_find_section(v->elf, STR(".symtab")));
	struct str names = elf_section_bytes(v->elf, elf_find_section(v->elf, STR(".strtab")));
	uint64_t found = 0, offset;
	struct str name;
	for (uint64_t i = 0; i < rows.n / sizeof(Elf64_Sym); i++) {
		Elf64_Sym s;
		memcpy(&s, rows.p + i * sizeof(s), sizeof(s));
		if (!is_builtin(v, &s, names, &name, &offset))
			continue;
		found++;
		if (on)
			visit_places(v, offset, s.st_size, name, on, context);
	}
	return found;
}
