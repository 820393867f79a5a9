/*
 * What /proc says of processes (man 5 proc). root is what stands before /proc: "" for this machine,
 * another folder for tests.
 */
#pragma once
#include "target/choice.h"

struct process_status {
	int32_t pid;  /* that was asked for: may be a thread's */
	int32_t tgid; /* of the process; the same as pid unless it is a thread's */
	int32_t parent;
	char comm[64];
	bool is_zombie; /* it has ended, all of its threads */
	bool is_kernel_thread;
	uint32_t user; /* effective */
	uint64_t start_ticks;
};
/* False: there is no such process or thread. */
bool process_status_read(const char *root, int32_t pid, struct process_status *s);

/* A file of /proc/PID, at most `limit` bytes of it. False: it is gone, empty, or may not be read. */
bool process_file_read(const char *root, int32_t pid, const char *name, size_t limit,
		       struct buf *text);
/* The words of its command line with blanks between them; empty: none. */
void process_cmdline(int32_t pid, struct buf *text);
/* Its namespace as /proc has it (`pid:[4026531836]`); kind: pid, mnt, user. Empty: may not be seen. */
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

/* All processes, sorted. */
void process_list(const char *root, struct pid_list *pids);
/* Numbers that are the names of folders in there, sorted. False: there is no such folder. */
bool pid_list_of_folder(const char *folder, struct pid_list *pids);
/* Sorts and removes doubles. */
void pid_list_sort(struct pid_list *pids);
/* The next of the words that blanks or line ends separate; empty: none. */
struct str next_word(struct str *rest);
/* The next line without its end; false: there is none. */
bool next_line(struct str *rest, struct str *line);
/* What stands behind `Key:` in /proc/PID/status; empty: no such line. */
struct str status_field(struct str status, struct str key);
