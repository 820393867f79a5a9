/* What a recording has opened: event attributes, descriptors, buffers. */
#pragma once
#include "record/recorder.h"

#include <linux/perf_event.h>

struct collecting;

/* --- event attributes (attributes.c) --- */

/* Reads the number of samples that an event lost, from Linux 6.0 on (PERF_FORMAT_LOST, which older headers lack). */
#define READ_LOST (1ull << 4)
/* Sets what each sample contains. tells: also report processes and mappings. */
void attributes_complete(struct perf_event_attr *attr, const struct record_options *o, bool tells,
			 uint32_t stack_bytes);
enum { NEAR_LEAF_BYTES = 4 << 10 }; /* if frame pointers do the rest */
/* Bytes of stack to copy with each sample; 0 for none. */
uint32_t attributes_stack_bytes(const struct record_options *o, uint32_t cpus);
/* The same for system calls. */
uint32_t attributes_call_bytes(const struct record_options *o, uint32_t cpus);
/* Maximum number of frames that are walked in the kernel. */
uint32_t attributes_walked_frames(const struct record_options *o);
/* Whether frame pointers lead to the root in all selected programs. False also if unknown. (chained.c) */
bool choice_is_chained(const struct record_options *o);

/* A buffer for the records of one cpu, filled by the kernel and emptied by drain.c. */
struct ring {
	struct perf_event_mmap_page *page; /* NULL if there is none */
	char *data;
	uint64_t size_bytes;
	int fd;
};

/* --- descriptors (open.c) --- */

struct opened {
	int fd; /* -1 once its thread has ended and it is closed */
	uint32_t event;
	uint64_t id;
};

/* Sums over all descriptors. */
struct event_counts {
	uint64_t first; /* the first event, including children; for a clock, ns on a cpu */
	uint64_t lost;	/* samples that could not be written; 0 if the kernel does not count them */
};

struct opened_events {
	struct collecting *collecting; /* is told of each descriptor */
	VEC(struct opened) list;
	VEC(struct ring) rings; /* by cpu, as in cpus */
	VEC(int) cpus;
	VEC(struct perf_event_attr) attrs; /* by event, as they were opened */
	uint32_t stack_bytes;		   /* of each copy, as requested */
	bool is_per_cpu;	    /* the whole machine or a cgroup: no descriptors per thread */
	bool is_filtered;	    /* is_per_cpu, with only some processes selected */
	bool is_mixed;		    /* is_per_cpu, with some events per thread */
	bool lacks_kernel;	    /* not allowed to see the kernel */
	int cgroup_fd;		    /* -1 if none */
	struct event_counts closed; /* totals of closed descriptors */
	VEC(int32_t) tids;	    /* threads that have descriptors */
};
void opened_events_init(struct opened_events *x, struct collecting *collecting);
void opened_events_fini(struct opened_events *x);
/*
 * Opens all events on the selected targets. Returns false and sets e on failure. remarks gets what
 * differs from the request.
 */
bool open_events(struct opened_events *x, const struct record_options *o, int32_t command_pid,
		 struct buf *remarks, struct err *e);
/* For threads that started while the others were being opened, unless inherited descriptors cover them. */
bool open_events_of_thread(struct opened_events *x, const struct record_options *o, int32_t tid,
			   struct err *e);
struct event_counts opened_events_counts(const struct opened_events *x);
void opened_close(struct opened_events *x, struct opened *opened);
/* Stops sampling. */
void opened_events_stop(const struct opened_events *x);
