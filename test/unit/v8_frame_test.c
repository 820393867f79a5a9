/* From a stack to functions: frames of all tiers, and the innermost one in all of its states. */
#include "tap.h"

#include "v8_stack.h"

static const unsigned versions[] = { V8_9_4, V8_11_3, V8_12_4, V8_14_6 };

enum { MAX_FRAMES = 16 };

/* `f:1:2 g:3:4`, leaf first; what is missing in the chain has a +. */
static void describe(struct stack *s, struct buf *out)
{
	struct v8_raw_frame raw[MAX_FRAMES];
	struct v8_frame frames[MAX_FRAMES];
	struct v8_counts counts = { 0 };
	uint32_t n = v8_frames_of_copy(&s->h.layout, &s->r, s->r.top, raw, MAX_FRAMES);
	n = v8_name_frames(s->h.process, &s->r, raw, n, frames, MAX_FRAMES, &counts);
	out->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct v8_place *place = &s->h.names.places.p[frames[i].place];
		const struct v8_function *f = &s->h.names.functions.p[place->function];
		buf_addf(out, "%s%s", i ? " " : "", frames[i].is_missing ? "+" : "");
		if (place->tier)
			buf_add_char(out, place->tier);
		buf_addf(out, "%.*s:%u:%u", STR_ARG(f->name), place->line, place->column);
	}
}

static void check_stack(struct stack *s, const char *want, const char *what)
{
	AUTO(buf) struct buf got = { 0 };
	describe(s, &got);
	tap_str_eq(buf_str(&got), str_from(want), "%u.%u: %s", s->h.layout.major, s->h.layout.minor,
		   what);
}

/* --- a program --- */

struct program {
	struct stack s;
	uint64_t script, f, g, f_closure, g_closure, bytecode, f_code, g_code;
};

static uint64_t make_code(struct program *p, int32_t kind, uint64_t shared, int32_t position,
			  const uint8_t *instructions, uint32_t n)
{
	struct heap *h = &p->s.h;
	struct fake_position list[] = { { 0, heap_position(position, 0), true } };
	uint64_t deopt_data =
		heap_deopt_data(h, shared, heap_array(h, NULL, 0), heap_bytes(h, "", 0));
	return heap_code(h, &(struct fake_code){ .kind = kind,
						 .deopt_data = deopt_data,
						 .positions = heap_positions(h, list, 1),
						 .instructions = instructions,
						 .size_bytes = n });
}

/* push rbp; mov rbp, rsp; push rsi; push rdi; ...; leave; pop rcx; lea rsp, [rsp + 8 * rbx]; push rcx; ret */
static const uint8_t instructions[] = {
	0x90, 0x90, 0x55, 0x48, 0x89, 0xe5, 0x56, 0x57, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
	0x90, 0x90, 0x90, 0x90, 0x90, 0xc9, 0x59, 0x48, 0x8d, 0x24, 0xdc, 0x51, 0xc3, 0x90, 0x90
};
enum { AT_PUSH = 2, AT_MOVE = 3, AT_PUSH_CONTEXT = 6, AT_PUSH_FUNCTION = 7, AT_BODY = 12 };
enum { AT_LEAVE = 20, AT_POP = 21, AT_LEA = 22, AT_PUSH_RETURN = 26, AT_RETURN = 27 };

