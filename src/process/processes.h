/*
 * The processes of a recording in the making, by pid, also after they have ended: what a recorder keeps of them while
 * they live, for names. Whoever has them fills in the table: target's held files. Offline there are none, a
 * NULL pointer, for which each function here says that nothing is known, as it does where the table has none.
 *
 * Of a pid that was given twice the newest process answers, but for map states, which are by time. All of one
 * recording's calls come from one thread.
 */
#pragma once
#include "base/base.h"

/* Of modules above, which pass them through: symbol and jit. */
struct jit_address;
struct map_search;
struct perf_map_names;
struct symbol_options;

/* What a recording says of a file. */
struct binary_id {
	struct str path;
	struct str build_id; /* bytes; empty: not known */
	bool has_inode;
	uint32_t device_major, device_minor;
	uint64_t inode;
};

struct processes {
	const struct processes_ops *ops;
};

/* Any of them may be NULL. Those without a comment are told of at the functions below. */
struct processes_ops {
	int (*open_mapped)(struct processes *p, int32_t pid, const struct binary_id *id);
	void (*touch)(struct processes *p, const struct binary_id *id);
	bool (*root)(struct processes *p, int32_t pid, struct buf *root);
	/* A file by the path that the process knows it by: a jitdump. Never leaves its root. NULL: e. */
	struct reader *(*open_path)(struct processes *p, int32_t pid, const char *path,
				    struct err *e);
	uint32_t (*map_state)(struct processes *p, int32_t pid, uint64_t time_ns);
	/*
	 * Names addresses of JIT code, each as of its state: by the newest row that the map had then, else by the
	 * first that came later. wanted: sorted by address. Without a map of its own: as process_map_read.
	 */
	bool (*read_map)(struct processes *p, int32_t pid, const struct symbol_options *options,
			 const struct jit_address *wanted, uint32_t n, struct perf_map_names *names,
			 struct map_search *search);
	void (*container)(struct processes *p, int32_t pid, struct buf *name);
	bool (*has_thread)(struct processes *p, int32_t tid);
	size_t (*stack_begin)(struct processes *p, int32_t pid, uint64_t sp, uint64_t *address,
			      void *to, size_t n);
};

/* A file that a process had mapped, held since then: a descriptor of the caller's own, or -1. */
static inline int processes_open_mapped(struct processes *p, int32_t pid,
					const struct binary_id *id)
{
	return p && p->ops->open_mapped ? p->ops->open_mapped(p, pid, id) : -1;
}

/* Some process has it mapped still: it does not count as left behind by whoever mapped it last. */
static inline void processes_touch(struct processes *p, const struct binary_id *id)
{
	if (p && p->ops->touch)
		p->ops->touch(p, id);
}

/*
 * The root folder of a process, held or of a living one, as a path (`/proc/self/fd/7`) that is good until another
 * process comes or goes. False: it is not known.
 */
static inline bool processes_root(struct processes *p, int32_t pid, struct buf *root)
{
	return p && p->ops->root && p->ops->root(p, pid, root);
}

/* The state that the process's map of JIT code was in: a number that grows with time; 0: not known. */
static inline uint32_t processes_map_state(struct processes *p, int32_t pid, uint64_t time_ns)
{
	return p && p->ops->map_state ? p->ops->map_state(p, pid, time_ns) : 0;
}

/* Whether a thread lives, as far as is known: that it ends may be among what the kernel lost. */
static inline bool processes_has_thread(struct processes *p, int32_t tid)
{
	return !p || !p->ops->has_thread || p->ops->has_thread(p, tid);
}

/* The container that a process is in; empty: none is known. */
static inline void processes_container(struct processes *p, int32_t pid, struct buf *name)
{
	name->n = 0;
	if (p && p->ops->container)
		p->ops->container(p, pid, name);
}

/* The n oldest bytes of the stack that sp is in (0: of the first thread's), from *address on; 0: none. */
static inline size_t processes_stack_begin(struct processes *p, int32_t pid, uint64_t sp,
					   uint64_t *address, void *to, size_t n)
{
	return p && p->ops->stack_begin ? p->ops->stack_begin(p, pid, sp, address, to, n) : 0;
}
