/*
 * As much of a perf.data file as a comparison of unwinders needs: mappings and samples with registers and
 * stack, of one event, on the machine that it was recorded on. Not a reader for files from elsewhere.
 */
#pragma once
#include "unwind/unwind.h"

struct map {
	uint64_t start, end, file_offset;
	uint32_t path; /* index of recording.paths */
	bool is_code;  /* executable, or memory of a JIT compiler that once was */
};

struct process {
	uint32_t pid;
	VEC(struct map) maps; /* sorted, without overlaps: the newest holds */
};

struct sample {
	uint32_t process; /* index */
	uint32_t tid;
	uint64_t time_ns;
	struct unwind_registers registers;
	struct unwind_memory memory;
};

struct recording {
	struct mapping file;
	VEC(char *) paths;
	VEC(struct process) processes;
	VEC(struct sample) samples; /* those taken in user space or with a user's stack */
};

bool recording_init(struct recording *r, const char *path, struct err *e);
void recording_fini(struct recording *r);
/* NULL: nothing is there. */
const struct map *process_find(const struct process *p, uint64_t address);
