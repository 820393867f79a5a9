/*
 * perf-PID.map: `START SIZE NAME`, a line for each piece of code that a JIT compiler made, hexadecimal,
 * in the order they were made. Addresses are used again: a newer row cuts older ones.
 *
 * The file may be of any size and is read as a stream: only names of addresses that are asked for are
 * kept. Read it from a reader that does not map it (process_map_open), or its pages count as ours.
 */
#pragma once
#include "base/base.h"

/* Longer names are cut. */
enum { PERF_MAP_MAX_NAME_BYTES = 8 << 10 };

struct perf_map_name {
	struct str name; /* empty: no row holds the address */
	uint64_t start;
};

struct perf_map_names {
	struct perf_map_name *names; /* by address asked for */
	uint32_t n;
	uint64_t rows, bad_rows; /* all lines that are not empty; those of them that are no rows */
	uint64_t found;		 /* addresses with a name */
	/* The last line has no end, so its name may be cut: the process was writing, or was killed. */
	bool ends_in_half_line;
	struct buf text;
};

/*
 * An address as it was when the map had so many bytes: named by the newest row that begins before `limit`,
 * else by the first that comes after. UINT64_MAX: by the newest of all.
 */
struct perf_map_wanted {
	uint64_t address, limit;
};
/* wanted: sorted by address; names are in the same order. */
void perf_map_read_as_of(struct reader *r, const struct perf_map_wanted *wanted, uint32_t n,
			 struct perf_map_names *names);
/* addresses: sorted, without doubles. */
void perf_map_read(struct reader *r, const uint64_t *addresses, uint32_t n,
		   struct perf_map_names *names);
void perf_map_names_fini(struct perf_map_names *names);
