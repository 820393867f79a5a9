/* Call frame information, byte by byte, and the rules that it must give. */
#include "random.h"
#include "tap.h"
#include "unwind/unwind_int.h"
#include "unwind_elf.h"

#include <dwarf.h>

/* --- rules as text --- */

static void add_saved(struct buf *out, const struct unwind_table *t, struct saved_word word)
{
	buf_addf(out, " r%u=", (unsigned)word.reg);
	if (word.kind == SAVED_UNDEFINED)
		buf_addf(out, "?");
	else if (word.kind == SAVED_SAME)
		buf_addf(out, "same");
	else if (word.kind == SAVED_AT_OFFSET)
		buf_addf(out, "[%+d]", (int)word.value);
	else if (word.kind == SAVED_IS_OFFSET)
		buf_addf(out, "%+d", (int)word.value);
	else if (word.kind == SAVED_IN_REGISTER)
		buf_addf(out, "r%d", (int)word.value);
	else
		buf_addf(out, word.kind == SAVED_AT_EXPRESSION ? "[%zu bytes]" : "%zu bytes",
			 table_expression(t, word.value).n);
}

/* `r7+16 r6=[-16] r16=[-8]`: the CFA, then what is saved. */
static const char *rule_at(const struct unwind_table *t, uint64_t address)
{
	static struct buf out;
	out.n = 0;
	const uint32_t *words = t ? table_find(t, address) : NULL;
	struct rule_head head;
	if (!words)
		return "none";
	memcpy(&head, words, sizeof(head));
	if (head.cfa_kind == CFA_REGISTER)
		buf_addf(&out, "r%u%+d", head.cfa_register, (int)words[1]);
	else
		buf_addf(&out, "%zu bytes", table_expression(t, (int32_t)words[1]).n);
	for (unsigned i = 0; i < head.saved; i++) {
		struct saved_word word;
		memcpy(&word, &words[2 + i], sizeof(word));
		add_saved(&out, t, word);
	}
	if (head.flags & RULE_IS_ROOT)
		buf_addf(&out, " root");
	if (head.flags & RULE_IS_SIGNAL)
		buf_addf(&out, " signal");
	return buf_c_string(&out);
}

/* --- tables --- */

static struct unwind_table *table_of(const struct fake_parts *parts)
{
	AUTO(buf) struct buf file = { 0 };
	struct err e;
	fake_elf(&file, parts);
	struct elf *elf = elf_of_memory(buf_str(&file), "fake", &e);
	struct unwind_table *t = elf ? unwind_table_new(elf, &e) : NULL;
	elf_free(elf);
	return t;
}

static struct unwind_table *table_of_eh_frame(const struct buf *eh_frame)
{
	return table_of(&(struct fake_parts){ .eh_frame = buf_str(eh_frame) });
}

/* One function of 0x100 bytes at 0x2000. */
static struct unwind_table *table_of_program(struct str program)
{
	AUTO(buf) struct buf b = { 0 };
	add_cie(&b, "zR", DW_EH_PE_pcrel | DW_EH_PE_sdata4);
	add_fde(&b, 0, 0x2000, 0x100, program);
	return table_of_eh_frame(&b);
}

#define is_rule(t, address, want)                                                                  \
	tap_str_eq(str_from(rule_at((t), (address))), str_from(want), "at %#x: %s", (address),     \
		   (want))

/* --- what compilers write --- */

static void test_prologue(void)
{
	/* push %rbp; mov %rsp,%rbp; ... leave; ret; and a part behind the return */
	struct unwind_table *t =
		table_of_program(PROGRAM(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x20, 0x0a,
					 0xc6, 0x0c, 7, 8, 0x41, 0x0b));
	is_rule(t, 0x1fff, "none");
	is_rule(t, 0x2000, "r7+8 r16=[-8]");
	is_rule(t, 0x2001, "r7+16 r6=[-16] r16=[-8]");
	is_rule(t, 0x2003, "r7+16 r6=[-16] r16=[-8]");
	is_rule(t, 0x2004, "r6+16 r6=[-16] r16=[-8]");
	is_rule(t, 0x2024, "r7+8 r16=[-8]");
	is_rule(t, 0x2025, "r6+16 r6=[-16] r16=[-8]");
	is_rule(t, 0x20ff, "r6+16 r6=[-16] r16=[-8]");
	is_rule(t, 0x2100, "none");
	unwind_table_free(t);
}