/* f of line 1 is called by g of line 2; both are interpreted, and optimized code of both is there. */
static void program_init(struct program *p, unsigned version)
{
	uint64_t ends[] = { smi(9), smi(19), smi(29), smi(39) };
	static const uint8_t bytes[] = { 4, 4, 4, 4, 4, 4, 4, 4 };
	stack_init(&p->s, version);
	struct heap *h = &p->s.h;
	p->script = heap_script(h, &(struct fake_script){ .name = heap_string(h, "a.js"),
							  .line_ends = heap_array(h, ends, 4),
							  .id = 1 });
	p->f = heap_named(h, "f", p->script, 0);
	p->g = heap_named(h, "g", p->script, 10);
	p->f_closure = heap_closure(h, p->f);
	p->g_closure = heap_closure(h, p->g);
	const struct fake_position list[] = { { 0, heap_position(20, 0), true },
					      { 4, heap_position(30, 0), true } };
	p->bytecode = heap_bytecode(h, bytes, sizeof(bytes), heap_positions(h, list, 2));
	h->code_used = 256;
	p->f_code = make_code(p, KIND_TURBOFAN, p->f, 22, instructions, sizeof(instructions));
	p->g_code = make_code(p, KIND_TURBOFAN, p->g, 33, instructions, sizeof(instructions));
}

/* --- frames --- */

static void check_interpreted(unsigned version)
{
	struct program p;
	program_init(&p, version);
	struct stack *s = &p.s;
	s->r.pc = stack_interpreter_pc();
	stack_set_bytecode(s, stack_add(s, p.f_closure, stack_interpreter_pc()), p.bytecode, 1);
	stack_set_bytecode(s, stack_add(s, p.g_closure, 0x1234), p.bytecode, 5);
	stack_add(s, 0, 0x1234);
	check_stack(s, "~f:3:1 ~g:4:1", "interpreted functions");
	s->r.pc = 0x1234;
	check_stack(s, "~g:4:1",
		    "C++ that V8's code has not called: what is in its frame is its own");
	s->words[1] = stack_interpreter_pc();
	check_stack(s, "+~f:3:1 ~g:4:1", "C++ that was called by the interpreter");
	const uint64_t caller = s->words[8 + 1];
	s->words[8 + 1] = 0x1234;
	check_stack(s, "~g:4:1", "... but its frame returns to C++: it is none of JavaScript");
	s->words[8 + 1] = caller;
	heap_set(&s->h, p.f_closure, 0, heap_map(&s->h, 77));
	check_stack(s, "~g:4:1", "a closure that is none any more");
	s->words[8 - 1] = 2 * 3;
	check_stack(s, "~g:4:1", "a frame of another kind");
	stack_fini(s);
}

/* C++ of a frame that nobody called: above its link is a value of the function's. */
static void check_replaced(unsigned version)
{
	enum { VALUE = 0x40000001 };
	struct program p;
	program_init(&p, version);
	struct stack *s = &p.s;
	s->r.pc = 0x1234;
	stack_add(s, 0, VALUE);
	uint32_t link = stack_add(s, p.f_closure, stack_interpreter_pc());
	stack_set_bytecode(s, link, p.bytecode, 1);
	stack_set_bytecode(s, stack_add(s, p.g_closure, 0x1234), p.bytecode, 5);
	stack_add(s, 0, 0x1234);
	check_stack(s, "~g:4:1", "a function called from code that is no code of V8");
	heap_unmap_last(&s->h);
	check_stack(s, "~f:3:1 ~g:4:1", "a function whose code is being replaced");
	stack_set_bytecode(s, link, p.f_closure, 1);
	check_stack(s, "~g:4:1", "... but no frame that has no bytecode");
	stack_fini(s);
}

static void check_optimized(unsigned version)
{
	struct program p;
	program_init(&p, version);
	struct stack *s = &p.s;
	s->r.pc = p.f_code + AT_BODY;
	stack_add(s, p.f_closure, p.g_code + AT_BODY);
	stack_add(s, p.g_closure, 0x1234);
	check_stack(s, "*f:3:3 *g:4:4", "optimized functions");
	s->r.pc = p.f_code + AT_LEAVE;
	check_stack(s, "*f:3:3 *g:4:4", "before it leaves");
	/* A JSFunction that moved: code tells. */
	heap_set(&s->h, p.g_closure, 0, smi(1));
	check_stack(s, "*f:3:3 *g:4:4", "a closure that moved meanwhile");
	stack_fini(s);
}

