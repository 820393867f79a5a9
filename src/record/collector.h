/*
 * A collector watches a recording: V8's names, maps of JVMs, stacks walked in the kernel, the kernel's account of CPU
 * time. It is a struct of functions in a file of its own and a row in collectors.c; nothing else knows it. Functions
 * that it has no use for are NULL. `state` is what its begin returned.
 *
 * There are two threads. One empties the kernel's buffers and shows each record, milliseconds after it was made, to the
 * functions called fresh_*: these must be quick, and see the records of one buffer in order, those of others sooner or
 * later. The recorder's thread calls all others. It sees the same records later: what a process needs for its names is
 * held by then.
 *
 * What a collector found out about a sample travels with the sample (fresh_sample_add). Names of it are asked for when
 * the profile is written, so nothing in a sample's way waits for them.
 */
#pragma once
#include "perf/perf.h"
#include "record/opened.h"
#include "record/known_processes.h"
#include "record/recorder.h"

struct found_stacks;
struct v8_walked;

/* What a recording shares with its collectors. All of it stays until they are freed. */
struct collecting {
	const struct record_options *options;
	struct opened_events *events;
	struct held_files *held;
	struct perf_session *session; /* from start on */
	const struct perf_events
		*formats; /* of records, for the decoders in perf/records.h; from start on */
	struct known_processes processes;
	struct v8_walker *
		walker; /* who wants the stacks of a process walked in the kernel tells it: v8_walker.h */
	atomic_bool
		is_filtered; /* only some processes are wanted: process_is_wanted, is_wanted_fresh */
	uint64_t start_ns;   /* samples count from here on; UINT64_MAX: not known yet */
	/* Chunks of records by number, from 1: the newest that was looked at fresh, and the newest that was taken in. */
	uint64_t fresh_chunk, taken_chunk;
	/* A collector may set: */
	atomic_bool is_urgent; /* samples must be looked at within milliseconds */
	bool shares_buffers; /* its program writes records of its own: LOST records count them, too */
	bool has_late_names; /* names come some seconds after their samples, so they are asked for seldom */
	atomic_uint_fast64_t thinned; /* samples whose stacks were thinned out in the kernel */
	void *state[MAX_COLLECTORS];
};

/* Whether its samples are to be had, as far as the recorder's thread knows. */
static inline bool process_is_wanted(const struct collecting *c, const struct known_process *p)
{
	return !c->is_filtered || (p && p->is_wanted);
}

/* A sample that has just come. */
struct fresh_sample {
	const struct perf_record *record;
	struct perf_ids ids;
	struct known_process *process;
	const struct v8_walked *walked; /* by v8_walker.c; NULL: it was not */
	bool has_more_walked;		/* the stack goes on behind the frames that were walked */
	struct perf_user_state state;	/* where fresh_sample_has_state */
	enum { STATE_UNREAD, STATE_NONE, STATE_READ } has_state;
	const struct collecting *collecting;
	struct found_stacks *found;
};
/* Reads registers and stack, once. */
bool fresh_sample_has_state(struct fresh_sample *s);
/* The next frame that was found, the leaf first. code: less than 2^COLLECTED_BITS, for name_frames. */
enum { COLLECTED_BITS = 29 };
void fresh_sample_add(struct fresh_sample *s, unsigned collector, struct perf_found_frame frame);
/* The next frame that frame pointers lead to, the leaf first. */
void fresh_sample_add_walked(struct fresh_sample *s, struct perf_walked_frame frame);
/* Where records may be put that a collector makes up: they go to the session before those of this chunk. */
struct buf *fresh_sample_records(struct fresh_sample *s);

/* For a collector with a program in the kernel, whose records stand in the same buffers as samples. */
struct collector_kernel {
	/* An event was opened on a cpu, whose buffer is that of ring_fd. All of them were closed again. */
	void (*attach)(void *state, int fd, int cpu, int ring_fd);
	void (*detach)(void *state);
	/* Its program wrote the record, which is a sample only by its type. Nobody else sees it, but fresh_record. */
	bool (*wrote)(const void *state, const struct perf_record *r);
	/* How many of its records found no room: before Linux 6.0 the kernel counts them as lost samples. */
	uint64_t (*lost)(const void *state);
	/* Samples of a process are to be dropped where they are taken. */
	void (*leave_out)(void *state, int32_t pid);
	/* Records of a buffer, some of which stand for larger ones: how large all are then; 0: none does. Makes them. */
	size_t (*whole_bytes)(const void *state, const char *bytes, size_t n);
	void (*make_whole)(void *state, const char *bytes, size_t n, char *to);
};

struct collector {
	const char *name;

	/* Before events are opened. number: its own, for slot and fresh_sample_add. NULL: it has nothing to do. */
	void *(*begin)(struct collecting *c, unsigned number);
	/* May ask for more: the first event tells of processes (c->events->attrs). */
	void (*ask)(void *state);
	/* Events are open, the processes that are there are known. Nothing has been looked at fresh. */
	void (*start)(void *state);
	/* A process was there before it was heard of. Its row goes. */
	void (*came)(void *state, struct known_process *p);
	void (*went)(void *state, struct known_process *p);
	/* A record that the session is to have; perf_record_ids tells whose it is. Records of a program of its own are not. */
	void (*record)(void *state, const struct perf_record *r);
	/* Some 20 times a second. True: names have come that samples wait for. */
	bool (*look)(void *state, uint64_t now_ns);
	/* Sampling ends, or goes on in another profile (is_part): before the last records are taken in. */
	void (*stop)(void *state, uint64_t now_ns, bool is_part);
	/* All records are in. Who lives may be asked a last time, before names are looked for. */
	void (*end)(void *state);
	/* Facts and notes for the profile. */
	void (*describe)(void *state, struct profile *p, bool is_part);
	/* What comes now goes into another profile. */
	void (*next)(void *state, uint64_t now_ns);
	void (*free)(void *state);
	/* Functions at a frame that was added with this code, the outermost first; good until the next call. */
	uint32_t (*name_frames)(void *state, uint32_t code, const struct perf_found_name **names);

	/* On the thread that empties the buffers: */
	void (*fresh_begin)(void *state);				/* a chunk */
	void (*fresh_record)(void *state, const struct perf_record *r); /* no sample, or its own */
	void (*fresh_sample)(void *state, struct fresh_sample *s); /* of a process that is wanted */
	void (*fresh_went)(void *state,
			   struct known_process *p); /* its row goes, and its slot with it */

	const struct collector_kernel *kernel;
};

extern const struct collector walker_collector, js_collector, jvm_collector, charge_collector;
