/* Walking stacks that were made up: where a walk goes, and why it ends. */
#include "random.h"
#include "tap.h"
#include "unwind/unwind_int.h"
#include "unwind_elf.h"

#include <dwarf.h>

enum {
	BIAS = 0x500000,
	STACK = 0x7000,
	WORDS = 64,
	MAX = 16,

	LEAF = 0x2000,	    /* CFA = rsp + 16 */
	FRAMED = 0x2100,    /* CFA = rbp + 16, rbp saved */
	ROOT = 0x2200,	    /* return address undefined */
	SIGNAL = 0x2300,    /* returns from a handler */
	REALIGNED = 0x2400, /* CFA at rbp - 8 */
	SAVES = 0x2500,	    /* CFA = rsp + 32, rbx at CFA - 16, rbp at CFA - 24 */
	BY_RBX = 0x2600,    /* CFA = rbx + 8 */
	LEAVING = 0x2700,   /* CFA = rsp + 8, rbp at CFA - 16, as before it was popped */
	PLT = 0x2800,	    /* CFA depends on the pc */
	JIT = 0x900000,	    /* code without a table */
	COPIED = 0xa00000,  /* ... that is copied from a function that is known */
};

static struct unwind_table *example_table(struct buf *file)
{
	AUTO(buf) struct buf b = { 0 };
	struct err e;
	add_cie(&b, "zR", 0x1b);
	add_fde(&b, 0, LEAF, 0x100, PROGRAM(0x0e, 16));
	add_fde(&b, 0, FRAMED, 0x100, PROGRAM(0x0c, 6, 16, 0x86, 2));
	add_fde(&b, 0, ROOT, 0x100, PROGRAM(0x07, 16));
	add_fde(&b, 0, REALIGNED, 0x100, PROGRAM(0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0));
	add_fde(&b, 0, SAVES, 0x100, PROGRAM(0x0e, 32, 0x83, 2, 0x86, 3));
	add_fde(&b, 0, BY_RBX, 0x100, PROGRAM(0x0c, 3, 8));
	add_fde(&b, 0, LEAVING, 0x100, PROGRAM(0x0e, 8, 0x86, 2));
	/* CFA = rsp + 8 + ((rip & 15) >= 11) * 8, as linkers write it */
	add_fde(&b, 0, PLT, 0x100,
		PROGRAM(0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22));
	size_t cie = b.n;
	add_cie(&b, "zRS", 0x1b);
	/* CFA = [rsp + 16], pc at rsp + 24, rbp at rsp + 32 */
	add_fde(&b, cie, SIGNAL - 1, 0x100,
		PROGRAM(0x0f, 3, 0x77, 16, 0x06, 0x10, 16, 2, 0x77, 24, 0x10, 6, 2, 0x77, 32));
	fake_elf(file, &(struct fake_parts){ .eh_frame = buf_str(&b) });
	struct elf *elf = elf_of_memory(buf_str(file), "fake", &e);
	struct unwind_table *t = unwind_table_new(elf, &e);
	elf_free(elf);
	return t;
}

/* --- a process --- */

struct process {
	struct unwind_table *table;
	struct str code; /* of the program with the table */
	struct unwind_copied copied;
	unsigned finds;
	uint64_t stack[WORDS];
	size_t stack_bytes;
	struct unwind_registers registers;
};

static void find(void *context, uint64_t address, struct unwind_place *place)
{
	struct process *p = context;
	p->finds++;
	if (address >= BIAS + FAKE_CODE && address < BIAS + FAKE_CODE + FAKE_CODE_BYTES)
		*place = (struct unwind_place){ .table = p->table,
						.bias = BIAS,
						.start = BIAS + FAKE_CODE,
						.end = BIAS + FAKE_CODE + FAKE_CODE_BYTES,
						.is_code = true,
						.bytes = p->code };
	else if (address >= JIT && address < JIT + 0x1000)
		*place =
			(struct unwind_place){ .start = JIT, .end = JIT + 0x1000, .is_code = true };
	else if (address >= COPIED && address < COPIED + 0x1000)
		*place = (struct unwind_place){ .start = COPIED,
						.end = COPIED + 0x1000,
						.is_code = true,
						.copied = &p->copied };
}

