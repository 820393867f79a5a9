/*
 * A heap that is not as V8 left it: bits that flipped, objects that lead in circles, memory that was made to be
 * read without end. Names may be wrong or missing; reads are bounded, and nothing is read beyond what is there.
 */
#include "tap.h"

#include "random.h"
#include "v8_stack.h"

enum { MAX_FRAMES = 16, MAX_COST = 1 << 15 };

static const unsigned versions[] = { V8_9_4, V8_11_3, V8_12_9, V8_14_6 };

struct program {
	struct stack s;
	uint64_t f, g, f_code, g_code;
};

static uint64_t make_code(struct heap *h, uint64_t shared, uint64_t other)
{
	enum { CODE_BYTES = 300 };
	struct fake_position list[] = { { 0, heap_position(22, 0), true },
					{ 50, heap_position(5, 1), true },
					{ 200, heap_position(31, 0), false } };
	struct fake_inlined inlined[] = { { heap_position(13, 0), 0, 0 } };
	uint64_t deopt_data = heap_deopt_data(h, shared, heap_array(h, &other, 1),
					      heap_bytes(h, inlined, sizeof(inlined)));
	return heap_code(h, &(struct fake_code){ .kind = KIND_TURBOFAN,
						 .deopt_data = deopt_data,
						 .positions = heap_positions(h, list, 3),
						 .size_bytes = CODE_BYTES });
}

/* f is optimized, with g in it; g calls it, and is interpreted; a third is called by code that is optimized. */
static void program_init(struct program *p, unsigned version)
{
	static const uint8_t bytes[] = { 4, 4, 4, 4, 4, 4, 4, 4 };
	uint64_t ends[] = { smi(9), smi(19), smi(29), smi(39) };
	struct stack *s = &p->s;
	stack_init(s, version);
	struct heap *h = &s->h;
	uint64_t name = heap_cons(h, heap_string(h, "/app/"), heap_string(h, "a.js"), 9);
	uint64_t script = heap_script(
		h, &(struct fake_script){ .name = name,
					  .source = heap_string(h, "function f() { g() }"),
					  .line_ends = heap_array(h, ends, 4),
					  .id = 1 });
	const struct fake_position list[] = { { 0, heap_position(20, 0), true },
					      { 4, heap_position(30, 0), true } };
	uint64_t bytecode = heap_bytecode(h, bytes, sizeof(bytes), heap_positions(h, list, 2));
	p->f = heap_named(h, "f", script, 0);
	p->g = heap_named(h, "g", script, 10);
	h->code_used = 256;
	p->f_code = make_code(h, p->f, p->g);
	p->g_code = make_code(h, p->g, p->f);
	s->r.pc = p->f_code + 100;
	s->r.function = heap_closure(h, p->f);
	stack_add(s, heap_closure(h, p->f), stack_interpreter_pc());
	stack_set_bytecode(s, stack_add(s, heap_closure(h, p->g), p->g_code + 60), bytecode, 5);
	stack_add(s, heap_closure(h, p->g), 0x1234);
	stack_add(s, 0, 0x1234);
}

/* How many frames it has names for; UINT32_MAX: more was read than may be, or a name is none. */
static uint32_t look(struct stack *s)
{
	AUTO(buf) struct buf text = { 0 };
	struct v8_raw_frame raw[MAX_FRAMES];
	struct v8_frame frames[MAX_FRAMES];
	struct v8_counts counts = { 0 };
	uint64_t before = s->h.memory.cost;
	uint32_t n = v8_frames_of_copy(&s->h.layout, &s->r, s->r.top, raw, MAX_FRAMES);
	n = v8_name_frames(s->h.process, &s->r, raw, n, frames, MAX_FRAMES, &counts);
	if (n > MAX_FRAMES || s->h.memory.cost - before > MAX_COST)
		return UINT32_MAX;
	for (uint32_t i = 0; i < n; i++)
		for (v8_place_id id = frames[i].place; id != V8_NONE;
		     id = s->h.names.places.p[id].caller) {
			if (id >= s->h.names.places.n)
				return UINT32_MAX;
			const struct v8_place *place = &s->h.names.places.p[id];
			v8_function_describe(&s->h.names.functions.p[place->function], place->tier,
					     &text);
		}
	return n;
}

