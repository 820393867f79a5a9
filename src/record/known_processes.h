/*
 * The processes of a recording, one row each. Two threads use them: the drain thread, which sees
 * records within milliseconds, and the recorder's, which may lag by seconds. Rows never move.
 */
#pragma once
#include "target/target.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MAX_COLLECTORS = 8 };

struct known_process {
	int32_t pid;
	/* If filtered: whether the process is selected, for the drain thread. */
	atomic_bool is_wanted_fresh;
	/* One per collector, by its number. Used by only one thread each. */
	void *slot[MAX_COLLECTORS];

	/* --- recorder's thread only (follow.c) --- */
	bool is_met;
	bool is_wanted;
	/* If is_filtered. May change as the process changes; is_wanted stays. */
	struct target_fit fit;
	uint8_t looks;	   /* lookups in /proc because fit was inconclusive */
	uint64_t seen_ns;  /* of the record that fit is from; its buffer may be ahead of others */
	bool is_described; /* the session knows its mappings */
	bool is_gone;	   /* missing at the last check; records may still arrive */
	bool has_exited;   /* its first thread exited */
	bool is_left_out;  /* the kernel drops its samples */
	bool is_forgotten;
};

struct known_processes {
	pthread_mutex_t lock;
	VEC(struct known_process *) list;
	struct index_map map;		 /* by pid */
	VEC(struct known_process *) met; /* recorder's thread only: processes it has met */
	/* Forgotten, but the drain thread may still use them. */
	VEC(struct known_process *)
	gone;
};
void known_processes_init(struct known_processes *t);
void known_processes_fini(struct known_processes *t);
/* Returns NULL if unknown. Valid until the drain thread has collected the rows that are gone. */
struct known_process *known_processes_find(struct known_processes *t, int32_t pid);
struct known_process *known_processes_get(struct known_processes *t, int32_t pid);
/* Removes rows with is_forgotten. */
void known_processes_forget(struct known_processes *t);
/* Returns a forgotten row, which the caller frees, or NULL. For the drain thread, between two chunks. */
struct known_process *known_processes_take_gone(struct known_processes *t);
