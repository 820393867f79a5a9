/* Processes that may run JavaScript, for js_frames.c; of the thread that empties the buffers. */
#pragma once
#include "record/collector.h"
#include "record/v8_walker.h"

/* A file with a V8 in it, or without. */
struct v8_file {
	uint64_t device, inode;
	bool is_v8;
	bool is_known; /* its layout could be read */
	struct v8_layout layout;
	struct err e; /* why not */
};

struct js_process {
	int32_t pid;
	bool is_looked_at;
	const struct v8_file *file;    /* NULL: it has no V8 */
	struct living_process *living; /* stays where it is: others refer to it */
	struct kept_memory *memory;
	uint64_t look; /* the number of the last look with a sample of it */
	struct v8_process *v8;
	uint32_t samples; /* of it, until the first one in which JavaScript was found */
	bool is_given_up; /* it has a V8, but cannot be named: its trouble says why */
	/* Of those that have ended: */
	uint64_t until_ns; /* samples up to then are of it */
	uint64_t ended_at; /* the number of the look then */
};

/* Why a process that runs JavaScript has no names. */
enum js_trouble_kind {
	JS_TROUBLE_LAYOUT,  /* the file's V8 cannot be read */
	JS_TROUBLE_REFUSED, /* its memory may not be read */
	JS_TROUBLE_HIDDEN,  /* not even its program may be looked at */
	JS_TROUBLE_NOTHING, /* nothing was found in many samples */
	JS_TROUBLE_BUSY,    /* its heap takes too long */
};

struct js_trouble {
	enum js_trouble_kind kind;
	const struct v8_file *file; /* NULL: not known */
	int32_t pid;		    /* the first one */
	uint32_t processes;
	uint32_t samples; /* of the first one */
};

struct js_processes {
	struct collecting *collecting;
	unsigned number; /* of the slot with a struct js_process */
	struct v8_names *names;
	VEC(struct v8_file *) files;
	/* Those that have ended: buffers of other cpus may have samples of them still. */
	VEC(struct js_process) ended;
	uint64_t looks; /* at buffers */
	pthread_mutex_t lock;
	VEC(struct js_trouble) troubles; /* under the lock: the other thread tells of them */
};
void js_processes_init(struct js_processes *l, struct collecting *c, unsigned number,
		       struct v8_names *names);
/* When no process has anything in its slot. */
void js_processes_fini(struct js_processes *l);
/* Looks at those that run JavaScript before a sample of them comes; of many, at those that are called node. */
void js_processes_expect(struct js_processes *l);
/* What is known of the process that a sample is of. NULL: it runs no JavaScript that can be named. */
struct js_process *js_processes_of_sample(struct js_processes *l, struct known_process *row,
					  uint64_t time_ns);
/* It is another program from then on, or none. */
void js_processes_end(struct js_processes *l, int32_t pid, uint64_t time_ns);
/* What was known of it is of another one. */
void js_processes_forget(struct js_processes *l, int32_t pid);
/* Its row goes. */
void js_processes_drop(struct js_processes *l, struct known_process *row);
/* A buffer is looked at: those that ended before all buffers were are forgotten. */
void js_processes_begin_look(struct js_processes *l);
/* A sample of it was looked at; has_frames: there was JavaScript in it. */
void js_processes_count(struct js_processes *l, struct js_process *p, bool has_frames);
/* Sentences on those that have no names. */
void js_processes_add_notes(struct js_processes *l, struct profile *p);
