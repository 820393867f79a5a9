/* What the files of this module share: descriptors, buffers, the thread that empties them, processes. */
#pragma once
#include "record/record.h"
#include "record/v8_walker_record_int.h"
#include "v8/v8.h"

#include <pthread.h>
#include <stdatomic.h>

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
/* Fields at the end of records that are no samples, as attributes_complete asks for them. */
struct record_trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, unused;
	uint64_t id;
};

/* --- buffers (ring.c) --- */

/* A buffer that the kernel writes records of one cpu into. */
struct ring {
	struct perf_event_mmap_page *page; /* NULL: there is none */
	char *data;
	uint64_t size_bytes;
	int fd;
};
/* The largest up to so many bytes that the kernel allows. False: errno. */
bool ring_map(struct ring *ring, int fd, uint64_t size_bytes);
void ring_unmap(struct ring *ring);
uint64_t ring_waiting_bytes(const struct ring *ring);
/* Moves the first n of them to `to`. */
void ring_take(struct ring *ring, char *to, uint64_t n);

/* --- stacks of V8, walked in the kernel (v8_walker.c, v8_walker_load.c, v8_walker.bpf.c) --- */

struct v8_walker;
/* Loads the program. NULL: e says why the kernel does not take it. */
struct v8_walker *v8_walker_new(struct err *e);
void v8_walker_free(struct v8_walker *w);
/* From now on it runs at samples of this event, and writes into the buffer of another one on that cpu. */
void v8_walker_attach(struct v8_walker *w, int fd, int cpu, int ring_fd);
/* The buffers are gone. */
void v8_walker_close_outputs(struct v8_walker *w);
/* Samples of this process are dropped where they are taken: nobody wants them. start_ticks: as /proc/PID/stat has it. */
void v8_walker_leave_out(struct v8_walker *w, int32_t pid, uint64_t start_ticks);
/* How many of its records found no room in a buffer. */
uint64_t v8_walker_lost(const struct v8_walker *w);
/* Whether a PERF_RECORD_SAMPLE is one of its records and no sample. w may be NULL. */
bool v8_walker_wrote(const struct v8_walker *w, const char *record);
/*
 * Copies of stacks are thinned out, and are of so many pieces; 0: they are the kernel's. is_near_leaf: frames of
 * JavaScript are not needed in them, as frame pointers lead from there to the root. max_frames: that are walked.
 */
void v8_walker_thin(struct v8_walker *w, uint32_t pieces, bool is_near_leaf, uint32_t max_frames);
/* For the thread that empties buffers: which processes it walks. */
void v8_walker_add_process(struct v8_walker *w, int32_t pid, const struct v8_layout *l);
void v8_walker_remove_process(struct v8_walker *w, int32_t pid);
/* ... keeps a record of it for the sample that follows. */
void v8_walker_take(struct v8_walker *w, const char *record);
struct v8_walked {
	struct v8_registers registers; /* top is this one's */
	uint64_t top[THIN_WORDS];
	uint32_t n;
	bool has_more; /* the stack goes on behind the frames */
	struct v8_raw_frame frames[WALKER_FRAMES];
};
/* ... something was kept of that thread. */
bool v8_walker_is_kept(const struct v8_walker *w, int32_t tid);
/* ... what was kept for a sample, once. False: nothing. */
bool v8_walker_find(struct v8_walker *w, int32_t tid, uint64_t time_ns, struct v8_walked *out);

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
	VEC(struct opened) list;
	VEC(struct ring) rings; /* by cpu, as in cpus */
	VEC(int) cpus;
	VEC(struct perf_event_attr) attrs; /* by event, as they were opened */
	bool is_per_cpu;	    /* the whole machine, or a cgroup: no descriptors per thread */
	bool is_filtered;	    /* ... of which only some processes are wanted */
	bool is_mixed;		    /* ... and some events are of their threads alone */
	bool lacks_kernel;	    /* the kernel's part may not be seen */
	struct v8_walker *walker;   /* runs at all of them; NULL: none */
	int cgroup_fd;		    /* -1: none */
	struct event_counts closed; /* of descriptors that were */
	atomic_uint_fast64_t thin_samples; /* whose stacks were thinned out in the kernel */
	VEC(int32_t) tids;		   /* threads that descriptors were opened for */
};
void opened_events_init(struct opened_events *x);
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

/* --- thin copies of stacks (thin_stack.c, thin_stack.bpf.h) --- */

/* How many pieces copies are to be of; 0: these events have none that can be thinned out. */
uint32_t thin_pieces_of(const struct opened_events *x);
/* Records of a buffer, n bytes, in which thin samples become whole ones: how large (0: there are none),
 * and where to. */
