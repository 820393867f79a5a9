/* speedscope's JSON: what the file and each of its profiles share. */
#pragma once
#include "source/json_column.h"
#include "source/source_int.h"

/* A node of the stacks, by frame index: the frames themselves may come after all stacks. */
struct speedscope_node {
	uint32_t parent, frame;
	uint64_t uses; /* number of samples with this stack */
};

struct speedscope {
	struct json *j;
	struct profile *q; /* what was read; nodes of its rows are indices into `nodes` */
	struct child_map trie;
	VEC(struct speedscope_node) nodes;
	/* The largest frame index in a stack plus one, and its offset. */
	uint64_t frames_needed, frames_needed_at;
};

/* Limits for what a file may contain. */
enum { MAX_FRAMES = 1 << 22, MAX_STACKS = 1 << 24, MAX_ROWS = 1 << 26, MAX_SETS = 1 << 20 };

/* A stack's child node for a frame. */
node_id speedscope_push(struct speedscope *s, node_id parent, uint32_t frame);

/* Reads the current element of "profiles". */
void speedscope_read_profile(struct speedscope *s);
