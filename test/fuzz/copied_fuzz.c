/*
 * Any bytes as a function that is copied, as CPython's trampoline is, and as the code that its copies return to: what is
 * read of it holds for every stack, and walks end in code.
 */
#include "fuzz.h"
#include "unwind/unwind.h"

#include <elf.h>

enum { CODE = 0x10000, COPIES = 0x20000, STACK = 0x7000000, WORDS = 64, MAX = 64, WALKS = 16 };

struct program {
	struct unwind_copied copied;
	struct str code;
};

static void find(void *context, uint64_t address, struct unwind_place *place)
{
	const struct program *p = context;
	*place = (struct unwind_place){ .start = address, .end = address + 1 };
	if (address >= CODE && address < CODE + p->code.n)
		*place = (struct unwind_place){
			.start = CODE, .end = CODE + p->code.n, .is_code = true, .bytes = p->code
		};
	else if (address >= COPIES && address < COPIES + 0x1000)
		*place = (struct unwind_place){ .start = COPIES,
						.end = COPIES + 0x1000,
						.is_code = true,
						.copied = &p->copied };
}

static uint64_t next_number(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static uint64_t next_word(const struct program *p, uint64_t *state)
{
	uint64_t number = next_number(state);
	if (number % 4 == 0)
		return STACK + (number >> 2) % (8 * WORDS);
	return number % 4 == 1 ? COPIES + (number >> 2) % 0x1000
			       : CODE + (number >> 2) % (p->code.n + 1);
}

static void walk(struct program *p, uint64_t *state)
{
	uint64_t stack[WORDS], addresses[MAX], is_return[MAX / 64];
	struct unwinder u = { EM_X86_64, find, p };
	struct unwind_registers registers = { .is_known = 1 << 6 | 1 << 7 | 1 << 16 };
	struct unwind_memory memory = { STACK, { (const char *)stack, sizeof(stack) } };
	enum unwind_end end;
	for (unsigned i = 0; i < WORDS; i++)
		stack[i] = next_word(p, state);
	registers.value[6] = next_word(p, state);
	registers.value[7] = STACK;
	registers.value[16] = COPIES + next_number(state) % 0x1000;
	uint32_t n = unwind_stack(&u, &registers, &memory, addresses, is_return, MAX, &end);
	if (!n || n > MAX || end > UNWIND_FULL)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of its own, so that ASan sees a read before it. */
	AUTO_FREE char *bytes = mem_alloc(size + 1, 1);
	struct program p = { .code = { bytes, size } };
	uint64_t state = size ? hash_bytes(data, size) : 1;
	if (size)
		memcpy(bytes, data, size);
	bool is_read = unwind_copied_read(EM_X86_64, p.code, &p.copied);
	if (is_read && (p.copied.call_depth >= UNWIND_COPIED_WORDS || !p.copied.depths ||
			p.copied.depths >> UNWIND_COPIED_WORDS))
		abort();
	for (size_t i = 0; i <= size + 1; i++)
		unwind_is_behind_call(p.code, i);
	for (unsigned i = 0; is_read && i < WALKS; i++)
		walk(&p, &state);
	return 0;
}
