/* What the files of this module share. */
#pragma once
#include "v8/v8.h"

/* --- scripts (script.c) --- */

/* The text of a function and others, as far as it is needed to turn positions into lines. */
struct script {
	uint64_t object; /* 0: none here */
	int32_t id;
	struct str file; /* its own */
	uint32_t *line_ends, lines;
	int32_t line_offset, column_offset;
};

/* --- functions (function.c) --- */

struct known_function {
	uint64_t object;			      /* SharedFunctionInfo; 0: none here */
	uint64_t name_or_scope_info, script, literal; /* as they were: else it is another one now */
	uint32_t number;			      /* ... of it, or of its script */
	v8_function_id function;
	uint32_t script_slot; /* V8_NONE: it has none */
	uint64_t look;	      /* that it was seen in */
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
	uint64_t holder; /* the object that the instructions are in */
	uint64_t object; /* Code, tagged */
	uint64_t start;
	uint32_t size_bytes, flags;
	uint64_t deopt_data; /* of baseline code: its bytecode */
	uint64_t positions;  /* of baseline code: the table of bytecode offsets */
};

/* An address that was looked up before. */
struct known_pc {
	uint64_t pc; /* 0: none here */
	struct code code;
	uint64_t told;	 /* the function that the code says it was made of; 0: it does not say */
	uint64_t shared; /* the function that place is in; 0: not looked for yet */
	v8_function_id function; /* ... as it was */
	v8_place_id place;
	bool is_leaf;
	uint64_t look; /* that it was seen in */
};

enum pc_kind { PC_NATIVE, PC_JIT, PC_BUILTIN, PC_INTERPRETER };

struct code_mapping {
	struct process_mapping at; /* without its path */
	bool is_jit;		   /* of no file */
	bool is_of_v8;		   /* of the file that V8 is in */
	bool is_moved;		   /* it is a copy of that part of the file */
};

enum { MAX_HOLDER_MAPS = 4 };
enum { KNOWN_FUNCTIONS = 1 << 13, KNOWN_PCS = 1 << 14, KNOWN_SCRIPTS = 1 << 13 };
enum { KNOWN_INLINED = 1 << 10 };
struct inlined_code;
struct wasm;

struct v8_process {
	struct v8_heap heap; /* first in cache */
	struct process *process;
	const struct v8_layout *layout;
	struct v8_names *names;
	VEC(struct code_mapping) mappings; /* by address */
	VEC(uint64_t) told_moved;	   /* those of copies that v8_next_moved told of */
	uint64_t look_again_ns;		   /* at them: before then is too soon */
	uint64_t look_pause_ns;
	bool has_ended;
	VEC(struct code) last_code; /* ... then by address: all that was known not long before */
	uint64_t debt; /* reads of looks at stacks that were beyond what such a look may take */
	char *file;    /* that V8 is in, as its mappings have it; NULL: not known */
	struct known_function *functions;
	struct known_pc *pcs;
	struct inlined_code *inlined;
	struct wasm *wasm; /* NULL: none was seen yet */
	struct script *scripts;
	/* The number of the stack at hand; 0: none. What was seen in it is not read again: deep ones repeat. */
	uint64_t look, looks;
	uint32_t generation; /* of names, that what is known here refers to */
	struct buf scratch, name;
	bool has_interpreter_copies;	      /* some were seen */
	uint64_t holder_map[MAX_HOLDER_MAPS]; /* of objects with code in them */
	uint32_t holder_maps, misses;
};

static inline uint32_t v8_slot(uint64_t key, uint32_t slots)
{
	return (uint32_t)(key * 0x9E3779B97F4A7C15ull >> 40) & (slots - 1);
}

/* script.c: V8_NONE: it is none. Else where it is kept. */
uint32_t v8_script_get(struct v8_process *p, uint64_t script);
void v8_script_line(const struct script *s, int32_t position, uint32_t *line, uint32_t *column);
void v8_scripts_fini(struct v8_process *p);

/* function.c: NULL: it is no function (any more). Good until the next call. */
const struct known_function *v8_function_get(struct v8_process *p, uint64_t shared);
/* The SharedFunctionInfo of a JSFunction; 0: it is none. */
uint64_t v8_shared_of(struct v8_process *p, uint64_t function);

/* process.c: a look at a stack is about to be taken, and was: what it may read is bounded. */
uint64_t v8_begin_look(struct v8_process *p);
void v8_end_look(struct v8_process *p, uint64_t begin, uint32_t frames);
/* How long not to look at its mappings again: where nothing is new not soon, and never most of the time. */
uint64_t v8_look_pause_ns(uint64_t before_ns, uint64_t took_ns, bool is_useful);
enum pc_kind v8_pc_kind(struct v8_process *p, uint64_t pc);
/* Where the mapping begins that pc is in; 0: not known. */
uint64_t v8_mapping_start(const struct v8_process *p, uint64_t pc);
/* It is known to be in code of V8, made at run time or built in. */
bool v8_is_code(struct v8_process *p, uint64_t pc);
/* ... where such code may have come since; so may have other memory. */
bool v8_may_be_new_code(const struct v8_process *p, uint64_t pc);
/* Where the interpreter's function is that pc is in; start 0: in none. */
struct v8_range v8_interpreter_range(struct v8_process *p, uint64_t pc);

