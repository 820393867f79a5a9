/* The thread that empties the kernel's buffers, and the chunks that it passes on. */
#pragma once
#include "perf/perf.h"
#include "record/opened.h"

#include <pthread.h>

struct collecting;

/* What collectors found out about a sample in a chunk. */
struct found_stack {
	uint32_t at; /* offset of its record in the chunk */
	uint32_t first, first_walked;
	struct perf_found found; /* pointers are valid once the whole chunk was processed */
};
struct found_stacks {
	VEC(struct found_stack) list; /* in the order of the chunk */
	VEC(struct perf_found_frame) frames;
	VEC(struct perf_walked_frame) walked;
	struct buf records; /* synthesized by collectors, to come before those of the chunk */
};

/* The contents of one buffer. n is 0 in the chunk that marks the end of a pass over all buffers. */
struct chunk {
	struct chunk *next;
	size_t n, capacity;
	uint64_t number; /* of chunks that were shown fresh; 0 if not shown */
	struct found_stacks found;
	char bytes[];
};
void chunk_free(struct chunk *c);

enum { CHUNK_SIZES = 11 }; /* 32 KB to 32 MB */

struct drain {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t has_chunks;
	struct chunk *first, **last;
	/* Free chunks by size, for reuse: fresh memory costs a page fault per page. */
	struct chunk *spare[CHUNK_SIZES];
	uint64_t spare_bytes;
	uint64_t waiting_bytes;
	struct opened_events *events;
	int epoll_fd, wake_fd;
	struct collecting *collecting; /* NULL if collectors see nothing fresh yet */
	uint32_t living; /* descriptors whose thread is alive, or that have no thread */
	uint64_t looks;	 /* passes over all buffers */
	bool is_stopping, is_started, all_gone;
};
bool drain_start(struct drain *d, struct opened_events *events, struct err *e);
/* All chunks since the last call, oldest first, or NULL after the timeout. Return them with drain_give_back. */
struct chunk *drain_take(struct drain *d, int timeout_ms);
void drain_give_back(struct drain *d, struct chunk *c);
/* From now on collectors see records as soon as they arrive. */
void drain_look_fresh(struct drain *d, struct collecting *c);
/* Empties the buffers one last time and ends the thread. Remaining chunks can still be taken. */
void drain_stop(struct drain *d);
void drain_fini(struct drain *d);
/* Copies what one buffer holds now, expanded, without a chunk. */
void drain_read_ring(struct collecting *c, struct ring *ring, struct buf *out);
