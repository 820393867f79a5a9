/* What a recording has opened: attributes of its events, descriptors, buffers. */
#pragma once
#include "record/recorder.h"

#include <linux/perf_event.h>

struct collecting;

/* --- what is asked of the kernel (attributes.c) --- */

/* How many samples an event lost: from Linux 6.0 on (PERF_FORMAT_LOST, which older headers lack). */
#define READ_LOST (1ull << 4)
/* Completes an event: what each sample holds. tells: of processes and mappings, too. */
void attributes_complete(struct perf_event_attr *attr, const struct record_options *o, bool tells,
			 uint32_t stack_bytes);
enum { NEAR_LEAF_BYTES = 4 << 10 }; /* where frame pointers do the rest */
/* Bytes of the stack that are copied with each sample; 0: none. */
uint32_t attributes_stack_bytes(const struct record_options *o, uint32_t cpus);
/* ... where they are of system calls only. */
uint32_t attributes_call_bytes(const struct record_options *o, uint32_t cpus);
/* Of a stack that is walked in the kernel. */
uint32_t attributes_walked_frames(const struct record_options *o);
/* chained.c: of all that is recorded, frame pointers lead to the root. False: of some not, or not known. */
bool choice_is_chained(const struct record_options *o);

/* A buffer that the kernel writes records of one cpu into; drain.c empties it. */
struct ring {
	struct perf_event_mmap_page *page; /* NULL: there is none */
	char *data;
	uint64_t size_bytes;
	int fd;
};

/* --- descriptors (open.c) --- */

struct opened {
	int fd; /* -1: its thread has ended, and it is closed */
	uint32_t event;
	uint64_t id;
};

/* What descriptors counted, all together. */
struct event_counts {
	uint64_t first; /* the first event: of a clock the ns on a cpu, of children, too */
	uint64_t lost;	/* samples that could not be written; 0 where the kernel does not say */
};

struct opened_events {
	struct collecting *collecting; /* who wants to know of each descriptor */
	VEC(struct opened) list;
	VEC(struct ring) rings; /* by cpu, as in cpus */
	VEC(int) cpus;
	VEC(struct perf_event_attr) attrs; /* by event, as they were opened */
	uint32_t stack_bytes;		   /* of each copy, as asked for */
	bool is_per_cpu;	    /* the whole machine, or a cgroup: no descriptors per thread */
	bool is_filtered;	    /* ... of which only some processes are wanted */
	bool is_mixed;		    /* ... and some events are of their threads alone */
	bool lacks_kernel;	    /* the kernel's part may not be seen */
	int cgroup_fd;		    /* -1: none */
	struct event_counts closed; /* of descriptors that were */
	VEC(int32_t) tids;	    /* threads that descriptors were opened for */
};
void opened_events_init(struct opened_events *x, struct collecting *collecting);
void opened_events_fini(struct opened_events *x);
/* Opens all on whom is meant. False: e. remarks gets what had to be done otherwise. */
bool open_events(struct opened_events *x, const struct record_options *o, int32_t command_pid,
		 struct buf *remarks, struct err *e);
/* Threads that came while the others were opened, and that no other's descriptors cover. */
bool open_events_of_thread(struct opened_events *x, const struct record_options *o, int32_t tid,
			   struct err *e);
struct event_counts opened_events_counts(const struct opened_events *x);
void opened_close(struct opened_events *x, struct opened *opened);
/* No more samples. */
void opened_events_stop(const struct opened_events *x);
