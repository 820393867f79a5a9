/* Where to look for names, as the user asked. The caller owns all strings. */
#pragma once
#include "base/base.h"

struct budgets;
struct processes;

struct symbol_options {
	const char *symfs;	    /* a folder with the recorded machine's files, or NULL */
	const char *container_root; /* the same for a container: tried before the host's, or NULL */
	const char *const *maps;    /* --map: FILE, DIR or PID=FILE; map_count of them */
	uint32_t map_count;
	bool asks_debuginfod; /* download debug files from the servers in DEBUGINFOD_URLS */
	bool wants_inlines;   /* inlined functions, from DWARF */
	bool wants_lines;     /* source lines of addresses, from DWARF or jitdump */
	/* The recording is from this machine and its processes may still be running, so /proc is useful. */
	bool is_of_this_machine;
	uint64_t recorded_until_unix_ns; /* when the recording was written; 0 if not known */
	/* What a recorder holds of processes: searched first, and trusted. NULL for a recording made earlier. */
	struct processes *processes;
	struct budgets *budgets; /* limits that files share; NULL: each has only its own */
};
