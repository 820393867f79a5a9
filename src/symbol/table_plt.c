/*
 * The procedure linkage table: stubs that jump through a slot of the global offset table. The loader fills the slot
 * by a relocation that names the function. plume finds a stub's name through its slot, so the order of stubs does not
 * matter (System V ABI of each machine, "Procedure Linkage Table").
 */
#include "symbol/table_int.h"

struct stub {
	struct symbol_range range;
	uint64_t slot;	     /* address in the global offset table; 0: not known */
	uint32_t relocation; /* when it has no slot: the number of its relocation */
	bool is_named;
};

struct plt {
	struct elf *elf;
	VEC(struct stub) stubs; /* by slot once all are there */
};

enum { BAD_RELOCATION = UINT32_MAX };

static uint32_t u32_at(const char *p)
{
	uint32_t value;
	memcpy(&value, p, sizeof(value));
	return value;
}

/* --- what a stub does, by machine --- */

static size_t skip_bytes(struct str code, size_t at, struct str bytes)
{
	return str_starts(str_from_byte(code, at), bytes) ? at + bytes.n : at;
}

/* `endbr64; bnd jmp *slot(%rip)`, or with a second table, `endbr64; push $number; jmp`. */
static void decode_x86(const struct elf *elf, struct str code, uint64_t got, struct stub *stub)
{
	size_t at =
		skip_bytes(code, 0, elf->is_64 ? STR("\xf3\x0f\x1e\xfa") : STR("\xf3\x0f\x1e\xfb"));
	at = skip_bytes(code, at, STR("\xf2"));
	struct str jump = str_from_byte(code, at);
	if (jump.n >= 6 && str_starts(jump, STR("\xff\x25"))) {
		uint64_t next = stub->range.start + at + 6;
		stub->slot = elf->is_64 ? next + (uint64_t)(int64_t)(int32_t)u32_at(jump.p + 2)
					: u32_at(jump.p + 2);
	} else if (!elf->is_64 && jump.n >= 6 && str_starts(jump, STR("\xff\xa3"))) {
		stub->slot = (uint32_t)(got + u32_at(jump.p + 2));
	} else if (jump.n >= 5 && jump.p[0] == 0x68) {
		stub->relocation = u32_at(jump.p + 1);
	}
}

/* `bti c; adrp x16, page; ldr x17, [x16, #offset]` */
static void decode_aarch64(struct str code, struct stub *stub)
{
	uint64_t pc = stub->range.start;
	if (code.n >= 4 && u32_at(code.p) == 0xd503245f) {
		code = str_from_byte(code, 4);
		pc += 4;
	}
	if (code.n < 8)
		return;
	uint32_t adrp = u32_at(code.p), ldr = u32_at(code.p + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return;
	uint32_t pages = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	int64_t distance =
		(int64_t)((uint64_t)pages << 43) >> 31; /* 21 bits with their sign, in pages */
	stub->slot = (pc & ~0xfffull) + (uint64_t)distance + (ldr >> 10 & 0xfff) * 8;
}

/* How far stubs are apart, and how long the code before the first one is. */
struct stub_layout {
	uint32_t stub_bytes, header_bytes;
};

static struct stub_layout layout_of(const struct elf *elf, const struct elf_section *section,
				    struct str code)
{
	if (elf->machine == EM_AARCH64) {
		bool has_header = str_eq(section->name, STR(".plt"));
		bool is_guarded = code.n >= 36 && u32_at(code.p + 32) == 0xd503245f;
		return (struct stub_layout){ is_guarded ? 24 : 16, has_header ? 32 : 0 };
	}
	/* The header pushes a slot of the table: `push got+8(%rip)`, `push got+4`, `push 4(%ebx)`. */
	bool has_header = str_starts(code, STR("\xff\x35")) || str_starts(code, STR("\xff\xb3"));
	uint64_t n = section->entry_bytes;
	if (n != 8 && n != 16)
		n = str_eq(section->name, STR(".plt.got")) ? 8 : 16;
	return (struct stub_layout){ (uint32_t)n, has_header ? 16 : 0 };
}

/* --- all stubs --- */

static uint64_t got_address(const struct elf *elf)
{
	const struct elf_section *got = elf_find_section(elf, STR(".got.plt"));
	if (!got)
		got = elf_find_section(elf, STR(".got"));
	return got ? got->address : 0;
}

static void add_stubs(struct symbol_table *t, struct plt *plt, const struct elf_section *section)
{
	struct str code = elf_section_scan(plt->elf, section);
	/* A stub of 8 bytes becomes one of 40, and a symbol of 24. */
	if (!code.n || !budget_hold(&plt->elf->budget, 8 * code.n))
		return;
	struct stub_layout layout = layout_of(plt->elf, section, code);
	uint64_t got = got_address(plt->elf);
	if (section->address + code.n < section->address)
		return;
	if (layout.header_bytes && layout.header_bytes <= code.n)
		symbol_table_add_made(
			t,
			(struct symbol_range){ section->address,
					       section->address + layout.header_bytes },
			(struct symbol_made){ 0 });
	for (size_t at = layout.header_bytes; at < code.n; at += layout.stub_bytes) {
		struct str one = str_first(str_from_byte(code, at), layout.stub_bytes);
		struct stub stub = { .range = { section->address + at,
						section->address + at + one.n },
				     .relocation = BAD_RELOCATION };
		if (plt->elf->machine == EM_AARCH64)
			decode_aarch64(one, &stub);
		else
			decode_x86(plt->elf, one, got, &stub);
		if (stub.slot || stub.relocation != BAD_RELOCATION)
			vec_push(&plt->stubs, stub);
	}
}

static int by_slot(const void *a, const void *b)
{
	const struct stub *x = a, *y = b;
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return x->range.start < y->range.start ? -1 : x->range.start > y->range.start;
}

/* The first stub of that slot, or INDEX_NONE. */
static uint32_t find_slot(const struct plt *plt, uint64_t slot)
{
	uint32_t low = 0, high = plt->stubs.n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (plt->stubs.p[middle].slot < slot)
			low = middle + 1;
		else
			high = middle;
	}
	return low < plt->stubs.n && plt->stubs.p[low].slot == slot ? low : INDEX_NONE;
}

