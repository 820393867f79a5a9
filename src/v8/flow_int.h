/* Basic blocks (blocks.c), their loops (loops.c), and the inlining around each (flow.c). */
#pragma once
#include "v8/inlined.h"

enum { MAX_CODE_BYTES = 1 << 19, MAX_BLOCKS = 1 << 15 };

/* What is known about an instruction. */
struct mark {
	uint32_t start, end;
	struct point point;
};

/* A basic block. */
struct block {
	uint32_t start, end;
	uint32_t first_mark, marks;
	uint32_t next[2];		/* V8_NONE if none */
	bool is_return, is_open;	/* ends with a return; its successors are unknown */
	uint32_t first_before, befores; /* in edges: its predecessors */
	uint32_t loop;			/* the innermost one; V8_NONE if none */
	struct spot before, after;	/* the nearest known spots */
	/* The table's last entry before the block, if it still applies; else node V8_NONE. */
	struct spot told;
};

/* A loop, and the function it belongs to. */
struct loop {
	uint32_t header;
	uint32_t text_loop;	 /* of that function; V8_NONE if not known */
	struct spot first, last; /* in that function, among the known spots in the loop */
	uint32_t parent;	 /* the enclosing one; V8_NONE if none */
};

struct graph {
	const struct flow *flow;
	const inlined_vec *nodes;
	bool is_dense; /* the table of positions covers all instructions, not only calls */
	VEC(struct block) blocks; /* by address */
	VEC(struct mark) marks;	  /* by address */
	VEC(uint32_t) edges;
	VEC(struct loop) loops; /* inner ones first */
};

/*
 * blocks.c: builds all but loops. Returns false if the bytes are not instructions, or do not match the known points.
 */
bool graph_make(struct graph *g);
struct instruction;
/* The list's entry for an address; NULL if none. */
const struct point *point_find(const point_vec *list, uint32_t at);
/* The exit that an instruction leads to; NULL if none. */
const struct point *flow_exit(const struct flow *f, const struct instruction *in);
/* An indirect jump may be followed by an aligned jump table. Returns its size. */
uint32_t flow_list_bytes(const struct flow *f, uint32_t at);
/* loops.c: fills loops, and the loop of each block. Returns false if there are too many. */
bool graph_find_loops(struct graph *g);
