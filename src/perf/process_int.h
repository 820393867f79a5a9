/* Processes and threads, and what they have mapped where. */
#pragma once
#include "perf/perf.h"
#include "unwind/unwind.h"

/* --- mapped files (mapped.c) --- */

enum mapped_kind {
	MAPPED_FILE,
	MAPPED_JIT, /* memory without a file, or nothing known: code made at run time, perhaps */
	MAPPED_JITDUMP, /* a file with the code made at run time */
	MAPPED_KERNEL,
	MAPPED_KERNEL_CODE, /* a piece of the kernel's code that was made at run time: BPF */
	MAPPED_VDSO,
	MAPPED_GUEST,
	MAPPED_FOUND, /* what the recorder named itself: addresses are its numbers */
	MAPPED_GAP,   /* frames of a stack that were not recorded */
};

/* Something that addresses are in, and that has names for them. */
struct mapped {
	enum mapped_kind kind;
	struct str path;
	struct str run_path;	  /* a link to it that the program was started by; empty: none */
	struct str build_id;	  /* as it was recorded */
	struct str file_build_id; /* of the file that names came from */
	bool has_inode;
	uint32_t device_major, device_minor;
	uint64_t inode;
	int32_t pid;	 /* a process that has it mapped; of JIT: the one whose code it is */
	bool is_nowhere; /* of JIT: no mapping was known for its addresses */
	bool is_used;	 /* samples have addresses in it */
	bool is_found;	 /* its file is there, and is the one that was recorded */
	struct binary *binary;
	struct jitdump *jitdump;
	struct budget jitdump_budget;
	uint64_t jitdump_bytes, jitdump_changed_ns; /* of its file, when it was read */
	struct jit_table *jit_tables;		    /* jit_unwind.c; NULL until one is needed */
	struct debug_info *debug;
	bool is_debug_open;
	struct unwind_table *unwind;
	struct unwind_code *code;
	bool is_unwind_open, is_code_open;
	bool is_copied_open;
	struct unwind_copied copied; /* copied.c; without depths: there is none */
	/* Why frames in it have no name; texts of the table. */
	struct str reason, fix, unnamed_module;
	bool is_explained;
	uint32_t last_use; /* the round that its file was last needed in */
};

typedef uint32_t mapped_id;

struct mapped_table {
	VEC(struct mapped) list;
	struct index_map map;
	struct arena text;
	const struct perf_options *options;
	uint32_t round; /* of naming what came in */
};

/* Where a file is for people: by the path its program was started by. */
static inline struct str mapped_shown_path(const struct mapped *m)
{
	return m->run_path.n ? m->run_path : m->path;
}

/* --- run_path.c --- */

/* Whether a program's comm is a link to its file, in the same folder. */
struct run_path {
	struct str file, comm;
	struct str path; /* of the link; empty: it is none */
	bool is_link;
};
struct run_paths {
	VEC(struct run_path) list;
	struct arena text;
};
void run_paths_fini(struct run_paths *known);

/* Lets go of its files, until they are needed again. */
void mapped_close(struct mapped *m);
void mapped_table_fini(struct mapped_table *t);
/* What equals `m` in kind, path, build id, inode and (of JIT) pid; made when it is new. */
mapped_id mapped_table_get(struct mapped_table *t, const struct mapped *m);
struct binary_id mapped_binary_id(const struct mapped *m);
/* The binary of a file or the vdso; NULL for others. */
struct binary *mapped_binary(struct mapped_table *t, mapped_id id);
const struct unwind_table *mapped_unwind(struct mapped_table *t, mapped_id id);
struct unwind_code *mapped_code(struct mapped_table *t, mapped_id id);

/* jit_unwind.c: tables of a jitdump that is freed, or read again. */
void mapped_forget_jit_tables(struct mapped *m);

/* --- processes (process.c) --- */

/* Half of a process_mapping: a process may have 50,000, and each address of a stack is looked for among them. */
struct mapping_row {
	uint64_t start, end; /* in the process */
	uint64_t file_offset;
	mapped_id mapped;
	bool is_code;
};

/* stack_ends.c: what is behind an address where chains of frame pointers end, up to the start of the thread. */
enum { STACK_ROOT_BEHIND = 2 };
struct stack_root {
	uint64_t from, behind[STACK_ROOT_BEHIND];
	uint8_t n;	   /* 0: a stack ended there, and what is behind it was not seen yet */
	bool is_ambiguous; /* not always the same */
};
struct stack_roots {
	struct stack_root list[8];
	uint32_t n, next;
	uint32_t asked; /* times that the process was looked at for one */
};

