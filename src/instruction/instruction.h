/* Instructions of compiled code: how long each is, and where it goes on. */
#pragma once
#include "base/base.h"

enum instruction_kind {
	GOES_ON,
	CALLS,	  /* and goes on when the call returns */
	BRANCHES, /* to target, or goes on */
	JUMPS,	  /* to target */
	RETURNS,
	ENDS,	  /* is never passed */
	VANISHES, /* jumps to where a register says */
};

struct instruction {
	enum instruction_kind kind;
	uint32_t size_bytes;
	int64_t target; /* in code, as `at`; it may be outside of it */
	bool is_move;	/* between registers, the stack and constants, or nothing at all */
	bool is_common; /* as in an allocation: it adds, shifts, converts, stores, calls, asks V8's roots */
};
/* The one at an offset. False: it is none that compilers make, or is not whole. */
bool instruction_read(struct str code, uint32_t at, struct instruction *in);
