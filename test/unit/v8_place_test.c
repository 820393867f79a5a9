/* From addresses to places: code objects, source positions, functions put into others, baseline code. */
#include "tap.h"

#include "v8_heap.h"

static const unsigned versions[] = { V8_9_4, V8_10_8, V8_11_3, V8_11_8, V8_12_4, V8_12_9, V8_14_6 };

enum { LINES = 50 };

/* A script of lines of ten characters: position 10 * n is line n + 1, column 1. */
static uint64_t make_script(struct heap *h, const char *name, int32_t id)
{
	uint64_t ends[LINES];
	for (int32_t i = 0; i < LINES; i++)
		ends[i] = smi(10 * i + 9);
	return heap_script(h, &(struct fake_script){ .name = heap_string(h, name),
						     .line_ends = heap_array(h, ends, LINES),
						     .id = id });
}

/* Innermost first, ` < ` between: `*f a.js:1:2`. */
static void describe(struct heap *h, v8_place_id id, struct buf *out)
{
	out->n = 0;
	if (id == V8_NONE)
		buf_add(out, STR("(none)"));
	for (; id != V8_NONE; id = h->names.places.p[id].caller) {
		const struct v8_place *place = &h->names.places.p[id];
		const struct v8_function *f = &h->names.functions.p[place->function];
		if (out->n)
			buf_add(out, STR(" < "));
		if (place->tier)
			buf_add_char(out, place->tier);
		buf_addf(out, "%.*s:%u:%u", STR_ARG(f->name), place->line, place->column);
	}
}

static void check_place(struct heap *h, v8_place_id id, const char *want, const char *what)
{
	AUTO(buf) struct buf got = { 0 };
	describe(h, id, &got);
	tap_str_eq(buf_str(&got), str_from(want), "%u.%u: %s", h->layout.major, h->layout.minor,
		   what);
}

/* --- positions --- */

static void check_position(struct heap *h, uint64_t table, int64_t offset, uint64_t want)
{
	uint64_t got = UINT64_MAX;
	bool ok = v8_position_find(h->process, table, offset, &got);
	tap_ok(want == UINT64_MAX ? !ok : ok && got == want, "%u.%u: offset %d is at %d",
	       h->layout.major, h->layout.minor, (int)offset, (int)want);
}

static void check_positions(unsigned version)
{
	struct heap h;
	heap_init(&h, version);
	const struct fake_position list[] = {
		{ 0, 100, true },     { 5, 40, false }, /* back */
		{ 300, 70000, true }, { 300, 70001, false }, { 301, 3, true },
	};
	uint64_t table = heap_positions(&h, list, ARRAY_SIZE(list));
	check_position(&h, table, -1, UINT64_MAX);
	check_position(&h, table, 0, 100);
	check_position(&h, table, 4, 100);
	check_position(&h, table, 5, 40);
	check_position(&h, table, 299, 40);
	check_position(&h, table, 300, 70001);
	check_position(&h, table, 1000, 3);
	check_position(&h, smi(0), 0, UINT64_MAX);
	check_position(&h, heap_bytes(&h, "", 0), 0, UINT64_MAX);
	check_position(&h, heap_bytes(&h, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12),
		       0, UINT64_MAX);
	heap_fini(&h);
}

/* Bytes as V8 writes them, not as this test does. */
static void test_known_bytes(void)
{
	struct heap h;
	heap_init(&h, V8_12_4);
	/* +1 statement, +21; then +3 not a statement (-4), +34; then +63 (126 in zigzag), -5. */
	static const uint8_t old[] = { 0x02, 0x2a, 0x07, 0x44, 0x7e, 0x09 };
	uint64_t table = heap_bytes(&h, old, sizeof(old));
	check_position(&h, table, 0, 21);
	check_position(&h, table, 2, 21);
	check_position(&h, table, 3, 55);
	check_position(&h, table, 65, 55);
	check_position(&h, table, 66, 50);
	heap_fini(&h);
	heap_init(&h, V8_14_1);
	/* 1 << 2 | statement; 3 << 2 | breakable << 1; 63 << 2 = 252 in two bytes. */
	static const uint8_t new[] = { 0x05, 0x2a, 0x0e, 0x44, 0xfc, 0x01, 0x09 };
	table = heap_bytes(&h, new, sizeof(new));
	check_position(&h, table, 0, 21);
	check_position(&h, table, 3, 55);
	check_position(&h, table, 66, 50);
	heap_fini(&h);
}

/* --- optimized code --- */

struct program {
	struct heap h;
	uint64_t script, outer, inner, deepest;
};

