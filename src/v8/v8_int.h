/* Shared by the files of this module. */
#pragma once
#include "v8/v8.h"

/* --- scripts (script.c) --- */

/* The text of a script, as far as needed to turn positions into lines. */
struct script {
	uint64_t object; /* 0 if the slot is empty */
	int32_t id;
	struct str file; /* its own copy */
	uint32_t *line_ends, lines;
	int32_t line_offset, column_offset;
};

/* --- functions (function.c) --- */

struct known_function {
	uint64_t object; /* SharedFunctionInfo; 0 if the slot is empty */
	/* As they were: if they differ, it is another function now. */
	uint64_t name_or_scope_info, script, literal;
	uint32_t number; /* ... of it, or of its script */
	v8_function_id function;
	uint32_t script_slot; /* V8_NONE if none */
	uint64_t look;	      /* in which it was seen */
};

/* --- code (code.c) --- */

enum code_tier {
	TIER_INTERPRETED,
	TIER_BASELINE,
	TIER_MAGLEV,
	TIER_OPTIMIZED,
	TIER_REGEXP,
	TIER_OTHER
};

struct code {
	uint64_t holder; /* the object that contains the instructions */
	uint64_t object; /* Code, tagged */
	uint64_t start;
	uint32_t size_bytes, flags;
	uint64_t deopt_data; /* for baseline code: its bytecode */
	uint64_t positions;  /* for baseline code: the table of bytecode offsets */
};

/* An address that was looked up before. */
struct known_pc {
	uint64_t pc; /* 0 if the slot is empty */
	struct code code;
	uint64_t told;	 /* the function that the code was compiled from; 0 if it does not say */
	uint64_t shared; /* the function that place is in; 0 if not looked up yet */
	v8_function_id function; /* ... as it was */
	v8_place_id place;
	bool is_leaf;
	uint64_t look; /* in which it was seen */
};

enum pc_kind { PC_NATIVE, PC_JIT, PC_BUILTIN, PC_INTERPRETER };

struct code_mapping {
	struct process_mapping at; /* without its path */
	bool is_jit;		   /* anonymous */
	bool is_of_v8;		   /* of the file that contains V8 */
	bool is_moved;		   /* a copy of that part of the file */
};

enum { MAX_HOLDER_MAPS = 4 };
enum { KNOWN_FUNCTIONS = 1 << 13, KNOWN_PCS = 1 << 14, KNOWN_SCRIPTS = 1 << 13 };
enum { KNOWN_INLINED = 1 << 10 };
struct inlined_code;
struct wasm;

struct v8_process {
	struct v8_heap heap; /* first, for the cache */
	struct process *process;
	const struct v8_layout *layout;
	struct v8_names *names;
	VEC(struct code_mapping) mappings; /* by address */
	VEC(uint64_t) told_moved;	   /* copies that v8_next_moved has returned */
	uint64_t look_again_ns;		   /* earliest time to read the mappings again */
	uint64_t look_pause_ns;
	bool has_ended;
	VEC(struct code) last_code; /* ... then by address: all code known shortly before */
	uint64_t debt;		    /* reads beyond the limit of a stack */
	char *file;		    /* that contains V8, by its mappings; NULL if not known */
	struct known_function *functions;
	struct known_pc *pcs;
	struct inlined_code *inlined;
	struct wasm *wasm; /* NULL if none was seen yet */
	struct script *scripts;
	/* Number of the current stack; 0 if none. What was read for it is not read again: deep stacks repeat. */
	uint64_t look, looks;
	uint32_t generation; /* of the names that data here refers to */
	struct buf scratch, name;
	bool has_interpreter_copies;	      /* some were seen */
	uint64_t holder_map[MAX_HOLDER_MAPS]; /* of objects that contain code */
	uint32_t holder_maps, misses;
};

static inline uint32_t v8_slot(uint64_t key, uint32_t slots)
{
	return (uint32_t)(key * 0x9E3779B97F4A7C15ull >> 40) & (slots - 1);
}

/* script.c: the index of its slot, or V8_NONE if it is not a script. */
uint32_t v8_script_get(struct v8_process *p, uint64_t script);
void v8_script_line(const struct script *s, int32_t position, uint32_t *line, uint32_t *column);
void v8_scripts_fini(struct v8_process *p);

/* function.c: NULL if it is not a function (or no longer). Valid until the next call. */
const struct known_function *v8_function_get(struct v8_process *p, uint64_t shared);
/* The SharedFunctionInfo of a JSFunction; 0 if it is not one. */
uint64_t v8_shared_of(struct v8_process *p, uint64_t function);

/* process.c: call before and after a stack is read: bounds what that may read. */
uint64_t v8_begin_look(struct v8_process *p);
void v8_end_look(struct v8_process *p, uint64_t begin, uint32_t frames);
/*
 * The pause before reading the mappings again: long if nothing was new, and long enough that this
 * never takes most of the time.
 */
uint64_t v8_look_pause_ns(uint64_t before_ns, uint64_t took_ns, bool is_useful);
enum pc_kind v8_pc_kind(struct v8_process *p, uint64_t pc);
/* The start of the mapping that contains pc; 0 if not known. */
uint64_t v8_mapping_start(const struct v8_process *p, uint64_t pc);
/* Whether pc is known to be in V8 code, generated or builtin. */
bool v8_is_code(struct v8_process *p, uint64_t pc);
/* ... or where such code, or other memory, may have appeared since. */
bool v8_may_be_new_code(const struct v8_process *p, uint64_t pc);
/* The interpreter function that contains pc; start is 0 if there is none. */
struct v8_range v8_interpreter_range(struct v8_process *p, uint64_t pc);

