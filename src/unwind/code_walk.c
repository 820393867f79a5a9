/* From a function without a table to its caller, if that can be proved. */
#include "unwind/code_int.h"

enum { WORD = 8, MAX_CALL_BYTES = 8 };

/* Registers as the caller has them. */
static bool find_registers(const struct code_walk *w, const struct code_state *state, uint64_t cfa,
			   struct unwind_registers *r)
{
	uint64_t known = w->registers->is_known & w->machine->callee_saved;
	r->is_known = 0;
	for (uint64_t left = w->machine->callee_saved; left; left &= left - 1) {
		unsigned reg = (unsigned)__builtin_ctzll(left);
		bool is_there = known >> reg & 1;
		r->value[reg] = w->registers->value[reg];
		if (state->is_saved >> reg & 1)
			is_there = memory_read(w->memory,
					       cfa - WORD - (uint64_t)state->saved_depth[reg], WORD,
					       &r->value[reg]);
		r->is_known |= (uint64_t)is_there << reg;
	}
	r->value[w->machine->stack_pointer] = cfa;
	r->is_known |= 1ull << w->machine->stack_pointer;
	return memory_read(w->memory, cfa - WORD, WORD, &r->value[w->machine->program_counter]);
}

/*
 * Where the stack was when the function was called. A frame pointer is believed first: behind calls whose callee takes
 * arguments off the stack, the depth is not what the code before says.
 */
static bool find_cfa(const struct code_walk *w, const struct code_state *state, uint64_t *cfa)
{
	const struct unwind_machine *m = w->machine;
	uint64_t below = w->registers->value[m->stack_pointer];
	if (state->has_frame && w->registers->is_known >> m->frame_pointer & 1)
		*cfa = w->registers->value[m->frame_pointer] + (uint64_t)state->frame_depth + WORD;
	else if (state->has_depth)
		*cfa = below + (uint64_t)state->depth + WORD;
	else
		return false;
	return *cfa > below;
}

/*
 * In front of `back` there must be a call: to this function, or to one that jumps to it when its own frame is gone, by a
 * register or memory, by a PLT; or, where a symbol says that a function begins here, to any. What is only jumped to may
 * be no function, so for it the first two count.
 */
static bool is_called_from(const struct code_walk *w, const struct code_start *start, uint64_t back)
{
	int64_t distance;
	bool is_direct;
	struct unwind_place place = { 0 };
	w->unwinder->find(w->unwinder->context, back - 1, &place);
	if (!place.is_code)
		return false;
	if (!place.code)
		return start->is_known;
	uint64_t in_file = back - place.bias;
	struct str before = code_bytes_before(place.code, in_file, MAX_CALL_BYTES);
	if (!code_call_before_x86_64(before, &distance, &is_direct))
		return false;
	if (!is_direct || start->is_known)
		return start->is_known || !start->is_jumped;
	uint64_t target = in_file + (uint64_t)distance;
	if (place.code == w->place->code &&
	    (target == start->address || code_jumps_to(place.code, target, start->address)))
		return true;
	if (start->is_jumped)
		return false;
	/* What it calls leads to main by jumps; nothing else is called from there. */
	if (code_is_in_entry(place.code, in_file - 1))
		return true;
	return code_is_stub_x86_64(code_bytes_from(place.code, target));
}

/* What is known from one start of a function. */
static enum code_caller try_start(const struct code_walk *w, const struct code_start *start,
				  const struct code_state *state, struct unwind_registers *r)
{
	uint64_t cfa;
	if (start->is_known && code_is_in_entry(w->place->code, start->address))
		return CODE_CALLER_NONE;
	if (!find_cfa(w, state, &cfa))
		return CODE_CALLER_UNKNOWN;
	if (!find_registers(w, state, cfa, r))
		return start->is_known && memory_is_beyond(w->memory, cfa) ? CODE_CALLER_CUT
									   : CODE_CALLER_UNKNOWN;
	uint64_t back = r->value[w->machine->program_counter];
	if (!back || !is_called_from(w, start, back))
		return CODE_CALLER_UNKNOWN;
	r->is_known |= 1ull << w->machine->program_counter;
	return CODE_CALLER_FOUND;
}

enum code_caller code_find_caller(const struct code_walk *w, uint64_t address,
				  struct unwind_registers *caller)
{
	struct code_start start;
	struct code_state state;
	enum code_caller how = CODE_CALLER_UNKNOWN;
	for (uint32_t skip = 0; skip < 2 * CODE_STARTS_TRIED && how == CODE_CALLER_UNKNOWN;
	     skip++) {
		if (code_find(w->place->code, address - w->place->bias, skip, &start, &state))
			how = try_start(w, &start, &state, caller);
		else if (skip < CODE_STARTS_TRIED)
			skip = CODE_STARTS_TRIED - 1;
		else
			break;
	}
	return how;
}
