/* Emptying the kernel's buffers: the thread that does, and the chunks it hands on. */
#pragma once
#include "perf/perf.h"
#include "record/opened.h"

#include <pthread.h>

struct collecting;

/* What was found out about a sample of a chunk. */
struct found_stack {
	uint32_t at; /* where its record is in the chunk */
	uint32_t first, first_walked;
	struct perf_found found; /* its pointers hold once all of the chunk was looked at */
};
struct found_stacks {
	VEC(struct found_stack) list; /* in the order of the chunk */
	VEC(struct perf_found_frame) frames;
	VEC(struct perf_walked_frame) walked;
	struct buf records; /* that collectors made up: they come before those of the chunk */
};

/* What was in one buffer; n 0: all have been looked at since the last such one. */
struct chunk {
	struct chunk *next;
	size_t n, capacity;
	uint64_t number; /* of those that were looked at fresh; 0: it was not */
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
	/* By size: memory that was used before. New memory costs a fault for each page. */
	struct chunk *spare[CHUNK_SIZES];
	uint64_t spare_bytes;
	uint64_t waiting_bytes;
	struct opened_events *events;
	int epoll_fd, wake_fd;
	struct collecting *collecting; /* NULL: nothing is looked at fresh, yet */
	uint32_t living;	       /* descriptors whose thread lives, or that have no thread */
	uint64_t looks;		       /* how often all buffers were looked at */
	bool is_stopping, is_started, all_gone;
};
bool drain_start(struct drain *d, struct opened_events *events, struct err *e);
/* All that came since the last call, oldest first; NULL after so long. drain_give_back takes them back. */
struct chunk *drain_take(struct drain *d, int timeout_ms);
void drain_give_back(struct drain *d, struct chunk *c);
/* From now on collectors see what comes at once. */
void drain_look_fresh(struct drain *d, struct collecting *c);
/* Empties the buffers a last time and ends the thread; what it took can still be had. */
void drain_stop(struct drain *d);
void drain_fini(struct drain *d);
/* What one buffer holds now, whole, without a chunk. */
void drain_read_ring(struct collecting *c, struct ring *ring, struct buf *out);
