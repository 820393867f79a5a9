/* Whether a file was compiled with frame pointers. Nothing says so; its functions show it. */
#include "target/frame_pointers_int.h"

/* Functions are taken from all over the file: parts of it may come from libraries. */
enum { MOST_LOOKED_AT = 4000, FEWEST_TOLD = 3, KEPT_PERCENT = 75 };

struct survey {
	struct elf *elf;
	enum prologue (*prologue)(struct str code);
	struct str text;
	uint64_t text_address;
	uint32_t kept, omitted;
};

/* The function's bytes from its start on; empty: it is elsewhere, as the start-up code of the C library. */
static struct str code_at(const struct survey *s, uint64_t address)
{
	if (address < s->text_address)
		return STR("");
	return str_from_byte(s->text, address - s->text_address);
}

static void look_at(struct survey *s, uint64_t address, uint64_t size_bytes)
{
	struct str code = str_first(code_at(s, address), PROLOGUE_BYTES);
	enum prologue p = s->prologue(str_first(code, size_bytes));
	s->kept += p == PROLOGUE_KEEPS_FRAME_POINTER;
	s->omitted += p == PROLOGUE_OMITS_FRAME_POINTER;
}

static uint64_t step_for(uint64_t n)
{
	return n / MOST_LOOKED_AT + 1;
}

/* --- functions of a symbol table --- */

static void survey_symbols(struct survey *s, struct str section)
{
	struct str bytes = elf_section_bytes(s->elf, elf_find_section(s->elf, section));
	uint64_t n = bytes.n / sizeof(Elf64_Sym), step = step_for(n);
	for (uint64_t i = 0; i < n; i += step) {
		Elf64_Sym symbol;
		memcpy(&symbol, bytes.p + i * sizeof(symbol), sizeof(symbol));
		if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF)
			look_at(s, symbol.st_value,
				symbol.st_size ? symbol.st_size : PROLOGUE_BYTES);
	}
}

/*
 * --- functions of .eh_frame, by the table in .eh_frame_hdr (Linux Standard Base, 10.6.2): pairs of four
 * bytes, counted from the section's own address: where a function begins, where its entry is ---
 */

static int64_t word_at(struct str bytes, uint64_t at)
{
	int32_t word;
	memcpy(&word, bytes.p + at, sizeof(word));
	return word;
}

static void survey_frames(struct survey *s)
{
	enum {
		VERSION = 1,
		COUNT_IS_4_BYTES = 0x03,
		TABLE_IS_DATAREL_4 = 0x3b,
		HEAD_BYTES = 12,
		PAIR = 8
	};
	const struct elf_section *section = elf_find_section(s->elf, STR(".eh_frame_hdr"));
	struct str bytes = section ? elf_section_bytes(s->elf, section) : STR("");
	if (bytes.n < HEAD_BYTES || bytes.p[0] != VERSION || bytes.p[2] != COUNT_IS_4_BYTES ||
	    bytes.p[3] != TABLE_IS_DATAREL_4)
		return;
	uint64_t n = (uint32_t)word_at(bytes, 8), room = (bytes.n - HEAD_BYTES) / PAIR;
	n = n < room ? n : room;
	uint64_t step = step_for(n);
	for (uint64_t i = 0; i < n; i += step)
		look_at(s, section->address + (uint64_t)word_at(bytes, HEAD_BYTES + i * PAIR),
			PROLOGUE_BYTES);
}

enum frame_pointer_use frame_pointers_of(struct elf *elf)
{
	struct survey s = { .elf = elf, .prologue = prologue_x86_64 };
	const struct elf_section *text = elf ? elf_find_section(elf, STR(".text")) : NULL;
	if (!text || elf->machine != EM_X86_64 || !elf->is_64)
		return FRAME_POINTERS_UNKNOWN;
	s.text = elf_section_bytes(elf, text);
	s.text_address = text->address;
	survey_symbols(&s, STR(".symtab"));
	if (s.kept + s.omitted < FEWEST_TOLD)
		survey_frames(&s);
	if (s.kept + s.omitted < FEWEST_TOLD)
		survey_symbols(&s, STR(".dynsym"));
	uint64_t told = s.kept + s.omitted;
	/* Go's compiler always keeps them; its stripped programs have none of these tables. */
	if (told < FEWEST_TOLD)
		return elf_find_section(elf, STR(".gopclntab")) ? FRAME_POINTERS_KEPT
								: FRAME_POINTERS_UNKNOWN;
	return 100 * (uint64_t)s.kept >= KEPT_PERCENT * told ? FRAME_POINTERS_KEPT
							     : FRAME_POINTERS_OMITTED;
}
