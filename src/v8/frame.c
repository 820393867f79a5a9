/*
 * From frames to functions. V8's code keeps frame pointers, and a JavaScript frame has its function and context in
 * the slots below. Other frames have a small number there, their type. The innermost frame is the difficult one: it
 * may not be built yet, may already be gone, or may belong to the caller of code without a frame.
 */
#include "v8/v8_int.h"

enum { SLOTS = 6, MAX_ON_TOP = 64 };

/* --- from a copy --- */

static bool read_copy(struct str copy, uint64_t sp, uint64_t address, void *to, size_t n)
{
	if (address < sp || address - sp > copy.n || copy.n - (address - sp) < n)
		return false;
	memcpy(to, copy.p + (address - sp), n);
	return true;
}

static uint64_t slot(const struct v8_layout *l, enum v8_constant c, const uint64_t *below)
{
	/* below: the words in front of fp, fp's own last. */
	int32_t i = SLOTS + v8_get(l, c) / (int32_t)sizeof(uint64_t);
	return i >= 0 && i < SLOTS ? below[i] : 0;
}

static struct v8_raw_frame frame_at(const struct v8_layout *l, const struct v8_registers *r,
				    struct str copy, uint64_t pc, uint64_t fp)
{
	struct v8_raw_frame f = { .pc = pc, .fp = fp };
	uint64_t below[SLOTS];
	if (read_copy(copy, r->sp, fp - sizeof(below), below, sizeof(below))) {
		f.context = slot(l, V8_FRAME_CONTEXT, below);
		f.function = slot(l, V8_FRAME_FUNCTION, below);
		f.bytecode_array = slot(l, V8_FRAME_BYTECODE_ARRAY, below);
		f.bytecode_offset = slot(l, V8_FRAME_BYTECODE_OFFSET, below);
	}
	return f;
}

uint32_t v8_frames_of_copy(const struct v8_layout *l, const struct v8_registers *r, struct str copy,
			   struct v8_raw_frame *out, uint32_t max)
{
	uint64_t pc = r->pc, fp = r->fp, link[2];
	uint32_t n = 0;
	while (n < max) {
		out[n++] = frame_at(l, r, copy, pc, fp);
		if (!read_copy(copy, r->sp, fp, link, sizeof(link)) || link[0] <= fp)
			break;
		fp = link[0];
		pc = link[1];
	}
	return n;
}

/* Stacks of threads and other memory may be near V8's code, too: of what is not known the frame tells. */
static bool is_frame_of_v8(struct v8_process *p, const struct v8_raw_frame *f)
{
	if (v8_is_code(p, f->pc))
		return true;
	return v8_is_pointer(f->context) && v8_is_pointer(f->function) &&
	       v8_may_be_new_code(p, f->pc);
}

uint32_t v8_links_of_copy(struct v8_process *p, const struct v8_registers *r, struct str copy,
			  struct v8_raw_frame *out, uint32_t max)
{
	uint64_t link[2];
	uint32_t n = 0;
	if (max)
		out[n++] = (struct v8_raw_frame){ .pc = r->pc, .fp = r->fp };
	for (uint64_t at = 0; at + sizeof(link) <= copy.n && n < max; at += sizeof(uint64_t)) {
		memcpy(link, copy.p + at, sizeof(link));
		if (link[0] <= r->sp + at || link[0] - r->sp >= copy.n || link[0] % 8)
			continue;
		out[n] = frame_at(p->layout, r, copy, link[1], link[0]);
		n += is_frame_of_v8(p, &out[n]);
	}
	return n;
}

/* --- functions --- */

struct naming {
	struct v8_process *p;
	const struct v8_registers *r;
	struct v8_frame *out;
	uint32_t n, max;
	struct v8_counts *counts;
};

