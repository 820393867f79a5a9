/* Any bytes as code that no table knows, with stacks that hold its addresses: walks end, and find only code. */
#include "fuzz.h"

#include "../unit/code_program.h"
#include "unwind/code_int.h"

enum { STACK = 0x7000000, WORDS = 64, MAX = 64, WALKS = 48 };

struct program {
	struct unwind_code *code;
	size_t size;
};

static void find(void *context, uint64_t address, struct unwind_place *place)
{
	const struct program *p = context;
	bool is_code = address >= FAKE_CODE && address < FAKE_CODE + p->size;
	*place = (struct unwind_place){ .code = is_code ? p->code : NULL,
					.start = is_code ? FAKE_CODE : address,
					.end = is_code ? FAKE_CODE + p->size : address + 1,
					.is_code = is_code };
}

static uint64_t next_number(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static void walk(struct program *p, uint64_t *state)
{
	uint64_t addresses[MAX], is_return[MAX / 64];
	uint64_t *stack = mem_alloc(WORDS, sizeof(*stack));
	struct unwinder u = { EM_X86_64, find, p };
	struct unwind_registers registers = { .is_known = 0x1f0ff };
	enum unwind_end end;
	for (unsigned i = 0; i < WORDS; i++)
		stack[i] = next_number(state) & 3 ? FAKE_CODE + next_number(state) % p->size
						  : STACK + next_number(state) % (8 * WORDS);
	for (unsigned i = 0; i < 16; i++)
		registers.value[i] = STACK + next_number(state) % (8 * WORDS) / 8 * 8;
	registers.value[7] = STACK;
	registers.value[16] = FAKE_CODE + next_number(state) % p->size;
	struct unwind_memory memory = { STACK, { (const char *)stack, WORDS * sizeof(*stack) } };
	uint32_t n = unwind_stack(&u, &registers, &memory, addresses, is_return, MAX, &end);
	if (!n || n > MAX)
		abort();
	for (uint32_t i = 1; i < n; i++)
		if (addresses[i] <= FAKE_CODE || addresses[i] > FAKE_CODE + p->size)
			abort();
	free(stack);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(buf) struct buf file = { 0 };
	struct err e;
	uint64_t state = size ? hash_bytes(data, size) : 1;
	if (!size)
		return 0;
	code_program(&file, (struct str){ (const char *)data, size });
	struct elf *elf = elf_of_memory(buf_str(&file), "fuzz", &e);
	struct program p = { elf ? unwind_code_new(elf) : NULL, size };
	for (unsigned i = 0; p.code && i < WALKS; i++)
		walk(&p, &state);
	unwind_code_free(p.code);
	elf_free(elf);
	return 0;
}
