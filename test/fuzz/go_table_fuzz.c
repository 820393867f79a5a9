/*
 * Any bytes as the tables of a Go program, one way of linking after the other: whatever is found can be read, and rules
 * for stacks come out of it in order.
 */
#include "fuzz.h"

#include "../unit/unwind_elf.h"
#include "unwind/unwind_int.h"

enum { STEP = 61 };

static uint64_t sum;

static void look_up(struct debug_info *d)
{
	const struct debug_frame *frames;
	for (uint64_t a = FAKE_CODE; a < FAKE_CODE + FAKE_CODE_BYTES; a += STEP) {
		uint32_t n = debug_info_find(d, a, &frames);
		if (n > DEBUG_MAX_INLINES + 1)
			abort();
		for (uint32_t i = 0; i < n; i++)
			sum += frames[i].name.n + frames[i].file.n + frames[i].line;
	}
}

static void check_functions(struct go_table *t)
{
	struct go_function f, g;
	uint64_t reached = 0;
	for (uint32_t i = 0; i < go_table_count(t); i++) {
		if (!go_table_get(t, i, &f))
			continue;
		if (f.start < reached || f.end <= f.start)
			abort();
		reached = f.end;
		if (!go_table_find(t, f.end - 1, &g) || g.start != f.start)
			abort();
	}
}

static void check_rules(const struct unwind_table *t)
{
	for (uint32_t i = 1; i < t->rows; i++)
		if (t->starts[i] <= t->starts[i - 1])
			abort();
	for (uint64_t a = FAKE_CODE; a < FAKE_CODE + FAKE_CODE_BYTES; a += STEP)
		sum += table_find(t, a) != NULL;
}

static void add_program(struct buf *b, struct str bytes, struct str relocations, bool has_section)
{
	struct fake_section sections[] = {
		{ has_section ? ".gopclntab" : ".go.buildinfo", bytes, FAKE_DATA, SHT_PROGBITS, 0 },
		{ ".data", bytes, FAKE_DATA, SHT_PROGBITS, 0 },
		{ ".rela", relocations, 0, SHT_RELA, 0 },
		{ ".names", { 0 }, 0, SHT_STRTAB, 0 },
	};
	struct fake_head head = {
		.type = ET_DYN,
		.segments = { { .p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_vaddr = FAKE_CODE,
				.p_memsz = FAKE_CODE_BYTES },
			      { .p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = FAKE_DATA } },
		.data = &sections[1]
	};
	size_t head_bytes = sizeof(Elf64_Ehdr) + sizeof(head.segments);
	memset(buf_reserve(b, head_bytes), 0, head_bytes);
	b->n = head_bytes;
	fake_file(b, &head, sections, ARRAY_SIZE(sections));
}

/* The first byte says how it is linked and where relocations begin. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(buf) struct buf file = { 0 };
	struct err e;
	if (!size)
		return 0;
	struct str bytes = { (const char *)data + 1, size - 1 };
	size_t end = data[0] & 2 ? bytes.n / 2 : bytes.n;
	add_program(&file, str_first(bytes, end), str_from_byte(bytes, end), data[0] & 1);
	struct elf *elf = elf_of_memory(buf_str(&file), "fuzz", &e);
	struct go_table *t = elf ? go_table_new(elf) : NULL;
	if (t) {
		struct debug_info *d = debug_info_new(elf);
		struct unwind_table *rules = unwind_table_new(elf, &e);
		check_functions(t);
		if (d)
			look_up(d);
		if (rules)
			check_rules(rules);
		debug_info_free(d);
		unwind_table_free(rules);
	}
	go_table_free(t);
	elf_free(elf);
	return 0;
}