static void test_locations(void)
{
	struct unwind_table *t = table_of_program(
		PROGRAM(DW_CFA_advance_loc1, 0x10, 0x0e, 16, DW_CFA_advance_loc2, 0x20, 0, 0x0e, 24,
			DW_CFA_advance_loc4, 0x30, 0, 0, 0, 0x0e, 32, 0x40, 0x0e, 40));
	is_rule(t, 0x200f, "r7+8 r16=[-8]");
	is_rule(t, 0x2010, "r7+16 r16=[-8]");
	is_rule(t, 0x2030, "r7+24 r16=[-8]");
	is_rule(t, 0x205f, "r7+24 r16=[-8]");
	is_rule(t, 0x2060, "r7+40 r16=[-8]");
	unwind_table_free(t);
	/* A location that is set is a pointer like the others, here from where it stands. */
	AUTO(buf) struct buf program = { 0 };
	AUTO(buf) struct buf b = { 0 };
	add_cie(&b, "zR", DW_EH_PE_pcrel | DW_EH_PE_sdata4);
	size_t at = b.n + 17;
	ADD(&program, DW_CFA_set_loc);
	add_bytes(&program, 0x2040 - (FAKE_EH_FRAME + at + 1), 4);
	ADD(&program, 0x0e, 16);
	add_fde(&b, 0, 0x2000, 0x100, buf_str(&program));
	t = table_of_eh_frame(&b);
	is_rule(t, 0x203f, "r7+8 r16=[-8]");
	is_rule(t, 0x2040, "r7+16 r16=[-8]");
	unwind_table_free(t);
}

static void test_registers(void)
{
	static const struct {
		const char *what, *want;
		uint8_t bytes[12];
	} cases[] = {
		{ "offset_extended", "r7+8 r3=[-24] r16=[-8]", { 0x05, 3, 3 } },
		{ "offset_extended_sf", "r7+8 r3=[+16] r16=[-8]", { 0x11, 3, 0x7e } },
		{ "negative_offset", "r7+8 r3=[+16] r16=[-8]", { 0x2f, 3, 2 } },
		{ "val_offset", "r7+8 r3=-16 r16=[-8]", { 0x14, 3, 2 } },
		{ "val_offset_sf", "r7+8 r3=+8 r16=[-8]", { 0x15, 3, 0x7f } },
		{ "register", "r7+8 r3=r12 r16=[-8]", { 0x09, 3, 12 } },
		{ "an unknown register", "r7+8 r3=? r16=[-8]", { 0x09, 3, 77 } },
		{ "same_value", "r7+8 r3=same r16=[-8]", { 0x08, 3 } },
		{ "undefined", "r7+8 r3=? r16=[-8]", { 0x07, 3 } },
		{ "the root", "r7+8 r16=? root", { 0x07, 16 } },
		{ "restore_extended", "r7+8 r16=[-8]", { 0x83, 2, 0x06, 3 } },
		{ "restore of what the CIE says", "r7+8 r16=[-8]", { 0x90, 4, 0xd0 } },
		{ "a register that is not followed", "r7+8 r16=[-8]", { 0x05, 40, 3 } },
		{ "GNU_args_size", "r7+8 r16=[-8]", { 0x2e, 0x80, 1 } },
		{ "expression", "r7+8 r3=[2 bytes] r16=[-8]", { 0x10, 3, 2, 0x77, 0 } },
		{ "val_expression", "r7+8 r3=3 bytes r16=[-8]", { 0x16, 3, 3, 0x77, 0, 0x06 } },
		{ "def_cfa_expression", "2 bytes r16=[-8]", { 0x0f, 2, 0x77, 16 } },
		{ "def_cfa_sf", "r6-16 r16=[-8]", { 0x12, 6, 2 } },
		{ "def_cfa_offset_sf", "r7+16 r16=[-8]", { 0x13, 0x7e } },
		{ "def_cfa", "r10+0 r16=[-8]", { 0x0c, 10, 0 } },
		{ "an offset of 2 GB", "none", { 0x0e, 0x80, 0x80, 0x80, 0x80, 0x08 } },
		{ "a register saved too far away",
		  "r7+8 r3=? r16=[-8]",
		  { 0x05, 3, 0xff, 0xff, 0xff, 0x7f } },
		{ "a CFA of an unknown register", "none", { 0x0c, 50, 8, 0x0e, 16 } },
		{ "an offset after an expression", "none", { 0x0f, 2, 0x77, 16, 0x0e, 16 } },
		{ "an unknown instruction", "none", { 0x3d } },
		{ "restore_state without remember_state", "none", { 0x0b } },
		{ "an instruction that is cut",
		  "none",
		  { 0x0c, 7, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80 } },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct str program = { (const char *)cases[i].bytes, sizeof(cases[i].bytes) };
		struct unwind_table *t = table_of_program(program);
		tap_str_eq(str_from(rule_at(t, 0x2000)), str_from(cases[i].want), "%s",
			   cases[i].what);
		unwind_table_free(t);
	}
}

