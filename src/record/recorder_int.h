/* The parts of a recording, for the files that make one up: recorder*.c. */
#pragma once
#include "record/command.h"
#include "record/follow.h"

struct recorder {
	struct budgets *budgets; /* what names may cost */
	struct record_options options;
	struct opened_events events;
	struct drain drain;
	struct perf_live live;
	struct perf_session *session;
	struct held_files *held;
	struct follow follow;
	struct collecting collecting;
	struct source_maps *source_maps; /* NULL: not asked for */
	struct started_command command;
	struct profile *p;
	struct buf remarks;
	uint64_t start_ns, end_ns;
	uint64_t period_start_ns;	  /* of the profile at hand */
	struct perf_counts period_counts; /* ... when it began */
	uint64_t last_flush_ns, flush_cost_ns;
	uint64_t used_ns;	   /* of CPU time, at the end */
	struct event_counts early; /* before it began */
	uint64_t clock_samples;	   /* of this and earlier profiles */
	uint64_t
		gone_looks; /* of the drain, by which all is known of those that have ended; 0: they have not */
	bool is_over;
};

/* Opens what is to be sampled and begins to follow it; nothing is sampled yet. */
bool recorder_open(struct recorder *r, struct err *e);
/* source_maps.c: NULL when they are not asked for. */
struct source_maps *recorder_source_maps(struct recorder *r);
/* What is known when a profile begins is in it from then on, should plume be killed. */
void recorder_begin_facts(struct recorder *r, uint64_t start_ns, uint64_t start_unix_ns);
/* is_part: the recording goes on in another file. */
void recorder_end_facts(struct recorder *r, uint64_t end_ns, bool is_part);