/* deepest, at 31 of its text, is in inner at 22, is in outer at 13: all at offset 100 of outer's code. */
static uint64_t make_optimized(struct program *p, int32_t kind)
{
	struct heap *h = &p->h;
	uint64_t literals[] = { smi(1), p->inner, p->deepest | 2 };
	struct fake_inlined inlined[] = { { heap_position(13, 0), 1, 0 },
					  { heap_position(22, 1), 2, 0 },
					  { heap_position(44, 0), -1, 0 } };
	struct fake_position list[] = { { 10, heap_position(5, 0), true },
					{ 100, heap_position(31, 2), true },
					{ 120, heap_position(15, 3), false },
					{ 140, heap_position(15, 9), false } };
	uint64_t deopt_data = heap_deopt_data(h, p->outer, heap_array(h, literals, 3),
					      heap_bytes(h, inlined, sizeof(inlined)));
	return heap_code(h, &(struct fake_code){ .kind = kind,
						 .deopt_data = deopt_data,
						 .positions = heap_positions(h, list, 4),
						 .size_bytes = 200 });
}

static void program_init(struct program *p, unsigned version)
{
	heap_init(&p->h, version);
	p->script = make_script(&p->h, "a.js", 1);
	p->outer = heap_named(&p->h, "outer", p->script, 0);
	p->inner = heap_named(&p->h, "inner", p->script, 20);
	p->deepest = heap_named(&p->h, "deepest", p->script, 30);
}

static void check_optimized(unsigned version)
{
	struct program p;
	program_init(&p, version);
	struct v8_process *v = p.h.process;
	uint64_t start = make_optimized(&p, KIND_TURBOFAN);
	check_place(&p.h, v8_place_of_pc(v, start + 20, false, p.outer), "*outer:1:6",
		    "a place in optimized code");
	check_place(&p.h, v8_place_of_pc(v, start + 101, false, p.outer),
		    "*deepest:4:2 < *inner:3:3 < *outer:2:4", "functions put into others");
	check_place(&p.h, v8_place_of_pc(v, start + 100, false, p.outer), "*outer:1:6",
		    "a call returns behind itself");
	check_place(&p.h, v8_place_of_pc(v, start + 100, true, p.outer), "*outer:2:4",
		    "of what runs, without exits, only the outermost is certain");
	check_place(&p.h, v8_place_of_pc(v, start + 130, false, p.outer), "*outer:2:6 < *outer:5:5",
		    "a function put into itself");
	check_place(&p.h, v8_place_of_pc(v, start + 150, false, p.outer), "*outer:0:0",
		    "an inlining that is not there: only the function is told");
	check_place(&p.h, v8_place_of_pc(v, start + 5, true, p.outer), "*outer:0:0",
		    "before the first position");
	check_place(&p.h, v8_place_of_pc(v, start + 20, false, p.inner), "(none)",
		    "code of another function");
	tap_num_eq(v8_shared_of_pc(v, start + 20), p.outer, "optimized code tells its function");
	tap_num_eq(v8_shared_of_pc(v, HEAP_CODE + HEAP_BYTES / 4), 0, "no code tells none");
	start = make_optimized(&p, KIND_MAGLEV);
	check_place(&p.h, v8_place_of_pc(v, start + 20, false, p.outer),
		    version >= V8_10_8 ? "+outer:1:6" : "*outer:1:6", "the tier before");
	heap_fini(&p.h);
}

static void test_cycle(void)
{
	struct program p;
	program_init(&p, V8_14_6);
	struct fake_inlined inlined[] = { { heap_position(13, 1), -1, 0 } };
	struct fake_position list[] = { { 0, heap_position(5, 1), true } };
	uint64_t deopt_data = heap_deopt_data(&p.h, p.outer, heap_array(&p.h, NULL, 0),
					      heap_bytes(&p.h, inlined, sizeof(inlined)));
	uint64_t start =
		heap_code(&p.h, &(struct fake_code){ .kind = KIND_TURBOFAN,
						     .deopt_data = deopt_data,
						     .positions = heap_positions(&p.h, list, 1),
						     .size_bytes = 64 });
	v8_place_id id = v8_place_of_pc(p.h.process, start + 8, false, p.outer);
	unsigned n = 0;
	for (; id != V8_NONE; id = p.h.names.places.p[id].caller)
		n++;
	tap_ok(n >= 1 && n <= 64, "an inlining in itself ends");
	heap_fini(&p.h);
}

/* --- baseline code --- */

