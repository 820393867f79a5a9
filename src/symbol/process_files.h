/* Files that processes leave for profilers: perf-PID.map, which may be in the process's own root. */
#pragma once
#include "symbol/options.h"

/* How the map of a process was found, or why not. */
struct map_search {
	char *path;    /* NULL: there is none */
	bool is_guess; /* its name says another pid: it is the best of several candidates */
	struct buf reason, fix; /* when there is none */
};

/*
 * The paths where the map of pid may be, best first, each ending in NUL, into `paths` one behind the
 * other: --map, the container's and the recorded machine's /tmp, /proc/PID/root/tmp/perf-NSPID.map, /tmp.
 */
void process_map_candidates(const struct symbol_options *options, int32_t pid, struct buf *paths);
struct reader *process_open_file(const struct symbol_options *o,int32_t pid,struct str path,struct err*e);
bool vdso_image(struct str *b);
