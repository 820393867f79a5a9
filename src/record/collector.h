/*
 * A collector observes a recording: V8 names, JVM maps, stacks walked in the kernel, the kernel's accounting of CPU
 * time. It is a struct of functions in its own file plus a word in the list below. Functions that it does not need are
 * NULL. `state` is what begin returned.
 *
 * There are two threads. The drain thread empties the kernel's buffers and passes each record, milliseconds after it
 * was written, to the functions called fresh_*. These must be quick. They see the records of one buffer in order;
 * records of different buffers interleave arbitrarily. The recorder's thread calls all other functions. It sees the
 * same records later, when whatever is needed to name a process is already held.
 *
 * What a collector finds out about a sample travels with the sample (fresh_sample_add). Its names are requested when
 * the profile is written, so samples never wait for them.
 */
#pragma once
#include "perf/perf.h"
#include "record/known_processes.h"
#include "record/opened.h"
#include "record/recorder.h"

/* All collectors, in the order in which they see records and samples. Add new ones here. */
#define COLLECTORS(X)                                                                              \
	X(walker) /* before js, which names what it walked */                                      \
	X(js)                                                                                      \
	X(jvm)                                                                                     \
	X(charge)

struct found_stacks;
struct v8_walked;

/* What a recording shares with its collectors. All of it outlives them. */
struct collecting {
	const struct record_options *options;
	struct opened_events *events;
	struct held_files *held;

	/* Valid once start was called: */
	struct perf_session *session;
	const struct perf_events *formats; /* of records, for the decoders in perf/records.h */

	struct known_processes processes;
	/* Set if only some processes are selected: see process_is_wanted and is_wanted_fresh. */
	atomic_bool is_filtered;
	uint64_t start_ns; /* samples count from here on; UINT64_MAX if not known yet */
	/* Chunks are numbered from 1: the newest one shown fresh, and the newest one taken in. */
	uint64_t fresh_chunk, taken_chunk;

	/* Set by collectors: */
	atomic_bool is_urgent; /* samples must be shown within milliseconds */
	/* Its BPF program writes records, so LOST also counts those. */
	bool shares_buffers;
	/* Names arrive seconds after their samples, so plume asks for them less often. */
	bool has_late_names;
	atomic_uint_fast64_t thinned; /* samples whose stacks were thinned in the kernel */
	struct v8_walker *walker;     /* v8_walker.h says what it is for */

	void *state[MAX_COLLECTORS];
};

/* Whether the process is selected, as far as the recorder's thread knows. */
static inline bool process_is_wanted(const struct collecting *c, const struct known_process *p)
{
	return !c->is_filtered || (p && p->is_wanted);
}

/* A sample that has just arrived. */
struct fresh_sample {
	const struct perf_record *record;
	struct perf_ids ids;
	struct known_process *process;
	const struct v8_walked *walked; /* by v8_walker.c; NULL if not walked */
	bool has_more_walked;		/* the stack continues past the walked frames */
	struct perf_user_state state;	/* valid if fresh_sample_has_state */
	enum { STATE_UNREAD, STATE_NONE, STATE_READ } has_state;
	const struct collecting *collecting;
	struct found_stacks *found;
};
/* Reads registers and stack on the first call. */
bool fresh_sample_has_state(struct fresh_sample *s);
/* Adds the next found frame, leaf first. code must be less than 2^COLLECTED_BITS; name_frames gets it back. */
enum { COLLECTED_BITS = 29 };
void fresh_sample_add(struct fresh_sample *s, unsigned collector, struct perf_found_frame frame);
/* Adds the next frame of the frame pointer chain, leaf first. */
void fresh_sample_add_walked(struct fresh_sample *s, struct perf_walked_frame frame);
/* Buffer for synthesized records. The session gets them before those of this chunk. */
struct buf *fresh_sample_records(struct fresh_sample *s);

/* For a collector with a BPF program, whose records share the buffers with samples. */
struct collector_kernel {
	/*
	 * attach: an event was opened on a cpu, which writes to the buffer of ring_fd. detach: all
	 * events were closed.
	 */
	void (*attach)(void *state, int fd, int cpu, int ring_fd);
	void (*detach)(void *state);
	/*
	 * Whether its program wrote the record, which only looks like a sample. Apart from
	 * fresh_record nobody sees such records.
	 */
	bool (*wrote)(const void *state, const struct perf_record *r);
	/*
	 * How many of its records were lost for lack of room. Before Linux 6.0 the kernel counts
	 * them as lost samples.
	 */
	uint64_t (*lost)(const void *state);
	/* Makes the kernel drop all samples of a process. */
	void (*leave_out)(void *state, int32_t pid);
	/*
	 * For a buffer with compact records. whole_bytes returns the size once they are expanded, 0
	 * if there are none; make_whole expands them.
	 */
	size_t (*whole_bytes)(const void *state, const char *bytes, size_t n);
	void (*make_whole)(void *state, const char *bytes, size_t n, char *to);
};

struct collector {
	/*
	 * Called before events are opened. number is the collector's own, for slot and
	 * fresh_sample_add. Returns NULL if the collector has nothing to do.
	 */
	void *(*begin)(struct collecting *c, unsigned number);
	/* May extend c->events->attrs; the first event is the one that reports processes. */
	void (*ask)(void *state);
	/* Events are open and the running processes are known. Nothing has been shown fresh yet. */
	void (*start)(void *state);
	/* came: a process already ran when plume first heard of it. went: its row is about to be removed. */
	void (*came)(void *state, struct known_process *p);
	void (*went)(void *state, struct known_process *p);
	/*
	 * A record for the session; perf_record_ids gives its process. Records of collectors' BPF
	 * programs are not passed.
	 */
	void (*record)(void *state, const struct perf_record *r);
	/* Called about 20 times a second. Returns true if names have arrived that samples wait for. */
	bool (*look)(void *state, uint64_t now_ns);
	/* Sampling ends, or continues in another profile (is_part). Called before the last records are taken in. */
	void (*stop)(void *state, uint64_t now_ns, bool is_part);
	/* All records are in. Last chance to query live processes before names are resolved. */
	void (*end)(void *state);
	/* Adds facts and notes to the profile. */
	void (*describe)(void *state, struct profile *p, bool is_part);
	/* From now on everything goes into another profile. */
	void (*next)(void *state, uint64_t now_ns);
	void (*free)(void *state);
	/* The functions at a frame that was added with this code, outermost first. Valid until the next call. */
	uint32_t (*name_frames)(void *state, uint32_t code, const struct perf_found_name **names);

	/* On the drain thread: */
	/* Start of a chunk. */
	void (*fresh_begin)(void *state);
	/* A record other than a sample, or one of its own program. */
	void (*fresh_record)(void *state, const struct perf_record *r);
	/* A sample of a selected process. */
	void (*fresh_sample)(void *state, struct fresh_sample *s);
	/* The process's row and slot are about to be removed. */
	void (*fresh_went)(void *state, struct known_process *p);

	const struct collector_kernel *kernel;
};

#define DECLARE_COLLECTOR(name) extern const struct collector name##_collector;
COLLECTORS(DECLARE_COLLECTOR)
