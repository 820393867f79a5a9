/*
 * Any bytes as .eh_frame and .debug_frame: the table that comes of them is searched all over, and stacks
 * are walked by its rules, of memory that is made from the same bytes.
 */
#include "fuzz.h"

#include "../unit/unwind_elf.h"
#include "debug_info/debug_info.h"
#include "unwind/unwind_int.h"

enum { STACK = 0x7000000, WORDS = 128, MAX = 64, WALKS = 32 };

static void find(void *context, uint64_t address, struct unwind_place *place)
{
	bool is_code = address >= FAKE_CODE && address < FAKE_CODE + FAKE_CODE_BYTES;
	*place = (struct unwind_place){ .table = is_code ? context : NULL,
					.start = FAKE_CODE,
					.end = FAKE_CODE + FAKE_CODE_BYTES,
					.is_code = is_code };
	if (!is_code)
		place->start = place->end = 0;
}

static uint64_t next_number(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

/* Code, or a place on the stack: what a stack holds where a walk goes on. */
static uint64_t next_word(const struct unwind_table *t, uint64_t *state)
{
	uint64_t number = next_number(state);
	if (number & 1)
		return STACK + (number >> 1) % (8 * WORDS);
	return t->base + t->starts[(number >> 1) % t->rows] + next_number(state) % 4;
}

static void walk(struct unwind_table *t, uint64_t *state)
{
	uint64_t addresses[MAX], is_return[MAX / 64];
	uint64_t *stack = mem_alloc(WORDS, sizeof(*stack));
	struct unwinder u = { EM_X86_64, find, t };
	struct unwind_registers registers = { .is_known = next_number(state) | 1 << 7 | 1 << 16 };
	enum unwind_end end;
	for (unsigned i = 0; i < WORDS; i++)
		stack[i] = next_word(t, state);
	for (unsigned i = 0; i < 17; i++)
		registers.value[i] = next_word(t, state);
	registers.value[7] = STACK;
	registers.value[16] = t->base + t->starts[next_number(state) % t->rows];
	struct unwind_memory memory = { STACK, { (const char *)stack, WORDS * sizeof(*stack) } };
	uint32_t n = unwind_stack(&u, &registers, &memory, addresses, is_return, MAX, &end);
	if (n > MAX || end > UNWIND_FULL || !n)
		abort();
	free(stack);
}

static void search(const struct unwind_table *t)
{
	for (uint32_t i = 0; i < t->rows; i++) {
		if (i && t->starts[i] <= t->starts[i - 1])
			abort();
		const uint32_t *rule = table_find(t, t->base + t->starts[i]);
		if ((rule != NULL) != (t->rules[i] != RULE_NONE))
			abort();
		if (rule && rule != t->rule_words + t->rules[i])
			abort();
	}
	if (table_find(t, t->base - 1) || t->rules[t->rows - 1] != RULE_NONE)
		abort();
}

/* By the entries, or by a table of them that is made from the same bytes and may contradict them. */
static void look_for_functions(struct elf *elf)
{
	struct function_ranges f;
	struct function_range range;
	function_ranges_init(&f, elf);
	if (f.n && function_ranges_find(&f, UINT64_MAX) != f.n - 1)
		abort();
	for (uint32_t i = 0; i < f.n; i++) {
		uint64_t start = function_ranges_start(&f, i);
		if (f.list.n && i && start < function_ranges_start(&f, i - 1))
			abort();
		if (function_ranges_find(&f, start) == INDEX_NONE && f.list.n)
			abort();
		if (function_ranges_get(&f, i, &range) &&
		    (range.start != start || range.end <= start))
			abort();
	}
	function_ranges_fini(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(buf) struct buf file = { 0 };
	struct str bytes = { (const char *)data, size };
	size_t half = size % 2 ? size / 2 : size; /* an odd one has both sections */
	struct err e = { 0 };
	uint64_t state = size ? hash_bytes(data, size) : 1;
	AUTO(buf) struct buf sorted = { 0 };
	if (size % 4 == 3) {
		ADD(&sorted, 1, 0x1b, 3, 0x3b, 0, 0, 0, 0, (uint8_t)size, 0, 0, 0);
		buf_add(&sorted, str_from_byte(bytes, half));
	}
	fake_elf(&file, &(struct fake_parts){ .eh_frame = str_first(bytes, half),
					      .eh_frame_hdr = buf_str(&sorted),
					      .debug_frame = str_from_byte(bytes, half),
					      .data = str_first(bytes, 64) });
	struct elf *elf = elf_of_memory(buf_str(&file), "fuzz", &e);
	if (elf)
		look_for_functions(elf);
	struct unwind_table *t = elf ? unwind_table_new(elf, &e) : NULL;
	elf_free(elf);
	if (t)
		search(t);
	for (unsigned i = 0; t && i < WALKS; i++)
		walk(t, &state);
	unwind_table_free(t);
	return 0;
}