size_t thin_whole_bytes(const struct opened_events *x, const char *bytes, size_t n);
void thin_make_whole(struct opened_events *x, const char *bytes, size_t n, char *to);

/* --- JavaScript (js_frames.c) --- */

/* Frames of samples that were found when they came. */
struct found_stack {
	int32_t tid;
	uint64_t time_ns;
	uint32_t first, n; /* in frames */
	/* All of it, JavaScript or not, where the kernel walked it: in walked. */
	uint32_t first_walked, walked;
	bool has_more; /* it goes on behind them */
};
struct js_found {
	VEC(struct found_stack) stacks;
	VEC(struct perf_found_frame) frames;
	VEC(struct perf_walked_frame) walked;
	struct buf moved;    /* records of mappings: code that is a copy of a file's */
	uint32_t generation; /* of the names that frames refer to */
};
void js_found_fini(struct js_found *f);

struct js_frames;
/* walker: NULL: there is none; it is the caller's. */
struct js_frames *js_frames_new(struct perf_session *session, struct v8_walker *walker,
				bool wants_lines);
void js_frames_free(struct js_frames *j);
/* Before all else: processes that are there, whose first sample is to be walked already. */
void js_frames_expect(struct js_frames *j, const int32_t *pids, uint32_t n);
/* For the thread that empties buffers: records that have just come, of one buffer. */
void js_frames_look(struct js_frames *j, const char *bytes, size_t n, struct js_found *found);
/* ... some process runs JavaScript: its samples must be looked at soon. */
bool js_frames_has_any(const struct js_frames *j);
/* For the other: of all that comes, only this process and its children are wanted; 0: none so far. */
void js_frames_want(struct js_frames *j, int32_t pid);
/* The records go to the session now. */
void js_frames_take(struct js_frames *j, const struct js_found *found);
/* How frames were named so far; nothing is added when there were none. */
void js_frames_describe(struct js_frames *j, struct buf *out);
/* Why some processes have no names of JavaScript. */
void js_frames_add_notes(struct js_frames *j, struct profile *p);
/* Stacks that were found in copies, not by the kernel. */
uint64_t js_frames_copied(struct js_frames *j);
/* As struct perf_live has it. */
uint32_t js_frames_find(struct js_frames *j, int32_t tid, uint64_t time_ns,
			const struct perf_found_frame **frames);
bool js_frames_walked(struct js_frames *j, int32_t tid, uint64_t time_ns, struct perf_walked *out);
uint32_t js_frames_name(struct js_frames *j, uint32_t code, const struct perf_found_name **names);
/* As of records: what came before the last round has had its turn. */
void js_frames_end_round(struct js_frames *j);
/* All that was taken has had its turn, and the session has forgotten what it was called. */
void js_frames_end_period(struct js_frames *j);

/* --- emptying them (drain.c) --- */

/* What was in one buffer; n 0: all have been looked at since the last such one. */
struct chunk {
	struct chunk *next;
	size_t n, capacity;
	struct js_found found; /* of its samples */
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
	struct js_frames *js; /* NULL: not looked for, or not yet */
	uint32_t living;      /* descriptors whose thread lives, or that have no thread */
	uint64_t looks;	      /* how often all buffers were looked at */
	bool is_stopping, is_started, all_gone;
};
bool drain_start(struct drain *d, struct opened_events *events, struct err *e);
/* All that came since the last call, oldest first; NULL after so long. drain_give_back takes them back. */
struct chunk *drain_take(struct drain *d, int timeout_ms);
void drain_give_back(struct drain *d, struct chunk *c);
/* From now on what comes is looked at for JavaScript at once. */
void drain_look_for_js(struct drain *d, struct js_frames *js);
/* Empties the buffers a last time and ends the thread; what it took can still be had. */
void drain_stop(struct drain *d);
void drain_fini(struct drain *d);

/* --- records of processes that nobody asked for, so far (strangers.c) --- */

struct strange_record {
	int32_t pid;	    /* whose fork would tell that it is wanted */
	const char *record; /* in its chunk; NULL: taken */
};
struct strange_records {
	struct strange_record *p;
	uint32_t n, capacity;
};
struct strangers {
	struct strange_records rounds[2]; /* the one before, this one */
};
void strangers_fini(struct strangers *s);
/* record stays where it is until the next round has ended. */
void strangers_add(struct strangers *s, int32_t pid, const char *record);
/* The next one of this process, oldest round first; each is given once. NULL: no more. */
struct strangers_place {
	uint32_t round, i;
};
const char *strangers_take(struct strangers *s, int32_t pid, struct strangers_place *at);
/* What the round before brought is forgotten. */
void strangers_end_round(struct strangers *s);

