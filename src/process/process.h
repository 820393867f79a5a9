/*
 * A process seen from outside, alive or dead. Whoever has one fills in the table of functions; target/living.c uses
 * /proc. Its readers (v8, runtime.c) know neither pids nor /proc, so they also work on cores.
 *
 * Nothing is stopped or written. A live process changes while plume reads it, and it may be hostile: reads are
 * bounded, and everything is checked. Not thread-safe.
 */
#pragma once
#include "process/memory.h"
#include "process/open.h"
#include "process/processes.h"
#include "process/status.h"

/* A mapping, of a file or anonymous: a line of /proc/PID/maps, a perf record, a note of a core. */
struct process_mapping {
	uint64_t start, end, offset;
	uint32_t device_major, device_minor;
	uint64_t inode;
	unsigned protection; /* PROT_ */
	bool is_shared;
	/*
	 * As the process knows it; `[heap]`, `[vdso]`; empty if anonymous. The kernel appends
	 * ` (deleted)` to files that have been unlinked, also in its own records.
	 */
	struct str path;
};
typedef void process_on_mapping(void *context, const struct process_mapping *m);
/* Returns a mapping's path without ` (deleted)`. */
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
	bool has_registers;	/* false for a running thread */
	uint64_t registers[32]; /* by perf's numbers: asm/perf_regs.h */
};
typedef void process_on_thread(void *context, const struct process_thread *t);

/* The strings that a program was started with, each terminated by NUL. */
enum process_words { PROCESS_COMMAND_LINE, PROCESS_ENVIRONMENT };

struct process {
	const struct process_ops *ops;
	struct memory *memory; /* owned by whoever made the process */
	char name[24];	       /* for messages: `pid 4711` */
};

/* No function is NULL. Descriptors are opened for reading and owned by the caller; -1 and errno on failure. */
struct process_ops {
	/*
	 * Calls `on` for each executable mapping in address order, or for every mapping if is_all. Returns false and
	 * sets e if the process has ended, has no memory of its own (a kernel thread), or permission is denied.
	 */
	bool (*visit_mappings)(struct process *p, bool is_all, process_on_mapping *on,
			       void *context, struct err *e);
	/* Returns false if the process has ended. */
	bool (*visit_threads)(struct process *p, process_on_thread *on, void *context);
	/* Returns false if the process has ended. What a core lacks is 0, or unknown. */
	bool (*status)(struct process *p, struct process_status *s);
	/* Returns false if permission is denied. */
	bool (*read_words)(struct process *p, enum process_words which, struct buf *words);
	/* Opens its program. path: as the process knows it, even if it cannot be opened; empty if hidden. */
	int (*open_program)(struct process *p, struct buf *path);
	/* Opens the mapped file itself, compared by inode, not another one that now has its path. */
	int (*open_mapped)(struct process *p, const struct process_mapping *m);
	/*
	 * Opens a regular file by a path of the process. Symbolic links stay below its root; files
	 * of other users are refused.
	 */
	int (*open_path)(struct process *p, const char *path, struct err *e);
	/* What helps if permission is denied: `run plume with sudo`. */
	const char *(*advice)(void);
};

/*
 * Reads the n oldest bytes of the stack that contains sp (0 for the first thread's), and sets
 * *address to where they start. Returns 0 if the stack is gone or cannot be read.
 */
size_t process_stack_begin(struct process *p, uint64_t sp, uint64_t *address, void *to, size_t n);

#include "process/runtime.h"