/* The frame is g's still: f's is not built yet, or not any more. */
static void check_unbuilt(unsigned version)
{
	struct program p;
	program_init(&p, version);
	struct stack *s = &p.s;
	static const uint32_t at_top[] = { 0, 1, AT_PUSH, AT_POP, AT_RETURN };
	stack_add(s, p.g_closure, 0x1234);
	s->r.function = p.f_closure;
	s->words[0] = p.g_code + AT_BODY;
	s->words[1] = p.f_code + AT_BODY; /* an old one */
	for (size_t i = 0; i < ARRAY_SIZE(at_top); i++) {
		s->r.pc = p.f_code + at_top[i];
		check_stack(s, "*f:3:3 +*g:4:4", "a frame that is not there: return on top");
	}
	s->words[0] = stack_address(8);
	s->words[1] = p.g_code + AT_BODY;
	s->r.pc = p.f_code + AT_MOVE;
	check_stack(s, "*f:3:3 +*g:4:4", "a frame that is not linked yet");
	s->words[0] = s->words[1] = 0;
	s->r.return_address = p.g_code + AT_BODY;
	s->r.pc = p.f_code + AT_LEA;
	check_stack(s, "*f:3:3 +*g:4:4", "the return is in a register");
	s->r.pc = p.f_code + AT_PUSH_RETURN;
	check_stack(s, "*f:3:3 +*g:4:4", "the return is in a register still");
	stack_fini(s);
}

/* The frame is f's, but its slots are still of whatever was there before. */
static void check_linked(unsigned version)
{
	struct program p;
	program_init(&p, version);
	struct stack *s = &p.s;
	stack_add(s, p.g_closure, p.g_code + AT_BODY);
	stack_add(s, p.g_closure, 0x1234);
	s->r.function = p.f_closure;
	s->r.pc = p.f_code + AT_PUSH_CONTEXT;
	check_stack(s, "*f:3:3 *g:4:4", "slots that are not filled yet");
	s->r.pc = p.f_code + AT_PUSH_FUNCTION;
	check_stack(s, "*f:3:3 *g:4:4", "slots of which the first is filled");
	stack_fini(s);
}

/* --- copies --- */

static void test_copies(void)
{
	struct program p;
	struct v8_raw_frame raw[MAX_FRAMES];
	program_init(&p, V8_14_6);
	struct stack *s = &p.s;
	const struct v8_layout *l = &s->h.layout;
	s->r.pc = 0x42;
	uint32_t link = stack_add(s, p.f_closure, 0x1111);
	stack_set_bytecode(s, link, p.bytecode, 1);
	stack_add(s, p.g_closure, 0x2222);
	uint32_t n = v8_frames_of_copy(l, &s->r, s->r.top, raw, MAX_FRAMES);
	tap_num_eq(n, 2, "two frames");
	tap_ok(raw[0].pc == 0x42 && raw[0].function == p.f_closure &&
		       raw[0].context == s->context && raw[0].bytecode_array == p.bytecode &&
		       raw[0].bytecode_offset == s->words[link - 5],
	       "the first has its slots");
	tap_ok(raw[1].pc == 0x1111 && raw[1].function == p.g_closure, "the second, too");
	tap_num_eq(v8_frames_of_copy(l, &s->r, s->r.top, raw, 1), 1,
		   "no more than there is room for");
	s->words[link] = s->r.fp;
	tap_num_eq(v8_frames_of_copy(l, &s->r, s->r.top, raw, MAX_FRAMES), 1,
		   "a frame of itself ends");
	s->words[link] = UINT64_MAX;
	tap_num_eq(v8_frames_of_copy(l, &s->r, s->r.top, raw, MAX_FRAMES), 2,
		   "one beyond all ends");
	s->r.fp = 8;
	tap_num_eq(v8_frames_of_copy(l, &s->r, s->r.top, raw, MAX_FRAMES), 1,
		   "a low one has no slots");
	tap_ok(!raw[0].context && !raw[0].function, "none at all");
	struct str nothing = { NULL, 0 };
	tap_num_eq(v8_frames_of_copy(l, &s->r, nothing, raw, MAX_FRAMES), 1, "nor has no stack");
	stack_fini(s);
}

