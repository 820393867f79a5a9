/* speedscope's JSON, as far as one profile of a file and the file share it. */
#pragma once
#include "source/json_column.h"
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
	/* One more than the largest index of a frame in a stack, and where that stands. */
	uint64_t frames_needed, frames_needed_at;
};

/* The most of what a file may have. */
enum { MAX_FRAMES = 1 << 22, MAX_STACKS = 1 << 24, MAX_ROWS = 1 << 26, MAX_SETS = 1 << 20 };

/* The child of a stack for a frame. */
node_id speedscope_push(struct speedscope *s, node_id parent, uint32_t frame);

/* Reads one element of "profiles", which is at hand. */
void speedscope_read_profile(struct speedscope *s);
