/* Where names are looked for, as the user asked. All strings are the caller's. */
#pragma once
#include "base/base.h"

struct budgets;
struct processes;

struct symbol_options {
	const char *symfs;	    /* a folder with the files of the recorded machine, or NULL */
	const char *container_root; /* the same for a container: tried before the host's, or NULL */
	const char *const *maps;    /* --map: FILE, DIR or PID=FILE, map_count of them */
	uint32_t map_count;
	bool asks_debuginfod; /* download debug files from the servers in DEBUGINFOD_URLS */
	bool wants_inlines;   /* functions that were inlined, from DWARF */
	bool wants_lines;     /* source lines of addresses, from DWARF or jitdump */
	/* The recording is of this machine and may be of processes that live: /proc is of use. */
	bool is_of_this_machine;
	uint64_t recorded_until_unix_ns; /* when the recording was written; 0: not known */
	/* What a recorder holds of processes: looked into first, and believed. NULL: a recording that was made before. */
	struct processes *processes;
	struct budgets *budgets; /* what files may cost together; NULL: each has its own alone */
};
