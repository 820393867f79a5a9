/* Processes, threads and their mappings. */
#pragma once
#include "perf/perf.h"
#include "unwind/unwind.h"

/* --- mapped files (mapped.c) --- */

enum mapped_kind {
	MAPPED_FILE,
	MAPPED_JIT,	/* anonymous or unknown memory: possibly JIT code */
	MAPPED_JITDUMP, /* a file with JIT code */
	MAPPED_KERNEL,
	MAPPED_KERNEL_CODE, /* kernel code generated at run time: BPF */
	MAPPED_VDSO,
	MAPPED_GUEST,
	MAPPED_FOUND, /* named by the recorder; addresses are its numbers */
	MAPPED_GAP,   /* frames that were not recorded */
};

/* What addresses are in: a file, JIT code, the kernel. Provides their names. */
struct mapped {
	enum mapped_kind kind;
	struct str path;
	struct str run_path;	  /* symbolic link that the program was started by; empty if none */
	struct str build_id;	  /* as recorded */
	struct str file_build_id; /* of the file that names came from */
	bool has_inode;
	uint32_t device_major, device_minor;
	uint64_t inode;
	int32_t pid;	 /* a process that has it mapped; for JIT, the one that owns the code */
	bool is_nowhere; /* for JIT: no mapping was known for its addresses */
	bool is_used;	 /* samples have addresses in it */
	bool is_found;	 /* its file exists and is the one that was recorded */
	struct binary *binary;
	struct jitdump *jitdump;
	struct budget jitdump_budget;
	/* Size and change time of its file when it was read. */
	uint64_t jitdump_bytes, jitdump_changed_ns;
	struct jit_table *jit_tables; /* jit_unwind.c; NULL until first needed */
	struct debug_info *debug;
	bool is_debug_open;
	struct unwind_table *unwind;
	struct unwind_code *code;
	bool is_unwind_open, is_code_open;
	bool is_copied_open;
	struct unwind_copied copied; /* copied.c; none without depths */
	/* Why its frames have no name; the strings belong to the table. */
	struct str reason, fix, unnamed_module;
	bool is_explained;
	uint32_t last_use; /* the round in which its file was last needed */
};

typedef uint32_t mapped_id;

struct mapped_table {
	VEC(struct mapped) list;
	struct index_map map;
	struct arena text;
	const struct perf_options *options;
	uint32_t round; /* of naming */
};

/* The path to show: the one that its program was started by. */
static inline struct str mapped_shown_path(const struct mapped *m)
{
	return m->run_path.n ? m->run_path : m->path;
}

/* --- run_path.c --- */

/* Whether a program's comm is a symbolic link to its file, in the same folder. */
struct run_path {
	struct str file, comm;
	struct str path; /* of the link; empty if it is none */
	bool is_link;
};
struct run_paths {
	VEC(struct run_path) list;
	struct arena text;
};
void run_paths_fini(struct run_paths *known);

/* Closes its files until they are needed again. */
void mapped_close(struct mapped *m);
void mapped_table_fini(struct mapped_table *t);
/* Finds the entry with the same kind, path, build id, inode and (for JIT) pid as `m`, or adds it. */
mapped_id mapped_table_get(struct mapped_table *t, const struct mapped *m);
struct binary_id mapped_binary_id(const struct mapped *m);
/* The binary of a file or the vdso; NULL for others. */
struct binary *mapped_binary(struct mapped_table *t, mapped_id id);
const struct unwind_table *mapped_unwind(struct mapped_table *t, mapped_id id);
struct unwind_code *mapped_code(struct mapped_table *t, mapped_id id);

/* jit_unwind.c: forgets the tables of a jitdump that is about to be freed or reread. */
void mapped_forget_jit_tables(struct mapped *m);

/* --- processes (process.c) --- */

/*
 * Half the size of a process_mapping: a process may have 50,000, and every address of a stack is
 * looked up among them.
 */
struct mapping_row {
	uint64_t start, end; /* in the process */
	uint64_t file_offset;
	mapped_id mapped;
	bool is_code;
};

/* stack_ends.c: the addresses from the end of a frame pointer chain to the start of the thread. */
enum { STACK_ROOT_BEHIND = 2 };
struct stack_root {
	uint64_t from, behind[STACK_ROOT_BEHIND];
	uint8_t n;	   /* 0 if a stack ended there, but what follows it is not known yet */
	bool is_ambiguous; /* differs between stacks */
};
struct stack_roots {
	struct stack_root list[8];
	uint32_t n, next;
	uint32_t asked; /* times that the process's stack was read to find one */
};

