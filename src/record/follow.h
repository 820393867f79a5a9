/* Passes records on to the session. Follows processes and drops the records of processes that are not selected. */
#pragma once
#include "record/collectors.h"
#include "record/drain.h"

struct held_files;

/* --- records of processes not selected so far (strangers.c) --- */

struct strange_record {
	int32_t pid; /* its fork record would tell whether it is selected; 0 once taken */
	struct perf_record record; /* points into its chunk */
};
struct strange_records {
	struct strange_record *p;
	uint32_t n, capacity;
};
struct strangers {
	struct strange_records rounds[2]; /* the previous and the current one */
};
void strangers_fini(struct strangers *s);
/* The record must stay in place until the next round ends. */
void strangers_add(struct strangers *s, int32_t pid, const struct perf_record *record);
/* The next record of this process, oldest round first. Each is returned once. Returns false at the end. */
struct strangers_place {
	uint32_t round, i;
};
bool strangers_take(struct strangers *s, int32_t pid, struct strangers_place *at,
		    struct perf_record *record);
/* Forgets the previous round. */
void strangers_end_round(struct strangers *s);

/* --- processes (follow.c, synthesize.c) --- */

/* Whatever must be held of a process is held as soon as plume sees it. */
struct follow {
	struct collecting *collecting;
	uint64_t lost_records; /* samples, and records of BPF programs, if they share buffers */
	/* If filtered: descendants of selected processes are selected. */
	bool is_family;
	struct strangers strangers; /* used if is_family */
	uint32_t living; /* index in processes.met of one that was alive at the last check */
	/* Dropped samples of processes that exited before plume knew what they were. */
	uint64_t undecided;
	struct drain *drain;   /* chunks go back to it */
	struct chunk *waiting; /* taken from the drain, not processed yet; oldest first */
	/* Chunks of this round and the previous one. The session sorts their records in place. */
	struct chunk *rounds[2];
	uint64_t dropped; /* samples in chunks that came too fast */
	bool has_names;	  /* names arrived since the last flush that samples wait for */
	uint64_t last_look_ns, last_forget_ns;
	uint32_t forget_above; /* forget processes once more than this are known */
};
void follow_fini(struct follow *f);
/* Adds processes that already run. */
void follow_begin(struct follow *f, int32_t command_pid);
/* Processes records that came before there were chunks and passes them to the session. */
void follow_bytes(struct follow *f, struct str bytes);
/*
 * Chunks are processed in three steps. follow_wait waits for new ones only when all others are done, so the drain's
 * limit bounds the backlog. follow_take_in processes them until until_ns: a target that floods plume must not keep it
 * from ending. follow_drop_waiting drops and counts what came too fast.
 */
void follow_wait(struct follow *f, int timeout_ms);
void follow_take_in(struct follow *f, uint64_t until_ns);
void follow_drop_waiting(struct follow *f);
/* Lets collectors check maps and the like, about 20 times a second. */
void follow_look_around(struct follow *f);
/* If is_family: whether all selected processes have ended, according to the records so far. */
bool follow_all_ended(struct follow *f);
/* Forgets processes a while after they ended. */
void follow_forget_ended(struct follow *f, uint64_t now_ns);
/*
 * Writes records with the names of a process and its threads and with its mappings. Returns false
 * if the process is gone.
 */
bool synthesize_process(int32_t pid, struct buf *records, struct held_files *held);
/* Writes a record saying that part of a mapped file is also at another address. */
void synthesize_moved(int32_t pid, const struct process_mapping *moved, struct buf *records);
