/*
 * What /proc says about a process or thread (man 5 proc). root is prepended to /proc: "" for this
 * machine, another folder for tests.
 */
#pragma once
#include "base/base.h"

struct process_status {
	int32_t pid;	   /* as requested; may be a thread's */
	int32_t tgid;	   /* the process; differs from pid for threads */
	int32_t inner_pid; /* in the innermost of its pid namespaces; 0 if not known */
	int32_t parent;
	char comm[64];
	char state;	/* R, S, D, T, t, Z, X, for this thread */
	bool is_zombie; /* all of its threads have ended */
	bool is_kernel_thread;
	uint32_t user, group; /* effective, as seen here; UINT32_MAX if not known */
	uint32_t threads;
	uint64_t start_ticks; /* since boot */
	/*
	 * CPU time, in steps of a kernel tick. children: those waited for, and their descendants.
	 * user includes guest.
	 */
	uint64_t user_ns, kernel_ns, children_ns, guest_ns;
	uint64_t stack_start;	 /* start of the first thread's stack; 0 if hidden */
	uint64_t caught_signals; /* bit set, from signal 1 on */
};
/* Returns false if there is no such process or thread. */
bool process_status_read(const char *root, int32_t pid, struct process_status *s);
/* Reads only stat, which is cheaper for the kernel: no ids but the parent's, no users, no signals. */
bool process_stat_read(const char *root, int32_t pid, struct process_status *s);
/* The pid of a process in the innermost of its pid namespaces; 0 if not known. */
int32_t process_inner_pid(int32_t pid);

/*
 * Reads at most `limit` bytes of a file in /proc/PID (0 for this process). Returns false if it is
 * gone, empty, or not readable.
 */
bool process_file_read(const char *root, int32_t pid, const char *name, size_t limit,
		       struct buf *text);

/* A namespace as in /proc (`pid:[4026531836]`). kind is pid, mnt or user. Empty if hidden. */
struct process_namespace {
	char link[40];
};
struct process_namespace process_namespace_of(const char *root, int32_t pid, const char *kind);
static inline bool process_namespaces_differ(struct process_namespace a, struct process_namespace b)
{
	return a.link[0] && b.link[0] && strcmp(a.link, b.link) != 0;
}
static inline bool process_namespaces_equal(struct process_namespace a, struct process_namespace b)
{
	return a.link[0] && strcmp(a.link, b.link) == 0;
}

/* --- telling reused pids apart (time.c) --- */

/*
 * Whether the process that has this pid now already ran at a time of perf's default clock (time
 * since boot). Returns false if it is gone, or if the pid was reused since.
 */
bool process_started_before(int32_t pid, uint64_t time_ns);
/* When a live process started, by the current wall clock; 0 if it is gone. */
uint64_t process_began_unix_ns(int32_t pid);
/* Whether a file last changed at that time is too old to be from a process that started then. */
bool process_map_is_older(uint64_t changed_unix_ns, uint64_t began_unix_ns);
