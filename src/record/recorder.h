/* A recording: created, started, stepped until it is over, and ended. */
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
	uint32_t stack_bytes;  /* per copy of a stack; 0 to derive it from rate and program */
	uint32_t buffer_pages; /* of each cpu's buffer, a power of two; 0 for the default */
	bool user_only, kernel_only;
	bool no_inherit;  /* neither children nor later threads */
	bool no_attach;	  /* do not ask JVMs for their maps */
	bool source_maps; /* name JavaScript by its original source */
	bool keep_addresses;
	uint64_t delay_ns;     /* samples before are not taken */
	char *const *command;  /* started once everything is open; NULL-terminated; NULL if none */
	bool is_command_timer; /* the command only sets the duration and is not recorded */
	struct symbol_options names;
	uid_t caller; /* who runs plume, even through sudo: their own files count as trusted */
	struct perf_data_writer *data; /* records are also written there; NULL if not wanted */
	const char *command_line;      /* plume's own, for the recording's facts */
};

/*
 * Loads and unloads the BPF program that walks JavaScript stacks in the kernel. Returns false and
 * sets e to the reason and, after `; `, what to do.
 */
bool recorder_tries_walker(struct err *e);

struct recorder;

/*
 * Opens the events and looks at running processes. Samples are added to p, which the caller owns.
 * options and what they point to must outlive the recorder. Returns NULL and sets e on failure.
 */
struct recorder *recorder_new(const struct record_options *options, struct profile *p,
			      struct err *e);
void recorder_free(struct recorder *r);
/* Starts sampling. Returns false and sets e if the command cannot be started. */
bool recorder_start(struct recorder *r, struct err *e);
/* Processes what arrived, or waits for at most timeout_ms. Returns false once the target is gone. */
bool recorder_step(struct recorder *r, int timeout_ms);
/* Whether it is time to flush: now and then, and less often if flushing takes long. */
bool recorder_wants_flush(const struct recorder *r);
/* Names what arrived and adds it to the profile. */
void recorder_flush(struct recorder *r);
/* Stops sampling, processes and names what is left in the buffers, and adds the recording's facts. */
void recorder_end(struct recorder *r);
/* Completes the current profile with its facts. From now on everything goes into p. */
void recorder_set_profile(struct recorder *r, struct profile *p);

struct record_status {
	struct perf_counts counts;
	uint64_t elapsed_ns; /* since the start, without the delay */
	double busy_cpus;    /* from used_ns */
	/* CPU time that the samples of the first event stand for; 0 unless it is a clock */
	uint64_t sampled_ns;
	/* CPU time as counted by the kernel; sampled_ns if it does not */
	uint64_t used_ns;
	uint32_t processes;
	/* Samples dropped because plume could not tell whether their process was selected. */
	uint64_t undecided;
	bool is_over;		/* everything to be recorded has ended */
	bool is_command_over;	/* it exited by itself */
	bool was_command_ended; /* by SIGTERM, as the recording ended first */
	int command_status;	/* as from waitpid */
};
struct record_status recorder_status(struct recorder *r);
/* Cheap parts of the status: reading counts interrupts every cpu. */
uint64_t recorder_elapsed_ns(const struct recorder *r);
bool recorder_command_is_over(const struct recorder *r);
/* Notes for the user, each ended by a newline: what differs from the request, and why. */
struct str recorder_remarks(const struct recorder *r);
