/*
 * Unwinds a stack: by the rules of the code's table; without a rule, by the instructions, if they
 * prove where the caller is; else by frame pointers. Every step is checked: it reads memory only
 * from the copy, moves only upwards, and must lead to code.
 */
#include "unwind/code_int.h"

enum { PLACES = 8, GO_ON = -1 };

struct walk {
	const struct unwinder *unwinder;
	const struct unwind_machine *machine;
	const struct unwind_memory *memory;
	struct unwind_registers registers;
	bool is_interrupted; /* the frame did not call the one below it */
	bool is_cut;	     /* a register was saved beyond the copy */
	/* Where the last few look-ups led to: stacks stay in few mappings. */
	struct unwind_place places[PLACES];
	unsigned places_used, next_place;
};

static const struct unwind_place *place_of(struct walk *w, uint64_t address)
{
	for (unsigned i = 0; i < w->places_used; i++)
		if (address >= w->places[i].start && address < w->places[i].end)
			return &w->places[i];
	struct unwind_place *place = &w->places[w->next_place];
	w->next_place = (w->next_place + 1) % PLACES;
	if (w->places_used < PLACES)
		w->places_used++;
	memset(place, 0, sizeof(*place));
	w->unwinder->find(w->unwinder->context, address, place);
	return place;
}

/*
 * Most of the time goes into waiting for the copy to come from memory, frame by frame. The frames above
 * are mostly near: they are asked for while this one is worked on.
 */
static void prefetch_above(const struct unwind_memory *m, uint64_t address)
{
	enum { LINE_BYTES = 64, LINES = 4 };
	uint64_t at = address - m->address;
	for (unsigned i = 1; i <= LINES; i++)
		if (at < m->bytes.n && m->bytes.n - at > i * LINE_BYTES)
			__builtin_prefetch(m->bytes.p + at + i * LINE_BYTES);
}

/* Why something cannot be read at address. */
static int end_at(const struct walk *w, uint64_t address)
{
	return memory_is_beyond(w->memory, address) ? UNWIND_TRUNCATED : UNWIND_LOST;
}

/* --- by rules --- */

struct step {
	struct walk *walk;
	const struct unwind_place *place;
	struct rule_head head;
	const uint32_t *words;
	uint64_t cfa;
	bool has_cfa;
};

static bool evaluate(struct step *s, int32_t where, uint64_t *value)
{
	struct expression_context context = { .registers = &s->walk->registers,
					      .memory = s->walk->memory,
					      .bias = s->place->bias,
					      .cfa = s->cfa,
					      .has_cfa = s->has_cfa };
	struct str bytes = table_expression(s->place->table, where);
	bool is_good = bytes.n && expression_evaluate(&context, bytes, value);
	s->walk->is_cut |= context.is_beyond;
	return is_good;
}

static bool read_saved(struct step *s, uint64_t address, uint64_t *value)
{
	if (memory_read(s->walk->memory, address, sizeof(*value), value))
		return true;
	s->walk->is_cut |= memory_is_beyond(s->walk->memory, address);
	return false;
}

static bool known_register(const struct walk *w, uint32_t reg, uint64_t *value)
{
	if (reg >= UNWIND_REGISTERS || !(w->registers.is_known >> reg & 1))
		return false;
	*value = w->registers.value[reg];
	return true;
}

static bool find_cfa(struct step *s)
{
	uint64_t value = 0;
	int32_t operand = (int32_t)s->words[1];
	if (s->head.cfa_kind == CFA_EXPRESSION) {
		if (!evaluate(s, operand, &value))
			return false;
		operand = 0;
	} else if (!known_register(s->walk, s->head.cfa_register, &value)) {
		return false;
	}
	s->cfa = value + (uint64_t)(int64_t)operand;
	s->has_cfa = true;
	return true;
}

/*
 * Behind `pop %rbp` compilers say that the frame is gone, but not that the register is back (gcc, where it keeps
 * frame pointers). What the stack pointer has left behind was taken from there before.
 */
static bool is_taken_back(const struct step *s, uint32_t reg, uint64_t address)
{
	const struct unwind_machine *m = s->walk->machine;
	return address < s->walk->registers.value[m->stack_pointer] && m->callee_saved >> reg & 1;
}