static void set_register(struct process *p, unsigned reg, uint64_t value)
{
	p->registers.value[reg] = value;
	p->registers.is_known |= 1ull << reg;
}

/* The pc is in the example's code or in JIT; the stack pointer at the start of the stack. */
static void start_at(struct process *p, uint64_t pc)
{
	memset(p->stack, 0, sizeof(p->stack));
	p->stack_bytes = sizeof(p->stack);
	p->registers = (struct unwind_registers){ 0 };
	set_register(p, 16, pc);
	set_register(p, 7, STACK);
	p->finds = 0;
}

static uint32_t walk(struct process *p, uint64_t *addresses, uint64_t *is_return, uint32_t max,
		     enum unwind_end *end)
{
	struct unwinder u = { EM_X86_64, find, p };
	/* A copy of its own size, so that ASan sees a read too far. */
	char *copy = malloc(p->stack_bytes + !p->stack_bytes);
	memcpy(copy, p->stack, p->stack_bytes);
	struct unwind_memory memory = { STACK, { copy, p->stack_bytes } };
	uint32_t n = unwind_stack(&u, &p->registers, &memory, addresses, is_return, max, end);
	free(copy);
	return n;
}

/* `2010 2105r rooted`: addresses in the file, r for return addresses, the end. */
static const char *walk_text(struct process *p, uint32_t max)
{
	static const char *const names[] = { "rooted", "truncated", "lost", "full" };
	static struct buf out;
	uint64_t addresses[MAX + 1], is_return[1] = { UINT64_MAX };
	enum unwind_end end;
	out.n = 0;
	addresses[max] = 4711;
	uint32_t n = walk(p, addresses, is_return, max, &end);
	for (uint32_t i = 0; i < n; i++)
		buf_addf(&out, "%llx%s ",
			 (unsigned long long)(addresses[i] >= JIT ? addresses[i]
								  : addresses[i] - BIAS),
			 is_return[0] >> i & 1 ? "r" : "");
	buf_addf(&out, "%s", names[end]);
	tap_num_eq(addresses[max], 4711, "nothing is written behind the end");
	return buf_c_string(&out);
}

#define is_walk(p, want) tap_str_eq(str_from(walk_text((p), MAX)), STR(want), "%s", __func__)

/* --- rules --- */

static void by_rules(struct process *p)
{
	start_at(p, BIAS + LEAF + 0x10);
	p->stack[1] = BIAS + FRAMED + 5;
	set_register(p, 6, STACK + 40); /* rbp */
	p->stack[5] = 77;
	p->stack[6] = BIAS + ROOT + 9;
	is_walk(p, "2010 2105r 2209r rooted");
	tap_num_eq(p->finds, 1, "one look-up for one mapping");
}

static void by_pc_0(struct process *p)
{
	start_at(p, BIAS + LEAF);
	is_walk(p, "2000 rooted");
}

/* The call is the last instruction: the return address is in the next function. */
static void last_call(struct process *p)
{
	start_at(p, BIAS + LEAF);
	p->stack[1] = BIAS + FRAMED; /* of LEAF's last call */
	p->stack[3] = BIAS + ROOT + 1;
	is_walk(p, "2000 2100r 2201r rooted");
}

static void interrupted(struct process *p)
{
	start_at(p, BIAS + LEAF);
	p->stack[1] = BIAS + SIGNAL; /* handler's return address */
	p->stack[4] = STACK + 160;   /* sp at 16: its CFA, rsp + 16 */
	p->stack[5] = BIAS + FRAMED; /* interrupted at its first instruction */
	p->stack[6] = STACK + 200;
	p->stack[26] = BIAS + ROOT + 3;
	is_walk(p, "2000 2300 2100 2203r rooted");
}

static void other_registers(struct process *p)
{
	start_at(p, BIAS + SAVES);
	p->stack[3] = BIAS + BY_RBX + 1;
	p->stack[2] = STACK + 80; /* rbx */
	p->stack[10] = BIAS + ROOT + 1;
	is_walk(p, "2500 2601r 2201r rooted");
	start_at(p, BIAS + REALIGNED);
	set_register(p, 6, STACK + 64);
	p->stack[7] = STACK + 128; /* rbp - 8: the CFA */
	p->stack[15] = BIAS + ROOT + 1;
	is_walk(p, "2400 2201r rooted");
}