static uint64_t make_bytecode(struct heap *h)
{
	/* Lengths: 5 is 2, 6 is 3, 7 is 4; after Wide 6 is 5, after ExtraWide 7 is 13. */
	static const uint8_t bytes[] = { 5, 0, 0, 6, 0, 0, 0, 0, 1, 7, 0, 0,
					 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4 };
	const struct fake_position list[] = { { 0, heap_position(10, 0), true },
					      { 2, heap_position(20, 0), true },
					      { 8, heap_position(30, 0), true },
					      { 22, heap_position(40, 0), true } };
	return heap_bytecode(h, bytes, sizeof(bytes), heap_positions(h, list, 4));
}

static void check_baseline(unsigned version)
{
	struct program p;
	program_init(&p, version);
	struct heap *h = &p.h;
	struct v8_process *v = h->process;
	/* Entry 10, then 20 for 5, 200 for Wide 6, 7 for ExtraWide 7, 1 for 4. */
	static const uint8_t offsets[] = { 10, 20, 0xc8, 0x01, 7, 1 };
	uint64_t bytecode = make_bytecode(h), code;
	uint64_t start = heap_code(
		h, &(struct fake_code){ .kind = KIND_BASELINE,
					.deopt_data = bytecode,
					.positions = heap_bytes(h, offsets, sizeof(offsets)),
					.size_bytes = 300,
					.object = &code });
	/* 9.x: a BaselineData in between. */
	uint64_t data = code;
	if (version == V8_9_4) {
		data = heap_object(h, 1001, 24);
		heap_set(h, data, 8, code);
	}
	heap_set(h, p.outer, 8, data);
	check_place(h, v8_place_of_pc(v, start + 11, false, p.outer), "^outer:2:1", "baseline");
	check_place(h, v8_place_of_pc(v, start + 30, false, p.outer), "^outer:2:1",
		    "baseline: a call is the last of its bytecode");
	check_place(h, v8_place_of_pc(v, start + 31, false, p.outer), "^outer:3:1",
		    "baseline: wide bytecode");
	check_place(h, v8_place_of_pc(v, start + 231, false, p.outer), "^outer:4:1",
		    "baseline: extra wide bytecode");
	check_place(h, v8_place_of_pc(v, start + 238, false, p.outer), "^outer:5:1",
		    "baseline: the bytecode behind it");
	check_place(h, v8_place_of_pc(v, start + 5, true, p.outer), "^outer:0:0",
		    "baseline: at its entry");
	check_place(h, v8_place_of_pc(v, start + 290, false, p.outer), "^outer:0:0",
		    "baseline: behind all that is told");
	check_place(h, v8_place_of_pc(v, start + 11, false, p.inner), "(none)",
		    "baseline code of another function");
	tap_num_eq(v8_shared_of_pc(v, start + 11), 0, "baseline code does not tell its function");
	check_place(h, v8_place_of_bytecode(v, p.outer, bytecode, 3), "~outer:3:1", "a bytecode");
	check_place(h, v8_place_of_bytecode(v, p.outer, bytecode, -1), "~outer:0:0",
		    "a bytecode that is not known");
	check_place(h, v8_place_of_bytecode(v, p.outer, p.inner, 3), "~outer:0:0",
		    "bytecode that is none any more");
	uint64_t both = heap_object_of(h, V8_TYPE_INTERPRETER_DATA, 24);
	heap_set(h, both, 8, bytecode);
	tap_num_eq(v8_bytecode_array_of(v, both), bytecode, "bytecode behind InterpreterData");
	tap_num_eq(v8_bytecode_array_of(v, p.inner), 0, "a function is no bytecode");
	heap_fini(h);
}

/* --- addresses --- */

