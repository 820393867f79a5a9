/*
 * What the program in the kernel and this one tell each other. It is compiled for both, so types have a
 * size and nothing is included but these.
 */
#pragma once
#include <stdint.h>

enum {
	WALKER_FRAMES =
		512, /* of a stack: what a value of a map for each cpu has room for, about */
	WALKER_TOP_WORDS = 64,
	WALKER_SLOTS = 6, /* words in front of a frame pointer that may be of use */
	WALKER_WORDS = 8, /* ... and behind it the caller's, and where the call returns to */
	WALKER_PROCESSES = 4096,
};

/* Where a process's V8 has what. Offsets count from a tagged pointer, which is one behind its object. */
struct walker_layout {
	int32_t function_shared;   /* SharedFunctionInfo, of a JSFunction */
	int32_t map_instance_type; /* of a Map: 16 bits */
	int32_t first_function_type, last_function_type;
	/* Which of the words of a frame. Of what this V8 has not: WALKER_SLOTS, which is no tagged word. */
	uint32_t context, function, bytecode_array, bytecode_offset;
};

/* Set in front of a pc, which never has it: function is a SharedFunctionInfo. */
#define WALKER_IS_SHARED (1ull << 63)

struct walker_frame {
	uint64_t pc, fp, context, function, bytecode_array, bytecode_offset;
};

struct walker_head {
	uint32_t frames;   /* that follow */
	uint32_t has_more; /* the stack goes on behind them */
	uint64_t pc, sp, fp, di, cx, r9;
	uint64_t top[WALKER_TOP_WORDS]; /* from sp on */
};

struct walker_record {
	struct walker_head head;
	struct walker_frame frame[WALKER_FRAMES]; /* as many as there are */
};

/* --- thin copies of stacks (thin_stack.bpf.h, thin_stack.c) --- */

enum {
	THIN_WORDS = 64,	 /* of a piece: a bit for each */
	THIN_PIECES = 64,	 /* of a copy: 32 KB */
	THIN_LEAST_PIECES = 8,	 /* ... where only the walker wants it */
	THIN_WALKED_PIECES = 48, /* ... where the walker has the stack, too */
	THIN_ROOM_WORDS = 4096,	 /* for what is kept of it, and for the chain of frame pointers */
	THIN_CHAIN_WORDS = 256,	 /* ... of which this is the most */
	THIN_REGISTERS = 20,	 /* those of thin_stack.c */
	THIN_MARK = 0x7fffffff,	 /* instead of a number of frames: it is a record of this kind */
};

struct thin_settings {
	uint32_t pieces; /* of each copy; 0: none are made here, the kernel's own are taken */
	uint32_t
		max_chain; /* words; longer ones may have been cut: the kernel's own are taken, too */
};

struct thin_head {
	uint32_t mark, pieces; /* that follow */
	uint32_t chain, words; /* words of the chain that follow first; all that follow */
	uint64_t period;
	uint64_t registers[THIN_REGISTERS];
};

/* Behind the chain, for each piece: bits, the lowest one for its first word, and the words that have one. */
struct thin_record {
	struct thin_head head;
	uint64_t words[THIN_ROOM_WORDS];
};

/* The pid namespace that the recorder is in; 0: the machine's. */
struct walker_namespace {
	uint64_t device, inode;
};