/* At the `ret` of a function that has popped its frame pointer. */
static void leaving(struct process *p)
{
	start_at(p, BIAS + LEAVING + 8);
	set_register(p, 6, STACK + 40);
	p->stack[0] = BIAS + FRAMED + 5;
	p->stack[6] = BIAS + ROOT + 9;
	is_walk(p, "2708 2105r 2209r rooted");
}

static void plt(struct process *p)
{
	start_at(p, BIAS + PLT + 10);
	p->stack[0] = BIAS + ROOT + 1;
	p->stack[1] = BIAS + ROOT + 2;
	is_walk(p, "280a 2201r rooted");
	set_register(p, 16, BIAS + PLT + 11);
	is_walk(p, "280b 2202r rooted");
}

/* --- frame pointers --- */

static void by_frame_pointers(struct process *p)
{
	start_at(p, JIT + 0x10);
	set_register(p, 6, STACK + 16);
	p->stack[2] = STACK + 48;
	p->stack[3] = JIT + 0x20;
	p->stack[6] = STACK + 80;
	p->stack[7] = BIAS + FRAMED + 1;
	p->stack[10] = 1;
	p->stack[11] = BIAS + ROOT + 1;
	is_walk(p, "900010 900020r 2101r 2201r rooted");
}

static void frame_pointer_below(struct process *p)
{
	start_at(p, JIT);
	set_register(p, 6, STACK - 16);
	is_walk(p, "900000 lost");
	set_register(p, 6, 0);
	is_walk(p, "900000 lost");
	set_register(p, 6, UINT64_MAX - 4);
	is_walk(p, "900000 lost");
	p->registers.is_known &= ~(1ull << 6);
	is_walk(p, "900000 lost");
}

/* --- ends --- */

static void not_code(struct process *p)
{
	start_at(p, BIAS + LEAF);
	p->stack[1] = 0x1234567;
	is_walk(p, "2000 lost");
	start_at(p, JIT);
	set_register(p, 6, STACK + 16);
	p->stack[3] = STACK;
	is_walk(p, "900000 lost");
}

static void copy_ends(struct process *p)
{
	start_at(p, BIAS + LEAF);
	p->stack_bytes = 12;
	is_walk(p, "2000 truncated");
	p->stack_bytes = 0;
	is_walk(p, "2000 truncated");
	start_at(p, JIT);
	set_register(p, 6, STACK + 0x10000);
	is_walk(p, "900000 truncated");
	/* rbp is saved beyond the copy: it is missed only where it is needed */
	start_at(p, BIAS + FRAMED);
	set_register(p, 6, STACK + 8 * WORDS - 16);
	p->stack[WORDS - 2] = STACK + 0x5000;
	p->stack[WORDS - 1] = BIAS + FRAMED + 1;
	is_walk(p, "2100 2101r truncated");
}

static void no_growth(struct process *p)
{
	start_at(p, BIAS + FRAMED);
	set_register(p, 6, STACK - 64);
	is_walk(p, "2100 lost");
	/* a frame that says that it is its own caller */
	start_at(p, BIAS + LEAF);
	set_register(p, 6, STACK);
	p->stack[0] = STACK;
	p->stack[1] = BIAS + FRAMED + 1;
	is_walk(p, "2000 2101r lost");
}

static void too_deep(struct process *p)
{
	start_at(p, BIAS + LEAF);
	for (unsigned i = 1; i < WORDS; i += 2)
		p->stack[i] = BIAS + LEAF + 1;
	tap_str_eq(str_from(walk_text(p, 3)), STR("2000 2001r 2001r full"),
		   "three frames, no more");
	tap_str_eq(str_from(walk_text(p, 0)), STR("full"), "no room at all");
}

static void nothing_known(struct process *p)
{
	start_at(p, BIAS + LEAF);
	p->registers.is_known = 1ull << 16;
	is_walk(p, "lost");
}

/* --- registers of samples --- */

