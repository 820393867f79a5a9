/*
 * Memory of another process. It changes while it is read, and whoever runs there may have put anything into
 * it: every read is bounded, and nothing that comes from it is believed unchecked.
 */
#pragma once
#include "base/base.h"

struct process;

/* Where memory comes from: a living process, a core, or the bytes of a test. */
struct memory {
	/* All of n bytes, or false and error. */
	bool (*read)(struct memory *m, uint64_t address, void *to, size_t n);
	uint64_t reads, failed; /* so far */
	uint64_t cost;	/* of reads and pages, so far: hostile memory could make any look endless */
	uint64_t limit; /* of cost, beyond which all reads fail; 0: none */
	int error; /* errno of the last read that failed; ESRCH: the process has ended, EPERM: it may not be read */
};

bool memory_read(struct memory *m, uint64_t address, void *to, size_t n);
/* As many of n bytes as there are from the start on, in whole pages. */
size_t memory_read_some(struct memory *m, uint64_t address, void *to, size_t n);

/*
 * Memory that remembers what was read of it last. What is asked again in the same look is answered by that. When
 * its process has ended nothing moves in it any more: all that is asked again is answered so, and the rest
 * fails.
 */
struct kept_memory;
/* From now on it is the memory of that process, which stays the caller's, until it is freed. */
struct kept_memory *kept_memory_new(struct process *of);
void kept_memory_free(struct kept_memory *m);
/* A new look begins: what was read before may have changed. */
void kept_memory_look(struct kept_memory *m);
/* From now on the process's memory is not asked any more: its pid may be another one's. */
void kept_memory_end(struct kept_memory *m);
bool kept_memory_has_ended(const struct kept_memory *m);
