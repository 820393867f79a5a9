/*
 * The processes of a live recording, by pid, including ended ones: what a recorder keeps of them while they live, to
 * name their code. Their owner fills in the table: target's held files. Offline there are none, and the pointer is
 * NULL. For NULL, and for NULL entries of the table, each function here reports that nothing is known.
 *
 * If a pid was reused, the newest process answers, except for map states, which are by time. All calls of one
 * recording come from one thread.
 */
#pragma once
#include "base/base.h"

/* From higher modules, only passed through: symbol and jit. */
struct jit_address;
struct map_search;
struct perf_map_names;
struct symbol_options;

/* What a recording says about a file. */
struct binary_id {
	struct str path;
	struct str build_id; /* binary; empty if not known */
	bool has_inode;
	uint32_t device_major, device_minor;
	uint64_t inode;
};

struct processes {
	const struct processes_ops *ops;
};

/* Any of them may be NULL. Those without a comment are described at the functions below. */
struct processes_ops {
	int (*open_mapped)(struct processes *p, int32_t pid, const struct binary_id *id);
	void (*touch)(struct processes *p, const struct binary_id *id);
	bool (*root)(struct processes *p, int32_t pid, struct buf *root);
	/*
	 * Opens a file, such as a jitdump, by the path that the process knows. Never leaves its
	 * root. Returns NULL and sets e on failure.
	 */
	struct reader *(*open_path)(struct processes *p, int32_t pid, const char *path,
				    struct err *e);
	uint32_t (*map_state)(struct processes *p, int32_t pid, uint64_t time_ns);
	/*
	 * Names addresses of JIT code, each as of its state: by the newest row that the map had then, else by the
	 * first later one. wanted is sorted by address. Without a map of its own: as process_map_read.
	 */
	bool (*read_map)(struct processes *p, int32_t pid, const struct symbol_options *options,
			 const struct jit_address *wanted, uint32_t n, struct perf_map_names *names,
			 struct map_search *search);
	void (*container)(struct processes *p, int32_t pid, struct buf *name);
	bool (*has_thread)(struct processes *p, int32_t tid);
	size_t (*stack_begin)(struct processes *p, int32_t pid, uint64_t sp, uint64_t *address,
			      void *to, size_t n);
};

/* A file that a process had mapped and that has been held since. Returns a descriptor owned by the caller, or -1. */
static inline int processes_open_mapped(struct processes *p, int32_t pid,
					const struct binary_id *id)
{
	return p && p->ops->open_mapped ? p->ops->open_mapped(p, pid, id) : -1;
}

/* Some process still has it mapped, so it is not left over from the last one that mapped it. */
static inline void processes_touch(struct processes *p, const struct binary_id *id)
{
	if (p && p->ops->touch)
		p->ops->touch(p, id);
}

/*
 * The root folder of a held or live process, as a path (`/proc/self/fd/7`) that is valid until
 * another process is added or removed. Returns false if unknown.
 */
static inline bool processes_root(struct processes *p, int32_t pid, struct buf *root)
{
	return p && p->ops->root && p->ops->root(p, pid, root);
}

/* The state of the process's JIT map at that time: a number that grows with time, or 0 if unknown. */
static inline uint32_t processes_map_state(struct processes *p, int32_t pid, uint64_t time_ns)
{
	return p && p->ops->map_state ? p->ops->map_state(p, pid, time_ns) : 0;
}

/* Whether a thread is alive, as far as known: the kernel may have lost its exit record. */
static inline bool processes_has_thread(struct processes *p, int32_t tid)
{
	return !p || !p->ops->has_thread || p->ops->has_thread(p, tid);
}

/* The container of a process; empty if unknown. */
static inline void processes_container(struct processes *p, int32_t pid, struct buf *name)
{
	name->n = 0;
	if (p && p->ops->container)
		p->ops->container(p, pid, name);
}

/*
 * Reads the n oldest bytes of the stack that contains sp (0 for the first thread's), and sets
 * *address to where they start. Returns 0 if there are none.
 */
static inline size_t processes_stack_begin(struct processes *p, int32_t pid, uint64_t sp,
					   uint64_t *address, void *to, size_t n)
{
	return p && p->ops->stack_begin ? p->ops->stack_begin(p, pid, sp, address, to, n) : 0;
}
