/*
 * Which function each instruction of compiled code belongs to. The table of positions is incomplete: TurboFan's omits
 * slow paths at the end of the code, or has only calls (not in Node.js); Maglev's was empty up to 12.9. The known
 * points are its entries, calls, and checks that deoptimize on failure, for which all frames must be known. What lies
 * between is found by following the control flow (flow.c). If the points before and after differ, time is charged to
 * the function that both are inlined into: the caller is always right, a neighbour may not be.
 */
#pragma once
#include "v8/v8_int.h"

enum { MAX_DEPTH = 64, MAX_NODES = 1 << 12 };

/* An inlined function. The first of a list is the compiled function itself. */
struct inlined {
	uint32_t parent; /* before it in the list */
	int32_t literal; /* index of the function among the literals; -1 for the compiled one */
	int32_t call;	 /* offset in the parent's text; -1 if not known */
	uint32_t loop;	 /* the parent's loop around the call; V8_NONE if none */
};
typedef VEC(struct inlined) inlined_vec;

/* A place in an inlined function. */
struct spot {
	uint32_t node;	/* V8_NONE if nothing is known */
	int32_t offset; /* in the text; -1 if not known */
};

/* A loop in a function's bytecode. */
struct text_loop {
	int64_t begin, end; /* offsets of its first and last bytecode */
	uint32_t parent;    /* the enclosing one; V8_NONE if none */
};
#define LOOP_UNKNOWN (V8_NONE - 1)

struct point {
	struct spot spot;
	uint32_t loop; /* the innermost enclosing one; V8_NONE if none */
};

/* A call, by its return address, or an instruction, by its start. */
struct point_at {
	uint32_t at;
	struct point point;
};
typedef VEC(struct point_at) point_vec;

struct span {
	uint32_t start; /* up to the next one's */
	struct spot spot;
};

/* What is known about code, before and after following its control flow. */
struct inlined_code {
	struct code code;
	bool is_flow_known;
	uint32_t failures; /* parts that could not be read */
	bool is_whole;	   /* all could be read */
	inlined_vec nodes;
	VEC(struct span) spans; /* by start */
};

struct flow {
	struct str code;     /* up to its deoptimization exits */
	uint64_t address;    /* of the code */
	uint32_t exit_bytes; /* per exit; they follow the code */
	VEC(struct point) exits;
	point_vec calls, told; /* by address; told: from the table of positions */
	bool is_all_told;      /* ... for all instructions but moves and jumps */
	VEC(struct text_loop) loops;
};
void flow_fini(struct flow *f);

/* The innermost function that contains both; the place is a's. */
struct spot spot_meet(const inlined_vec *nodes, struct spot a, struct spot b);
/* The call that leads to spot, in the enclosing function `to`. */
struct spot spot_lift(const inlined_vec *nodes, struct spot spot, uint32_t to);
/* Of two spots before something the last, or of two after it the first, within the function they share. */
struct spot spot_last(const inlined_vec *nodes, struct spot a, struct spot b);
struct spot spot_first(const inlined_vec *nodes, struct spot a, struct spot b);

/* copies.c: for Maglev: takes calls from its exits, and merges copies of the same function. */
void flow_unite_copies(struct flow *f, inlined_vec *nodes);

/* flow.c: returns false if the flow cannot be followed or contradicts what is known. */
bool flow_follow(const struct flow *f, struct inlined_code *out);

/* deopt_data.c: what compiled code knows about its inlined functions and its deoptimization exits. */
struct deopt_data {
	uint64_t shared;       /* the compiled function */
	uint64_t literals;     /* array that includes the inlined functions */
	uint64_t inlined;      /* array of inlining positions */
	uint64_t translations; /* byte array */
	uint32_t inlined_count;
	uint32_t exit_start; /* offset of the first exit in the code */
	/* Number of exits of checks, then of calls. Each exit has an entry, in this order. */
	uint32_t checks, calls;
};
struct inlined_at {
	uint64_t position;
	int32_t literal, unused;
};
struct deopt_entry {
	int64_t translation; /* offset of its translation */
	int64_t pc;	     /* for calls: the return address */
};
bool deopt_data_read(struct v8_process *p, const struct code *code, struct deopt_data *d);
/* A function among the literals; -1 for the compiled one. */
bool deopt_function(struct v8_process *p, const struct deopt_data *d, int32_t literal,
		    uint64_t *shared);
/* The caller provides room for all of them. */
bool deopt_inlined(struct v8_process *p, const struct deopt_data *d, struct inlined_at *out);
/* Maglev's entries lack the return addresses of calls; the safepoint table has them. */
bool deopt_safepoints(struct v8_process *p, const struct code *code, const struct deopt_data *d,
		      struct deopt_entry *entries);
bool deopt_entries(struct v8_process *p, const struct code *code, const struct deopt_data *d,
		   struct deopt_entry *out);

/* translation.c: the frames that an exit restores, outermost first. Returns their number; 0 if not known. */
struct exit_frame {
	int32_t literal;
	int64_t bytecode;
};
uint32_t translation_frames(const struct v8_translations *t, struct str bytes, uint64_t at,
			    struct exit_frame *frames, uint32_t max);

/* points.c: reads what is known about code, for all nodes, and may add nodes. Returns false if it is inconsistent. */
bool flow_read(struct v8_process *p, const struct code *code, const struct deopt_data *d,
	       struct flow *f, struct buf *bytes, inlined_vec *nodes);

/* inlined.c: for optimized code. Valid until the next call; NULL if nothing is inlined. */
const struct inlined_code *inlined_get(struct v8_process *p, const struct code *code);
void inlined_forget(struct v8_process *p);
/* The place of an instruction at an offset in the code. Returns false if its control flow is not known. */
bool inlined_find(const struct inlined_code *in, int64_t at, struct spot *spot);
