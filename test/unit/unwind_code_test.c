/* Walking through functions that no table knows, by their instructions; and not walking where nothing is proved. */
#include "code_program.h"
#include "tap.h"
#include "unwind/code_int.h"

enum {
	OUTER = FAKE_CODE,	   /* sub $8; call middle */
	MIDDLE = FAKE_CODE + 0x20, /* push %rbx; sub $16; call leaf; add $16; pop %rbx; ret */
	LEAF = FAKE_CODE + 0x40,   /* three bytes, two ways, ret */
	TAIL = FAKE_CODE + 0x60,   /* push %rbp; pop %rbp; jmp jumped */
	JUMPED = FAKE_CODE + 0x70, /* push %r12; ... */
	CALLS_TAIL = FAKE_CODE + 0x90,
	CODE_END = FAKE_CODE + 0xa0,
	STACK = 0x7000000,
	RBX = 3,
	RBP = 6,
	RSP = 7,
	PC = 16,
};

static const uint8_t code[CODE_END - FAKE_CODE] = {
	[0x00] = 0x48,
	0x83,
	0xec,
	0x08,
	0xe8,
	0x17,
	0,
	0,
	0,
	0x48,
	0x83,
	0xc4,
	0x08,
	0xc3,
	[0x20] = 0x53,
	0x48,
	0x83,
	0xec,
	0x10,
	0xe8,
	0x16,
	0,
	0,
	0,
	0x48,
	0x83,
	0xc4,
	0x10,
	0x5b,
	0xc3,
	[0x40] = 0x85,
	0xff,
	0x74,
	0x03,
	0x31,
	0xc0,
	0xc3,
	0xff,
	0xc0,
	0xc3,
	[0x60] = 0x55,
	0x5d,
	0xe9,
	0x09,
	0,
	0,
	0,
	[0x6f] = 0xcc,
	0x41,
	0x54,
	0x31,
	0xc0,
	0x41,
	0x5c,
	0xc3,
	[0x90] = 0xe8,
	0xcb,
	0xff,
	0xff,
	0xff,
	0xc3,
};

struct walked {
	uint64_t addresses[8], is_return[1];
	uint32_t n;
	enum unwind_end end;
};

static void find(void *context, uint64_t address, struct unwind_place *place)
{
	bool is_code = address >= FAKE_CODE && address < CODE_END;
	*place = (struct unwind_place){ .code = is_code ? context : NULL,
					.start = is_code ? FAKE_CODE : address,
					.end = is_code ? CODE_END : address + 1,
					.is_code = is_code };
}

static struct walked walk(uint64_t pc, const uint64_t *words, size_t n)
{
	AUTO(buf) struct buf file = { 0 };
	struct err e;
	struct walked w = { 0 };
	code_program(&file, (struct str){ (const char *)code, sizeof(code) });
	struct elf *elf = elf_of_memory(buf_str(&file), "code", &e);
	struct unwind_code *c = unwind_code_new(elf);
	struct unwinder u = { EM_X86_64, find, c };
	struct unwind_registers r = { .is_known = 1 << RBX | 1 << RBP | 1 << RSP | 1 << PC };
	struct unwind_memory memory = { STACK, { (const char *)words, n * sizeof(*words) } };
	r.value[RSP] = STACK;
	r.value[PC] = pc;
	w.n = unwind_stack(&u, &r, &memory, w.addresses, w.is_return, 8, &w.end);
	unwind_code_free(c);
	elf_free(elf);
	return w;
}

static void test_chain(void)
{
	/* In the leaf; junk on the way is behind a call, too. */
	const uint64_t stack[] = { MIDDLE + 10, OUTER + 9, 1, 0xb, OUTER + 9, 0, 0x1234 };
	for (uint64_t at = LEAF; at < LEAF + 10; at++) {
		if (at == LEAF + 1 || at == LEAF + 3 || at == LEAF + 5 || at == LEAF + 8)
			continue; /* in the middle of an instruction */
		struct walked w = walk(at, stack, ARRAY_SIZE(stack));
		tap_ok(w.n == 3 && w.addresses[1] == MIDDLE + 10 && w.addresses[2] == OUTER + 9,
		       "at byte %u of a leaf: its caller and that one's", (unsigned)(at - LEAF));
	}
	const uint64_t pushed[] = { 5, OUTER + 9, 0, 0x1234 };
	struct walked w = walk(MIDDLE + 1, pushed, ARRAY_SIZE(pushed));
	tap_ok(w.n == 2 && w.addresses[1] == OUTER + 9, "behind a push");
	w = walk(MIDDLE, pushed + 1, 3);
	tap_ok(w.n == 2 && w.addresses[1] == OUTER + 9, "before it");
	w = walk(MIDDLE + 15, pushed + 1, 3);
	tap_ok(w.n == 2 && w.addresses[1] == OUTER + 9, "before the return");
}

