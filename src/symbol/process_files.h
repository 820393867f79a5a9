/*
 * Files that processes write for profilers: perf-PID.map and jit-PID.dump. They may be in the root
 * of the process's container, under the pid it has there, and copies may be anywhere.
 */
#pragma once
#include "jit/jit.h"
#include "process/process.h"
#include "symbol/options.h"

/* A process in a recording. */
struct recorded_process {
	int32_t pid;
	bool is_alive; /* it is running, and is the recorded one: see process_started_before */
	/* When it started; older maps in /tmp were left by other processes. 0 if not known. */
	uint64_t began_unix_ns;
};

/* --- locations of its map --- */

struct map_candidate {
	char *root; /* symbolic links are followed only inside this folder; NULL: no such limit */
	char *path; /* including root */
	bool is_exact; /* of this process; otherwise its name has another pid, or none */
	bool is_given; /* the user named it or its folder, so its owner does not matter */
};
struct map_candidates {
	VEC(struct map_candidate) list;
};

/*
 * Where a process's map may be, best first: --map, /tmp in the container's and the recorded
 * machine's copies, /proc/PID/root/tmp, /tmp. Exact ones come before others and need not exist.
 */
void process_map_candidates(const struct symbol_options *options, struct recorded_process process,
			    struct map_candidates *candidates);
void map_candidates_fini(struct map_candidates *candidates);
/*
 * Opens one. Returns NULL and sets e on failure; errno is ENOENT if it does not exist. Never blocks, never leaves the
 * root through a link, and refuses files that someone other than root or the caller may have forged.
 */
struct reader *process_map_open(const struct map_candidate *candidate, struct err *e);

/* An address of JIT code at a moment, given as the state of the map (a recorder numbers them). */
struct jit_address {
	uint64_t address;
	uint32_t state;
};

/* How names were found, or why not. */
struct map_search {
	char *path;    /* the map that was used; NULL if none */
	bool is_guess; /* its name has another pid, or none; it names most of the addresses */
	struct buf reason, fix; /* if there is no map, or it names nothing; otherwise empty */
	struct buf over_budget; /* why a map was not read to its end; empty if it was */
	bool wants_map;		/* the fix continues with how to make this program write one */
};

/*
 * Names addresses (sorted, unique) by the map of a process: the first exact candidate that names any of them,
 * otherwise whichever other one names most. Returns false with empty names if none does.
 */
bool process_map_read(const struct symbol_options *options, struct recorded_process process,
		      const uint64_t *addresses, uint32_t n, struct perf_map_names *names,
		      struct map_search *search);
/* Sets reason and fix if a map names none of the addresses: what it contains instead. */
void map_search_explain(struct map_search *search, const char *path,
			const struct perf_map_names *names);
/* Call when a map, or part of it, was read: ends its budget. */
void map_search_note(struct map_search *search, struct budget *budget, struct budgets *budgets,
		     const char *path);
void map_search_fini(struct map_search *search);

/* --- other files --- */

/*
 * Opens a file by the path under which the process knows it (a jitdump, from its mapping): by its
 * base name among the files of --map, then in the container's root, --symfs, /proc/PID/root, and
 * here. Returns NULL and sets e on failure.
 */
struct reader *process_file_open(const struct symbol_options *options,
				 struct recorded_process process, const char *path, struct err *e);
