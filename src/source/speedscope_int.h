/* speedscope's JSON, as far as one profile of a file and the file share it. */
#pragma once
#include "source/source_int.h"

/* A node of the stacks over indices of frames: the frames themselves may stand behind all stacks. */
struct speedscope_node {
	uint32_t parent, frame;
	uint64_t uses; /* samples whose stack it is */
};

struct speedscope {
	struct json *j;
	struct profile *q; /* what was read; nodes of its rows are indices into `nodes` */
	struct child_map trie;
	VEC(struct speedscope_node) nodes;
	/* The largest index of a frame in a stack, and where it stands. */
	uint32_t largest_frame;
	uint64_t largest_frame_offset;
	bool has_frames_in_stacks;
};

/* The child of a stack for a frame. */
node_id speedscope_push(struct speedscope *s, node_id parent, uint32_t frame);

/* Reads one element of "profiles", which is at hand. */
void speedscope_read_profile(struct speedscope *s);

/* --- numbers side by side --- */

/* Numbers of one kind, in units of 10^-decimals; or one number that stands for all. */
struct column {
	VEC(uint64_t) values; /* negative ones as two's complement */
	unsigned decimals;
	bool is_there;
	bool is_same; /* all are values.p[0] */
};
void column_fini(struct column *c);
/* Adds a number; the column takes over its decimals. */
void column_add(struct column *c, const struct json_decimal *d, uint64_t *overflows);
/*
 * Takes the value at hand, an array of numbers or one number. What is no number is 0. A number that the
 * input ends behind may be half of one, and is left out.
 */
void column_read(struct json *j, struct column *c, unsigned max_decimals, uint64_t *overflows);
/* All numbers in units of 10^-decimals: rounded, or held at the largest value. */
void column_scale(struct column *c, unsigned decimals, uint64_t *overflows);
/* The number of row i, or `otherwise` where there is none. */
static inline uint64_t column_get(const struct column *c, uint32_t i, uint64_t otherwise)
{
	if (!c->is_there || !c->values.n)
		return otherwise;
	return c->is_same ? c->values.p[0] : i < c->values.n ? c->values.p[i] : otherwise;
}