static void count(struct naming *s, v8_place_id place)
{
	const struct v8_process *p = s->p;
	struct v8_counts *c = s->counts;
	c->frames++;
	switch (p->names->places.p[place].tier) {
	case '~':
		c->interpreted++;
		break;
	case '^':
		c->baseline++;
		break;
	case '+':
		c->maglev++;
		break;
	case '*':
		c->optimized++;
		break;
	default:
		c->unknown_tier++;
	}
	for (; p->names->places.p[place].caller != V8_NONE;
	     place = p->names->places.p[place].caller)
		c->inlined++;
}

static void add(struct naming *s, uint64_t pc, uint64_t fp, v8_place_id place, bool is_missing)
{
	if (place == V8_NONE) {
		s->counts->unnamed++;
		return;
	}
	if (s->n == s->max)
		return;
	count(s, place);
	s->out[s->n++] = (struct v8_frame){ pc, fp, place, is_missing };
}

/* The function that a frame has in its slot; 0: it is no frame of JavaScript. */
static uint64_t shared_of_frame(struct naming *s, const struct v8_raw_frame *f)
{
	if (!v8_is_pointer(f->context) || !v8_is_pointer(f->function))
		return 0;
	uint64_t shared = f->is_shared ? f->function : v8_shared_of(s->p, f->function);
	return shared && v8_function_get(s->p, shared) ? shared : 0;
}

/*
 * The function of a frame in which an address is. Optimized code tells it, and does not move; a JSFunction
 * may have moved since.
 */
static uint64_t shared_at(struct naming *s, const struct v8_raw_frame *f, uint64_t pc,
			  enum pc_kind kind)
{
	uint64_t told = kind == PC_JIT && v8_is_pointer(f->context) ? v8_shared_of_pc(s->p, pc) : 0;
	return told && v8_function_get(s->p, told) ? told : shared_of_frame(s, f);
}

static bool has_script(struct v8_process *p, uint64_t shared)
{
	const struct known_function *k = v8_function_get(p, shared);
	return k && k->script_slot != V8_NONE;
}

/* An interpreted frame has its bytecode, and how far it is. */
static v8_place_id place_in_interpreter(struct naming *s, const struct v8_raw_frame *f,
					uint64_t shared)
{
	int64_t offset = v8_is_smi(f->bytecode_offset) ? v8_smi(f->bytecode_offset) : -1;
	if (offset >= 0)
		offset -= v8_get(s->p->layout, V8_BYTECODE_DATA) - 1;
	return v8_place_of_bytecode(s->p, shared, f->bytecode_array, offset);
}

static enum pc_kind kind_of(struct v8_process *p, uint64_t pc)
{
	enum pc_kind kind = v8_pc_kind(p, pc);
	if (kind == PC_JIT && p->has_interpreter_copies && v8_code_is_interpreter(p, pc))
		return PC_INTERPRETER;
	return kind;
}

static v8_place_id place_of(struct naming *s, const struct v8_raw_frame *f, uint64_t pc,
			    enum pc_kind kind, uint64_t shared, bool is_leaf)
{
	v8_place_id place = V8_NONE;
	if (kind == PC_JIT) {
		place = v8_place_of_pc(s->p, pc, is_leaf, shared);
		if (place == V8_NONE && v8_code_is_interpreter(s->p, pc))
			kind = PC_INTERPRETER;
	}
	if (kind == PC_INTERPRETER)
		place = place_in_interpreter(s, f, shared);
	return place != V8_NONE ? place : v8_place_of_function(s->p, shared, 0);
}

/* --- the innermost frame --- */

uint64_t v8_word_on_top(const struct v8_registers *r, uint32_t i)
{
	uint64_t word = 0;
	if ((size_t)(i + 1) * sizeof(word) <= r->top.n)
		memcpy(&word, r->top.p + i * sizeof(word), sizeof(word));
	return word;
}

/*
 * Where in the function of a frame the call returns to that led to code without a frame of its own. *shared
 * may be 0: then optimized code tells it.
 */
