/*
 * Files that processes leave for profilers: perf-PID.map and jit-PID.dump. They may be in the root of
 * the process's container, with the pid that it has in there, and copies of them anywhere.
 */
#pragma once
#include "jit/jit.h"
#include "process/process.h"
#include "symbol/options.h"

/* A process of a recording. */
struct recorded_process {
	int32_t pid;
	bool is_alive; /* it lives, and is the recorded one: see process_started_before */
	/* When it began; maps in /tmp that are older were left by others. 0: not known. */
	uint64_t began_unix_ns;
};

/* --- where its map may be --- */

struct map_candidate {
	char *root; /* symbolic links are followed inside of this folder only; NULL: no such bound */
	char *path;    /* with root before it */
	bool is_exact; /* of this process; else its name says another pid, or none */
	bool is_given; /* the user named it or its folder: whose it is does not matter */
};
struct map_candidates {
	VEC(struct map_candidate) list;
};

/*
 * Where the map of a process may be, best first: --map, /tmp of the container's and the recorded
 * machine's copies, /proc/PID/root/tmp, /tmp. Exact ones come before the others and need not exist.
 */
void process_map_candidates(const struct symbol_options *options, struct recorded_process process,
			    struct map_candidates *candidates);
void map_candidates_fini(struct map_candidates *candidates);
/*
 * Opens one. NULL: e; errno is ENOENT when there is none. Never waits, never leaves the root by a link,
 * and refuses what another user than root or the caller may have made up.
 */
struct reader *process_map_open(const struct map_candidate *candidate, struct err *e);

/* An address of JIT code at a moment: when the map was in that state (a recorder numbers them). */
struct jit_address {
	uint64_t address;
	uint32_t state;
};

/* How names were found, or why not. */
struct map_search {
	char *path;    /* the map that was used; NULL: there is none */
	bool is_guess; /* its name says another pid, or none: it names most of the addresses */
	struct buf reason, fix; /* when there is no map, or it names nothing; else empty */
	struct buf over_budget; /* why a map was not read to its end; empty: it was */
	bool wants_map;		/* the fix goes on from how this program is told to write one */
};

/*
 * Names addresses (sorted, without doubles) by the map of a process: the first exact candidate that
 * names any, else whichever other one names most. False: none names any; names are empty then.
 */
bool process_map_read(const struct symbol_options *options, struct recorded_process process,
		      const uint64_t *addresses, uint32_t n, struct perf_map_names *names,
		      struct map_search *search);
/* Reason and fix when a map names none of the addresses: what is in it instead. */
void map_search_explain(struct map_search *search, const char *path,
			const struct perf_map_names *names);
/* A map was read, or some of it: ends its budget. */
void map_search_note(struct map_search *search, struct budget *budget, struct budgets *budgets,
		     const char *path);
void map_search_fini(struct map_search *search);

/* --- its other files --- */

/*
 * A file by the path that the process knows it by (a jitdump, from its mapping): among the files of
 * --map by its last part, then in the container's root, --symfs, /proc/PID/root, here. NULL: e.
 */
struct reader *process_file_open(const struct symbol_options *options,
				 struct recorded_process process, const char *path, struct err *e);