static void check_find(unsigned version)
{
	struct heap h;
	struct code code;
	heap_init(&h, version);
	struct fake_code small = { .kind = KIND_TURBOFAN, .size_bytes = 40 };
	struct fake_code large = { .kind = KIND_TURBOFAN, .size_bytes = 9000 };
	/* A page that is gone, then code from its end on. */
	h.is_gone[(HEAP_CODE - HEAP_BASE) / HEAP_PAGE + 1] = true;
	h.code_used = 2 * HEAP_PAGE + 256;
	uint64_t first = heap_code(&h, &small), second = heap_code(&h, &small);
	uint64_t third = heap_code(&h, &large), fourth = heap_code(&h, &small);
	struct v8_process *p = h.process;
	const char *of = version >= V8_11_3 ? "beside" : "inside";
	tap_ok(v8_code_find(p, first, &code) && code.start == first && code.size_bytes == 40,
	       "%u.%u: the first instruction, %s", h.layout.major, h.layout.minor, of);
	tap_ok(v8_code_find(p, first + 39, &code) && code.start == first, "the last one");
	tap_ok(v8_code_find(p, first + 40, &code) && code.start == first,
	       "behind a call at the end");
	tap_ok(!v8_code_find(p, first + 41, &code), "not what is between codes");
	tap_ok(v8_code_find(p, second + 3, &code) && code.start == second, "its neighbour");
	tap_ok(v8_code_find(p, third + 8900, &code) && code.start == third, "pages from its begin");
	tap_ok(v8_code_find(p, fourth, &code) && code.start == fourth, "what is behind it");
	tap_ok(!v8_code_find(p, HEAP_CODE + 2 * HEAP_PAGE + 64, &code), "nothing before the first");
	tap_ok(!v8_code_find(p, HEAP_CODE + HEAP_PAGE + 64, &code), "nothing where nothing is");
	tap_ok(!v8_code_find(p, 0, &code) && !v8_code_find(p, UINT64_MAX, &code),
	       "nothing at ends");
	v8_code_find(p, first, &code);
	tap_ok(v8_code_is_same(p, &code), "what is there still is the same");
	heap_set(&h, h.version < V8_11_3 ? code.holder : v8_address(code.object),
		 v8_get(&h.layout, V8_CODE_POSITIONS), smi(1));
	tap_ok(!v8_code_is_same(p, &code), "what changed is not");
	heap_set(&h, code.holder, 0, heap_map(&h, 5));
	tap_ok(!v8_code_is_same(p, &code), "nor what is no code any more");
	heap_fini(&h);
}

static void test_tiers(void)
{
	struct heap h;
	struct code code = { 0 };
	heap_init(&h, V8_14_6);
	static const struct {
		uint32_t kind;
		enum code_tier tier;
	} kinds[] = { { 10, TIER_INTERPRETED }, { 11, TIER_BASELINE }, { 12, TIER_MAGLEV },
		      { 13, TIER_OPTIMIZED },	{ 4, TIER_REGEXP },    { 0, TIER_OTHER },
		      { 3, TIER_INTERPRETED } };
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		code.flags = kinds[i].kind | 0xff0;
		tap_num_eq(v8_code_tier(h.process, &code), kinds[i].tier, "14.6: kind %u",
			   kinds[i].kind);
	}
	uint64_t start = heap_code(&h, &(struct fake_code){ .kind = 4 - 11, .size_bytes = 64 });
	check_place(&h, v8_place_in_regexp(h.process, start + 5), "RegExp:0:0",
		    "code of regular expressions");
	start = heap_code(&h, &(struct fake_code){ .kind = KIND_BASELINE, .size_bytes = 64 });
	check_place(&h, v8_place_in_regexp(h.process, start + 5), "(none)", "other code is none");
	heap_fini(&h);
}

/* --- what is known already --- */

/* Another function where one was, with code where its code was. */
static void check_reused(unsigned version)
{
	struct program p;
	program_init(&p, version);
	struct heap *h = &p.h;
	uint64_t start = make_optimized(&p, KIND_TURBOFAN);
	check_place(h, v8_place_of_pc(h->process, start + 20, false, p.outer), "*outer:1:6",
		    "code that will be collected");
	struct fake_scope f = { .type = heap_scope_function(h), .name = heap_string(h, "another") };
	uint64_t other = make_script(h, "b.js", 2);
	heap_set_function(h, p.outer, &(struct fake_function){ heap_scope(h, &f), other, 0, 1, 2 });
	check_place(h, v8_place_of_pc(h->process, start + 20, false, p.outer), "*another:1:6",
		    "what came where it was has its own name");
	heap_fini(h);
}

/* A function that cannot be read just now. */
static void test_failed(void)
{
	struct program p;
	program_init(&p, V8_14_6);
	struct heap *h = &p.h;
	uint64_t start = make_optimized(&p, KIND_TURBOFAN);
	heap_set(h, p.outer, 0, smi(1));
	check_place(h, v8_place_of_pc(h->process, start + 20, false, p.outer), "(none)",
		    "a function that cannot be read");
	heap_set(h, p.outer, 0, heap_map(h, v8_get(&h->layout, V8_TYPE_SFI)));
	check_place(h, v8_place_of_pc(h->process, start + 20, false, p.outer), "*outer:1:6",
		    "and then can");
	heap_fini(h);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		check_positions(versions[i]);
		check_optimized(versions[i]);
		check_baseline(versions[i]);
		check_find(versions[i]);
		check_reused(versions[i]);
	}
	test_known_bytes();
	test_cycle();
	test_tiers();
	test_failed();
	return tap_done();
}
