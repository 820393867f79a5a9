/*
 * Names JavaScript in a running process from outside: plume reads V8's heap while the program goes on, without
 * stopping or asking it. A stack becomes functions, with the line of each call, including inlined functions.
 */
#pragma once
#include "v8/check.h"
#include "v8/code_walk.h"
#include "v8/heap.h"
#include "v8/inspection.h"

/* --- names, which outlive the process (names.c) --- */

typedef uint32_t v8_function_id;
typedef uint32_t v8_place_id;
#define V8_NONE UINT32_MAX

struct v8_function {
	struct str name; /* may be empty */
	/* As in V8: a path, `node:fs`, a URL; empty if internal to V8 or not known. */
	struct str file;
	uint32_t line, column; /* of its start, from 1; 0 if not known */
};

/* A place in a function. If it is inlined, caller is the place in the enclosing function. */
struct v8_place {
	v8_function_id function;
	uint32_t line, column; /* from 1; 0 if not known */
	v8_place_id caller;    /* V8_NONE if not inlined */
	char tier;	       /* '~' '^' '+' '*'; 0 if not known */
};

struct v8_names {
	VEC(struct v8_function) functions;
	VEC(struct v8_place) places;
	struct index_map function_map, place_map;
	struct arena text;
	uint32_t generation; /* ids of another generation are invalid */
};
void v8_names_fini(struct v8_names *n);
/* Interns f and copies its strings. */
v8_function_id v8_names_function(struct v8_names *n, const struct v8_function *f);
v8_place_id v8_names_place(struct v8_names *n, const struct v8_place *place);
/* Whether it is WebAssembly, so that its file is a module. */
bool v8_function_is_wasm(const struct v8_function *f);
/* `JS:*f /app/a.js:1:2`, as V8 writes names; `f wasm://wasm/module:wasm-function[3]`. */
void v8_function_describe(const struct v8_function *f, char tier, struct buf *out);
/* Invalidates all ids. */
void v8_names_clear(struct v8_names *n);

/* --- a process (process.c) --- */

/* How frames were named, and how many were not. */
struct v8_counts {
	uint64_t frames; /* of JavaScript */
	uint64_t interpreted, baseline, maglev, optimized, unknown_tier, inlined;
	uint64_t by_register; /* the function's frame was not built yet, or already removed */
	uint64_t unnamed;     /* the function was no longer there */
};

struct v8_process;
/* All arguments belong to the caller and must outlive it. */
struct v8_process *v8_process_new(struct process *process, const struct v8_layout *layout,
				  struct v8_names *names);
void v8_process_free(struct v8_process *p);
/* Reads its executable mappings; before the first stack, and when something unknown was mapped. */
void v8_process_look(struct v8_process *p);
/*
 * Returns a newly found copy of a file's code in anonymous memory, such as Node.js's text in large pages or V8's
 * builtins, as if the file, whose path is unknown here, were mapped there. Returns false if there is none.
 */
bool v8_next_moved(struct v8_process *p, struct process_mapping *out);
/* It has ended: nothing in it changes any longer. */
void v8_process_end(struct v8_process *p);
/* Its heap takes far more reads than any real V8 heap: stop reading its stacks. */
bool v8_process_is_endless(const struct v8_process *p);

/* --- stacks (frame.c) --- */

/* Registers at the time of the sample, and the top of the stack. */
struct v8_registers {
	uint64_t pc, sp, fp;
	uint64_t function;	  /* register that holds the callee in a call */
	uint64_t return_address;  /* register that holds it at the end of a function */
	uint64_t bytecode_offset; /* register that holds it in the interpreter */
	struct str top;		  /* bytes from sp on: some hundred suffice, a whole copy is fine */
};
/* registers_x86_64.c: from the registers of a sample: one value per bit of sample_regs_user. */
struct v8_registers v8_registers_of_perf(uint64_t mask, const uint64_t *values, struct str top);

/* A frame on the stack, by its frame pointer. */
struct v8_raw_frame {
	uint64_t pc; /* sampled pc in the first frame, return address in others */
	uint64_t fp;
	uint64_t context;  /* or, if its lowest bit is 0, the type of the frame */
	uint64_t function; /* a JSFunction; if is_shared, its SharedFunctionInfo */
	uint64_t bytecode_array, bytecode_offset;
	bool is_shared;
};

/* What was found at an address of the stack. */
struct v8_frame {
	uint64_t pc, fp; /* fp is 0 if not known */
	v8_place_id place;
	bool is_missing; /* frame pointers skipped it: it belongs after the previous one */
};
/*
 * Finds the JavaScript frames of a stack, leaf first, and skips others. Returns their number. This
 * reads the current state, not that of the sample: call it within milliseconds.
 */
uint32_t v8_name_frames(struct v8_process *p, const struct v8_registers *r,
			const struct v8_raw_frame *raw, uint32_t n, struct v8_frame *out,
			uint32_t max, struct v8_counts *counts);
/* Walks a copy of the stack by frame pointers. Returns the number of frames. */
uint32_t v8_frames_of_copy(const struct v8_layout *l, const struct v8_registers *r, struct str copy,
			   struct v8_raw_frame *out, uint32_t max);
/*
 * The same where frame pointers are broken, as in code that uses the register for something else: finds all frame
 * links of V8 code in the copy, including stale ones. Use only those where another unwinder finds a frame.
 */
uint32_t v8_links_of_copy(struct v8_process *p, const struct v8_registers *r, struct str copy,
			  struct v8_raw_frame *out, uint32_t max);
