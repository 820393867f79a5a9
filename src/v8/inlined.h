/*
 * Which function each instruction of compiled code is of. The table of positions does not have all: TurboFan's
 * leaves out slow paths at the code's end, or has calls alone (not in Node.js); Maglev's was empty up to 12.9.
 * What is known are points: its entries, calls, and checks whose failure leads back to the interpreter, which
 * has to know all frames then. What lies between is found by following the control flow (flow.c). Where points
 * before and behind differ it is the function that both were put into: a caller is true, a neighbour is not.
 */
#pragma once
#include "v8/v8_int.h"

enum { MAX_DEPTH = 64, MAX_NODES = 1 << 12 };

/* A function, put into another one. The first of a list is the one that was compiled, into itself. */
struct inlined {
	uint32_t parent; /* before it in the list */
	int32_t literal; /* which of the code's literals is the function; -1: the one that was compiled */
	int32_t call;  /* offset in the parent's text; -1: not known */
	uint32_t loop; /* of the parent's text, around the call; V8_NONE: none */
};
typedef VEC(struct inlined) inlined_vec;

/* A place in one of them. */
struct spot {
	uint32_t node;	/* V8_NONE: nothing is known */
	int32_t offset; /* in the text; -1: not known */
};

/* A loop in a function's bytecode. */
struct text_loop {
	int64_t begin, end; /* of its first and last bytecode */
	uint32_t parent;    /* the one around it; V8_NONE: none */
};
#define LOOP_UNKNOWN (V8_NONE - 1)

struct point {
	struct spot spot;
	uint32_t loop; /* the innermost one around it; V8_NONE: none */
};

/* A call, by where it returns to, or an instruction, by where it begins. */
struct point_at {
	uint32_t at;
	struct point point;
};
typedef VEC(struct point_at) point_vec;

struct span {
	uint32_t start; /* up to the next one's */
	struct spot spot;
};

/* What is known of code, before and after its control flow was followed. */
struct inlined_code {
	struct code code;
	bool is_flow_known;
	uint32_t failures; /* how often a part of it could not be read */
	bool is_whole;	   /* all could */
	inlined_vec nodes;
	VEC(struct span) spans; /* by start */
};

struct flow {
	struct str code;     /* up to its exits to the interpreter */
	uint64_t address;    /* where it is */
	uint32_t exit_bytes; /* each; they follow the code */
	VEC(struct point) exits;
	point_vec calls, told; /* by address; told: what the table of positions has */
	bool is_all_told;      /* ... for all instructions but moves and jumps */
	VEC(struct text_loop) loops;
};
void flow_fini(struct flow *f);

/* The innermost function that both are in; the place is a's. */
struct spot spot_meet(const inlined_vec *nodes, struct spot a, struct spot b);
/* The place of a call: up to a function that it was put into. */
struct spot spot_lift(const inlined_vec *nodes, struct spot spot, uint32_t to);
/* Of several that are before something, or behind it: in what they have in common the last, or the first. */
struct spot spot_last(const inlined_vec *nodes, struct spot a, struct spot b);
struct spot spot_first(const inlined_vec *nodes, struct spot a, struct spot b);

/* copies.c: of Maglev's code: calls are where its exits have them, and copies of one are one. */
void flow_unite_copies(struct flow *f, inlined_vec *nodes);

/* flow.c: false: it cannot be followed, or does not fit to what is known. */
bool flow_follow(const struct flow *f, struct inlined_code *out);

/* deopt_data.c: what compiled code knows of the functions in it, and of its exits to the interpreter. */
struct deopt_data {
	uint64_t shared;       /* the function that was compiled */
	uint64_t literals;     /* an array with those that were put into it, among others */
	uint64_t inlined;      /* an array of where */
	uint64_t translations; /* an array of bytes */
	uint32_t inlined_count;
	uint32_t exit_start; /* where its exits begin, from the code's start */
	uint32_t checks,
		calls; /* exits: of checks, then of calls; each has an entry in this order */
};
struct inlined_at {
	uint64_t position;
	int32_t literal, unused;
};
struct deopt_entry {
	int64_t translation; /* where it begins */
	int64_t pc;	     /* of calls: where it returns to */
};
bool deopt_data_read(struct v8_process *p, const struct code *code, struct deopt_data *d);
/* A function among the literals; -1: the one that was compiled. */
bool deopt_function(struct v8_process *p, const struct deopt_data *d, int32_t literal,
		    uint64_t *shared);
/* Room for all of them is the caller's. */
bool deopt_inlined(struct v8_process *p, const struct deopt_data *d, struct inlined_at *out);
/* What Maglev's entries do not tell is in the table of safepoints: where each call returns to. */
bool deopt_safepoints(struct v8_process *p, const struct code *code, const struct deopt_data *d,
		      struct deopt_entry *entries);
bool deopt_entries(struct v8_process *p, const struct code *code, const struct deopt_data *d,
		   struct deopt_entry *out);

/* translation.c: the frames that an exit stands for, outermost first. Returns how many; 0: not known. */
struct exit_frame {
	int32_t literal;
	int64_t bytecode;
};
uint32_t translation_frames(const struct v8_translations *t, struct str bytes, uint64_t at,
			    struct exit_frame *frames, uint32_t max);

/* points.c: what is known of code, for all nodes; new ones may be added. False: it does not fit together. */
bool flow_read(struct v8_process *p, const struct code *code, const struct deopt_data *d,
	       struct flow *f, struct buf *bytes, inlined_vec *nodes);

/* inlined.c: of optimized code. Good until the next call; NULL: it has no function in it but its own. */
const struct inlined_code *inlined_get(struct v8_process *p, const struct code *code);
void inlined_forget(struct v8_process *p);
/* Where an instruction is of it, from its start. False: its control flow is not known. */
bool inlined_find(const struct inlined_code *in, int64_t at, struct spot *spot);