/* A part of the file, from an offset on, has some of V8's built-in functions. */
bool v8_has_blob(const struct v8_process *p, uint64_t offset, uint64_t n);
/* moved.c: what was read of its mappings, with copies of a file's code as if they were the file. */
void v8_find_moved(struct v8_process *p);

/*
 * wasm.c: the function of WebAssembly that an address is in, and where its code begins. instance: of a frame that is near,
 * which leads to modules that are not known yet; 0: there is none. V8_NONE: it is in no such code.
 */
v8_place_id v8_place_in_wasm(struct v8_process *p, uint64_t pc, uint64_t instance, uint64_t *start);
void v8_wasm_free(struct wasm *w);

/* frame.c */
uint64_t v8_word_on_top(const struct v8_registers *r, uint32_t i);

/* code.c: the code that an address is in. False: none is there (any more). */
bool v8_code_find(struct v8_process *p, uint64_t pc, struct code *code);
/* A copy of the interpreter's entry, as --interpreted-frames-native-stack makes for each function. */
bool v8_code_is_interpreter(struct v8_process *p, uint64_t pc);
/* The code of an object that holds some. False: it holds none (any more). */
bool v8_code_read(struct v8_process *p, uint64_t holder, struct code *code);
bool v8_code_equal(const struct code *a, const struct code *b);
/* It is still there, the same. */
bool v8_code_is_same(struct v8_process *p, const struct code *code);
enum code_tier v8_code_tier(const struct v8_process *p, const struct code *code);

/* ended.c: the code that an address of a process that has ended is in. False: not known. */
bool v8_code_of_ended(const struct v8_process *p, uint64_t pc, struct code *code);

/*
 * A position: whether it is of a script, an offset in its text, and which inlining it is in, both from 1; 0:
 * none.
 */
static inline int32_t v8_offset_of(uint64_t position)
{
	return (int32_t)(position >> 1 & 0x3fffffff) - 1;
}

static inline uint32_t v8_inlining_of(uint64_t position)
{
	return (uint32_t)(position >> 31 & 0xffff);
}

/* position.c: an entry of a table of source positions. They count from the function's entry, which is -1. */
struct v8_position {
	int64_t offset;
	uint64_t position;
};
#define V8_POSITION_START ((struct v8_position){ .offset = -1 })
bool v8_position_table_read(struct v8_process *p, uint64_t table, struct buf *out);
/* The next one. False: there is none. */
bool v8_position_next(const struct v8_layout *l, struct cursor *table, struct v8_position *at);
/* The last entry up to an offset. False: there is none. */
bool v8_position_in(const struct v8_layout *l, struct str table, int64_t offset,
		    uint64_t *position);
bool v8_position_find(struct v8_process *p, uint64_t table, int64_t offset, uint64_t *position);
/* The bytecode that an address of baseline code belongs to. False: not to be told. */
bool v8_bytecode_of_baseline(struct v8_process *p, const struct code *code, uint64_t pc,
			     int64_t *offset);
/* The BytecodeArray behind a word that holds one, or InterpreterData of one. 0: neither. */
uint64_t v8_bytecode_array_of(struct v8_process *p, uint64_t word);
/* ... of a SharedFunctionInfo; 0: it has none (any more). */
uint64_t v8_bytecode_array_of_function(struct v8_process *p, uint64_t shared);
/* Calls with the first and the last bytecode of each loop, inner ones first. False: they are not known. */
typedef void v8_on_loop(void *context, int64_t begin, int64_t end);
bool v8_bytecode_loops(struct v8_process *p, uint64_t array, v8_on_loop *on, void *context);

/*
 * place.c: where in which functions an address of compiled code is. shared: the function that its frame
 * is of. V8_NONE: there is no code (any more), or it is of another function.
 */
v8_place_id v8_place_of_pc(struct v8_process *p, uint64_t pc, bool is_leaf, uint64_t shared);
/* The function that the code at an address was made of, if the code tells; else 0. */
uint64_t v8_shared_of_pc(struct v8_process *p, uint64_t pc);
/* ... a bytecode is; -1: not known. */
v8_place_id v8_place_of_bytecode(struct v8_process *p, uint64_t shared, uint64_t bytecode_array,
				 int64_t offset);
/* ... is, if it is of a regular expression, which has no function. V8_NONE: it is not. */
v8_place_id v8_place_in_regexp(struct v8_process *p, uint64_t pc);
/* ... a function, of which no more is known. */
v8_place_id v8_place_of_function(struct v8_process *p, uint64_t shared, char tier);

/* leaf_x86_64.c: what the frame pointer says of the innermost frame. */
enum leaf_state {
	LEAF_BUILT,	  /* it is this function's */
	LEAF_NOT_LINKED,  /* it is the caller's; where the call returns to is at sp */
	LEAF_HALF_LINKED, /* ... at sp + 8 */
	LEAF_LINKED,	  /* it is this function's, but its slots are not filled yet */
	LEAF_RETURNING,	  /* it is the caller's: the function is done; returns to what is at sp */
	LEAF_RETURN_IN_REGISTER, /* ... to what is in v8_registers.return_address */
};
enum leaf_state v8_leaf_state(struct v8_process *p, uint64_t pc, enum pc_kind kind);
