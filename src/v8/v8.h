/*
 * JavaScript in a running process, named from outside: V8's heap is read while the program goes on, without
 * stopping it or asking it. A stack becomes functions, with the line of each call, and with those that the
 * compiler put into others.
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
	struct str
		file; /* as V8 has it: a path, `node:fs`, a URL; empty: it is of V8 itself, or not known */
	uint32_t line, column; /* where it begins, from 1; 0: not known */
};

/* A place in a function. Where the compiler put it into another one, that one's place is the caller. */
struct v8_place {
	v8_function_id function;
	uint32_t line, column; /* from 1; 0: not known */
	v8_place_id caller;    /* V8_NONE: none of the same code */
	char tier;	       /* '~' '^' '+' '*'; 0: not known */
};

struct v8_names {
	VEC(struct v8_function) functions;
	VEC(struct v8_place) places;
	struct index_map function_map, place_map;
	struct arena text;
	uint32_t generation; /* ids of another one mean nothing */
};
void v8_names_fini(struct v8_names *n);
/* What equals f, made when it is new; texts are copied. */
v8_function_id v8_names_function(struct v8_names *n, const struct v8_function *f);
v8_place_id v8_names_place(struct v8_names *n, const struct v8_place *place);
/* It is of WebAssembly: its file is a module. */
bool v8_function_is_wasm(const struct v8_function *f);
/* `JS:*f /app/a.js:1:2`, as V8 itself writes names; `f wasm://wasm/module:wasm-function[3]`. */
void v8_function_describe(const struct v8_function *f, char tier, struct buf *out);
/* All ids are forgotten. */
void v8_names_clear(struct v8_names *n);

/* --- a process (process.c) --- */

/* How frames were named, and how many were not. */
struct v8_counts {
	uint64_t frames; /* of JavaScript */
	uint64_t interpreted, baseline, maglev, optimized, unknown_tier, inlined;
	uint64_t by_register; /* the function's frame was not built yet, or no more */
	uint64_t unnamed;     /* what should have been a function was none any more */
};

struct v8_process;
/* All are the caller's and stay. */
struct v8_process *v8_process_new(struct process *process, const struct v8_layout *layout,
				  struct v8_names *names);
void v8_process_free(struct v8_process *p);
/* What it has mapped, executable; before the first look, and when something came that is not known. */
void v8_process_look(struct v8_process *p);
/*
 * A copy of a file's code in anonymous memory that was not told of yet: Node.js's text in large pages, V8's built-in
 * functions. As if the file, whose path is not known here, were mapped there. False: there is none.
 */
bool v8_next_moved(struct v8_process *p, struct process_mapping *out);
/* It has ended: nothing of it changes any more. */
void v8_process_end(struct v8_process *p);
/* Its heap takes far more reads than any that V8 made: nobody should look at its stacks any more. */
bool v8_process_is_endless(const struct v8_process *p);

/* --- stacks (frame.c) --- */

/* Registers at the moment of the sample, and what was on top of the stack. */
struct v8_registers {
	uint64_t pc, sp, fp;
	uint64_t function;	  /* where a call leaves the JSFunction that it is of */
	uint64_t return_address;  /* where the end of a function keeps what it returns to */
	uint64_t bytecode_offset; /* where the interpreter keeps it */
	struct str top; /* bytes from sp on: some hundred are enough, all of a copy may be */
};
/* registers_x86_64.c: from those of a sample: one value for each bit of sample_regs_user. */
struct v8_registers v8_registers_of_perf(uint64_t mask, const uint64_t *values, struct str top);

/* A frame by its frame pointer, as the stack had it. */
struct v8_raw_frame {
	uint64_t pc; /* of the first the one that was sampled, of others where a call returns to */
	uint64_t fp;
	uint64_t context;  /* or, with its lowest bit 0, what kind of frame it is */
	uint64_t function; /* a JSFunction; of is_shared its SharedFunctionInfo */
	uint64_t bytecode_array, bytecode_offset;
	bool is_shared;
};

/* What was found out about an address of the stack. */
struct v8_frame {
	uint64_t pc, fp; /* fp 0: not known */
	v8_place_id place;
	bool is_missing; /* frame pointers skipped it: it belongs behind the one before */
};
/*
 * Frames of JavaScript among those of a stack, leaf first; the others are left out. Returns how many.
 * What is found is so now, which is not when the stack was: call it within milliseconds.
 */
uint32_t v8_name_frames(struct v8_process *p, const struct v8_registers *r,
			const struct v8_raw_frame *raw, uint32_t n, struct v8_frame *out,
			uint32_t max, struct v8_counts *counts);
/* Frames from a copy of the stack, by frame pointers. Returns how many. */
uint32_t v8_frames_of_copy(const struct v8_layout *l, const struct v8_registers *r, struct str copy,
			   struct v8_raw_frame *out, uint32_t max);
/*
 * The same where frame pointers lead nowhere, as in code that uses the register for something else: all
 * links of frames of V8's code that are in the copy, old ones among them. Only those count that are where
 * the stack, walked otherwise, has a frame.
 */
uint32_t v8_links_of_copy(struct v8_process *p, const struct v8_registers *r, struct str copy,
			  struct v8_raw_frame *out, uint32_t max);