/* As if it had never been looked at. */
static void forget(struct stack *s)
{
	v8_process_free(s->h.process);
	s->h.process = v8_process_new(&s->h.of.process, &s->h.layout, &s->h.names);
	heap_add_mappings(&s->h);
}

static uint64_t random_word(struct stack *s)
{
	uint64_t at = random_below(s->h.used + s->h.code_used) / 8 * 8;
	return at < s->h.used ? HEAP_BASE + at : HEAP_CODE + (at - s->h.used) / 8 * 8;
}

/* A bit, or a word that leads to another object. */
static void damage(struct stack *s, uint64_t address)
{
	char *at = s->h.bytes + (address - HEAP_BASE);
	uint64_t word;
	memcpy(&word, at, sizeof(word));
	if (random_below(2))
		word ^= 1ull << random_below(64);
	else
		word = (HEAP_BASE + random_below(s->h.used) / 8 * 8) | 1;
	memcpy(at, &word, sizeof(word));
}

static void check_flips(unsigned version)
{
	enum { ROUNDS = 1000, MOST_WORDS = 32 };
	struct program p;
	uint32_t bad = 0, unharmed = 0, harmed = 0;
	program_init(&p, version);
	struct stack *s = &p.s;
	uint32_t whole = look(s);
	AUTO_FREE char *before = mem_alloc(HEAP_BYTES, 1);
	memcpy(before, s->h.bytes, HEAP_BYTES);
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (uint32_t i = random_below(MOST_WORDS) + 1; i > 0; i--)
			damage(s, random_word(s));
		if (round % 2)
			forget(s);
		uint32_t n = look(s);
		bad += n == UINT32_MAX;
		unharmed += n == whole;
		harmed += n < whole;
		memcpy(s->h.bytes, before, HEAP_BYTES);
	}
	forget(s);
	unsigned major = s->h.layout.major, minor = s->h.layout.minor;
	tap_ok(whole >= 3, "%u.%u: the whole heap has names", major, minor);
	tap_num_eq(bad, 0, "%u.%u: reads of %u damaged heaps are bounded", major, minor, ROUNDS);
	tap_ok(harmed > ROUNDS / 10, "%u.%u: ... of which %u lack names", major, minor, harmed);
	tap_ok(unharmed > ROUNDS / 10, "%u.%u: ... and %u lack none", major, minor, unharmed);
	tap_num_eq(look(s), whole, "%u.%u: a heap that is whole again has all", major, minor);
	stack_fini(s);
}

/* Every word of the code's pages is the map of an object with code in it, which is none of this address. */
static void make_endless(struct program *p)
{
	struct heap *h = &p->s.h;
	uint64_t word;
	memcpy(&word, h->bytes + 256 + (HEAP_CODE - HEAP_BASE), sizeof(word));
	for (uint64_t at = HEAP_CODE + 4096; at < HEAP_BASE + HEAP_BYTES; at += sizeof(word))
		heap_put(h, at, &word, sizeof(word));
	p->s.r.pc = HEAP_BASE + HEAP_BYTES - 64;
}

static void check_endless(unsigned version)
{
	enum { MOST_LOOKS = 1000, USUAL_LOOKS = 10000 };
	struct program p;
	program_init(&p, version);
	struct stack *s = &p.s;
	unsigned major = s->h.layout.major, minor = s->h.layout.minor;
	for (unsigned i = 0; i < USUAL_LOOKS; i++)
		look(s);
	tap_ok(!v8_process_is_endless(s->h.process),
	       "%u.%u: a usual heap may be looked at for long", major, minor);
	uint64_t before = s->h.memory.cost;
	make_endless(&p);
	unsigned looks = 0;
	while (looks < MOST_LOOKS && !v8_process_is_endless(s->h.process)) {
		s->r.pc -= 64; /* never the same address twice */
		look(s);
		looks++;
	}
	tap_ok(looks < MOST_LOOKS, "%u.%u: one that is made to be searched is given up after %u",
	       major, minor, looks);
	tap_ok(s->h.memory.cost - before < 1000000, "%u.%u: ... and %llu reads", major, minor,
	       (unsigned long long)(s->h.memory.cost - before));
	stack_fini(s);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		check_flips(versions[i]);
		if (versions[i] >= V8_11_3) /* before, any object with code ends the search */
			check_endless(versions[i]);
	}
	return tap_done();
}