/* --- processes (follow.c, synthesize.c) --- */

struct known_process {
	int32_t pid;
	bool is_wanted;
	struct target_fit
		fit;   /* where is_filtered; what a process is changes, what is wanted stays so */
	uint8_t looks; /* at /proc because that was not enough */
	uint64_t seen_ns;  /* of the record that fit is from; its buffer may be ahead of others */
	bool is_told;	   /* to js_frames */
	bool is_described; /* its mappings are known to the session */
	bool is_gone;	   /* it was not there when last looked for; records of it may still come */
	bool has_exited;   /* its first thread did */
	bool is_left_out;  /* the kernel drops its samples */
};

/* Which processes there are; what must be held of them is held from their first sight on. */
struct follow {
	const struct record_options *options;
	struct perf_session *session;
	struct held_files *held;
	struct js_frames *js;
	struct v8_walker *walker; /* NULL: none */
	uint64_t lost_records;	  /* with a walker: samples and its own */
	VEC(struct known_process) list;
	struct index_map map;
	bool is_filtered; /* samples of those that are not wanted are dropped */
	bool is_family; /* ... which are those that do not come from the ones that were asked for */
	struct strangers strangers; /* of is_family */
	uint32_t living;	    /* where in the list one lived when last looked for */
	uint64_t begin_ns;	    /* samples before are dropped */
	uint64_t wanted_samples;
	uint64_t
		undecided; /* samples dropped of those that ended before it was known what they were */
	VEC(int32_t) described; /* since they were looked at for JVMs */
	VEC(int32_t) starting;	/* ... that have mapped what makes them one; a few */
	uint64_t last_forget_ns;
	uint32_t forget_above; /* so many are known */
};
void follow_fini(struct follow *f);
/* Processes that are there already. */
void follow_begin(struct follow *f, const struct opened_events *x, int32_t command_pid);
/* Records of one buffer: looked at, then given to the session. */
void follow_records(struct follow *f, const char *bytes, size_t n, bool bytes_stay);
/* Every buffer was looked at once since the last call. */
void follow_end_round(struct follow *f);
/* Of is_family: whether all that is wanted has ended, as far as is known from what came in. */
bool follow_all_ended(struct follow *f);
/* Whether its samples are to be had. */
bool follow_wants(struct follow *f, int32_t pid);
/* Those that have ended are forgotten, some time later. */
void follow_forget_ended(struct follow *f, uint64_t now_ns);
/* Whether they say that a thread was made. */
bool records_tell_of_fork(struct str records, int32_t tid);
/* Records that say what a process and its threads are called and have mapped. False: it is gone. */
bool synthesize_process(int32_t pid, struct buf *records, struct held_files *held);
/* ... that a part of a file, which it has mapped, is elsewhere, too. */
void synthesize_moved(int32_t pid, const struct process_mapping *moved, struct buf *records);

/* --- maps of JVMs (jvm_maps.c) --- */

struct jvm_maps;
struct jvm_maps *jvm_maps_new(struct follow *f);
void jvm_maps_free(struct jvm_maps *j);
/* Is it one? Then it is asked from now on. */
void jvm_maps_look_at(struct jvm_maps *j, int32_t pid);
/* It will be one soon, or never: it is looked at again and again, for a while. */
void jvm_maps_expect(struct jvm_maps *j, int32_t pid, uint64_t now_ns);
/* Asks them now and then. True: one has just written its map. */
bool jvm_maps_go_on(struct jvm_maps *j, uint64_t now_ns);
/* Those that have ended. */
void jvm_maps_forget_ended(struct jvm_maps *j);
/* A last time, waiting for the answers. */
void jvm_maps_end(struct jvm_maps *j);
bool jvm_maps_has_any(const struct jvm_maps *j);
/* What was asked of whom, and what went wrong, as notes of a profile. */
void jvm_maps_add_notes(const struct jvm_maps *j, struct profile *p);

/* --- a command (command.c) --- */

struct started_command {
	int32_t pid; /* 0: none */
	int go_fd, failure_fd;
	bool is_over;
	bool was_ended; /* by us: its status says nothing of its own doing */
	int status;
};
/* Forks; the command waits until it may go. */
bool command_prepare(struct started_command *c, char *const *words, struct err *e);
bool command_go(struct started_command *c, const char *name, struct err *e);
/* Has it ended? Does not wait. */
bool command_is_over(struct started_command *c);
/* It is not needed any more: asked to end, if it has not, and waited for, though not for long. */
void command_end(struct started_command *c);
void command_fini(struct started_command *c);
