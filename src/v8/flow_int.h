/* Blocks of instructions (blocks.c), their loops (loops.c), and what is around each (flow.c). */
#pragma once
#include "v8/inlined.h"

enum { MAX_CODE_BYTES = 1 << 19, MAX_BLOCKS = 1 << 15 };

/* What is known of an instruction. */
struct mark {
	uint32_t start, end;
	struct point point;
};

/* Instructions that run one after the other. */
struct block {
	uint32_t start, end;
	uint32_t first_mark, marks;
	uint32_t next[2];		/* V8_NONE: none */
	bool is_return, is_open;	/* it goes on where is not known */
	uint32_t first_before, befores; /* in edges: blocks that lead here */
	uint32_t loop;			/* the innermost one; V8_NONE: none */
	struct spot before, after;	/* what is known nearest to it */
	struct spot told; /* the table's last entry before it, if it counts on; else node V8_NONE */
};

/* A loop, and the function that it is of. */
struct loop {
	uint32_t header;
	uint32_t text_loop;	 /* of that function; V8_NONE: it is not known which */
	struct spot first, last; /* in that function, of what is known in the loop */
	uint32_t parent;	 /* the one around it; V8_NONE: none */
};

struct graph {
	const struct flow *flow;
	const inlined_vec *nodes;
	bool is_dense;		  /* the table of positions has all instructions, not calls alone */
	VEC(struct block) blocks; /* by address */
	VEC(struct mark) marks;	  /* by address */
	VEC(uint32_t) edges;
	VEC(struct loop) loops; /* inner ones first */
};

/* blocks.c: all but loops. False: these are no instructions, or others than what is known is of. */
bool graph_make(struct graph *g);
struct instruction;
/* What a list has of an address; NULL: nothing. */
const struct point *point_find(const point_vec *list, uint32_t at);
/* The exit that an instruction leads to, if it does. */
const struct point *flow_exit(const struct flow *f, const struct instruction *in);
/* Behind a jump to where a register says there may be a list of where that can be, aligned: its size. */
uint32_t flow_list_bytes(const struct flow *f, uint32_t at);
/* loops.c: fills loops, and each block's. False: there are too many. */
bool graph_find_loops(struct graph *g);
