/* Chrome trace events: what was read, before it becomes samples. */
#pragma once
#include "source/v8_profile_int.h"

/* Ids of processes, threads and profiles are numbers or strings. */
struct trace_id {
	int64_t number;
	text_id text;
};

/* B, E or X. */
struct trace_call {
	int64_t time_ns;
	int64_t length_ns; /* of an X; otherwise CALL_BEGINS or CALL_ENDS */
	uint64_t offset;   /* in the input */
	text_id name;
};
enum { CALL_BEGINS = -1, CALL_ENDS = -2 };

struct trace_thread {
	struct trace_id pid, tid;
	text_id name;
	uint32_t process;
	VEC(struct trace_call) calls;
	thread_id id; /* in the profile */
	/* Profiles of this thread: where the last one ended, and how many overlapped others. */
	int64_t profiled_until_ns;
	uint32_t profiles_beside;
};

struct trace_process {
	struct trace_id pid;
	text_id name;
};

/* Data from `Profile` and its chunks. */
struct trace_profile {
	struct trace_id pid, id;
	uint32_t thread;
	struct v8_profile v;
};

struct trace {
	struct profile *p;
	struct texts texts;
	VEC(struct trace_thread) threads;
	VEC(struct trace_process) processes;
	VEC(struct trace_profile) profiles;
	struct index_map thread_map, process_map, profile_map;
	uint32_t last_thread; /* consecutive events are mostly from one thread */
	int64_t end_ns;	      /* of the last event */
	/* For all profiles and all threads. */
	uint64_t nodes, edges, samples, times, calls;
};

/* Finds or adds it. */
uint32_t trace_find_thread(struct trace *t, struct trace_id pid, struct trace_id tid);
uint32_t trace_find_process(struct trace *t, struct trace_id pid);
uint32_t trace_find_profile(struct trace *t, struct trace_id pid, struct trace_id id,
			    uint32_t thread);
/* Adds threads and their names to the profile. */
void trace_add_threads(struct trace *t);
/* Turns calls into samples. */
void trace_add_calls(struct trace *t);
