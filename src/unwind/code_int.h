/*
 * Functions that no table knows: where the caller is follows from their instructions. All ways from the function's
 * start are followed, and what each instruction does to the stack pointer is added up. What comes of it is checked
 * (stack.c): there has to be a call in front of the address that the function returns to.
 */
#pragma once
#include "instruction/instruction.h"
#include "unwind/unwind_int.h"

enum { CODE_REGISTERS = 16, CODE_WINDOW = 1 << 18, CODE_STARTS_TRIED = 6 };

/* At an instruction. */
struct code_state {
	int32_t depth;	     /* bytes on the stack below the return address */
	int32_t frame_depth; /* the same when %rbp was set to %rsp */
	bool has_depth, has_frame;
	uint16_t is_saved; /* bit per DWARF register: it was pushed */
	int32_t saved_depth[CODE_REGISTERS];
};

/* The state behind an instruction. kept: registers that a caller finds as they were, a bit for each. */
void code_step_x86_64(struct str instruction, uint64_t kept, struct code_state *state);
/*
 * Whether a call ends at the end of code. *target: how far from there the called function is; *is_direct: it is
 * known.
 */
bool code_call_before_x86_64(struct str code, int64_t *target, bool *is_direct);
/* Whether what is called at the start of code only jumps to where memory says, as entries of a PLT do. */
bool code_is_stub_x86_64(struct str code);

struct code_start {
	uint64_t address;
	bool is_known;	/* a symbol says so; else it is what something in the code may call */
	bool is_jumped; /* ... or jump to */
};

/* Whether a function goes on in another one when its own frame is gone. */
bool code_jumps_to(struct unwind_code *c, uint64_t from, uint64_t to);

/*
 * The state before the instruction that holds `address`, found from the nearest starts before it; skip: so many of
 * them were tried. From CODE_STARTS_TRIED on what is jumped to counts as well. False: there is none, and no others of
 * that kind are to be tried.
 */
bool code_find(struct unwind_code *c, uint64_t address, uint32_t skip, struct code_start *start,
	       struct code_state *state);
/* Where a frame came from; caller gets the registers as they were there. */
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
	CODE_CALLER_NONE, /* it is the first function of the program */
	CODE_CALLER_CUT,  /* the copy of the stack ends before it */
};
/* address: in the function, or in the call that it waits for. */
enum code_caller code_find_caller(const struct code_walk *w, uint64_t address,
				  struct unwind_registers *caller);
/* The bytes of an executable segment from an address on, or up to it. */
struct str code_bytes_from(const struct unwind_code *c, uint64_t address);
struct str code_bytes_before(const struct unwind_code *c, uint64_t address, size_t most);
/* The first function of a program: nothing called it. */
bool code_is_in_entry(const struct unwind_code *c, uint64_t address);