/* --- pointers --- */

/* A function at 0x2000 of 0x40 bytes whose address is written in `encoding`. */
static struct unwind_table *table_of_encoding(uint8_t encoding, uint64_t value, unsigned bytes)
{
	AUTO(buf) struct buf b = { 0 };
	AUTO(buf) struct buf data = { 0 };
	add_cie(&b, "zR", encoding);
	size_t start = b.n;
	add_bytes(&b, 0, 4);
	add_bytes(&b, b.n, 4);
	add_bytes(&b, value, bytes);
	add_bytes(&b, 0x40, bytes);
	ADD(&b, 0);
	end_entry(&b, start);
	add_bytes(&data, 0x2000, 8);
	return table_of(&(struct fake_parts){ .eh_frame = buf_str(&b), .data = buf_str(&data) });
}

static void test_encodings(void)
{
	size_t pointer = FAKE_EH_FRAME + 22 + 8; /* where it stands: behind a CIE of 22 bytes */
	static const char want[] = "r7+8 r16=[-8]";
	struct {
		const char *what;
		uint8_t encoding;
		uint64_t value;
		unsigned bytes;
	} cases[] = {
		{ "absptr", DW_EH_PE_absptr, 0x2000, 8 },
		{ "udata2", DW_EH_PE_udata2, 0x2000, 2 },
		{ "udata4", DW_EH_PE_udata4, 0x2000, 4 },
		{ "udata8", DW_EH_PE_udata8, 0x2000, 8 },
		{ "sdata2", DW_EH_PE_sdata2, 0x2000, 2 },
		{ "sdata8 pcrel", DW_EH_PE_sdata8 | DW_EH_PE_pcrel, 0x2000 - pointer, 8 },
		{ "sdata4 textrel", DW_EH_PE_sdata4 | DW_EH_PE_textrel, 0x2000 - FAKE_TEXT, 4 },
		{ "sdata4 datarel", DW_EH_PE_sdata4 | DW_EH_PE_datarel, 0x2000u - FAKE_GOT, 4 },
		{ "indirect", DW_EH_PE_udata4 | DW_EH_PE_indirect, FAKE_DATA, 4 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct unwind_table *t =
			table_of_encoding(cases[i].encoding, cases[i].value, cases[i].bytes);
		tap_str_eq(str_from(rule_at(t, 0x203f)), str_from(want), "a pointer: %s",
			   cases[i].what);
		tap_str_eq(str_from(rule_at(t, 0x2040)), STR("none"), "%s: its end", cases[i].what);
		unwind_table_free(t);
	}
	tap_ok(!table_of_encoding(DW_EH_PE_udata4 | DW_EH_PE_indirect, 0x99999, 4),
	       "a pointer to what is not in the file gives no function");
	tap_ok(!table_of_encoding(0x0d, 0x2000, 8), "an unknown encoding gives no function");
}

/* --- entries --- */

static void test_augmentations(void)
{
	AUTO(buf) struct buf b = { 0 };
	size_t start = b.n;
	add_bytes(&b, 0, 8);
	/* personality (indirect, four bytes), language data, pointers, signal frame */
	ADD(&b, 1, 'z', 'P', 'L', 'R', 'S', 0, 1, 0x78, 16, 7, 0x9b, 1, 2, 3, 4, 0x1b, 0x1b);
	ADD(&b, CIE_PROGRAM);
	end_entry(&b, start);
	add_fde(&b, 0, 0x2000, 0x10, STR(""));
	struct unwind_table *t = table_of_eh_frame(&b);
	is_rule(t, 0x2000, "r7+8 r16=[-8] signal");
	unwind_table_free(t);
	b.n = 0;
	add_cie(&b, "xR", 0x1b);
	add_fde(&b, 0, 0x2000, 0x10, STR(""));
	tap_ok(!table_of_eh_frame(&b), "an augmentation that nobody knows gives no table");
}

static bool is_ascending(const struct unwind_table *t)
{
	for (uint32_t i = 1; i < t->rows; i++)
		if (t->starts[i] <= t->starts[i - 1])
			return false;
	return true;
}

static void test_overlaps(void)
{
	AUTO(buf) struct buf b = { 0 };
	add_cie(&b, "zR", 0x1b);
	add_fde(&b, 0, 0x3000, 0x10, PROGRAM(0x0e, 48));
	add_fde(&b, 0, 0x2000, 0x100, PROGRAM(0x0e, 16));
	add_fde(&b, 0, 0x2080, 0x10, PROGRAM(0x0e, 24));
	add_fde(&b, 0, 0x2080, 0x20, PROGRAM(0x0e, 32));
	add_fde(&b, 0, 0, 0x1000, PROGRAM(0x0e, 40));
	add_fde(&b, 0, FAKE_CODE + FAKE_CODE_BYTES, 0x10, PROGRAM(0x0e, 40));
	add_fde(&b, 0, 0x3010, 0, PROGRAM(0x0e, 56));
	add_bytes(&b, 0, 4);
	add_fde(&b, 0, 0x3020, 8, PROGRAM(0x0e, 64, 0x7f, 0x0e, 72));
	struct unwind_table *t = table_of_eh_frame(&b);
	is_rule(t, 0x207f, "r7+16 r16=[-8]");
	is_rule(t, 0x2080, "r7+24 r16=[-8]");
	is_rule(t, 0x2090, "none");
	is_rule(t, 0x3000, "r7+48 r16=[-8]");
	is_rule(t, 0x100, "none");
	is_rule(t, FAKE_CODE + FAKE_CODE_BYTES, "none");
	is_rule(t, 0x3010, "none");
	is_rule(t, 0x3020, "r7+64 r16=[-8]");
	is_rule(t, 0x3028, "none");
	tap_num_eq(t->starts[t->rows - 1], 0x2028, "the last row ends the table");
	tap_ok(is_ascending(t), "rows are sorted");
	unwind_table_free(t);
}

static void add_debug_fde(struct buf *b, uint64_t code, uint32_t size_bytes, struct str program)
{
	size_t start = b->n;
	add_bytes(b, 0, 4);
	add_bytes(b, 0, 4);
	add_bytes(b, code, 8);
	add_bytes(b, size_bytes, 8);
	buf_add(b, program);
	end_entry(b, start);
}

static void test_debug_frame(void)
{
	AUTO(buf) struct buf eh = { 0 };
	AUTO(buf) struct buf b = { 0 };
	add_bytes(&b, 0, 4);
	add_bytes(&b, UINT32_MAX, 4);
	ADD(&b, 4, 0, 8, 0, 1, 0x78, 16,
	    CIE_PROGRAM); /* version 4: sizes of addresses and segments */
	end_entry(&b, 0);
	add_debug_fde(&b, 0x2000, 0x100, PROGRAM(0x0e, 16));
	add_debug_fde(&b, 0x2010, 0x10, PROGRAM(0x0e, 56));
	add_debug_fde(&b, 0x3000, 0x100, PROGRAM(0x0e, 24));
	add_cie(&eh, "zR", 0x1b);
	add_fde(&eh, 0, 0x2000, 0x80, PROGRAM(0x0e, 32));
	add_fde(&eh, 0, 0x3080, 0x10, PROGRAM(0x0e, 40));
	struct unwind_table *t = table_of(
		&(struct fake_parts){ .eh_frame = buf_str(&eh), .debug_frame = buf_str(&b) });
	is_rule(t, 0x2000, "r7+32 r16=[-8]");
	is_rule(t, 0x2010, "r7+32 r16=[-8]");
	is_rule(t, 0x3000, "r7+24 r16=[-8]");
	is_rule(t, 0x3080, "r7+40 r16=[-8]");
	unwind_table_free(t);
}

static void test_dwarf64(void)
{
	AUTO(buf) struct buf b = { 0 };
	/* 64-bit DWARF: a length of 12 bytes, references of 8 */
	add_bytes(&b, UINT32_MAX, 4);
	add_bytes(&b, 8 + 5 + 5, 8);
	add_bytes(&b, UINT64_MAX, 8);
	ADD(&b, 3, 0, 1, 0x78, 16, CIE_PROGRAM);
	add_bytes(&b, UINT32_MAX, 4);
	add_bytes(&b, 8 + 16 + 2, 8);
	add_bytes(&b, 0, 8);
	add_bytes(&b, 0x2000, 8);
	add_bytes(&b, 0x10, 8);
	ADD(&b, 0x0e, 16);
	struct unwind_table *t = table_of(&(struct fake_parts){ .debug_frame = buf_str(&b) });
	is_rule(t, 0x2000, "r7+16 r16=[-8]");
	unwind_table_free(t);
}

static void test_refusals(void)
{
	AUTO(buf) struct buf b = { 0 };
	AUTO(buf) struct buf file = { 0 };
	struct err e = { 0 };
	add_cie(&b, "zR", 0x1b);
	add_fde(&b, 0, 0x2000, 0x10, STR(""));
	fake_elf(&file, &(struct fake_parts){ .eh_frame = buf_str(&b), .machine = EM_SPARC });
	struct elf *elf = elf_of_memory(buf_str(&file), "fake", &e);
	tap_ok(!unwind_table_new(elf, &e) && strstr(e.text, "architecture"), "another machine: %s",
	       e.text);
	elf_free(elf);
	file.n = 0;
	fake_elf(&file, &(struct fake_parts){ 0 });
	elf = elf_of_memory(buf_str(&file), "fake", &e);
	tap_ok(!unwind_table_new(elf, &e) && strstr(e.text, ".eh_frame"), "nothing: %s", e.text);
	elf_free(elf);
}

/* --- damage --- */

static void look_everywhere(const struct unwind_table *t)
{
	for (uint64_t address = 0x1f00; t && address < 0x3100; address += 3)
		rule_at(t, address);
}

static void add_example(struct buf *b)
{
	add_cie(b, "zR", 0x1b);
	add_fde(b, 0, 0x2000, 0x100,
		PROGRAM(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x20, 0x0a, 0xc6, 0x0c, 7, 8,
			0x41, 0x0b, 0x10, 3, 2, 0x77, 0));
	add_fde(b, 0, 0x3000, 0x100, PROGRAM(0x0f, 6, 0x77, 8, 0x80, 0, 0x3f, 0x22, 0x90, 1));
}

static void test_damage(void)
{
	AUTO(buf) struct buf whole = { 0 };
	add_example(&whole);
	for (size_t n = 0; n <= whole.n; n++) {
		struct unwind_table *t = table_of(&(struct fake_parts){
			.eh_frame = { whole.p, n }, .debug_frame = { whole.p, n } });
		look_everywhere(t);
		unwind_table_free(t);
	}
	for (unsigned i = 0; i < 5000; i++) {
		AUTO(buf) struct buf b = { 0 };
		buf_add(&b, buf_str(&whole));
		for (unsigned k = random_below(3) + 1; k; k--)
			b.p[random_below((uint32_t)b.n)] = (char)random_below(256);
		struct unwind_table *t = table_of_eh_frame(&b);
		look_everywhere(t);
		unwind_table_free(t);
	}
	tap_ok(true, "every cut and 5,000 damaged copies are survived");
}

/* Without a file, as a JIT compiler hands it out: code at 0x2000 of 0x40 bytes. */
static struct unwind_table *table_of_bare(const struct buf *b, struct budget *budget)
{
	return unwind_table_of_eh_frame(EM_X86_64,
					&(struct unwind_eh_frame){ .bytes = buf_str(b),
								   .address = FAKE_EH_FRAME,
								   .code_start = 0x2000,
								   .code_end = 0x2040,
								   .budget = budget });
}

static void test_bare(void)
{
	struct str program = PROGRAM(DW_CFA_advance_loc1, 0x10, 0x0e, 16);
	AUTO(buf) struct buf b = { 0 };
	add_cie(&b, "zR", DW_EH_PE_pcrel | DW_EH_PE_sdata4);
	add_fde(&b, 0, 0x1ff0, 0x20, program); /* begins before the code */
	add_fde(&b, 0, 0x2040, 0x20, program); /* behind it */
	struct unwind_table *t = table_of_bare(&b, NULL);
	tap_ok(!t, "what is said of other code is left out");
	add_fde(&b, 0, 0x2000, 0x100, program); /* ends behind it */
	t = table_of_bare(&b, NULL);
	is_rule(t, 0x1fff, "none");
	is_rule(t, 0x2000, "r7+8 r16=[-8]");
	is_rule(t, 0x203f, "r7+16 r16=[-8]");
	is_rule(t, 0x2040, "none");
	unwind_table_free(t);
	struct budget budget = budget_of_owner(0);
	budget.most_held_bytes = 50;
	tap_ok(!table_of_bare(&b, &budget) && budget.is_spent, "no more than the budget allows");
	budget_end(&budget);
	tap_ok(!unwind_table_of_eh_frame(EM_AARCH64, &(struct unwind_eh_frame){ 0 }),
	       "of another machine");
}

static void test_bare_damage(void)
{
	AUTO(buf) struct buf whole = { 0 };
	add_cie(&whole, "zR", DW_EH_PE_pcrel | DW_EH_PE_sdata4);
	add_fde(&whole, 0, 0x2000, 0x40, PROGRAM(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6));
	for (unsigned i = 0; i < 5000; i++) {
		AUTO_FREE char *copy = mem_alloc(whole.n, 1);
		struct buf b = { .p = copy, .n = i < whole.n ? i : whole.n };
		memcpy(copy, whole.p, whole.n);
		for (unsigned k = i < whole.n ? 0 : random_below(3) + 1; k; k--)
			copy[random_below((uint32_t)whole.n)] = (char)random_below(256);
		struct unwind_table *t = table_of_bare(&b, NULL);
		for (uint64_t address = 0x1f00; t && address < 0x2100; address++)
			if (table_find(t, address) && (address < 0x2000 || address >= 0x2040))
				tap_ok(false, "a rule for other code");
		unwind_table_free(t);
	}
	tap_ok(true, "5,000 damaged ones without a file are survived");
}

int main(void)
{
	test_prologue();
	test_locations();
	test_registers();
	test_encodings();
	test_augmentations();
	test_overlaps();
	test_debug_frame();
	test_dwarf64();
	test_refusals();
	test_damage();
	test_bare();
	test_bare_damage();
	return tap_done();
}