static uint64_t find_return(struct naming *s, const struct v8_raw_frame *f, uint64_t *shared,
			    enum pc_kind *kind)
{
	uint64_t words = s->r->fp > s->r->sp ? (s->r->fp - s->r->sp) / sizeof(uint64_t) : 0;
	bool is_interpreted = *shared && v8_bytecode_array_of(s->p, f->bytecode_array) != 0;
	for (uint32_t i = 0; i < words && i < MAX_ON_TOP; i++) {
		uint64_t pc = v8_word_on_top(s->r, i);
		*kind = kind_of(s->p, pc);
		/* Copies of its entry are of one function each, and old ones may be on the stack. */
		if (*kind == PC_INTERPRETER && is_interpreted &&
		    v8_interpreter_range(s->p, pc).start)
			return pc;
		if (*kind != PC_JIT)
			continue;
		uint64_t told = *shared ? *shared : v8_shared_of_pc(s->p, pc);
		if (told && v8_place_of_pc(s->p, pc, false, told) != V8_NONE) {
			*shared = told;
			return pc;
		}
	}
	*kind = PC_NATIVE;
	return 0;
}

/* The frame is of the caller of what runs. */
static void add_caller(struct naming *s, const struct v8_raw_frame *f, uint64_t returns_to)
{
	enum pc_kind kind = kind_of(s->p, returns_to);
	if (!v8_is_pointer(f->context))
		return;
	uint64_t shared = shared_at(s, f, returns_to, kind);
	if (kind == PC_NATIVE || kind == PC_BUILTIN)
		returns_to = find_return(s, f, &shared, &kind);
	if (shared && has_script(s->p, shared))
		add(s, returns_to, f->fp, place_of(s, f, returns_to, kind, shared, false), true);
}

static uint64_t return_address(const struct v8_registers *r, enum leaf_state state)
{
	return state == LEAF_RETURN_IN_REGISTER ? r->return_address
	       : state == LEAF_HALF_LINKED	? v8_word_on_top(r, 1)
						: v8_word_on_top(r, 0);
}

/* The function that runs, whose frame is not there: code tells its function, else the register does. */
static void add_without_frame(struct naming *s, enum pc_kind kind, enum leaf_state state)
{
	const struct v8_registers *r = s->r;
	uint64_t shared = kind == PC_JIT ? v8_shared_of_pc(s->p, r->pc) : 0;
	bool is_entering = state != LEAF_RETURNING && state != LEAF_RETURN_IN_REGISTER;
	if (!shared && is_entering)
		shared = v8_shared_of(s->p, r->function);
	if (!shared)
		return;
	v8_place_id place = kind == PC_JIT ? v8_place_of_pc(s->p, r->pc, true, shared)
					   : v8_place_of_function(s->p, shared, '~');
	if (place == V8_NONE)
		return;
	s->counts->by_register++;
	add(s, r->pc, r->fp, place, false);
}

/*
 * Other code than V8's may have anything in the slots of its own frame, functions among it. A frame of JavaScript
 * returns to V8's code, and so does what it called, which is on the stack in front of it.
 */
static bool is_called_by_v8(struct naming *s, const struct v8_raw_frame *f, uint64_t returns_to,
			    uint64_t found)
{
	bool is_far = f->fp > s->r->sp && (f->fp - s->r->sp) / sizeof(uint64_t) > MAX_ON_TOP;
	return kind_of(s->p, returns_to) != PC_NATIVE && (found || is_far);
}

/*
 * Handlers of bytecodes have no frame: how far the function is, is in a register. returns_to: of the frame, 0: not
 * known.
 */
