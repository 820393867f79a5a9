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

/* The pid namespace that the recorder is in; 0: the machine's. */
struct walker_namespace {
	uint64_t device, inode;
};