/* Whether a part of the file contains some of V8's builtins. */
bool v8_has_blob(const struct v8_process *p, uint64_t offset, uint64_t n);
/* moved.c: makes copies of a file's code among its mappings look like the file. */
void v8_find_moved(struct v8_process *p);

/*
 * wasm.c: the WebAssembly function that an address is in, and the start of its code. instance comes
 * from a nearby frame and leads to modules that are not known yet; 0 if there is none. Returns
 * V8_NONE if the address is not in such code.
 */
v8_place_id v8_place_in_wasm(struct v8_process *p, uint64_t pc, uint64_t instance, uint64_t *start);
void v8_wasm_free(struct wasm *w);

/* frame.c */
uint64_t v8_word_on_top(const struct v8_registers *r, uint32_t i);

/* code.c: the code that contains an address. Returns false if there is none (or no longer). */
bool v8_code_find(struct v8_process *p, uint64_t pc, struct code *code);
/*
 * Whether pc is in a copy of the interpreter's entry, which --interpreted-frames-native-stack creates per function.
 */
bool v8_code_is_interpreter(struct v8_process *p, uint64_t pc);
/* The code in an object. Returns false if it contains none (or no longer). */
bool v8_code_read(struct v8_process *p, uint64_t holder, struct code *code);
bool v8_code_equal(const struct code *a, const struct code *b);
/* Whether the same code is still there. */
bool v8_code_is_same(struct v8_process *p, const struct code *code);
enum code_tier v8_code_tier(const struct v8_process *p, const struct code *code);

/* ended.c: the code that contains an address of an ended process. Returns false if not known. */
bool v8_code_of_ended(const struct v8_process *p, uint64_t pc, struct code *code);

/*
 * Decodes a position: whether it belongs to a script, an offset in its text, and its inlining, both
 * from 1; 0 if none.
 */
static inline int32_t v8_offset_of(uint64_t position)
{
	return (int32_t)(position >> 1 & 0x3fffffff) - 1;
}

static inline uint32_t v8_inlining_of(uint64_t position)
{
	return (uint32_t)(position >> 31 & 0xffff);
}

/* position.c: an entry of a table of source positions. They are relative to the function's entry, which is -1. */
struct v8_position {
	int64_t offset;
	uint64_t position;
};
#define V8_POSITION_START ((struct v8_position){ .offset = -1 })
bool v8_position_table_read(struct v8_process *p, uint64_t table, struct buf *out);
/* Reads the next one. Returns false at the end. */
bool v8_position_next(const struct v8_layout *l, struct cursor *table, struct v8_position *at);
/* The last entry up to an offset. Returns false if there is none. */
bool v8_position_in(const struct v8_layout *l, struct str table, int64_t offset,
		    uint64_t *position);
bool v8_position_find(struct v8_process *p, uint64_t table, int64_t offset, uint64_t *position);
/* The bytecode of an address in baseline code. Returns false if it cannot be told. */
bool v8_bytecode_of_baseline(struct v8_process *p, const struct code *code, uint64_t pc,
			     int64_t *offset);
/* The BytecodeArray that a word points to, directly or through InterpreterData; 0 if neither. */
uint64_t v8_bytecode_array_of(struct v8_process *p, uint64_t word);
/* ... of a SharedFunctionInfo; 0 if it has none (or no longer). */
uint64_t v8_bytecode_array_of_function(struct v8_process *p, uint64_t shared);
/*
 * Calls `on` with the first and last bytecode of each loop, inner loops first. Returns false if they are not known.
 */
typedef void v8_on_loop(void *context, int64_t begin, int64_t end);
bool v8_bytecode_loops(struct v8_process *p, uint64_t array, v8_on_loop *on, void *context);

/*
 * place.c: the place of an address in compiled code. shared is the function of its frame. Returns
 * V8_NONE if there is no code (or no longer), or if it belongs to another function.
 */
v8_place_id v8_place_of_pc(struct v8_process *p, uint64_t pc, bool is_leaf, uint64_t shared);
/* The function that the code at an address was compiled from; 0 if the code does not say. */
uint64_t v8_shared_of_pc(struct v8_process *p, uint64_t pc);
/* ... the place of a bytecode; -1 if not known. */
v8_place_id v8_place_of_bytecode(struct v8_process *p, uint64_t shared, uint64_t bytecode_array,
				 int64_t offset);
/* ... the place of a regular expression, which has no function. V8_NONE if it is not one. */
v8_place_id v8_place_in_regexp(struct v8_process *p, uint64_t pc);
/* ... a function without a known place in it. */
v8_place_id v8_place_of_function(struct v8_process *p, uint64_t shared, char tier);

/* leaf_x86_64.c: what the frame pointer refers to in the innermost frame. */
enum leaf_state {
	LEAF_BUILT,	  /* this function's frame */
	LEAF_NOT_LINKED,  /* the caller's; the return address is at sp */
	LEAF_HALF_LINKED, /* ... at sp + 8 */
	LEAF_LINKED,	  /* this function's, but its slots are not filled yet */
	LEAF_RETURNING,	  /* the caller's, as the function is done; the return address is at sp */
	LEAF_RETURN_IN_REGISTER, /* ... the return address is in v8_registers.return_address */
};
enum leaf_state v8_leaf_state(struct v8_process *p, uint64_t pc, enum pc_kind kind);
