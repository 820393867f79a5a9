/* Processes that may run JavaScript, for js_frames.c. Used on the drain thread. */
#pragma once
#include "record/collector.h"
#include "record/v8_walker.h"

/* A file that may contain V8. */
struct v8_file {
	uint64_t device, inode;
	bool is_v8;
	bool is_known; /* its layout could be read */
	struct v8_layout layout;
	struct err e; /* if not is_known */
};

struct js_process {
	int32_t pid;
	bool is_looked_at;
	const struct v8_file *file;    /* NULL if it has no V8 */
	struct living_process *living; /* never moves: others point to it */
	struct kept_memory *memory;
	uint64_t look; /* number of the last chunk with a sample of it */
	struct v8_process *v8;
	uint32_t samples; /* before the first one with JavaScript */
	bool is_given_up; /* has V8 but cannot be named: see its trouble */
	/* Set once it has ended: */
	uint64_t until_ns; /* samples up to then belong to it */
	uint64_t ended_at; /* number of the chunk in which it ended */
};

/* Why a process that runs JavaScript has no names. */
enum js_trouble_kind {
	JS_TROUBLE_LAYOUT,  /* its V8 layout cannot be read */
	JS_TROUBLE_REFUSED, /* no permission to read its memory */
	JS_TROUBLE_HIDDEN,  /* no permission even to look at its program */
	JS_TROUBLE_NOTHING, /* found nothing in many samples */
	JS_TROUBLE_BUSY,    /* its heap takes too long to search */
};

struct js_trouble {
	enum js_trouble_kind kind;
	const struct v8_file *file; /* NULL if not known */
	int32_t pid;		    /* the first one */
	uint32_t processes;
	uint32_t samples; /* of the first one */
};

struct js_processes {
	struct collecting *collecting;
	unsigned number; /* of the slot with a struct js_process */
	struct v8_names *names;
	VEC(struct v8_file *) files;
	/* Processes that have ended: other cpus' buffers may still have samples of them. */
	VEC(struct js_process) ended;
	uint64_t looks; /* chunks so far */
	pthread_mutex_t lock;
	VEC(struct js_trouble) troubles; /* protected by lock: the recorder's thread reports them */
};
void js_processes_init(struct js_processes *l, struct collecting *c, unsigned number,
		       struct v8_names *names);
/* Call when all slots are empty. */
void js_processes_fini(struct js_processes *l);
/* Prepares processes that run JavaScript before their first sample. If there are many, only those called node. */
void js_processes_expect(struct js_processes *l);
/* Returns the process that a sample belongs to, or NULL if it runs no JavaScript that can be named. */
struct js_process *js_processes_of_sample(struct js_processes *l, struct known_process *row,
					  uint64_t time_ns);
/* It ended or called exec at that time. */
void js_processes_end(struct js_processes *l, int32_t pid, uint64_t time_ns);
/* Forgets what is known of a pid that now belongs to another process. */
void js_processes_forget(struct js_processes *l, int32_t pid);
/* The row is about to be removed. */
void js_processes_drop(struct js_processes *l, struct known_process *row);
/* Starts a chunk. Forgets processes that ended before the last full pass over all buffers. */
void js_processes_begin_look(struct js_processes *l);
/* Counts a sample of the process; has_frames says whether it contains JavaScript. */
void js_processes_count(struct js_processes *l, struct js_process *p, bool has_frames);
/* Adds notes on processes without names. */
void js_processes_add_notes(struct js_processes *l, struct profile *p);
