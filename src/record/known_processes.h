/*
 * The processes of a recording, a row each. Two threads know them: the one that empties the buffers, which sees records
 * within milliseconds, and the recorder's, which may be seconds behind. Rows stay where they are.
 */
#pragma once
#include "target/target.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MAX_COLLECTORS = 8 };

struct known_process {
	int32_t pid;
	/* Of those whose samples are filtered: wanted, as far as the thread that empties the buffers has to know. */
	atomic_bool is_wanted_fresh;
	void *slot
		[MAX_COLLECTORS]; /* each collector's own, by its number; of the one thread that uses it */

	/* --- of the recorder's thread (follow.c) --- */
	bool is_met;
	bool is_wanted;
	struct target_fit
		fit;   /* where is_filtered; what a process is changes, what is wanted stays so */
	uint8_t looks; /* at /proc because that was not enough */
	uint64_t seen_ns;  /* of the record that fit is from; its buffer may be ahead of others */
	bool is_described; /* its mappings are known to the session */
	bool is_gone;	   /* it was not there when last looked for; records of it may still come */
	bool has_exited;   /* its first thread did */
	bool is_left_out;  /* the kernel drops its samples */
	bool is_forgotten;
};

struct known_processes {
	pthread_mutex_t lock;
	VEC(struct known_process *) list;
	struct index_map map;		 /* by pid */
	VEC(struct known_process *) met; /* of the recorder's thread: those that it has met */
	VEC(struct known_process *)
	gone; /* forgotten, but the thread that empties buffers may hold them */
};
void known_processes_init(struct known_processes *t);
void known_processes_fini(struct known_processes *t);
/* NULL: not known. Good until the thread that empties buffers has taken those that are gone. */
struct known_process *known_processes_find(struct known_processes *t, int32_t pid);
struct known_process *known_processes_get(struct known_processes *t, int32_t pid);
/* Rows with is_forgotten are known no more. */
void known_processes_forget(struct known_processes *t);
/* One that was forgotten; the caller frees it. For the thread that empties buffers, between two looks. NULL: none. */
struct known_process *known_processes_take_gone(struct known_processes *t);
