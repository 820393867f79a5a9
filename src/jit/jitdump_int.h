/* The content of a jitdump, and lookup of code by address and time. */
#pragma once
#include "jit/jitdump.h"

struct jit_code {
	uint64_t start, size_bytes, time_ns;
	struct str name;
	uint32_t lines;	    /* index of its line table, or INDEX_NONE */
	uint32_t unwinding; /* index in the unwindings, or INDEX_NONE */
	uint32_t order;	    /* position in the file */
};

/* .eh_frame, and the first code it was written for. */
struct jit_unwinding {
	struct str eh_frame;
	uint64_t start, size_bytes;
};

struct jit_line {
	uint32_t offset; /* in the code, from its start */
	uint32_t line, file;
};

struct jit_line_table {
	uint32_t first, n;
};

/*
 * A segment tree over the intervals between the addresses where code begins or ends: each code is
 * in the O(log n) nodes that cover its range, and a lookup visits the O(log n) nodes above its
 * interval. So neither nested codes nor codes that replace each other can make it slow or large.
 */
struct jit_index {
	uint64_t *bounds;
	uint32_t bound_count;
	uint64_t *first; /* by node: where its codes begin */
	uint32_t *codes; /* node after node, older ones first */
};

struct jitdump {
	int32_t pid;
	bool has_own_clock; /* uses the machine's counter as its clock */
	uint32_t line_shift;
	VEC(struct jit_code) codes; /* by time */
	VEC(struct jit_line_table) tables;
	VEC(struct jit_line) lines;
	VEC(struct jit_unwinding) unwindings;
	VEC(struct str) files;
	struct jit_index index;
	struct arena text;
	char damage[160];
};

void jit_index_init(struct jit_index *index, const struct jit_code *codes, uint32_t n);
void jit_index_fini(struct jit_index *index);
/* The newest code that existed at that time, or INDEX_NONE. */
uint32_t jit_index_find(const struct jit_index *index, const struct jit_code *codes,
			uint64_t address, uint64_t time_ns);
