/*
 * Unwinds functions that no table covers by analysing their instructions: follows every path from
 * the function's start and tracks what each instruction does to the stack pointer. The result is
 * verified (stack.c): the code before the return address must be a call.
 */
#pragma once
#include "instruction/instruction.h"
#include "unwind/unwind_int.h"

enum { CODE_REGISTERS = 16, CODE_WINDOW = 1 << 18, CODE_STARTS_TRIED = 6 };

/* The state at an instruction. */
struct code_state {
	int32_t depth;	     /* bytes on the stack below the return address */
	int32_t frame_depth; /* the same at the time %rbp was set to %rsp */
	bool has_depth, has_frame;
	uint16_t is_saved; /* bit per DWARF register: it was pushed */
	int32_t saved_depth[CODE_REGISTERS];
};

/* Updates the state for an instruction. kept: a bit for each register that a call preserves. */
void code_step_x86_64(struct str instruction, uint64_t kept, struct code_state *state);
/*
 * Whether code ends with a call. *target: the offset of the called function from there; *is_direct:
 * whether it is known.
 */
bool code_call_before_x86_64(struct str code, int64_t *target, bool *is_direct);
/* Whether the function at the start of code is only an indirect jump through memory, like a PLT entry. */
bool code_is_stub_x86_64(struct str code);

struct code_start {
	uint64_t address;
	bool is_known;	/* a symbol says so; otherwise some code may call it */
	bool is_jumped; /* ... or jump to */
};

/* Whether a function tail-calls another one after removing its own frame. */
bool code_jumps_to(struct unwind_code *c, uint64_t from, uint64_t to);

/*
 * The state before the instruction at `address`, found from the nearest starts before it; skip: how
 * many were tried already. From CODE_STARTS_TRIED on, jump targets count as starts too. Returns
 * false if there is none and no further starts of that kind are worth trying.
 */
bool code_find(struct unwind_code *c, uint64_t address, uint32_t skip, struct code_start *start,
	       struct code_state *state);
/* How a frame was reached; the registers of its caller go into caller. */
struct code_walk {
	const struct unwinder *unwinder;
	const struct unwind_machine *machine;
	const struct unwind_memory *memory;
	const struct unwind_registers *registers;
	const struct unwind_place *place;
};
enum code_caller {
	CODE_CALLER_UNKNOWN,
	CODE_CALLER_FOUND,
	CODE_CALLER_NONE, /* it is the program's first function */
	CODE_CALLER_CUT,  /* the stack copy ends before it */
};
/* address: in the function, or in the call it is waiting for. */
enum code_caller code_find_caller(const struct code_walk *w, uint64_t address,
				  struct unwind_registers *caller);
/* The bytes of an executable segment from an address on, or up to it. */
struct str code_bytes_from(const struct unwind_code *c, uint64_t address);
struct str code_bytes_before(const struct unwind_code *c, uint64_t address, size_t most);
/* Whether it is in the program's first function, which has no caller. */
bool code_is_in_entry(const struct unwind_code *c, uint64_t address);
