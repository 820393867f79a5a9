/*
 * Descriptors of what names come from, taken while processes live, so that names survive their exit: the
 * root directory, mapped files (once per inode, however many have them mapped), the map of JIT code,
 * jitdump. Their number is bounded; beyond it the oldest ones that nobody needs any more go, and what is
 * not held is looked for by its path, as if nothing were held.
 */
#pragma once
#include "process/process.h"
#include "symbol/symbol.h"

struct held_files;

/* max_descriptors 0: a share of what RLIMIT_NOFILE allows (raised to its hard limit first). */
struct held_files *held_files_new(uint32_t max_descriptors);
void held_files_free(struct held_files *h);
/* What may be asked of them, for symbol_options. It lives as long as they do. */
struct processes *held_files_processes(struct held_files *h);

/*
 * A process that was seen for the first time, or has begun another program (is_exec). parent 0: not
 * known. If it is gone already, its parent's root stands for its own. time_ns: when that was, by
 * CLOCK_MONOTONIC: what is asked for earlier moments is of whoever had the number before. 0: now.
 */
void held_files_add_process(struct held_files *h, int32_t pid, int32_t parent, bool is_exec,
			    uint64_t time_ns);
/* It has mapped this, executable. Files that are no ELF (jitdump) count as well. */
void held_files_add_mapping(struct held_files *h, int32_t pid, const struct process_mapping *m);
/*
 * It has ended, or its first thread has: what is held of it stays, its number may come again. Others of
 * its threads that go on are noticed.
 */
void held_files_end_process(struct held_files *h, int32_t pid);

/*
 * Looks at the maps of all processes: how large each is at this moment (CLOCK_MONOTONIC). A map that
 * has come, was cut or replaced is noticed. Cheap: one fstat each, and nothing for processes that have
 * mapped no memory for code of their own making.
 */
void held_files_look(struct held_files *h, uint64_t now_ns);
/*
 * Moments before this one are not asked for any more: processes that ended before it are forgotten, and
 * a while later the files that only they had mapped.
 */
void held_files_forget_states(struct held_files *h, uint64_t before_ns);

/* A number for its root directory, never given twice; 0: none is held. */
uint64_t held_files_root_number(const struct held_files *h, int32_t pid);
uint32_t held_files_count(const struct held_files *h); /* descriptors in use */
/* Mapped files that could not be held because there were too many. */
uint64_t held_files_refused(const struct held_files *h);
