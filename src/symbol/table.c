/*
 * Reads symbols. Takes the same ones as perf (tools/perf/util/symbol-elf.c of Linux), so that users
 * find familiar names.
 */
#include "symbol/table_int.h"

void symbol_table_fini(struct symbol_table *t)
{
	vec_fini(&t->rows);
	vec_fini(&t->choosers);
	vec_fini(&t->texts);
	vec_fini(&t->made);
	vec_fini(&t->code);
	function_ranges_fini(&t->functions);
	arena_fini(&t->made_texts);
	free(t->outer);
	t->outer = NULL;
}

void symbol_table_set_code(struct symbol_table *t, struct elf *elf, bool is_stripped)
{
	t->code_file = elf;
	t->is_stripped = is_stripped;
	function_ranges_init(&t->functions, elf);
}

/* --- which symbols count --- */

/* Marks of assemblers, `$x`, `$d.4`: where code and data begin (ABI of ARM, chapter "Mapping symbols"). */
static bool is_mapping_symbol(const struct elf *elf, struct str name)
{
	bool has_marks =
		elf->machine == EM_ARM || elf->machine == EM_AARCH64 || elf->machine == EM_RISCV;
	return has_marks && name.n >= 2 && name.p[0] == '$' && memchr("adtx", name.p[1], 4) &&
	       (name.n == 2 || name.p[2] == '.' || elf->machine == EM_RISCV);
}

static struct symbol_row row_of(const struct elf *elf, const Elf64_Sym *s)
{
	unsigned type = ELF64_ST_TYPE(s->st_info), bind = ELF64_ST_BIND(s->st_info);
	bool is_thumb = elf->machine == EM_ARM && type == STT_FUNC && s->st_value & 1;
	uint32_t rank = (type != STT_NOTYPE ? SYMBOL_IS_TYPED : 0) |
			(bind != STB_WEAK ? SYMBOL_IS_STRONG : 0) |
			(bind == STB_GLOBAL ? SYMBOL_IS_GLOBAL : 0);
	return (struct symbol_row){
		.start = s->st_value - is_thumb,
		.size_bytes =
			s->st_size < SYMBOL_MAX_BYTES ? (uint32_t)s->st_size : SYMBOL_MAX_BYTES,
		.rank = rank & 15,
	};
}

bool symbol_table_add_text(struct symbol_table *t, struct str bytes, uint32_t *first)
{
	if (!bytes.n || bytes.n > SYMBOL_MADE_FIRST - t->text_bytes)
		return false;
	*first = t->text_bytes;
	t->text_bytes += (uint32_t)bytes.n;
	vec_push(&t->texts, (struct symbol_text){ bytes, *first });
	return true;
}

static void add_code_sections(struct symbol_table *t, const struct elf *elf)
{
	for (uint32_t i = 0; i < elf->sections.n; i++) {
		const struct elf_section *s = &elf->sections.p[i];
		struct symbol_range range = { s->address, s->address + s->size_bytes };
		if (s->flags & SHF_ALLOC && s->flags & SHF_EXECINSTR && range.end > range.start)
			vec_push(&t->code, range);
	}
}

void symbol_table_add(struct symbol_table *t, struct elf *elf, const struct elf_section *section)
{
	struct str bytes = elf_section_scan(elf, section);
	/* Rows are no larger than symbols, as long as there is one copy of them. */
	if (!bytes.n || !elf_linked_section(elf, section) || !budget_hold(&elf->budget, bytes.n))
		return;
	struct str texts = elf_section_bytes(elf, elf_linked_section(elf, section));
	size_t size = elf_symbol_bytes(elf);
	bool may_have_marks = elf->machine != EM_X86_64 && elf->machine != EM_386;
	uint32_t first;
	if (!symbol_table_add_text(t, texts, &first))
		return;
	add_code_sections(t, elf);
	for (size_t at = 0; bytes.n - at >= size && t->rows.n < INDEX_NONE - 1; at += size) {
		Elf64_Sym s = elf_symbol_read(bytes.p + at, elf->is_64);
		if (s.st_name >= texts.n || !elf_symbol_is_function(elf, &s))
			continue;
		if (may_have_marks && is_mapping_symbol(elf, elf_text_at(texts, s.st_name)))
			continue;
		struct symbol_row row = row_of(elf, &s);
		row.name = first + s.st_name;
		vec_push(&t->rows, row);
		if (ELF64_ST_TYPE(s.st_info) == STT_GNU_IFUNC)
			vec_push(&t->choosers, row);
	}
}

void symbol_table_add_made(struct symbol_table *t, struct symbol_range range,
			   struct symbol_made made)
{
	if (t->made.n >= UINT32_MAX - SYMBOL_MADE_FIRST)
		return;
	vec_push(&t->rows,
		 (struct symbol_row){
			 .start = range.start,
			 .size_bytes = (uint32_t)(range.end - range.start) & SYMBOL_MAX_BYTES,
			 .rank = SYMBOL_IS_TYPED | SYMBOL_IS_STRONG | SYMBOL_IS_GLOBAL,
			 .name = SYMBOL_MADE_FIRST + t->made.n,
		 });
	vec_push(&t->made, made);
}