/* --- relocations --- */

struct relocation {
	uint64_t slot, addend;
	uint32_t type, symbol;
};

static size_t relocation_bytes(const struct elf *elf, const struct elf_section *s)
{
	if (elf->is_64)
		return s->type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
	return s->type == SHT_RELA ? sizeof(Elf32_Rela) : sizeof(Elf32_Rel);
}

static struct relocation relocation_from(const char *p, bool is_64, bool has_addend)
{
	Elf64_Rela wide = { 0 };
	Elf32_Rela narrow = { 0 };
	if (is_64) {
		memcpy(&wide, p, has_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel));
		return (struct relocation){ wide.r_offset, (uint64_t)wide.r_addend,
					    ELF64_R_TYPE(wide.r_info), ELF64_R_SYM(wide.r_info) };
	}
	memcpy(&narrow, p, has_addend ? sizeof(Elf32_Rela) : sizeof(Elf32_Rel));
	return (struct relocation){ narrow.r_offset, (uint32_t)narrow.r_addend,
				    ELF32_R_TYPE(narrow.r_info), ELF32_R_SYM(narrow.r_info) };
}

enum relocation_kind { OTHER_RELOCATION, OF_FUNCTION, OF_CHOOSER };

static enum relocation_kind kind_of(const struct elf *elf, uint32_t type)
{
	static const struct {
		uint16_t machine;
		uint32_t jump_slot, glob_dat, irelative;
	} types[] = {
		{ EM_X86_64, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_IRELATIVE },
		{ EM_386, R_386_JMP_SLOT, R_386_GLOB_DAT, R_386_IRELATIVE },
		{ EM_AARCH64, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_IRELATIVE },
	};
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (types[i].machine != elf->machine)
			continue;
		if (type == types[i].irelative)
			return OF_CHOOSER;
		if (type == types[i].jump_slot || type == types[i].glob_dat)
			return OF_FUNCTION;
	}
	return OTHER_RELOCATION;
}

static void name_stub(struct symbol_table *t, struct stub *stub, struct symbol_made made)
{
	if (!stub->is_named && (made.function.n || made.address))
		symbol_table_add_made(t, stub->range, made);
	stub->is_named = true;
}