/* --- links --- */

static void test_links(void)
{
	struct program p;
	struct v8_raw_frame raw[MAX_FRAMES];
	program_init(&p, V8_14_6);
	struct stack *s = &p.s;
	s->r.pc = 0x42;
	uint32_t f_link = stack_add(s, p.f_closure, p.g_code + AT_BODY);
	uint32_t g_link = stack_add(s, p.g_closure, 0x1234);
	stack_add(s, 0, 0x1234);
	s->r.fp = 77; /* C++ has something else in it */
	tap_num_eq(v8_links_of_copy(s->h.process, &s->r, s->r.top, raw, MAX_FRAMES), 2,
		   "of two links one leads into code of V8");
	tap_ok(raw[1].pc == p.g_code + AT_BODY && raw[1].fp == stack_address(g_link) &&
		       raw[1].function == p.g_closure,
	       "... to the frame of the caller, with its slots");
	s->h.process->mappings.p[1].at.end = HEAP_CODE + 8;
	tap_num_eq(v8_links_of_copy(s->h.process, &s->r, s->r.top, raw, MAX_FRAMES), 2,
		   "... also where its page is not known yet");
	s->words[g_link - 1] = stack_address(g_link);
	tap_num_eq(v8_links_of_copy(s->h.process, &s->r, s->r.top, raw, MAX_FRAMES), 1,
		   "... then only to a frame of JavaScript");
	s->words[f_link + 1] = HEAP_BUILTINS - 8;
	tap_num_eq(v8_links_of_copy(s->h.process, &s->r, s->r.top, raw, MAX_FRAMES), 1,
		   "... not into what is known to be something else");
	stack_fini(s);
}

/* --- cost --- */

/* Code that is almost code on all pages, and a stack full of addresses of it. */
static void check_cost(unsigned version, enum v8_constant type)
{
	struct program p;
	struct v8_raw_frame raw[MAX_FRAMES];
	struct v8_frame frames[MAX_FRAMES];
	struct v8_counts counts = { 0 };
	program_init(&p, version);
	struct stack *s = &p.s;
	struct heap *h = &s->h;
	uint64_t map = heap_map(h, v8_get(&h->layout, type));
	for (uint64_t at = HEAP_CODE; at < HEAP_BASE + HEAP_BYTES; at += 8)
		heap_set(h, at, 0, map);
	uint64_t end = HEAP_BASE + HEAP_BYTES - 16;
	for (uint32_t i = 0; i < STACK_WORDS; i++)
		s->words[i] = end - i;
	s->r.pc = end;
	s->r.fp = stack_address(64);
	s->words[63] = s->context;
	s->words[62] = p.f_closure;
	uint32_t n = v8_frames_of_copy(&h->layout, &s->r, s->r.top, raw, MAX_FRAMES);
	uint64_t before = h->memory.reads;
	v8_name_frames(h->process, &s->r, raw, n, frames, MAX_FRAMES, &counts);
	tap_ok(h->memory.reads - before < 1 << 15, "%u.%u: a hostile heap takes %u reads",
	       h->layout.major, h->layout.minor, (unsigned)(h->memory.reads - before));
	stack_fini(s);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		check_interpreted(versions[i]);
		check_replaced(versions[i]);
		check_optimized(versions[i]);
		check_unbuilt(versions[i]);
		check_linked(versions[i]);
	}
	test_copies();
	test_links();
	check_cost(V8_9_4, V8_TYPE_CODE);
	check_cost(V8_11_3, V8_TYPE_INSTRUCTION_STREAM);
	check_cost(V8_14_6, V8_TYPE_INSTRUCTION_STREAM);
	check_cost(V8_11_3, V8_TYPE_CODE);
	return tap_done();
}
