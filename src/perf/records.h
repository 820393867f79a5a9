/*
 * Records of perf events as the kernel and perf write them: one iterator and one decoder, for perf.data and for buffers
 * that are being recorded. Which fields a record has depends on the event it belongs to (man 2 perf_event_open), so
 * every decoder takes the events. Nothing is copied: pointers lead into the record.
 */
#pragma once
#include "process/process.h"

struct perf_event_attr;

enum { RECORD_HEADER_BYTES = 8 };

struct perf_record {
	uint32_t type;
	uint16_t misc, size;
	const char *bytes; /* with the header */
	uint64_t offset;   /* in the input, for messages */
	const struct perf_found
		*found; /* of a sample: what a recorder found out when it came; else NULL */
};

/* Records that stand one behind the other. */
struct perf_records {
	const char *p;
	size_t n;
	bool is_swapped;
};
static inline struct perf_records perf_records_of(const char *bytes, size_t n)
{
	return (struct perf_records){ bytes, n, false };
}
/* Takes the next one. False: what is left is no whole record. */
bool perf_records_next(struct perf_records *left, struct perf_record *r);

/* --- the events that records belong to --- */

struct perf_events;
struct perf_events *perf_events_new(void);
void perf_events_free(struct perf_events *e);
/* name: NULL when type and config say it. Returns its number. */
uint32_t perf_events_add(struct perf_events *e, const struct perf_event_attr *attr,
			 const char *name);
void perf_events_add_id(struct perf_events *e, uint64_t id, uint32_t event);

/* --- fields --- */

/* What samples begin with, and other records end with. */
struct perf_ids {
	int32_t pid, tid; /* PID_UNKNOWN */
	uint64_t time_ns; /* 0: not known */
	uint64_t id;
	int32_t cpu; /* -1 */
};
/* The ids of any record. */
struct perf_ids perf_record_ids(const struct perf_events *e, const struct perf_record *r);

struct perf_sample {
	struct perf_ids ids;
	uint32_t event;
	uint64_t ip, address, period, cgroup;
	struct cursor group; /* counts of all events of its group; empty: it has none */
	struct cursor chain; /* addresses; empty: there is none */
	struct str raw;	     /* what a tracepoint or a BPF program added */
	bool has_chain, has_period, has_user_registers;
	uint64_t user_abi, user_registers_mask;
	struct cursor user_registers;
	struct str user_stack;		/* as much of it as was copied */
	const struct perf_found *found; /* the record's */
	bool is_stack_full; /* the copy is as large as was asked for: there may be more */
};
/* False: there are no events, or the record is too short for what its event says it holds. */
bool perf_sample_read(const struct perf_events *e, const struct perf_record *r,
		      struct perf_sample *sample);

/* Registers of user space and a copy of its stack. */
struct perf_user_state {
	uint64_t mask;		/* which registers, by perf's own numbers: asm/perf_regs.h */
	uint64_t registers[64]; /* one for each bit of it */
	struct str stack;
};
/* False: the sample has none, or of 32-bit code. */
bool perf_user_state_read(const struct perf_sample *sample, struct perf_user_state *out);

/* The others; false: the record is too short. */

/* PERF_RECORD_FORK, PERF_RECORD_EXIT: also of threads. */
struct perf_task {
	int32_t pid, parent, tid, parent_tid;
};
bool perf_task_read(const struct perf_events *e, const struct perf_record *r,
		    struct perf_task *out);

/* PERF_RECORD_COMM */
struct perf_comm {
	int32_t pid, tid;
	struct str name;
	bool is_exec; /* it runs another program now */
};
bool perf_comm_read(const struct perf_events *e, const struct perf_record *r,
		    struct perf_comm *out);

/* PERF_RECORD_MMAP, PERF_RECORD_MMAP2 */
struct perf_mapping {
	int32_t pid, tid;
	struct process_mapping mapping; /* inode 0: not known */
	struct str build_id;		/* empty: not known */
};
bool perf_mapping_read(const struct perf_events *e, const struct perf_record *r,
		       struct perf_mapping *out);

/* PERF_RECORD_LOST, PERF_RECORD_LOST_SAMPLES: how many records were lost. */
bool perf_lost_read(const struct perf_events *e, const struct perf_record *r, uint64_t *lost);