static void perf_registers(void)
{
	struct unwind_registers r;
	uint64_t values[24], mask = 0xff0fff; /* what perf record asks for */
	for (unsigned i = 0; i < 24; i++)
		values[i] = 100 + i;
	tap_ok(unwind_registers_of_perf(EM_X86_64, mask, values, &r),
	       "perf's registers are enough");
	tap_num_eq(r.value[0], 100, "rax");
	tap_num_eq(r.value[3], 101, "rbx");
	tap_num_eq(r.value[6], 106, "rbp");
	tap_num_eq(r.value[7], 107, "rsp");
	tap_num_eq(r.value[16], 108, "rip");
	tap_num_eq(r.value[8], 112, "r8, behind those that are not followed");
	tap_num_eq(r.value[15], 119, "r15");
	tap_num_eq(r.is_known, 0x1ffff, "all are known");
	tap_ok(!unwind_registers_of_perf(EM_X86_64, 0x40, values, &r), "rbp alone is not enough");
	tap_ok(!unwind_registers_of_perf(EM_SPARC, mask, values, &r),
	       "another machine is not known");
}

/* --- code that is copied --- */

/* What CPython copies: sub $8, %rsp; call *%rcx; add $8, %rsp; ret. */
#define TRAMPOLINE "\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3"

static bool reads_copied(struct str code, struct unwind_copied *copied)
{
	/* A copy of its own size, so that ASan sees a read too far. */
	char *exact = malloc(code.n + !code.n);
	memcpy(exact, code.p, code.n);
	bool is_read = unwind_copied_read(EM_X86_64, (struct str){ code.n ? exact : NULL, code.n },
					  copied);
	free(exact);
	return is_read;
}

static void functions_to_copy(void)
{
	struct unwind_copied c;
	tap_ok(reads_copied(STR(TRAMPOLINE), &c), "a trampoline is read");
	tap_num_eq(c.call_depth, 1, "its return address is one word up while it waits");
	tap_num_eq(c.depths, 3, "and at the stack pointer before and behind");
	tap_ok(reads_copied(STR("\xf3\x0f\x1e\xfa" TRAMPOLINE), &c), "with endbr64");
	tap_num_eq(c.call_depth, 1, "the same there");
	tap_ok(reads_copied(STR("\x41\xff\xd3\xc3"), &c) && c.call_depth == 0,
	       "a call by r11 without room");
	tap_ok(!reads_copied(STR(""), &c), "nothing");
	tap_ok(!reads_copied(str_first(STR(TRAMPOLINE), sizeof(TRAMPOLINE) - 2), &c),
	       "without a return");
	tap_ok(!reads_copied(STR("\x48\x83\xec\x08\x48\x83\xc4\x08\xc3"), &c), "without a call");
	tap_ok(!reads_copied(STR("\x48\x83\xec\x08\xff\xd1\xc3"), &c),
	       "one that returns to something else");
	tap_ok(!reads_copied(STR("\xff\xd1\xff\xd1\xc3"), &c), "two calls");
	tap_ok(!reads_copied(STR("\x55\x48\x89\xe5\xff\xd1\x5d\xc3"), &c),
	       "one that links frames: frame pointers are right there");
	tap_ok(!reads_copied(STR("\x48\x83\xec\x80\xff\xd1\xc3"), &c), "a negative depth");
	tap_ok(!unwind_copied_read(EM_AARCH64, STR(TRAMPOLINE), &c), "another machine's");
	for (unsigned i = 0; i < 20000; i++) {
		char code[24] = TRAMPOLINE TRAMPOLINE;
		size_t n = random_below(sizeof(code) + 1);
		for (unsigned k = random_below(4); k-- && n;)
			code[random_below((uint32_t)n)] = (char)random_below(256);
		if (reads_copied((struct str){ code, n }, &c) &&
		    (c.call_depth >= UNWIND_COPIED_WORDS || c.depths >> UNWIND_COPIED_WORDS))
			tap_ok(false, "a depth beyond the most");
	}
	tap_ok(true, "20,000 functions of garbage are survived");
}