static bool find_saved(struct step *s, struct saved_word word, uint64_t *value)
{
	uint64_t address = s->cfa + (uint64_t)(int64_t)word.value;
	switch (word.kind) {
	case SAVED_SAME:
		return known_register(s->walk, word.reg, value);
	case SAVED_AT_OFFSET:
		return is_taken_back(s, word.reg, address)
			       ? known_register(s->walk, word.reg, value)
			       : read_saved(s, address, value);
	case SAVED_IS_OFFSET:
		*value = s->cfa + (uint64_t)(int64_t)word.value;
		return true;
	case SAVED_IN_REGISTER:
		return known_register(s->walk, (uint32_t)word.value, value);
	case SAVED_AT_EXPRESSION:
		return evaluate(s, word.value, &address) && read_saved(s, address, value);
	case SAVED_IS_EXPRESSION:
		return evaluate(s, word.value, value);
	default:
		return false;
	}
}

/* The registers as the caller has them. Rules speak of the old ones, so new ones are put aside first. */
static void find_registers(struct step *s)
{
	struct walk *w = s->walk;
	struct unwind_registers *r = &w->registers;
	uint64_t values[UNWIND_REGISTERS], found = 0, ruled = 0;
	for (unsigned i = 0; i < s->head.saved; i++) {
		struct saved_word word;
		memcpy(&word, &s->words[2 + i], sizeof(word));
		if (word.reg >= UNWIND_REGISTERS)
			continue;
		ruled |= 1ull << word.reg;
		if (find_saved(s, word, &values[word.reg]))
			found |= 1ull << word.reg;
	}
	/* arm64: the return address may still be where the call put it. */
	uint64_t kept = w->machine->callee_saved | 1ull << s->head.return_register;
	r->is_known &= kept & ~ruled;
	r->value[w->machine->stack_pointer] = s->cfa;
	r->is_known |= 1ull << w->machine->stack_pointer | found;
	for (uint64_t left = found; left; left &= left - 1) {
		unsigned reg = (unsigned)__builtin_ctzll(left);
		r->value[reg] = values[reg];
	}
}

static int step_by_rule(struct walk *w, const struct unwind_place *place, const uint32_t *rule)
{
	struct step s = { .walk = w, .place = place, .words = rule };
	uint64_t below = w->registers.value[w->machine->stack_pointer], back;
	memcpy(&s.head, rule, sizeof(s.head));
	w->is_interrupted = s.head.flags & RULE_IS_SIGNAL;
	if (s.head.flags & RULE_IS_ROOT)
		return UNWIND_ROOTED;
	if (!find_cfa(&s))
		return w->is_cut ? UNWIND_TRUNCATED : UNWIND_LOST;
	/* A signal's handler may have a stack of its own, above or below. */
	if (s.cfa <= below && !w->is_interrupted)
		return UNWIND_LOST;
	prefetch_above(w->memory, s.cfa);
	find_registers(&s);
	if (!known_register(w, s.head.return_register, &back))
		return w->is_cut ? UNWIND_TRUNCATED : UNWIND_LOST;
	w->registers.value[w->machine->program_counter] = back;
	w->registers.is_known |= 1ull << w->machine->program_counter;
	return GO_ON;
}

/* --- by frame pointers --- */

/*
 * Code of JIT compilers, and code without a table: V8, HotSpot (with -XX:+PreserveFramePointer) and
 * compilers of C (with -fno-omit-frame-pointer) link their frames in the same way.
 */
static int step_by_frame_pointer(struct walk *w)
{
	const struct unwind_machine *m = w->machine;
	struct unwind_registers *r = &w->registers;
	uint64_t below = r->value[m->stack_pointer], frame, next, back;
	w->is_interrupted = false;
	if (!known_register(w, m->frame_pointer, &frame))
		return w->is_cut ? UNWIND_TRUNCATED : UNWIND_LOST;
	uint64_t above = frame + (uint64_t)m->caller_stack_pointer;
	if (!frame || above <= below)
		return UNWIND_LOST;
	prefetch_above(w->memory, frame);
	if (!memory_read(w->memory, frame + (uint64_t)m->saved_return_address, 8, &back))
		return end_at(w, frame);
	r->is_known = 1ull << m->stack_pointer | 1ull << m->program_counter;
	r->value[m->stack_pointer] = above;
	r->value[m->program_counter] = back;
	if (memory_read(w->memory, frame + (uint64_t)m->saved_frame_pointer, 8, &next)) {
		r->value[m->frame_pointer] = next;
		r->is_known |= 1ull << m->frame_pointer;
	}
	return GO_ON;
}

/* --- by instructions --- */

static int step_by_code(struct walk *w, const struct unwind_place *place, uint64_t address)
{
	struct unwind_registers caller;
	struct code_walk c = { w->unwinder, w->machine, w->memory, &w->registers, place };
	switch (place->code ? code_find_caller(&c, address, &caller) : CODE_CALLER_UNKNOWN) {
	case CODE_CALLER_FOUND:
		w->is_interrupted = false;
		w->registers = caller;
		return GO_ON;
	case CODE_CALLER_NONE:
		return UNWIND_ROOTED;
	case CODE_CALLER_CUT:
		return UNWIND_TRUNCATED;
	default:
		return step_by_frame_pointer(w);
	}
}