/* What is mapped where. Processes share one until either maps something. */
struct address_space {
	struct {
		struct mapping_row *p;
		uint32_t n;
	} rows; /* by address; they do not overlap */
	/*
	 * Where they are, with room before and behind them: kernels hand out addresses downwards, and a
	 * process may map 50,000 files.
	 */
	struct mapping_row *memory;
	uint32_t capacity;
	uint32_t references;
	uint32_t version; /* of all spaces and changes, no two have the same */
	struct stack_roots roots;
	uint32_t copied_version; /* that copied is of */
	mapped_id copied;	 /* the file that has code which it may copy, or INDEX_NONE */
};

struct perf_process {
	int32_t pid;
	uint32_t space;
	/*
	 * The one before exec, until the new program runs: the kernel's stack in exec goes back into
	 * it. INDEX_NONE: none.
	 */
	uint32_t old_space;
	mapped_id nowhere; /* what stands for addresses without a mapping, or INDEX_NONE */
	mapped_id jitdump;
	uint32_t
		map_state; /* of its map of JIT code, at the last sample; see processes_map_state */
	str_id container;
	bool is_container_known;
	bool has_found;	 /* the recorder finds its functions, without a map */
	int32_t jit_pid; /* whose code it runs: its own, or that of whom it was forked from */
};

/* stack_ends.c: the functions that a thread begins with, which stay the same as long as it lives. */
enum { THREAD_START_FRAMES = 4 };
struct thread_start {
	uint64_t addresses[THREAD_START_FRAMES]; /* where calls return to, the oldest last */
	uint8_t n;
	bool is_asked;
	uint32_t space; /* whose code they are in */
};

struct perf_thread {
	int32_t tid, pid;
	str_id comm; /* of the profile */
	bool has_comm;
	bool has_ended; /* samples of its last moments may follow, from the buffers of other cpus */
	bool is_past;	/* ... but not any more */
	thread_id row;	/* in the profile, THREAD_NONE: to be made */
	str_id row_container;
	struct thread_start start;
};

struct perf_processes {
	struct profile *p;
	VEC(struct perf_process) list;
	VEC(struct perf_thread) threads;
	VEC(struct address_space) spaces;
	struct index_map process_map, thread_map;
	uint64_t total_rows;	     /* of all spaces */
	struct address_space kernel; /* code that the kernel made at run time */
	uint32_t last_version;
	uint32_t last_process, last_thread;
	VEC(uint32_t) free_spaces;
	uint32_t ended; /* threads that have */
};

void perf_processes_init(struct perf_processes *s, struct profile *p);
void perf_processes_fini(struct perf_processes *s);
/* Good until the next call. */
struct perf_process *perf_process_get(struct perf_processes *s, int32_t pid);
struct perf_thread *perf_thread_get(struct perf_processes *s, int32_t pid, int32_t tid);
/* False: there are more mappings than is believable, and this one is left out. */
bool perf_process_map(struct perf_processes *s, int32_t pid, const struct mapping_row *row);
bool perf_kernel_map(struct perf_processes *s, const struct mapping_row *row);
void perf_process_fork(struct perf_processes *s, int32_t pid, int32_t parent);
/* exec: nothing is mapped any more. */
void perf_process_exec(struct perf_processes *s, int32_t pid);
/* The program that exec began has run: the one before is gone for good. */
void perf_process_forget_old(struct perf_processes *s, struct perf_process *process);
/* NULL: nothing is known to be there. */
const struct mapping_row *address_space_find(const struct address_space *a, uint64_t address);
thread_id perf_thread_row(struct perf_processes *s, struct perf_thread *t, str_id container);

/*
 * Those whose threads all had ended at the last call are forgotten. Numbers of processes change; what is
 * mapped keeps its number.
 */
void perf_processes_forget_ended(struct perf_processes *s);
/* Threads that do not live have ended, whether a record said so or not. */
void perf_processes_end_missing(struct perf_processes *s, struct processes *living);
/* Names of threads and containers go into another profile. */
void perf_processes_set_profile(struct perf_processes *s, struct profile *p);
/* What no process has mapped any more goes, when no location is in it. Numbers of others change. */
void mapped_table_forget_unused(struct mapped_table *t, struct perf_processes *processes);