static void test_jumped(void)
{
	const uint64_t stack[] = { 0xc, CALLS_TAIL + 5, 0 };
	struct walked w = walk(JUMPED + 2, stack, ARRAY_SIZE(stack));
	tap_ok(w.n == 2 && w.addresses[1] == CALLS_TAIL + 5,
	       "a function that another one jumps to, which was called");
}

static void test_not_believed(void)
{
	const uint64_t other[] = { OUTER + 9, 0, 0 }, no_call[] = { MIDDLE + 9, 0, 0 };
	const uint64_t nowhere[] = { 0x99, MIDDLE + 10, 0 };
	struct walked w = walk(LEAF, other, ARRAY_SIZE(other));
	tap_num_eq(w.n, 1, "a return to where another function was called is not a caller");
	w = walk(LEAF, no_call, ARRAY_SIZE(no_call));
	tap_num_eq(w.n, 1, "nor is an address that no call is in front of");
	w = walk(LEAF, nowhere, ARRAY_SIZE(nowhere));
	tap_num_eq(w.n, 1, "nor one that is further up the stack");
}

struct step {
	const char *bytes;
	size_t n;
	int32_t depth;
	bool has_depth;
	const char *text;
};
#define STEP(bytes, depth, has_depth, text)                                                        \
	{                                                                                          \
		bytes, sizeof(bytes) - 1, depth, has_depth, text                                   \
	}

static void test_steps(void)
{
	static const struct step steps[] = {
		STEP("\x55", 8, true, "push %rbp"),
		STEP("\x48\x89\xe5", 8, true, "mov %rsp,%rbp"),
		STEP("\x41\x57", 16, true, "push %r15"),
		STEP("\x6a\x01", 24, true, "push $1"),
		STEP("\xff\x75\x10", 32, true, "push 16(%rbp)"),
		STEP("\x48\x81\xec\x00\x01\x00\x00", 288, true, "sub $256,%rsp"),
		STEP("\x48\x8d\x64\x24\x20", 256, true, "lea 32(%rsp),%rsp"),
		STEP("\x48\x83\xe4\xf0", 256, false, "and $-16,%rsp: nobody knows"),
		STEP("\x48\x8d\x65\xf8", 16, true, "lea -8(%rbp),%rsp: known again"),
		STEP("\x41\x5f", 8, true, "pop %r15"),
		STEP("\xc9", 0, true, "leave"),
		STEP("\x48\x83\xc4\x08", 0, false, "add $8,%rsp: the return address is gone"),
	};
	struct code_state s = { .has_depth = true };
	uint64_t kept = 1u << RBX | 1u << RBP | 0xfu << 12;
	for (unsigned i = 0; i < ARRAY_SIZE(steps); i++) {
		code_step_x86_64((struct str){ steps[i].bytes, steps[i].n }, kept, &s);
		tap_ok(s.has_depth == steps[i].has_depth &&
			       (!s.has_depth || s.depth == steps[i].depth),
		       "%s", steps[i].text);
		if (i == 3)
			tap_ok(s.is_saved == (1u << RBP | 1u << 15) && s.saved_depth[15] == 16,
			       "registers that were pushed are known");
	}
}

static void test_calls(void)
{
	static const struct str calls[] = {
		{ "\xe8\x01\x02\x03\x04", 5 },
		{ "\xff\xd0", 2 },
		{ "\x41\xff\xd3", 3 },
		{ "\xff\x13", 2 },
		{ "\xff\x50\x18", 3 },
		{ "\xff\x15\x01\x02\x03\x04", 6 },
		{ "\xff\x94\xc8\x01\x02\x03\x04", 7 },
		{ "\x41\xff\x54\x24\x08", 5 },
	};
	static const struct str others[] = { { "\xff\xe0", 2 }, /* jmp */
					     { "\xff\x30", 2 }, /* push */
					     { "\x90\x90\x90", 3 },
					     { "\xe9\x01\x02\x03\x04", 5 },
					     { "", 0 } };
	int64_t target;
	bool is_direct;
	for (unsigned i = 0; i < ARRAY_SIZE(calls); i++)
		tap_ok(code_call_before_x86_64(calls[i], &target, &is_direct) &&
			       is_direct == (i == 0) && (i || target == 0x04030201),
		       "call %u", i);
	for (unsigned i = 0; i < ARRAY_SIZE(others); i++)
		tap_ok(!code_call_before_x86_64(others[i], &target, &is_direct), "no call %u", i);
}

int main(void)
{
	test_chain();
	test_jumped();
	test_not_believed();
	test_steps();
	test_calls();
	return tap_done();
}