static void add_relocation(struct symbol_table *t, struct plt *plt,
			   const struct elf_section *section, uint32_t number)
{
	struct elf *elf = plt->elf;
	size_t n = relocation_bytes(elf, section);
	struct str bytes = elf_section_bytes(elf, section);
	struct relocation r =
		relocation_from(bytes.p + number * n, elf->is_64, section->type == SHT_RELA);
	enum relocation_kind kind = kind_of(elf, r.type);
	if (kind == OTHER_RELOCATION)
		return;
	uint32_t i = find_slot(plt, r.slot);
	if (i == INDEX_NONE)
		return;
	struct symbol_made made = { 0 };
	struct elf_symbol symbol;
	if (kind == OF_CHOOSER)
		made.address = r.addend;
	else if (section->link < elf->sections.n &&
		 elf_symbol_at(elf, &elf->sections.p[section->link], r.symbol, &symbol))
		made.function = symbol.name;
	for (; i < plt->stubs.n && plt->stubs.p[i].slot == r.slot && !plt->stubs.p[i].is_named; i++)
		name_stub(t, &plt->stubs.p[i], made);
}

/* Where the loader is to look at, stubs that push the number of their relocation get its slot. */
static void slots_by_number(struct plt *plt, const struct elf_section *section)
{
	size_t n = relocation_bytes(plt->elf, section);
	struct str bytes = elf_section_bytes(plt->elf, section);
	for (uint32_t i = 0; i < plt->stubs.n; i++) {
		struct stub *stub = &plt->stubs.p[i];
		/* In programs of 32 bits it is the offset of the relocation. */
		uint64_t at = plt->elf->is_64 ? (uint64_t)stub->relocation * n : stub->relocation;
		if (stub->slot || stub->relocation == BAD_RELOCATION || at > bytes.n ||
		    bytes.n - at < n)
			continue;
		stub->slot =
			relocation_from(bytes.p + at, plt->elf->is_64, section->type == SHT_RELA)
				.slot;
	}
}

static bool is_plt(struct str name)
{
	static const struct str names[] = { STR(".plt"), STR(".plt.sec"), STR(".plt.got"),
					    STR(".iplt") };
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_eq(name, names[i]))
			return true;
	return false;
}

static bool has_relocations(const struct elf_section *s)
{
	return (s->type == SHT_RELA || s->type == SHT_REL) && s->flags & SHF_ALLOC &&
	       !(s->flags & SHF_COMPRESSED);
}

/* Sections of a hostile file overlap: together they are read for no longer than the file is. */
static bool may_read(const struct elf_section *s, uint64_t *budget_bytes)
{
	if (s->size_bytes > *budget_bytes)
		return false;
	*budget_bytes -= s->size_bytes;
	return true;
}

static void find_stubs(struct symbol_table *t, struct plt *plt)
{
	const struct elf *elf = plt->elf;
	uint64_t budget_bytes = elf->bytes.n;
	for (uint32_t i = 0; i < elf->sections.n; i++) {
		const struct elf_section *s = &elf->sections.p[i];
		if (is_plt(s->name) && s->flags & SHF_EXECINSTR && !(s->flags & SHF_COMPRESSED) &&
		    may_read(s, &budget_bytes))
			add_stubs(t, plt, s);
	}
	for (uint32_t i = 0; i < elf->sections.n; i++) {
		const struct elf_section *s = &elf->sections.p[i];
		if (has_relocations(s) && str_ends(s->name, STR(".plt"))) {
			slots_by_number(plt, s);
			break;
		}
	}
	if (plt->stubs.n)
		qsort(plt->stubs.p, plt->stubs.n, sizeof(*plt->stubs.p), by_slot);
}

void symbol_table_add_plt(struct symbol_table *t, struct elf *elf)
{
	struct plt plt = { .elf = elf };
	uint64_t budget_bytes = elf->bytes.n;
	if (elf->machine != EM_X86_64 && elf->machine != EM_386 && elf->machine != EM_AARCH64)
		return;
	find_stubs(t, &plt);
	for (uint32_t i = 0; i < elf->sections.n && plt.stubs.n; i++) {
		const struct elf_section *s = &elf->sections.p[i];
		if (!has_relocations(s) || !may_read(s, &budget_bytes))
			continue;
		size_t n = elf_section_scan(elf, s).n / relocation_bytes(elf, s);
		for (uint32_t j = 0; j < n; j++)
			add_relocation(t, &plt, s, j);
	}
	vec_fini(&plt.stubs);
}