static void add_around(struct naming *s, const struct v8_raw_frame *f, uint64_t returns_to)
{
	enum pc_kind leaf = kind_of(s->p, s->r->pc);
	uint64_t shared = shared_of_frame(s, f);
	if (!v8_is_pointer(f->context) || (shared && !has_script(s->p, shared)))
		return;
	int64_t offset =
		(int64_t)s->r->bytecode_offset - (v8_get(s->p->layout, V8_BYTECODE_DATA) - 1);
	enum { MAX_BYTECODES = 1 << 24 };
	enum pc_kind kind;
	uint64_t pc = find_return(s, f, &shared, &kind);
	if (!shared || (leaf == PC_NATIVE && !is_called_by_v8(s, f, returns_to, pc)))
		return;
	if (kind == PC_INTERPRETER && offset >= 0 && offset < MAX_BYTECODES && leaf == PC_BUILTIN)
		add(s, pc, f->fp, v8_place_of_bytecode(s->p, shared, f->bytecode_array, offset),
		    true);
	else
		add(s, pc, f->fp, place_of(s, f, pc, kind, shared, false), true);
}

static void put(struct naming *s, struct v8_frame frame)
{
	if (s->n < s->max)
		s->out[s->n++] = frame;
}

static bool add_regexp(struct naming *s, uint64_t pc, uint64_t fp)
{
	v8_place_id place = v8_place_in_regexp(s->p, pc);
	if (place == V8_NONE)
		return false;
	put(s, (struct v8_frame){ pc, fp, place, false });
	return true;
}

/* Frames of other kinds have a small number in the place of the context; those of WebAssembly then have their instance. */
static uint64_t wasm_instance(const struct v8_raw_frame *f)
{
	enum { MAX_KIND = 256 };
	bool is_kind = f->context && f->context < MAX_KIND && f->context % 2 == 0;
	return is_kind && v8_is_pointer(f->function) ? f->function : 0;
}

static bool add_wasm(struct naming *s, const struct v8_raw_frame *f)
{
	uint64_t start;
	v8_place_id place = v8_place_in_wasm(s->p, f->pc - 1, wasm_instance(f), &start);
	if (place == V8_NONE)
		return false;
	put(s, (struct v8_frame){ f->pc, f->fp, place, false });
	return true;
}

/* At the first two instructions, which push and set the frame pointer, the frame is the caller's. */
static bool add_wasm_leaf(struct naming *s, const struct v8_raw_frame *f)
{
	enum { PUSHED = 1 };
	uint64_t start, instance = wasm_instance(f);
	v8_place_id place = v8_place_in_wasm(s->p, f->pc, instance, &start);
	if (place == V8_NONE)
		return false;
	put(s, (struct v8_frame){ f->pc, f->fp, place, false });
	if (f->pc - start > PUSHED)
		return true;
	uint64_t returns_to = v8_word_on_top(s->r, (uint32_t)(f->pc - start));
	place = v8_place_in_wasm(s->p, returns_to - 1, instance, &start);
	if (place != V8_NONE)
		put(s, (struct v8_frame){ returns_to, f->fp, place, true });
	return true;
}

static void name_innermost(struct naming *s, const struct v8_raw_frame *f, uint64_t returns_to)
{
	enum pc_kind kind = kind_of(s->p, f->pc);
	if (kind == PC_NATIVE || kind == PC_BUILTIN) {
		add_around(s, f, returns_to);
		return;
	}
	if (kind == PC_JIT && (add_wasm_leaf(s, f) || add_regexp(s, f->pc, f->fp)))
		return;
	enum leaf_state state = v8_leaf_state(s->p, f->pc, kind);
	uint64_t shared = shared_of_frame(s, f);
	/* Code that tells its function is right about it, whatever the frame says. */
	uint64_t told = kind == PC_JIT ? v8_shared_of_pc(s->p, f->pc) : 0;
	if (state == LEAF_LINKED) {
		add_without_frame(s, kind, state);
	} else if (state == LEAF_BUILT && shared && (!told || told == shared)) {
		add(s, f->pc, f->fp, place_of(s, f, f->pc, kind, shared, true), false);
	} else if ((state != LEAF_BUILT && v8_is_pointer(f->context)) || told) {
		add_without_frame(s, kind, state);
		add_caller(s, f, return_address(s->r, state));
	}
}

