/* Records on their way to the session: processes are followed, and those that nobody asked for are left out. */
#pragma once
#include "record/collectors.h"
#include "record/drain.h"

struct held_files;

/* --- records of processes that nobody asked for, so far (strangers.c) --- */

struct strange_record {
	int32_t pid;		   /* whose fork would tell that it is wanted; 0: taken */
	struct perf_record record; /* in its chunk */
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
void strangers_add(struct strangers *s, int32_t pid, const struct perf_record *record);
/* The next one of this process, oldest round first; each is given once. False: no more. */
struct strangers_place {
	uint32_t round, i;
};
bool strangers_take(struct strangers *s, int32_t pid, struct strangers_place *at,
		    struct perf_record *record);
/* What the round before brought is forgotten. */
void strangers_end_round(struct strangers *s);

/* --- processes (follow.c, synthesize.c) --- */

/* What must be held of processes is held from their first sight on. */
struct follow {
	struct collecting *collecting;
	uint64_t lost_records; /* where programs share the buffers: samples and their own */
	bool is_family; /* of the filtered: those that come from the ones that were asked for */
	struct strangers strangers; /* of is_family */
	uint32_t living;	    /* which of processes.met lived when last looked for */
	uint64_t
		undecided; /* samples dropped of those that ended before it was known what they were */
	struct drain *drain;   /* whom chunks go back to */
	struct chunk *waiting; /* taken from the buffers, not looked at yet; oldest first */
	/* Records of this round and the one before: the session puts them in order where they are. */
	struct chunk *rounds[2];
	uint64_t dropped; /* samples in chunks that came too fast */
	bool has_names;	  /* that samples wait for have come since the last flush */
	uint64_t last_look_ns, last_forget_ns;
	uint32_t forget_above; /* so many are known */
};
void follow_fini(struct follow *f);
/* Processes that are there already. */
void follow_begin(struct follow *f, int32_t command_pid);
/* Records that came before there were chunks: looked at, then given to the session. */
void follow_bytes(struct follow *f, struct str bytes);
/*
 * Chunks, in three steps: waits for some, only when all before are done with, so that what waits is bounded by what the
 * drain keeps; takes them in, for so long: what a program does to be recorded must not keep us from ending; or drops
 * what came too fast to be taken in, and counts it.
 */
void follow_wait(struct follow *f, int timeout_ms);
void follow_take_in(struct follow *f, uint64_t until_ns);
void follow_drop_waiting(struct follow *f);
/* At maps and whatever else collectors look at, some 20 times a second. */
void follow_look_around(struct follow *f);
/* Of is_family: whether all that is wanted has ended, as far as is known from what came in. */
bool follow_all_ended(struct follow *f);
/* Those that have ended are forgotten, some time later. */
void follow_forget_ended(struct follow *f, uint64_t now_ns);
/* Records that say what a process and its threads are called and have mapped. False: it is gone. */
bool synthesize_process(int32_t pid, struct buf *records, struct held_files *held);
/* ... that a part of a file, which it has mapped, is elsewhere, too. */
void synthesize_moved(int32_t pid, const struct process_mapping *moved, struct buf *records);
