/*
 * V8's CPU profile: a tree of functions, and samples that refer to its nodes at points in time. It comes in one piece
 * (.cpuprofile) or in chunks (trace events); this is the common part. doc/formats/cpuprofile.md says how it is read.
 */
#pragma once
#include "source/source_int.h"

#define V8_NONE UINT32_MAX

/* What only plume writes: all of V8's frames belong to one program, plume's do not. */
struct v8_extra {
	text_id kind, module, name;
	int32_t pid, tid;
	bool has_name; /* the full name, without its place */
	bool is_inlined, is_waker, is_marked;
	bool is_thread; /* its name is a thread's, not a frame */
	bool is_gap;	/* nothing ran, so it is not a sample */
};

struct v8_node {
	uint64_t offset; /* in the input */
	uint64_t hits;
	uint32_t id;
	uint32_t parent;    /* index; V8_NONE if not known */
	uint32_t parent_id; /* as in the input, or V8_NONE */
	text_id name, url;
	uint32_t line, column; /* from 1; 0 if not known */
	bool has_script;       /* it belongs to a script: JavaScript, even without a url */
	uint32_t extra;	       /* 1 or more: extras[extra - 1] */

	/* Its place in the profile, once known. */
	enum { V8_UNPLACED, V8_CLIMBING, V8_PLACED } state;
	node_id node;
	thread_id thread;
	uint32_t depth;
	bool is_gap, is_cut;
};

/* A child by its id. */
struct v8_edge {
	uint32_t parent; /* index */
	uint32_t child_id;
};

/* Limits for what a file may contain. */
enum { V8_MAX_NODES = 1 << 22, V8_MAX_SAMPLES = 1 << 26 };

struct v8_profile {
	struct texts *texts; /* the caller's; the first one is empty */
	VEC(struct v8_node) nodes;
	VEC(struct v8_edge) edges;
	VEC(struct v8_extra) extras;
	VEC(uint32_t) samples; /* ids */
	VEC(int64_t) times_ns; /* of the samples: since the one before, or since the start */
	/* Of the samples, if their durations do not say it. */
	VEC(uint64_t) counts, periods;
	bool times_are_points; /* from `timestamps`, not `timeDeltas` */
	bool has_start, has_end;
	int64_t start_ns, end_ns;
	uint64_t samples_offset; /* in the input */
	/* As plume writes them; 0 for texts and numbers that are not given. */
	text_id event, unit;
	bool counts_samples; /* the event's weight is its number of samples */
	bool has_only_sums;
	bool has_no_times; /* the times only say how long samples last */
	bool lasts_count;  /* a sample's count, not its period, is its duration */
	int64_t ns_of_unit;
	uint8_t decimals;

	VEC(uint32_t) open; /* nodes whose JSON is being read, or whose place is being looked up */
	struct pair_map by_id;
	struct buf scratch;
};

void v8_profile_init(struct v8_profile *v, struct texts *texts);
void v8_profile_fini(struct v8_profile *v);
/* Empties it but keeps the memory. */
void v8_profile_clear(struct v8_profile *v);
/* Appends what a later chunk adds to v; both use the same texts. */
void v8_profile_append(struct v8_profile *v, const struct v8_profile *chunk);

/* Each reads the current value, whatever it is. */
void v8_read_nodes(struct v8_profile *v, struct json *j, struct profile *p);
/* Reads a node and the nodes nested in it. */
void v8_read_node(struct v8_profile *v, struct json *j, struct profile *p);
void v8_read_samples(struct v8_profile *v, struct json *j);
void v8_read_times(struct v8_profile *v, struct json *j, struct profile *p);
bool v8_read_id(struct json *j, uint32_t *id);
bool v8_read_text(struct v8_profile *v, struct json *j, text_id *id);

/* Adds all nodes to p. */
void v8_place_nodes(struct v8_profile *v, struct profile *p, thread_id thread);
/* The index of a node, or V8_NONE. */
uint32_t v8_find_node(const struct v8_profile *v, uint32_t id);

struct v8_finish {
	thread_id thread;
	struct str event;
	bool is_cut; /* the input ended early, so what is missing cannot be guessed */
};
/* Turns everything that was read into samples of p. */
void v8_profile_finish(struct v8_profile *v, struct profile *p, const struct v8_finish *f);
