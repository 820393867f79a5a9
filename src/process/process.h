/*
 * A process seen from outside, alive or dead. Whoever has one fills in the table of functions: target/living.c
 * by /proc. What reads it (v8, runtime.c) knows neither pids nor /proc, so that it reads a core as well.
 *
 * Nothing is stopped or written. What lives changes while it is looked at, and whoever runs there may have
 * made it up: reads are bounded, and nothing is believed unchecked. Not for several threads at once.
 */
#pragma once
#include "process/memory.h"
#include "process/open.h"
#include "process/processes.h"
#include "process/status.h"

/* Memory that is mapped, of a file or of none: a line of /proc/PID/maps, a record of perf, a note of a core. */
struct process_mapping {
	uint64_t start, end, offset;
	uint32_t device_major, device_minor;
	uint64_t inode;
	unsigned protection; /* PROT_ */
	bool is_shared;
	/*
	 * As the process knows it; `[heap]`, `[vdso]`; empty: none. The kernel puts ` (deleted)` behind
	 * those that have no name any more, as it does in its own records.
	 */
	struct str path;
};
typedef void process_on_mapping(void *context, const struct process_mapping *m);
/* A mapping's path without ` (deleted)`. */
static inline struct str process_plain_path(struct str path)
{
	return str_ends(path, STR(" (deleted)")) ? str_first(path, path.n - strlen(" (deleted)"))
						 : path;
}
static inline bool process_mappings_share_file(const struct process_mapping *a,
					       const struct process_mapping *b)
{
	return a->inode == b->inode && a->device_major == b->device_major &&
	       a->device_minor == b->device_minor;
}

struct process_thread {
	int32_t tid;
	bool has_registers;	/* of one that runs they are not known */
	uint64_t registers[32]; /* by perf's own numbers: asm/perf_regs.h */
};
typedef void process_on_thread(void *context, const struct process_thread *t);

/* Texts that a program was started with: words, each with a NUL behind it. */
enum process_words { PROCESS_COMMAND_LINE, PROCESS_ENVIRONMENT };

struct process {
	const struct process_ops *ops;
	struct memory *memory; /* whoever made the process has it */
	char name[24];	       /* for messages: `pid 4711` */
};

/* None of them is NULL. Descriptors are the caller's, for reading; -1: there is none, and errno. */
struct process_ops {
	/*
	 * Calls with each executable mapping, in the order of addresses; is_all: with all. False: e, it has
	 * ended, has no memory of its own (a thread of the kernel), or may not be looked at.
	 */
	bool (*visit_mappings)(struct process *p, bool is_all, process_on_mapping *on,
			       void *context, struct err *e);
	/* False: it has ended. */
	bool (*visit_threads)(struct process *p, process_on_thread *on, void *context);
	/* False: it has ended. Of a core what it does not have is 0, or not known. */
	bool (*status)(struct process *p, struct process_status *s);
	/* False: they may not be seen. */
	bool (*read_words)(struct process *p, enum process_words which, struct buf *words);
	/* Its program. path: as the process knows it, even if it cannot be opened; empty: not to be seen. */
	int (*open_program)(struct process *p, struct buf *path);
	/* The file that is mapped there, compared by inode: not another one that has its path by now. */
	int (*open_mapped)(struct process *p, const struct process_mapping *m);
	/* A plain file by a path of the process's own: links stay below its root, other users' are refused. */
	int (*open_path)(struct process *p, const char *path, struct err *e);
	/* What helps where it may not be looked at: `run plume with sudo`. */
	const char *(*advice)(void);
};

/*
 * The n oldest bytes of the stack that sp is in (0: of its first thread's), from *address on; 0: it is gone, or may not
 * be read.
 */
size_t process_stack_begin(struct process *p, uint64_t sp, uint64_t *address, void *to, size_t n);

#include "process/runtime.h"