/* --- by what code was copied from --- */

/* Whether there is a call in front of an address, as far as files say. */
static bool is_behind_call(struct walk *w, uint64_t back)
{
	const struct unwind_place *place = place_of(w, back - 1);
	return place->bytes.n && unwind_is_behind_call(place->bytes, back - place->start);
}

/*
 * That it is a copy is only likely: the frame is believed when it returns to behind a call. Where it was interrupted,
 * it is not known at which instruction; words below the return address may be left from calls before, so
 * the uppermost counts.
 */
static int step_by_copy(struct walk *w, const struct unwind_copied *copied, bool is_return)
{
	enum { WORD_BYTES = 8 };
	const struct unwind_machine *m = w->machine;
	struct unwind_registers *r = &w->registers;
	uint32_t depths = is_return ? 1u << copied->call_depth : copied->depths;
	int end = UNWIND_LOST;
	for (unsigned i = UNWIND_COPIED_WORDS; i-- > 0;) {
		uint64_t at = r->value[m->stack_pointer] + i * WORD_BYTES, back;
		if (!(depths >> i & 1))
			continue;
		if (!memory_read(w->memory, at, WORD_BYTES, &back)) {
			end = end_at(w, at);
		} else if (is_behind_call(w, back)) {
			r->is_known &= m->callee_saved | 1ull << m->program_counter;
			r->value[m->program_counter] = back;
			r->value[m->stack_pointer] = at + WORD_BYTES;
			r->is_known |= 1ull << m->stack_pointer;
			w->is_interrupted = false;
			return GO_ON;
		}
	}
	return end;
}

/* --- frames --- */

struct frames {
	uint64_t *addresses, *is_return;
	uint32_t n, max;
};

static void add_frame(struct frames *f, uint64_t address, bool is_return)
{
	uint64_t bit = 1ull << f->n % 64, *word = &f->is_return[f->n / 64];
	if (f->n % 64 == 0)
		*word = 0;
	if (is_return)
		*word |= bit;
	f->addresses[f->n++] = address;
}

static bool returns_from_signal(const uint32_t *rule)
{
	struct rule_head head;
	if (!rule)
		return false;
	memcpy(&head, rule, sizeof(head));
	return head.flags & RULE_IS_SIGNAL;
}

/* Adds the frame that the walk stands at, and goes to its caller. */
static int visit(struct walk *w, struct frames *f)
{
	uint64_t pc = w->registers.value[w->machine->program_counter];
	bool is_return = f->n && !w->is_interrupted;
	/* A call may be the last thing that a function does: what it returns to is another one's. */
	uint64_t address = pc - is_return;
	const struct unwind_place *place = place_of(w, address);
	if (f->n && !pc)
		return UNWIND_ROOTED;
	if (f->n && !place->is_code)
		return UNWIND_LOST;
	if (f->n == f->max)
		return UNWIND_FULL;
	const uint32_t *rule =
		place->table ? table_find(place->table, address - place->bias) : NULL;
	if (w->unwinder->frame_pointers) {
		uint64_t *frame = &w->unwinder->frame_pointers[f->n];
		if (!known_register(w, w->machine->frame_pointer, frame))
			*frame = 0;
	}
	add_frame(f, pc, is_return && !returns_from_signal(rule));
	if (rule)
		return step_by_rule(w, place, rule);
	if (!place->copied)
		return step_by_code(w, place, address);
	int how = step_by_copy(w, place->copied, is_return);
	return how == UNWIND_LOST ? step_by_frame_pointer(w) : how;
}

uint32_t unwind_stack(const struct unwinder *u, const struct unwind_registers *registers,
		      const struct unwind_memory *memory, uint64_t *addresses, uint64_t *is_return,
		      uint32_t max, enum unwind_end *end)
{
	struct walk w = { .unwinder = u,
			  .machine = unwind_machine_of(u->machine),
			  .memory = memory,
			  .registers = *registers };
	struct frames f = { addresses, is_return, 0, max };
	*end = UNWIND_LOST;
	if (!w.machine || !(registers->is_known >> w.machine->program_counter & 1) ||
	    !(registers->is_known >> w.machine->stack_pointer & 1))
		return 0;
	int how;
	do
		how = visit(&w, &f);
	while (how == GO_ON);
	*end = (enum unwind_end)how;
	return f.n;
}