/* The mappings of a process. Processes share one until either maps something. */
struct address_space {
	struct {
		struct mapping_row *p;
		uint32_t n;
	} rows; /* by address, without overlaps */
	/*
	 * The allocation, with room before and after the rows: kernels hand out addresses
	 * downwards, and a process may map 50,000 files.
	 */
	struct mapping_row *memory;
	uint32_t capacity;
	uint32_t references;
	uint32_t version; /* changes with every mapping; unique among all spaces */
	struct stack_roots roots;
	uint32_t copied_version; /* the version that copied is for */
	mapped_id copied; /* the file that the process may have copied code from, or INDEX_NONE */
};

struct perf_process {
	int32_t pid;
	uint32_t space;
	/*
	 * The space before exec, until the new program runs: the kernel's stack in exec returns
	 * into it. INDEX_NONE if none.
	 */
	uint32_t old_space;
	mapped_id nowhere; /* stands for unmapped addresses, or INDEX_NONE */
	mapped_id jitdump;
	/* State of its JIT map at the last sample; see processes_map_state. */
	uint32_t map_state;
	str_id container;
	bool is_container_known;
	bool has_found;	 /* the recorder names its functions without a map */
	int32_t jit_pid; /* owner of its JIT code: itself, or the process it was forked from */
};

/* stack_ends.c: the functions that a thread starts with, which do not change during its life. */
enum { THREAD_START_FRAMES = 4 };
struct thread_start {
	uint64_t addresses[THREAD_START_FRAMES]; /* return addresses, oldest last */
	uint8_t n;
	bool is_asked;
	uint32_t space; /* the address space they are in */
};

struct perf_thread {
	int32_t tid, pid;
	str_id comm; /* in the profile */
	bool has_comm;
	bool has_ended; /* samples of its last moments may still arrive from other cpus' buffers */
	bool is_past;	/* ... or no longer */
	thread_id row;	/* in the profile; THREAD_NONE if not created yet */
	str_id row_container;
	struct thread_start start;
};

struct perf_processes {
	struct profile *p;
	VEC(struct perf_process) list;
	VEC(struct perf_thread) threads;
	VEC(struct address_space) spaces;
	struct index_map process_map, thread_map;
	uint64_t total_rows;	     /* in all spaces */
	struct address_space kernel; /* code generated by the kernel at run time */
	uint32_t last_version;
	uint32_t last_process, last_thread;
	VEC(uint32_t) free_spaces;
	uint32_t ended; /* number of threads that have ended */
};

void perf_processes_init(struct perf_processes *s, struct profile *p);
void perf_processes_fini(struct perf_processes *s);
/* Valid until the next call. */
struct perf_process *perf_process_get(struct perf_processes *s, int32_t pid);
struct perf_thread *perf_thread_get(struct perf_processes *s, int32_t pid, int32_t tid);
/* Returns false, and skips the mapping, if the process has implausibly many. */
bool perf_process_map(struct perf_processes *s, int32_t pid, const struct mapping_row *row);
bool perf_kernel_map(struct perf_processes *s, const struct mapping_row *row);
void perf_process_fork(struct perf_processes *s, int32_t pid, int32_t parent);
/* exec: removes all mappings. */
void perf_process_exec(struct perf_processes *s, int32_t pid);
/* The program that exec started has run: forgets the previous one for good. */
void perf_process_forget_old(struct perf_processes *s, struct perf_process *process);
/* Returns NULL if nothing is known to be there. */
const struct mapping_row *address_space_find(const struct address_space *a, uint64_t address);
thread_id perf_thread_row(struct perf_processes *s, struct perf_thread *t, str_id container);

/*
 * Forgets processes whose threads had all ended at the last call. Indices of processes change,
 * those of mapped files do not.
 */
void perf_processes_forget_ended(struct perf_processes *s);
/* Marks threads that are not alive as ended, with or without an exit record. */
void perf_processes_end_missing(struct perf_processes *s, struct processes *living);
/* Thread and container names go into another profile from now on. */
void perf_processes_set_profile(struct perf_processes *s, struct profile *p);
/* Removes entries that no process maps and no location is in. Indices of others change. */
void mapped_table_forget_unused(struct mapped_table *t, struct perf_processes *processes);
