/*
 * The interface between the BPF program and plume. Compiled for both, so types have fixed sizes and
 * nothing else may be included.
 */
#pragma once
#include "record/registers.h"

#include <stdint.h>

enum {
	WALKER_OTHERS = 8192, /* processes whose samples are dropped */
	WALKER_FRAMES = 8192, /* per stack, if the rate leaves time for as many */
	WALKER_SLOTS = 6,     /* words before the frame pointer that may matter */
	WALKER_WORDS = 8, /* words from the frame pointer on: the caller's and the return address */
	WALKER_FRAME_WORDS = 6, /* per frame in a record, at most */
	WALKER_PROCESSES = 4096,
	WALKER_REGISTERS = __builtin_popcountll(USER_REGISTERS),
	WALKER_ROOM_WORDS = 8192, /* per record, after its head */
	WALKER_MOST_WORDS = 7900, /* ... that are used: a record of the kernel is less than 64 KB */
	WALKER_TOP_WORDS = 1100,  /* ... left for the copy of the stack's top */
	WALKER_SEEN = 256,	  /* recent frames to search for repeats */
};

/*
 * The layout of a process's V8. Offsets count from a tagged pointer, which is one byte past the start of its object.
 */
struct walker_layout {
	int32_t function_shared;   /* SharedFunctionInfo of a JSFunction */
	int32_t map_instance_type; /* of a Map, 16 bits */
	int32_t first_function_type, last_function_type;
	/*
	 * Index of each among the words of a frame, or WALKER_SLOTS, which is not a tagged word, if this V8 lacks it.
	 */
	uint32_t context, function, bytecode_array, bytecode_offset;
};

/*
 * Flags in the top bits of a pc, which are otherwise 0: function is a SharedFunctionInfo; the
 * frame's other words follow.
 */
#define WALKER_IS_SHARED (1ull << 63)
#define WALKER_HAS_SLOTS (1ull << 62)
/*
 * The frame is the same as the one at the word index in the upper half. The lower half is the
 * distance in words from the fp of the frame before. Deep stacks consist of few functions.
 */
#define WALKER_IS_REPEATED (1ull << 61)
#define WALKER_FLAGS	   (WALKER_IS_SHARED | WALKER_HAS_SLOTS | WALKER_IS_REPEATED)

/*
 * What follows, in words:
 *   frames	pc with flags, fp; and with WALKER_HAS_SLOTS: context, function, bytecode array,
 *		bytecode offset; or one word with WALKER_IS_REPEATED
 *   chain	of frame pointers, as the kernel has it
 *   pieces	of the stack, from its top on: bitmap, lowest bit first, and words for its set bits
 */
struct walker_head {
	uint32_t is_sample; /* it replaces the sample; 0 if the sample follows */
	/* has_more: the stack continues past the frames. Without frames, a chain follows. */
	uint32_t frames, has_more;
	uint32_t chain, pieces;
	uint32_t words; /* total that follows */
	uint64_t period;
	uint64_t registers[WALKER_REGISTERS]; /* in the order of USER_REGISTERS */
};

struct walker_record {
	struct walker_head head;
	uint64_t words[WALKER_ROOM_WORDS];
};

/* --- thin copies of stacks (thin_stack.bpf.h) --- */

enum {
	THIN_WORDS = 64,	 /* per piece: one bit each */
	THIN_PIECES = 64,	 /* per copy: 32 KB */
	THIN_LEAST_PIECES = 8,	 /* ... if only the walker needs it */
	THIN_WALKED_PIECES = 48, /* ... if the walker also has the stack */
	THIN_CHAIN_WORDS = 256,	 /* the longest chain of frame pointers */
};

struct thin_settings {
	uint32_t pieces; /* per copy; 0 to keep the kernel's own copies */
	/* Words. Longer chains may be truncated, so the kernel's own copy is kept. */
	uint32_t max_chain;
	/* For JavaScript stacks, only the part before the JavaScript frames is needed. */
	uint32_t is_near_leaf;
	uint32_t max_frames; /* to walk per stack */
};

/* The recorder's pid namespace; 0 for the machine's. */
struct walker_namespace {
	uint64_t device, inode;
};
