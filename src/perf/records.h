/*
 * perf event records as the kernel and perf write them: one iterator and one decoder, for both
 * perf.data and live buffers. A record's fields depend on its event (man 2 perf_event_open), so
 * every decoder takes the events. Nothing is copied: pointers lead into the record.
 */
#pragma once
#include "process/process.h"

struct perf_event_attr;

enum { RECORD_HEADER_BYTES = 8 };

struct perf_record {
	uint32_t type;
	uint16_t misc, size;
	const char *bytes; /* including the header */
	uint64_t offset;   /* in the input, for messages */
	/* What a recorder found out about a sample on arrival; else NULL. */
	const struct perf_found *found;
};

/* Consecutive records. */
struct perf_records {
	const char *p;
	size_t n;
	bool is_swapped;
};
static inline struct perf_records perf_records_of(const char *bytes, size_t n)
{
	return (struct perf_records){ bytes, n, false };
}
/* Takes the next one. Returns false if the rest is not a complete record. */
bool perf_records_next(struct perf_records *left, struct perf_record *r);

/* --- the events that records belong to --- */

struct perf_events;
struct perf_events *perf_events_new(void);
void perf_events_free(struct perf_events *e);
/* name is NULL to derive it from type and config. Returns the event's index. */
uint32_t perf_events_add(struct perf_events *e, const struct perf_event_attr *attr,
			 const char *name);
void perf_events_add_id(struct perf_events *e, uint64_t id, uint32_t event);

/* --- fields --- */

/* The fields that samples begin with and other records end with. */
struct perf_ids {
	int32_t pid, tid; /* PID_UNKNOWN if absent */
	uint64_t time_ns; /* 0 if not known */
	uint64_t id;
	int32_t cpu; /* -1 if not known */
};
/* Returns the ids of any record. */
struct perf_ids perf_record_ids(const struct perf_events *e, const struct perf_record *r);

struct perf_sample {
	struct perf_ids ids;
	uint32_t event;
	uint64_t ip, address, period, cgroup;
	struct cursor group; /* counts of all events of its group; empty if none */
	struct cursor chain; /* addresses; empty if none */
	struct str raw;	     /* data of a tracepoint or a BPF program */
	bool has_chain, has_period, has_user_registers;
	uint64_t user_abi, user_registers_mask;
	struct cursor user_registers;
	struct str user_stack;		/* the part that was copied */
	const struct perf_found *found; /* of the record */
	bool is_stack_full; /* the copy has the full requested size: the stack may continue */
};
/* Returns false if there are no events, or if the record is too short for the fields of its event. */
bool perf_sample_read(const struct perf_events *e, const struct perf_record *r,
		      struct perf_sample *sample);

/* User-space registers and a copy of the user stack. */
struct perf_user_state {
	uint64_t mask;		/* which registers, by perf's numbers: asm/perf_regs.h */
	uint64_t registers[64]; /* one per bit of mask */
	struct str stack;
};
/* Returns false if the sample has none, or those of 32-bit code. */
bool perf_user_state_read(const struct perf_sample *sample, struct perf_user_state *out);

/* The other records. Return false if the record is too short. */

/* PERF_RECORD_FORK, PERF_RECORD_EXIT: of processes and threads. */
struct perf_task {
	int32_t pid, parent, tid, parent_tid;
};
bool perf_task_read(const struct perf_events *e, const struct perf_record *r,
		    struct perf_task *out);

/* PERF_RECORD_COMM */
struct perf_comm {
	int32_t pid, tid;
	struct str name;
	bool is_exec; /* the thread called exec */
};
bool perf_comm_read(const struct perf_events *e, const struct perf_record *r,
		    struct perf_comm *out);

/* PERF_RECORD_MMAP, PERF_RECORD_MMAP2 */
struct perf_mapping {
	int32_t pid, tid;
	struct process_mapping mapping; /* inode is 0 if not known */
	struct str build_id;		/* empty if not known */
};
bool perf_mapping_read(const struct perf_events *e, const struct perf_record *r,
		       struct perf_mapping *out);

/* PERF_RECORD_LOST, PERF_RECORD_LOST_SAMPLES: the number of lost records. */
bool perf_lost_read(const struct perf_events *e, const struct perf_record *r, uint64_t *lost);
