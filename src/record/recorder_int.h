/* The parts of a recording, shared by recorder*.c. */
#pragma once
#include "record/command.h"
#include "record/follow.h"

struct recorder {
	struct budgets *budgets; /* limits on the cost of names */
	struct record_options options;
	struct opened_events events;
	struct drain drain;
	struct perf_live live;
	struct perf_session *session;
	struct held_files *held;
	struct follow follow;
	struct collecting collecting;
	struct source_maps *source_maps; /* NULL if not requested */
	struct started_command command;
	struct profile *p;
	struct buf remarks;
	uint64_t start_ns, end_ns;
	uint64_t period_start_ns;	  /* start of the current profile */
	struct perf_counts period_counts; /* counts at that time */
	uint64_t last_flush_ns, flush_cost_ns;
	uint64_t used_ns;	   /* CPU time, set at the end */
	struct event_counts early; /* counted before the start */
	uint64_t clock_samples;	   /* of this and earlier profiles */
	/* The drain pass after which no records of ended processes can follow; 0 while they run. */
	uint64_t gone_looks;
	bool is_over;
};

/* Opens the events and begins to follow processes. Does not start sampling. */
bool recorder_open(struct recorder *r, struct err *e);
/* Returns NULL if they are not requested. (source_maps.c) */
struct source_maps *recorder_source_maps(struct recorder *r);
/* Adds the facts known at the start of a profile, so that they survive if plume is killed. */
void recorder_begin_facts(struct recorder *r, uint64_t start_ns, uint64_t start_unix_ns);
/* is_part: the recording continues in another file. */
void recorder_end_facts(struct recorder *r, uint64_t end_ns, bool is_part);
