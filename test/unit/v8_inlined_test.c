/* Instructions, translations, and the way from points in compiled code to every instruction of it. */
#include "tap.h"

#include "instruction/instruction.h"
#include "v8/inlined.h"

#define BYTES(...)                                                                                 \
	((struct str){ (const char *)(const uint8_t[]){ __VA_ARGS__ },                             \
		       sizeof((const uint8_t[]){ __VA_ARGS__ }) })

/* --- instructions --- */

static void test_instructions(void)
{
	static const struct {
		struct str bytes;
		enum instruction_kind kind;
		int64_t target;
		const char *what;
	} list[] = {
		{ STR("\x90"), GOES_ON, 0, "nop" },
		{ STR("\x66\x0f\x1f\x84\x00\x00\x00\x00\x00"), GOES_ON, 0, "a long nop" },
		{ STR("\x48\x89\xe5"), GOES_ON, 0, "mov rbp, rsp" },
		{ STR("\x48\x8d\x24\xcc"), GOES_ON, 0, "lea rsp, [rsp + rcx * 8]" },
		{ STR("\x48\x8b\x1d\x5e\xff\xff\xff"), GOES_ON, 0, "mov rbx, [rip - 162]" },
		{ STR("\x48\xba\xe9\x5b\x65\x9a\x39\x0e\x00\x00"), GOES_ON, 0, "mov rdx, 8 bytes" },
		{ STR("\xb8\x01\x00\x00\x00"), GOES_ON, 0, "mov eax, 1" },
		{ STR("\x66\x41\x83\x7f\x0b\x43"), GOES_ON, 0, "cmp word [r15 + 11], 0x43" },
		{ STR("\x66\x81\x78\x0b\x43\x00"), GOES_ON, 0, "cmp word [rax + 11], 2 bytes" },
		{ STR("\xf6\xc1\x01"), GOES_ON, 0, "test cl, 1" },
		{ STR("\xf7\xd8"), GOES_ON, 0, "neg eax" },
		{ STR("\xf7\x45\x08\x01\x00\x00\x00"), GOES_ON, 0, "test dword [rbp + 8], 1" },
		{ STR("\x45\x6b\xff\x1f"), GOES_ON, 0, "imul r15d, r15d, 31" },
		{ STR("\xc5\xfb\x11\x04\x24"), GOES_ON, 0, "vmovsd [rsp], xmm0" },
		{ STR("\xc4\x61\xfb\x2c\xd8"), GOES_ON, 0, "vcvttsd2si r11, xmm0" },
		{ STR("\xc4\xe3\x79\x0b\xc0\x0b"), GOES_ON, 0, "vroundsd xmm0, xmm0, xmm0, 11" },
		{ STR("\xc4\xe2\x79\x0b\xc0"), GOES_ON, 0, "vpmulhrsw, not ud2" },
		{ STR("\x62\xf1\x7c\x48\x28\x44\x24\x01"), GOES_ON, 0, "vmovaps zmm0, [rsp + 64]" },
		{ STR("\x62\xf3\x75\x48\x25\xc2\xff"), GOES_ON, 0, "vpternlogd, 8 bits behind" },
		{ STR("\xe8\xfb\xff\xff\xff"), CALLS, 0, "call" },
		{ STR("\x41\xff\xd2"), CALLS, 0, "call r10" },
		{ STR("\x41\xff\x55\xd8"), CALLS, 0, "call [r13 - 40]" },
		{ STR("\x74\x0d"), BRANCHES, 15, "jz" },
		{ STR("\x0f\x86\xfa\xff\xff\xff"), BRANCHES, 0, "jna, back to itself" },
		{ STR("\xeb\xfe"), JUMPS, 0, "jmp to itself" },
		{ STR("\xe9\x10\x00\x00\x00"), JUMPS, 21, "jmp" },
		{ STR("\xff\x24\xc1"), VANISHES, 0, "jmp [rcx + rax * 8]" },
		{ STR("\xc2\x10\x00"), RETURNS, 0, "ret 16" },
		{ STR("\xcc"), ENDS, 0, "int3" },
		{ STR("\x0f\x0b"), ENDS, 0, "ud2" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		struct instruction in;
		struct str bytes = list[i].bytes;
		tap_ok(instruction_read(bytes, 0, &in) && in.size_bytes == bytes.n &&
			       in.kind == list[i].kind &&
			       (in.kind == CALLS || in.target == list[i].target),
		       "%s", list[i].what);
		tap_ok(!instruction_read(str_first(bytes, bytes.n - 1), 0, &in), "%s, cut, is none",
		       list[i].what);
	}
	struct instruction in;
	tap_ok(!instruction_read(STR("\x06"), 0, &in), "what is no instruction");
	tap_ok(!instruction_read(STR("\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90"), 0, &in),
	       "prefixes without end");
	tap_ok(!instruction_read(STR("\x90"), 1, &in), "behind the end");
}

static void test_moves(void)
{
	static const struct {
		struct str bytes;
		bool is_move, is_common;
		const char *what;
	} list[] = {
		{ STR("\x48\x8b\xd1"), true, true, "mov rdx, rcx" },
		{ STR("\x48\x8b\x45\x18"), true, true, "mov rax, [rbp + 24]: the stack" },
		{ STR("\x4c\x89\x24\x24"), true, true, "mov [rsp], r12: the stack" },
		{ STR("\x49\x8b\x95\x20\x02\x00\x00"), true, true, "mov rdx, [r13 + ...]: a root" },
		{ STR("\x49\x8b\x04\x24"), false, true, "mov rax, [r12]: the heap" },
		{ STR("\x4d\x8b\x59\x17"), false, true, "mov r11, [r9 + 23]: the heap" },
		{ STR("\x33\xc0"), true, false, "xor eax, eax: 0" },
		{ STR("\x45\x33\xc1"), false, false, "xor r8d, r9d" },
		{ STR("\x41\x33\xc0"), false, false, "xor eax, r8d" },
		{ STR("\x66\x0f\x1f\x84\x00\x00\x00\x00\x00"), true, false, "a long nop" },
		{ STR("\xc5\xf8\x28\xd0"), true, true, "vmovaps xmm2, xmm0" },
		{ STR("\x48\x8d\x4a\x01"), false, true, "lea rcx, [rdx + 1]" },
		{ STR("\x49\x39\x7d\x48"), false, true, "cmp [r13 + 72], rdi: a root" },
		{ STR("\x3b\xd7"), false, false, "cmp edx, edi" },
		{ STR("\x48\x83\xc2\x01"), false, true, "add rdx, 1" },
		{ STR("\x83\xe6\x08"), false, false, "and esi, 8" },
		{ STR("\x48\xc1\xea\x20"), false, true, "shr rdx, 32" },
		{ STR("\x45\x6b\xdb\x1f"), false, false, "imul r11d, r11d, 31" },
		{ STR("\xe8\x00\x00\x00\x00"), false, true, "call" },
		{ STR("\x74\x00"), false, true, "jz" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		struct instruction in;
		tap_ok(instruction_read(list[i].bytes, 0, &in) && in.is_move == list[i].is_move &&
			       (in.is_move || in.is_common == list[i].is_common),
		       "%s is %s%s", list[i].what, list[i].is_move ? "a move" : "no move",
		       list[i].is_common && !list[i].is_move ? ", but common" : "");
	}
}

/* --- translations --- */

static const struct v8_translations numbers = {
	0, 0, "2103113131111111115334111112", { 3, 3 }, { 18, 18 }, 0, true
};
static const struct v8_translations simple_bytes = {
	0, 0, "103113131111121111111153340111112", { 2, 2 }, { 22, 22 }, 0, false
};
static const struct v8_translations bytes_format = {
	0, 0, "5333213432103311111111111111111101111121", { 12, 13 }, { 0, 1 }, 39, false
};

static void check_frames(const struct v8_translations *t, struct str bytes, uint64_t at,
			 const char *want, const char *what)
{
	struct exit_frame frames[4];
	AUTO(buf) struct buf got = { 0 };
	uint32_t n = translation_frames(t, bytes, at, frames, ARRAY_SIZE(frames));
	for (uint32_t i = 0; i < n; i++)
		buf_addf(&got, "%s%d@%d", i ? " " : "", frames[i].literal, (int)frames[i].bytecode);
	tap_str_eq(buf_str(&got), str_from(want), "%s", what);
}

static void test_translations(void)
{
	/* Numbers are twice as large, for their sign: BEGIN 2 2 0, FRAME 5 1 3 0 0, LITERAL 1, FRAME -1 70 ... */
	struct str old = BYTES(6, 4, 4, 0, 36, 10, 2, 6, 0, 0, 44, 2, 36, 3, 0x8c, 1, 0, 0, 0);
	check_frames(&numbers, old, 0, "1@5 70@-1", "frames, outermost first");
	check_frames(&numbers, str_first(old, 15), 0, "1@5", "what is cut ends");
	check_frames(&numbers, old, 4, "", "not at the begin of one");
	check_frames(&numbers, old, 400, "", "behind the end");
	/*
	 * BEGIN 0 2 2, FRAME 5 1 3, REGISTER 7, FRAME 9 2 4, REGISTER 8; then one that is as the first in two
	 * operations, has a frame of its own, and one more of the first.
	 */
	struct str new = BYTES(12, 0, 4, 4, 1, 10, 2, 3, 34, 7, 1, 18, 4, 4, 34, 8, /* at 16: */
			       12, 16, 4, 4, 42, 1, 22, 4, 4, 41);
	check_frames(&simple_bytes, BYTES(2, 4, 4, 0, 22, 10, 2, 6, 0, 0, 22, 3, 4, 0, 0, 0), 0,
		     "1@5 2@-1", "opcodes as bytes");
	check_frames(&bytes_format, new, 0, "1@5 2@9", "as bytes, with distances");
	check_frames(&bytes_format, new, 16, "1@5 2@11", "the same as in an earlier one");
	check_frames(&bytes_format, BYTES(12, 9, 4, 4, 42), 0, "",
		     "an earlier one before the begin");
	check_frames(&bytes_format, BYTES(12, 0, 4, 4, 255), 0, "", "as many as there are not");
	check_frames(&bytes_format, BYTES(12, 0, 4, 0x90, 1), 0, "",
		     "more frames than there is room");
}

/* --- control flow --- */

enum { ROOT, LEAF, TWIG };

struct test {
	struct flow flow;
	struct inlined_code out;
	struct buf code;
};

/* Two functions in one, without a loop around; each has a loop of its own. */
static void start(struct test *t)
{
	*t = (struct test){ .flow.exit_bytes = 4 };
	vec_push(&t->out.nodes, (struct inlined){ ROOT, -1, -1, V8_NONE });
	vec_push(&t->out.nodes, (struct inlined){ ROOT, 0, 10, V8_NONE });
	vec_push(&t->out.nodes, (struct inlined){ ROOT, 1, 20, V8_NONE });
	vec_push(&t->flow.loops, (struct text_loop){ 0, 9, V8_NONE });
	vec_push(&t->flow.loops, (struct text_loop){ 0, 9, V8_NONE });
}

static void add_exit(struct test *t, uint32_t node, int32_t offset, uint32_t loop)
{
	vec_push(&t->flow.exits, (struct point){ { node, offset }, loop });
}

/*
 * Letters: n nop, 0 to 9 a check with that exit, b and B back to the first and second |, r ret, t test, a add,
 * j over the next two bytes, f over the next one or not.
 */
static void assemble(struct test *t, const char *text)
{
	uint32_t size = 0, label[4] = { 0 }, labels = 0;
	for (const char *c = text; *c; c++)
		size += *c == 'n' || *c == 'r' ? 1
			: *c == '|'	       ? 0
			: *c == 'a'	       ? 3
			: strchr("bBtjf", *c)  ? 2
					       : 6;
	for (const char *c = text; *c; c++) {
		uint32_t at = (uint32_t)t->code.n;
		if (*c == '|') {
			label[labels++ % 4] = at;
		} else if (*c == 'b' || *c == 'B') {
			buf_add_char(&t->code, 0x75);
			buf_add_char(&t->code, (char)(label[*c == 'B'] - at - 2));
		} else if (*c >= '0' && *c <= '9') {
			int32_t distance = (int32_t)(size + 4 * (uint32_t)(*c - '0') - at - 6);
			buf_add(&t->code, STR("\x0f\x80"));
			buf_add(&t->code, (struct str){ (const char *)&distance, 4 });
		} else if (strchr("tajf", *c)) {
			buf_add(&t->code, *c == 't'   ? STR("\x85\xc0")
					  : *c == 'a' ? STR("\x83\xc0\x01")
					  : *c == 'j' ? STR("\xeb\x02")
						      : STR("\x75\x01"));
		} else {
			buf_add_char(&t->code, *c == 'r' ? (char)0xc3 : (char)0x90);
		}
	}
	t->flow.code = buf_str(&t->code);
}

/* The node of each instruction, as a digit. */
static void check_flow(struct test *t, const char *want, const char *what)
{
	AUTO(buf) struct buf got = { 0 };
	struct instruction in;
	struct spot spot;
	t->out.is_flow_known = flow_follow(&t->flow, &t->out);
	for (uint32_t at = 0; t->out.is_flow_known && at < t->code.n; at += in.size_bytes)
		if (instruction_read(t->flow.code, at, &in) && inlined_find(&t->out, at, &spot))
			buf_addf(&got, "%u", spot.node);
	tap_str_eq(buf_str(&got), str_from(want), "%s", what);
	flow_fini(&t->flow);
	vec_fini(&t->out.nodes);
	vec_fini(&t->out.spans);
	buf_fini(&t->code);
}

static void test_loops(void)
{
	struct test t;
	start(&t);
	add_exit(&t, LEAF, 3, 0);
	add_exit(&t, TWIG, 3, 1);
	assemble(&t, "n|n0nbn|n1nBnr");
	check_flow(&t, "011110222200", "two loops, one behind the other");

	start(&t);
	add_exit(&t, LEAF, 3, V8_NONE);
	add_exit(&t, TWIG, 3, V8_NONE);
	assemble(&t, "0n|nb1r");
	check_flow(&t, "100020", "a loop without a point is of what both have in common");

	start(&t);
	t.out.nodes.p[LEAF].loop = 0;
	add_exit(&t, LEAF, 3, V8_NONE);
	assemble(&t, "n|n0nbnr");
	check_flow(&t, "0010000", "a loop around the call is the caller's");

	start(&t);
	t.out.nodes.p[LEAF].loop = 0;
	add_exit(&t, LEAF, 3, V8_NONE);
	add_exit(&t, LEAF, 4, V8_NONE);
	add_exit(&t, LEAF, 3, V8_NONE);
	assemble(&t, "n|n0n1n2nbnr");
	check_flow(&t, "00111010000", "rounds one behind the other: in order it is the function");

	start(&t);
	add_exit(&t, LEAF, 2, 0);
	add_exit(&t, LEAF, 3, 0);
	add_exit(&t, ROOT, 3, 1);
	assemble(&t, "n|0n|n1nBn2br");
	check_flow(&t, "01111110000", "a round that was copied out of a loop; the loop around");
}

static void test_straight(void)
{
	struct test t;
	start(&t);
	add_exit(&t, LEAF, 3, V8_NONE);
	add_exit(&t, LEAF, 3, V8_NONE);
	assemble(&t, "n0n1nr");
	check_flow(&t, "011100", "no loop: what is between two points of a function is its");

	start(&t);
	add_exit(&t, LEAF, 3, V8_NONE);
	add_exit(&t, TWIG, 3, V8_NONE);
	assemble(&t, "0n1r");
	check_flow(&t, "1020", "between two functions it is their caller's");
}

static void test_padding(void)
{
	struct test t;
	start(&t);
	add_exit(&t, LEAF, 3, V8_NONE);
	add_exit(&t, LEAF, 4, V8_NONE);
	assemble(&t, "0jnnn1r");
	check_flow(&t, "1100110", "what no way leads to does not count for what is behind it");
}

/* The table has entries at 0, 1 and 8; the block at 5 has none. */
static void start_told(struct test *t)
{
	start(t);
	static const struct point_at told[] = { { 0, { { ROOT, 1 }, LOOP_UNKNOWN } },
						{ 1, { { LEAF, 2 }, LOOP_UNKNOWN } },
						{ 8, { { TWIG, 2 }, LOOP_UNKNOWN } } };
	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		vec_push(&t->flow.told, told[i]);
}

static void test_as_before(void)
{
	struct test t;
	start_told(&t);
	t.flow.is_all_told = true;
	assemble(&t, "nnfnanr");
	check_flow(&t, "0111122", "a block without an entry is as the last entry before it");
	start_told(&t);
	assemble(&t, "nnfntnnr");
	check_flow(&t, "01111122", "... in old code, too, by what surely has a position");
	start_told(&t);
	assemble(&t, "nnfnanr");
	check_flow(&t, "0110022", "... but not by what an allocation has, too");
	start_told(&t);
	t.flow.is_all_told = true;
	assemble(&t, "nnfnnnnnr");
	check_flow(&t, "011000022", "... nor where there are moves alone");
	start_told(&t);
	t.flow.is_all_told = true;
	t.flow.told.n--;
	assemble(&t, "nnfnar");
	check_flow(&t, "011000", "... nor behind the last entry, where slow paths are");
}

static void check_calls(struct test *t, const char *want, const char *what)
{
	AUTO(buf) struct buf got = { 0 };
	flow_unite_copies(&t->flow, &t->out.nodes);
	for (uint32_t i = 0; i < t->flow.told.n; i++) {
		uint32_t node = t->flow.told.p[i].point.spot.node;
		buf_addf(&got, "%u@%d ", node, t->out.nodes.p[node].call);
	}
	tap_str_eq(buf_str(&got), str_from(want), "%s", what);
	flow_fini(&t->flow);
	vec_fini(&t->out.nodes);
	buf_fini(&t->code);
}

/* A function is called at 10; of its two copies one is listed at 99. Another exit of that says 50. */
static void start_copies(struct test *t, bool has_doubt)
{
	static const struct point_at told[] = { { 0, { { LEAF, 2 }, LOOP_UNKNOWN } },
						{ 7, { { TWIG, 2 }, LOOP_UNKNOWN } },
						{ 20, { { ROOT, 2 }, LOOP_UNKNOWN } } };
	start(t);
	t->out.nodes.p[TWIG] = (struct inlined){ ROOT, 0, 99, LOOP_UNKNOWN };
	vec_push(&t->out.nodes, (struct inlined){ ROOT, 0, 50, V8_NONE });
	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		vec_push(&t->flow.told, told[i]);
	add_exit(t, LEAF, 3, V8_NONE);
	add_exit(t, LEAF, 3, V8_NONE);
	add_exit(t, has_doubt ? TWIG + 1 : LEAF, 3, V8_NONE);
	assemble(t, "n0n1n2nr");
}

static void test_copies(void)
{
	struct test t;
	start_copies(&t, false);
	check_calls(&t, "1@10 1@10 0@-1 ", "a call is where exits have it, and its copies are one");
	start_copies(&t, true);
	check_calls(&t, "1@10 2@99 0@-1 ", "exits that differ do not tell");
}

static void test_refused(void)
{
	struct test t;
	start(&t);
	add_exit(&t, LEAF, 3, V8_NONE);
	assemble(&t, "0n");
	vec_push(&t.flow.calls, (struct point_at){ 7, { { LEAF, 3 }, V8_NONE } });
	check_flow(&t, "", "a call that is none");
	start(&t);
	buf_add(&t.code, STR("\x75\x01\xb8\x01\x00\x00\x00\xc3"));
	t.flow.code = buf_str(&t.code);
	check_flow(&t, "", "a jump into an instruction");
	start(&t);
	buf_add(&t.code, STR("\x90\x06"));
	t.flow.code = buf_str(&t.code);
	check_flow(&t, "", "what is no instruction");
	start(&t);
	check_flow(&t, "", "nothing");
}

static void test_dense(void)
{
	struct test t;
	start(&t);
	static const struct point_at told[] = { { 0, { { ROOT, 1 }, LOOP_UNKNOWN } },
						{ 1, { { LEAF, 2 }, LOOP_UNKNOWN } },
						{ 4, { { TWIG, 2 }, LOOP_UNKNOWN } } };
	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		vec_push(&t.flow.told, told[i]);
	assemble(&t, "nnnnnnr");
	check_flow(&t, "0111222", "where positions are of all instructions they are enough");
}

int main(void)
{
	test_instructions();
	test_moves();
	test_translations();
	test_loops();
	test_straight();
	test_refused();
	test_dense();
	test_padding();
	test_as_before();
	test_copies();
	return tap_done();
}
