/* A binary: each part is looked up when first needed, then cached. */
#include "symbol/binary_int.h"

/* Further processes are not remembered: newer ones are likelier to live, so they replace older ones. */
enum { MAX_PROCESSES = 64 };

static struct str copy_of(struct str s)
{
	char *copy = mem_alloc(s.n + 1, 1);
	if (s.n)
		memcpy(copy, s.p, s.n);
	copy[s.n] = 0;
	return (struct str){ copy, s.n };
}

struct binary *binary_new(const struct binary_id *id, const struct symbol_options *options)
{
	struct binary *b = mem_zalloc(1, sizeof(*b));
	b->id = *id;
	b->id.path = copy_of(id->path);
	b->id.build_id = copy_of(id->build_id);
	b->options = options;
	return b;
}

struct binary *binary_of_memory(const struct binary_id *id, struct str bytes,
				const struct symbol_options *options)
{
	struct err e = { 0 };
	struct binary *b = binary_new(id, options);
	b->image = bytes;
	b->is_code_searched = b->is_debug_searched = true;
	b->code = elf_of_memory(bytes, b->id.path.p, &e);
	b->path = mem_strdup(b->id.path.p);
	if (!b->code) {
		b->obstacle.trouble = BINARY_DAMAGED;
		buf_add(&b->obstacle.text, text_without_name(&e, b->id.path.p));
	}
	return b;
}

void binary_free(struct binary *b)
{
	if (!b)
		return;
	symbol_table_fini(&b->table);
	elf_free(b->inner);
	buf_fini(&b->inner_bytes);
	elf_free(b->debug);
	elf_free(b->code);
	buf_fini(&b->obstacle.text);
	buf_fini(&b->useless_debug);
	vec_fini(&b->processes);
	free(b->root);
	free(b->path);
	free((char *)b->id.path.p);
	free((char *)b->id.build_id.p);
	free(b);
}

void binary_add_process(struct binary *b, int32_t pid)
{
	for (uint32_t i = 0; i < b->processes.n; i++)
		if (b->processes.p[i] == pid)
			return;
	if (pid <= 0)
		return;
	if (b->processes.n == MAX_PROCESSES) {
		memmove(b->processes.p, b->processes.p + 1, (MAX_PROCESSES - 1) * sizeof(pid));
		b->processes.n--;
	}
	vec_push(&b->processes, pid);
}

void binary_set_build_id(struct binary *b, struct str build_id)
{
	free((char *)b->id.build_id.p);
	b->id.build_id = copy_of(build_id);
}

const struct binary_id *binary_id_of(const struct binary *b)
{
	return &b->id;
}

/* --- files --- */

struct elf *binary_code(struct binary *b)
{
	if (!b->is_code_searched)
		binary_search_code(b);
	b->is_code_searched = true;
	return b->code;
}

static bool has_dwarf(const struct elf *elf)
{
	return elf && elf_find_section(elf, STR(".debug_info"));
}

static struct elf *debug_file(struct binary *b)
{
	if (!b->is_debug_searched && binary_code(b))
		binary_search_debug(b);
	b->is_debug_searched = true;
	return b->debug;
}

struct elf *binary_debug(struct binary *b)
{
	if (!binary_code(b) || has_dwarf(b->code))
		return b->code;
	return has_dwarf(debug_file(b)) ? b->debug : b->code;
}

/* --- budgets --- */

void binary_share_budget(struct binary *b, struct elf *elf)
{
	int32_t pid = b->processes.n ? b->processes.p[0] : 0;
	budgets_join(b->options->budgets, &elf->budget, pid, elf->owner);
}

const struct budget *binary_spent_budget(const struct binary *b)
{
	const struct elf *files[] = { b->code, b->debug, b->inner };
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (files[i] && files[i]->budget.is_spent)
			return &files[i]->budget;
	return NULL;
}

void binary_let_go(struct binary *b)
{
	if (b->code)
		elf_let_go(b->code);
	if (b->debug)
		elf_let_go(b->debug);
}

/* --- symbols --- */

static const struct elf_section *section_of_type(const struct elf *elf, uint32_t type)
{
	for (uint32_t i = 0; elf && i < elf->sections.n; i++)
		if (elf->sections.p[i].type == type)
			return &elf->sections.p[i];
	return NULL;
}

static bool has_symtab(struct elf *elf)
{
	return elf && elf_section_bytes(elf, section_of_type(elf, SHT_SYMTAB)).n;
}

/* A file that has such a table: the one with the code, its debug file, or the file inside it. */
static struct elf *file_with_symtab(struct binary *b)
{
	if (has_symtab(b->code))
		return b->code;
	if (has_symtab(debug_file(b)))
		return b->debug;
	binary_unpack_inner(b);
	return has_symtab(b->inner) ? b->inner : NULL;
}

static void load_table(struct binary *b)
{
	if (b->is_table_loaded)
		return;
	b->is_table_loaded = true;
	if (!binary_code(b))
		return;
	struct elf *full = file_with_symtab(b);
	if (full)
		symbol_table_add(&b->table, full, section_of_type(full, SHT_SYMTAB));
	else
		symbol_table_add_go(&b->table, b->code);
	b->has_symtab = full || b->table.rows.n;
	const struct elf_section *dynamic = section_of_type(b->code, SHT_DYNSYM);
	if (dynamic)
		symbol_table_add(&b->table, b->code, dynamic);
	symbol_table_add_plt(&b->table, b->code);
	binary_let_go(b);
	symbol_table_set_code(&b->table, b->code, !b->has_symtab);
	symbol_table_seal(&b->table);
}

bool binary_find_symbol(struct binary *b, uint64_t address, struct binary_symbol *found)
{
	load_table(b);
	return symbol_table_find(&b->table, address, found);
}

bool binary_find_start(struct binary *b, uint64_t address, uint64_t *start)
{
	struct function_range range;
	load_table(b);
	uint32_t i = function_ranges_find(&b->table.functions, address);
	if (i == INDEX_NONE || !function_ranges_get(&b->table.functions, i, &range) ||
	    address >= range.end)
		return false;
	*start = range.start;
	return true;
}

/* --- what is wrong --- */

bool binary_is_vdso(const struct binary *b)
{
	return b->image.n || str_starts(b->id.path, STR("[vdso"));
}

enum binary_trouble binary_trouble_of(struct binary *b)
{
	if (!binary_code(b))
		return b->obstacle.trouble;
	load_table(b);
	if (binary_spent_budget(b))
		return BINARY_OVER_BUDGET;
	/* The vdso never has more than its dynamic symbols, and needs no more. */
	if (!b->has_symtab && !binary_is_vdso(b))
		return BINARY_STRIPPED;
	return b->is_unverified ? BINARY_UNVERIFIED : BINARY_FINE;
}

bool binary_is_unverified(struct binary *b)
{
	return binary_code(b) && b->is_unverified;
}