static void calls(void)
{
	static const struct str are[] = { STR("\xe8\1\2\3\4"),	   STR("\xff\xd0"),
					  STR("\x41\xff\xd7"),	   STR("\xff\x10"),
					  STR("\xff\x50\x08"),	   STR("\xff\x54\x24\x08"),
					  STR("\xff\x15\1\2\3\4"), STR("\xff\x94\x24\1\2\3\4") };
	static const struct str are_not[] = { STR(""),	       STR("\x90"),
					      STR("\xff\xe0"), STR("\xe9\1\2\3\4"),
					      STR("\xff\x50"), STR("\x90\x90\x90") };
	for (size_t i = 0; i < ARRAY_SIZE(are); i++)
		tap_ok(unwind_is_behind_call(are[i], are[i].n), "call %zu", i);
	for (size_t i = 0; i < ARRAY_SIZE(are_not); i++)
		tap_ok(!unwind_is_behind_call(are_not[i], are_not[i].n), "no call %zu", i);
	tap_ok(!unwind_is_behind_call(STR("\xff\xd0"), 3), "behind the end");
}

/* The program's bytes, with a call in front of an offset. */
static void put_call(char *code, uint32_t offset)
{
	memcpy(code + offset - FAKE_CODE - 2, "\xff\xd0", 2);
}

static void copies(struct process *p)
{
	static char code[FAKE_CODE_BYTES];
	p->code = (struct str){ code, sizeof(code) };
	reads_copied(STR(TRAMPOLINE), &p->copied);
	put_call(code, FRAMED + 5);
	put_call(code, ROOT + 9);

	start_at(p, BIAS + LEAF + 0x10);
	p->stack[1] = COPIED + 6;
	p->stack[2] =
		BIAS + FRAMED + 7; /* not behind a call, and not where the address should be */
	p->stack[3] = BIAS + FRAMED + 5;
	set_register(p, 6, STACK + 64); /* rbp: the copy leaves it alone */
	p->stack[9] = BIAS + ROOT + 9;
	is_walk(p, "2010 a00006r 2105r 2209r rooted");

	start_at(p, BIAS + LEAF + 0x10);
	p->stack[1] = COPIED + 6;
	p->stack[3] = BIAS + FRAMED + 7;
	is_walk(p, "2010 a00006r lost");

	start_at(p, BIAS + LEAF + 0x10);
	p->stack[1] = COPIED + 6;
	p->stack_bytes = 24;
	is_walk(p, "2010 a00006r truncated");

	start_at(p, COPIED); /* its first instruction: the word above is the caller's own */
	p->stack[0] = BIAS + ROOT + 9;
	is_walk(p, "a00000 2209r rooted");

	start_at(p, COPIED + 4); /* the word at the stack pointer may be left from before */
	p->stack[0] = BIAS + FRAMED + 5;
	p->stack[1] = BIAS + ROOT + 9;
	is_walk(p, "a00004 2209r rooted");
	p->code = STR("");
}

/* --- anything --- */

static void anything(struct process *p)
{
	static const uint32_t starts[] = { LEAF, FRAMED, SIGNAL, REALIGNED, SAVES, BY_RBX, PLT };
	uint64_t addresses[MAX], is_return[1];
	enum unwind_end end;
	for (unsigned i = 0; i < 20000; i++) {
		start_at(p, BIAS + starts[random_below(7)] + random_below(16));
		for (unsigned k = 0; k < WORDS; k++)
			p->stack[k] = random_below(2)
					      ? BIAS + starts[random_below(7)] + random_below(16)
					      : STACK + random_below(8 * WORDS);
		for (unsigned k = 0; k < 16; k++)
			if (random_below(2))
				set_register(p, k, STACK + random_below(8 * WORDS));
		p->stack_bytes = random_below(8 * WORDS);
		if (walk(p, addresses, is_return, MAX, &end) > MAX)
			tap_ok(false, "too many frames");
	}
	tap_ok(true, "20,000 stacks of garbage are survived");
}

int main(void)
{
	AUTO(buf) struct buf file = { 0 };
	struct process p = { .table = example_table(&file) };
	by_rules(&p);
	by_pc_0(&p);
	last_call(&p);
	interrupted(&p);
	other_registers(&p);
	leaving(&p);
	plt(&p);
	by_frame_pointers(&p);
	frame_pointer_below(&p);
	not_code(&p);
	copy_ends(&p);
	no_growth(&p);
	too_deep(&p);
	nothing_known(&p);
	perf_registers();
	functions_to_copy();
	calls();
	copies(&p);
	anything(&p);
	unwind_table_free(p.table);
	return tap_done();
}
