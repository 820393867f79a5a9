/*
 * From an address of compiled code to the Code object that describes it. Up to 10.8 the instructions are inside that
 * object; from 11 on they are in an InstructionStream, which refers to its Code. No index by address is cheap to read
 * from outside, so plume searches backwards for the start of the object.
 */
#include "v8/v8_int.h"

enum { PAGE_BYTES = 4096, MAX_PAGES = 512, CODE_BYTES = 64, CODE_OF_STREAM = 8 };
enum { KIND_MASK = 15 };

static bool take_code(struct v8_process *p, uint64_t holder, uint64_t object, struct code *code)
{
	const struct v8_layout *l = p->layout;
	char bytes[CODE_BYTES];
	uint64_t map;
	if (!v8_is_pointer(object) || !v8_read(&p->heap, object, 0, bytes, CODE_BYTES))
		return false;
	memcpy(&map, bytes, sizeof(map));
	if (v8_type_of_map(&p->heap, map) != v8_get(l, V8_TYPE_CODE))
		return false;
	*code = (struct code){ .holder = holder, .object = object };
	if (l->has_code_inside)
		code->start = v8_address(object) + (uint64_t)v8_get(l, V8_CODE_START);
	else
		memcpy(&code->start, bytes + v8_get(l, V8_CODE_START), sizeof(code->start));
	memcpy(&code->size_bytes, bytes + v8_get(l, V8_CODE_SIZE), sizeof(code->size_bytes));
	memcpy(&code->flags, bytes + v8_get(l, V8_CODE_FLAGS), sizeof(code->flags));
	memcpy(&code->deopt_data, bytes + v8_get(l, V8_CODE_DEOPT_DATA), sizeof(code->deopt_data));
	memcpy(&code->positions, bytes + v8_get(l, V8_CODE_POSITIONS), sizeof(code->positions));
	return true;
}

/* The code of an object that may hold some; its first word is of the right type. */
static bool code_at(struct v8_process *p, uint64_t holder, struct code *code)
{
	uint64_t object = holder | 1;
	if (!p->layout->has_code_inside &&
	    !memory_read(p->heap.memory, holder + CODE_OF_STREAM, &object, sizeof(object)))
		return false;
	return take_code(p, holder, object, code);
}

static bool is_in(const struct code *code, uint64_t pc)
{
	/* A call may be the last instruction. */
	return pc >= code->start && pc - code->start <= code->size_bytes;
}

/*
 * The first word of objects with code in them is the same in all: their map, which is in memory that nothing changes.
 * The first one that is found tells it; to ask of every word whether it is a map would take long.
 */
static bool is_holder_map(struct v8_process *p, uint64_t word, bool is_known_only)
{
	const struct v8_layout *l = p->layout;
	for (uint32_t i = 0; i < p->holder_maps; i++)
		if (p->holder_map[i] == word)
			return true;
	if (is_known_only || !v8_is_pointer(word) ||
	    v8_type_of_map(&p->heap, word) !=
		    v8_get(l, l->has_code_inside ? V8_TYPE_CODE : V8_TYPE_INSTRUCTION_STREAM))
		return false;
	if (p->holder_maps < MAX_HOLDER_MAPS)
		p->holder_map[p->holder_maps++] = word;
	return true;
}

/* A search for the object that an address is in. */
struct search {
	uint64_t pc;
	bool is_known_only; /* objects with a map that was seen before */
	bool is_over;	    /* what was found ends before pc, or no memory is there */
};

/* From the page's end, or from pc downwards. */
static bool search_page(struct v8_process *p, struct search *s, uint64_t page, struct code *code)
{
	uint64_t words[PAGE_BYTES / sizeof(uint64_t)];
	uint64_t step = p->layout->code_alignment;
	uint64_t last =
		s->pc - page < PAGE_BYTES ? (s->pc - page) / step * step : PAGE_BYTES - step;
	if (!memory_read(p->heap.memory, page, words, last + sizeof(*words))) {
		s->is_over = true; /* pages before an area are guards */
		return false;
	}
	for (uint64_t at = last;; at -= step) {
		if (is_holder_map(p, words[at / sizeof(*words)], s->is_known_only) &&
		    code_at(p, page + at, code)) {
			if (is_in(code, s->pc))
				return true;
			s->is_over = code->start > page + at && code->start < s->pc;
			if (s->is_over)
				return false;
		}
		if (at < step)
			return false;
	}
}

static bool search(struct v8_process *p, uint64_t pc, bool is_known_only, struct code *code)
{
	uint64_t page = pc / PAGE_BYTES * PAGE_BYTES;
	struct search s = { .pc = pc, .is_known_only = is_known_only };
	uint64_t first = v8_mapping_start(p, pc) / PAGE_BYTES * PAGE_BYTES;
	for (unsigned i = 0; i < MAX_PAGES && page >= first && page && !s.is_over;
	     i++, page -= PAGE_BYTES)
		if (search_page(p, &s, page, code))
			return true;
	return false;
}

/* A worker may have a map of its own: now and then all is tried. */
bool v8_code_find(struct v8_process *p, uint64_t pc, struct code *code)
{
	enum { TRY_ALL_EVERY = 256 };
	if (p->has_ended)
		return v8_code_of_ended(p, pc, code);
	if (p->holder_maps && search(p, pc, true, code))
		return true;
	if (p->holder_maps && p->misses++ % TRY_ALL_EVERY)
		return false;
	return search(p, pc, false, code);
}

bool v8_code_read(struct v8_process *p, uint64_t holder, struct code *code)
{
	uint64_t map;
	return memory_read(p->heap.memory, holder, &map, sizeof(map)) &&
	       is_holder_map(p, map, false) && code_at(p, holder, code);
}

bool v8_code_equal(const struct code *a, const struct code *b)
{
	return a->object == b->object && a->start == b->start && a->size_bytes == b->size_bytes &&
	       a->deopt_data == b->deopt_data && a->positions == b->positions;
}

bool v8_code_is_same(struct v8_process *p, const struct code *code)
{
	struct code now;
	return v8_code_read(p, code->holder, &now) && v8_code_equal(&now, code);
}

enum code_tier v8_code_tier(const struct v8_process *p, const struct code *code)
{
	int32_t kind = (int32_t)(code->flags & KIND_MASK);
	int32_t baseline = v8_get(p->layout, V8_CODE_KIND_BASELINE);
	/* The interpreter's entry is a builtin, and so are copies of it, which are on the heap. */
	int32_t builtin = (int32_t)p->layout->regexp_kind - 1;
	if (kind == baseline - 1 || kind == builtin)
		return TIER_INTERPRETED;
	if (kind == (int32_t)p->layout->regexp_kind)
		return TIER_REGEXP;
	if (kind == baseline)
		return TIER_BASELINE;
	if (kind == baseline + 1)
		return p->layout->has_maglev ? TIER_MAGLEV : TIER_OPTIMIZED;
	/* Kinds are in the order of tiers; 9.x had TurboProp in between. */
	return kind == baseline + 2 ? TIER_OPTIMIZED : TIER_OTHER;
}

bool v8_code_is_interpreter(struct v8_process *p, uint64_t pc)
{
	struct code code;
	bool is = v8_code_find(p, pc, &code) && v8_code_tier(p, &code) == TIER_INTERPRETED;
	p->has_interpreter_copies |= is;
	return is;
}
