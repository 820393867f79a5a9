/* Decodes compiled machine code: how long each instruction is, and where control goes next. */
#pragma once
#include "base/base.h"

enum instruction_kind {
	GOES_ON,
	CALLS,	  /* and continues when the call returns */
	BRANCHES, /* to target, or falls through */
	JUMPS,	  /* to target */
	RETURNS,
	ENDS,	  /* never falls through */
	VANISHES, /* jumps to the address in a register */
};

struct instruction {
	enum instruction_kind kind;
	uint32_t size_bytes;
	int64_t target; /* as an offset in code, like `at`; may be outside */
	bool is_move;	/* moves between registers, the stack and constants, or does nothing */
	bool is_common; /* as in allocations: adds, shifts, converts, stores, calls, reads roots */
};
/* The instruction at an offset. Returns false if it is not one that compilers generate, or is incomplete. */
bool instruction_read(struct str code, uint32_t at, struct instruction *in);