/*
 * Where V8 goes from bytecode to baseline code in the middle of a function, it asks C++ where to go on, from a
 * frame that nobody called: instead of an address that it returns to there is a value of the function's. The
 * function's own frame is whole, with its bytecode and how far it is.
 */
static bool is_being_replaced(struct naming *s, const struct v8_raw_frame *f)
{
	return !v8_mapping_start(s->p, f->pc) && v8_is_pointer(f->context) &&
	       v8_bytecode_array_of(s->p, f->bytecode_array) != 0;
}

static void name_caller(struct naming *s, const struct v8_raw_frame *f)
{
	enum pc_kind kind = kind_of(s->p, f->pc);
	if (kind == PC_NATIVE && is_being_replaced(s, f))
		kind = PC_INTERPRETER;
	if (kind == PC_NATIVE || (kind == PC_JIT && add_wasm(s, f)))
		return;
	uint64_t shared = shared_at(s, f, f->pc, kind);
	if (!shared && kind == PC_JIT)
		add_regexp(s, f->pc, f->fp);
	if (!shared || !has_script(s->p, shared))
		return;
	if (kind == PC_BUILTIN)
		add(s, f->pc, f->fp, v8_place_of_function(s->p, shared, 0), true);
	else
		add(s, f->pc, f->fp, place_of(s, f, f->pc, kind, shared, false), false);
}

/* --- all --- */

static void forget(struct v8_process *p)
{
	memset(p->functions, 0, KNOWN_FUNCTIONS * sizeof(*p->functions));
	memset(p->pcs, 0, KNOWN_PCS * sizeof(*p->pcs));
	p->generation = p->names->generation;
}

/* Callers that were named before in the same stack: deep ones are of few functions, again and again. */
enum { SEEN = 64 };

struct seen_caller {
	const struct v8_raw_frame *raw; /* NULL: none */
	uint32_t first, n;		/* what was found of it, in out */
};

static bool is_same(const struct v8_raw_frame *a, const struct v8_raw_frame *b)
{
	return a->pc == b->pc && a->function == b->function && a->is_shared == b->is_shared &&
	       v8_is_pointer(a->context) == v8_is_pointer(b->context) &&
	       a->bytecode_array == b->bytecode_array && a->bytecode_offset == b->bytecode_offset;
}

static void name_caller_once(struct naming *s, struct seen_caller *seen,
			     const struct v8_raw_frame *f)
{
	struct seen_caller *at = &seen[v8_slot(f->pc ^ f->function ^ f->bytecode_offset, SEEN)];
	if (at->raw && is_same(at->raw, f)) {
		for (uint32_t i = at->first; i < at->first + at->n; i++)
			add(s, f->pc, f->fp, s->out[i].place, s->out[i].is_missing);
		return;
	}
	*at = (struct seen_caller){ .raw = f, .first = s->n };
	name_caller(s, f);
	at->n = s->n - at->first;
}

uint32_t v8_name_frames(struct v8_process *p, const struct v8_registers *r,
			const struct v8_raw_frame *raw, uint32_t n, struct v8_frame *out,
			uint32_t max, struct v8_counts *counts)
{
	struct naming s = { .p = p, .r = r, .out = out, .max = max, .counts = counts };
	struct seen_caller seen[SEEN] = { 0 };
	uint64_t begin = v8_begin_look(p);
	if (p->generation != p->names->generation)
		forget(p);
	if (n)
		name_innermost(&s, &raw[0], n > 1 ? raw[1].pc : 0);
	for (uint32_t i = 1; i < n; i++)
		name_caller_once(&s, seen, &raw[i]);
	v8_end_look(p, begin, n);
	return s.n;
}
