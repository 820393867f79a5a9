/*
 * Descriptors of the sources of names, taken while processes are alive, so that names survive their
 * exit: the root folder, mapped files (once per inode, however many processes map them), the JIT
 * map, jitdump. Their number is limited. Beyond it, the oldest unused ones are closed. What is not
 * held is looked up by path, as if nothing were held.
 */
#pragma once
#include "process/process.h"
#include "symbol/symbol.h"

struct held_files;

/* max_descriptors is 0 for a share of RLIMIT_NOFILE, which is first raised to its hard limit. */
struct held_files *held_files_new(uint32_t max_descriptors);
void held_files_free(struct held_files *h);
/* Their interface for symbol_options. Lives as long as they do. */
struct processes *held_files_processes(struct held_files *h);

/*
 * A process that is new, or has called exec (is_exec). parent is 0 if not known; if the process is
 * already gone, its parent's root is used. time_ns is the time of that by CLOCK_MONOTONIC, 0 for
 * now: earlier times belong to the previous process with this pid.
 */
void held_files_add_process(struct held_files *h, int32_t pid, int32_t parent, bool is_exec,
			    uint64_t time_ns);
/* The process mapped this as executable. This includes files other than ELF (jitdump). */
void held_files_add_mapping(struct held_files *h, int32_t pid, const struct process_mapping *m);
/*
 * The process or its first thread has ended. What is held stays; the pid may be reused. If other
 * threads go on, that is detected.
 */
void held_files_end_process(struct held_files *h, int32_t pid);

/*
 * Records the size of every process's map at this time (CLOCK_MONOTONIC), and notices new,
 * truncated and replaced maps. Cheap: one fstat each, and nothing for processes without JIT memory.
 */
void held_files_look(struct held_files *h, uint64_t now_ns);
/*
 * No earlier times will be asked for: forgets processes that ended before, and some time later the
 * files that only they had mapped.
 */
void held_files_forget_states(struct held_files *h, uint64_t before_ns);

/* A unique number for its root folder, never reused; 0 if none is held. */
uint64_t held_files_root_number(const struct held_files *h, int32_t pid);
uint32_t held_files_count(const struct held_files *h); /* descriptors in use */
/* Mapped files that were not held because there were too many. */
uint64_t held_files_refused(const struct held_files *h);
