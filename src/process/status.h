/*
 * What /proc says of a process or a thread (man 5 proc). root is what stands before /proc: "" for this
 * machine, another folder for tests.
 */
#pragma once
#include "base/base.h"

struct process_status {
	int32_t pid;	   /* that was asked for: may be a thread's */
	int32_t tgid;	   /* of the process; the same as pid unless it is a thread's */
	int32_t inner_pid; /* in the innermost of its pid namespaces; 0: not known */
	int32_t parent;
	char comm[64];
	char state;	/* R, S, D, T, t, Z, X: of this thread */
	bool is_zombie; /* all of its threads have ended */
	bool is_kernel_thread;
	uint32_t user, group; /* effective, as seen here; UINT32_MAX: not known */
	uint32_t threads;
	uint64_t start_ticks; /* since boot */
	/* CPU time, in ticks of the kernel's. children: that have been waited for, and theirs; guest is user's, too. */
	uint64_t user_ns, kernel_ns, children_ns, guest_ns;
	uint64_t stack_start;	 /* where the first thread's stack begins; 0: may not be seen */
	uint64_t caught_signals; /* bits, from signal 1 on */
};
/* False: there is no such process or thread. */
bool process_status_read(const char *root, int32_t pid, struct process_status *s);
/* Only what stat has, which costs the kernel less: no ids but the parent's, no users, no signals. */
bool process_stat_read(const char *root, int32_t pid, struct process_status *s);
/* The pid that a process has in the innermost of its pid namespaces; 0: not known. */
int32_t process_inner_pid(int32_t pid);

/* A file of /proc/PID (0: this process), at most `limit` bytes of it. False: it is gone, empty, or may not be read. */
bool process_file_read(const char *root, int32_t pid, const char *name, size_t limit,
		       struct buf *text);

/* A namespace as /proc has it (`pid:[4026531836]`); kind: pid, mnt, user. Empty: may not be seen. */
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

/* --- which process is it? (time.c) --- */

/*
 * Whether the process that has this pid now was there at a moment of the clock that perf uses when it
 * is not told another (time since boot). False: it is gone, or the pid was given to another one since.
 */
bool process_started_before(int32_t pid, uint64_t time_ns);
/* When a living process began, by the wall clock as it goes now; 0: it is gone. */
uint64_t process_began_unix_ns(int32_t pid);
/* Whether a file that was written to last at a moment is too old to be of a process that began then. */
bool process_map_is_older(uint64_t changed_unix_ns, uint64_t began_unix_ns);
