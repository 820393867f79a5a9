/*
 * What the program in the kernel and this one tell each other. It is compiled for both, so types have a
 * size and nothing is included but these.
 */
#pragma once
#include "record/registers.h"

#include <stdint.h>

enum {
	WALKER_OTHERS = 8192,	/* processes whose samples are not wanted */
	WALKER_FRAMES = 8192,	/* of a stack, where the rate leaves time for so many */
	WALKER_SLOTS = 6,	/* words in front of a frame pointer that may be of use */
	WALKER_WORDS = 8,	/* ... and behind it the caller's, and where the call returns to */
	WALKER_FRAME_WORDS = 6, /* of a frame in a record, at most */
	WALKER_PROCESSES = 4096,
	WALKER_REGISTERS = __builtin_popcountll(USER_REGISTERS),
	WALKER_ROOM_WORDS = 8192, /* of a record, behind its head */
	WALKER_MOST_WORDS = 7900, /* ... that are used: the kernel's records have less than 64 KB */
	WALKER_TOP_WORDS = 1100,  /* ... that frames leave to the copy of the stack's top */
	WALKER_SEEN = 256,	  /* frames that are looked for among the ones before */
};

/* Where a process's V8 has what. Offsets count from a tagged pointer, which is one behind its object. */
struct walker_layout {
	int32_t function_shared;   /* SharedFunctionInfo, of a JSFunction */
	int32_t map_instance_type; /* of a Map: 16 bits */
	int32_t first_function_type, last_function_type;
	/* Which of the words of a frame. Of what this V8 has not: WALKER_SLOTS, which is no tagged word. */
	uint32_t context, function, bytecode_array, bytecode_offset;
};

/* Set in front of a pc, which never has them: function is a SharedFunctionInfo; what else a frame has follows. */
#define WALKER_IS_SHARED (1ull << 63)
#define WALKER_HAS_SLOTS (1ull << 62)
/*
 * The same frame was there before: the word at this index of the record says which one. The lower half is how many words
 * its fp is above that of the frame before. Deep stacks are of few functions.
 */
#define WALKER_IS_REPEATED (1ull << 61)
#define WALKER_FLAGS	   (WALKER_IS_SHARED | WALKER_HAS_SLOTS | WALKER_IS_REPEATED)

/*
 * What follows, in words:
 *   frames	pc with flags, fp; and with WALKER_HAS_SLOTS: context, function, bytecode array, bytecode offset;
 *		or one word with WALKER_IS_REPEATED
 *   chain	of frame pointers, as the kernel has it
 *   pieces	of the stack, from its top on: bits, the lowest one for the first word, and the words that have one
 */
struct walker_head {
	uint32_t is_sample; /* in place of the sample; 0: that follows */
	uint32_t frames,
		has_more; /* the stack goes on behind the frames; where there are some, there is no chain */
	uint32_t chain, pieces;
	uint32_t words; /* all that follow */
	uint64_t period;
	uint64_t registers[WALKER_REGISTERS]; /* in the order of USER_REGISTERS */
};

struct walker_record {
	struct walker_head head;
	uint64_t words[WALKER_ROOM_WORDS];
};

/* --- thin copies of stacks (thin_stack.bpf.h, thin_stack.c) --- */

enum {
	THIN_WORDS = 64,	 /* of a piece: a bit for each */
	THIN_PIECES = 64,	 /* of a copy: 32 KB */
	THIN_LEAST_PIECES = 8,	 /* ... where only the walker wants it */
	THIN_WALKED_PIECES = 48, /* ... where the walker has the stack, too */
	THIN_CHAIN_WORDS = 256,	 /* the longest chain of frame pointers */
};

struct thin_settings {
	uint32_t pieces; /* of each copy; 0: none are made here, the kernel's own are taken */
	uint32_t
		max_chain; /* words; longer ones may have been cut: the kernel's own are taken, too */
	uint32_t
		is_near_leaf; /* of stacks of JavaScript only the part in front of its frames is wanted */
	uint32_t max_frames; /* that are walked of a stack */
};

/* The pid namespace that the recorder is in; 0: the machine's. */
struct walker_namespace {
	uint64_t device, inode;
};
