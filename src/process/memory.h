/*
 * Memory of another process. It changes while plume reads it, and it may be hostile: every read is
 * bounded, and everything read from it is checked.
 */
#pragma once
#include "base/base.h"

struct process;

/* A source of memory: a live process, a core, or the bytes of a test. */
struct memory {
	/* Reads all of n bytes, or returns false and sets error. */
	bool (*read)(struct memory *m, uint64_t address, void *to, size_t n);
	uint64_t reads, failed; /* so far */
	uint64_t cost; /* of reads and pages so far: hostile memory could make any search endless */
	uint64_t limit; /* on cost, beyond which all reads fail; 0 for none */
	int error; /* errno of the last failed read: ESRCH if it has ended, EPERM if not allowed */
};

bool memory_read(struct memory *m, uint64_t address, void *to, size_t n);
/* Reads as much of n bytes as possible from the start, in whole pages. */
size_t memory_read_some(struct memory *m, uint64_t address, void *to, size_t n);

/*
 * A cache of recently read memory. Repeated reads within a pass are served from it. Once the
 * process has ended its memory no longer changes: cached reads still succeed, and others fail.
 */
struct kept_memory;
/* A cache for that process, which the caller keeps alive until the cache is freed. */
struct kept_memory *kept_memory_new(struct process *of);
void kept_memory_free(struct kept_memory *m);
/* Starts a new pass: what was read before may have changed. */
void kept_memory_look(struct kept_memory *m);
/* The process has ended: stops reading its memory, as its pid may be reused. */
void kept_memory_end(struct kept_memory *m);
bool kept_memory_has_ended(const struct kept_memory *m);
