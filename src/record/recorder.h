/* A recording: opened, started, stepped until it is over, ended. */
#pragma once
#include "perf/perf.h"
#include "record/event.h"
#include "target/target.h"

enum call_graph { CALL_GRAPH_AUTO, CALL_GRAPH_FP, CALL_GRAPH_DWARF, CALL_GRAPH_NONE };

struct record_options {
	const struct record_events *events;
	const struct target_wish *wish;
	const struct target_choice *choice;
	unsigned call_graph;   /* enum call_graph */
	uint32_t stack_bytes;  /* of each copy of a stack; 0: as the rate and the program allow */
	uint32_t buffer_pages; /* of each cpu's buffer, a power of two; 0: chosen */
	bool user_only, kernel_only;
	bool no_inherit;  /* neither children nor threads that come later */
	bool no_attach;	  /* a JVM is not asked for its map */
	bool source_maps; /* JavaScript is named as it was written */
	bool keep_addresses;
	uint64_t delay_ns;     /* samples before are not taken */
	char *const *command;  /* started when all is open; ends in NULL; NULL: none */
	bool is_command_timer; /* it is not what is recorded, but how long */
	struct symbol_options names;
	uid_t caller; /* who runs plume, also by sudo: names of their files may cost more */
	struct perf_data_writer *data; /* what comes is written there, too; NULL: nowhere */
	const char *command_line;      /* of plume itself, for the recording's facts */
};

/*
 * Loads the BPF program that walks stacks of JavaScript in the kernel, and lets it go again. False: why it cannot be,
 * and behind `; ` what to do.
 */
bool recorder_tries_walker(struct err *e);

struct recorder;

/*
 * Opens the events and looks at the processes that are there. Samples go into p, which is the caller's.
 * options and what they point to stay until recorder_free. NULL: e.
 */
struct recorder *recorder_new(const struct record_options *options, struct profile *p,
			      struct err *e);
void recorder_free(struct recorder *r);
/* From here on samples are taken. False: e (a command that cannot be started). */
bool recorder_start(struct recorder *r, struct err *e);
/* Takes in what came; waits for at most so long when there is nothing. False: whom it is about is gone. */
bool recorder_step(struct recorder *r, int timeout_ms);
/* True when it is time to name what came in: now and then, more seldom where that takes long. */
bool recorder_wants_flush(const struct recorder *r);
/* Names what came in and adds it to the profile. */
void recorder_flush(struct recorder *r);
/* No more samples; what is in the buffers is taken in, named, and the recording's facts are added. */
void recorder_end(struct recorder *r);
/* The profile is done with (facts are added to it); what comes now goes into p. */
void recorder_set_profile(struct recorder *r, struct profile *p);

struct record_status {
	struct perf_counts counts;
	uint64_t elapsed_ns; /* since the start, without the delay */
	double busy_cpus;    /* by used_ns */
	uint64_t
		sampled_ns; /* CPU time that the samples of the first event, a clock, stand for; else 0 */
	uint64_t used_ns; /* CPU time as the kernel counted it, where it does; else the same */
	uint32_t processes;
	uint64_t undecided;	/* samples left out: nobody knows whether their process was meant */
	bool is_over;		/* all that was to be recorded has ended */
	bool is_command_over;	/* by itself */
	bool was_command_ended; /* by SIGTERM, as the recording ended first */
	int command_status;	/* as waitpid has it */
};
struct record_status recorder_status(struct recorder *r);
/* Parts of it that cost nothing: counts are asked from each cpu, which interrupts what runs there. */
uint64_t recorder_elapsed_ns(const struct recorder *r);
bool recorder_command_is_over(const struct recorder *r);
/* Sentences for the user, each ended by a newline: what was done otherwise than asked, and why. */
struct str recorder_remarks(const struct recorder *r);
