/*
 * perf-PID.map: `START SIZE NAME`, in hexadecimal, one line for each piece of code that a JIT compiler generates, in
 * order of creation. Addresses are reused: a newer row replaces the overlapping part of older ones.
 *
 * The file may have any size and is read as a stream: only names for the requested addresses are kept. Read it from a
 * reader that does not map it (process_map_open), or its pages count as our memory.
 */
#pragma once
#include "base/base.h"

/* Longer names are cut. */
enum { PERF_MAP_MAX_NAME_BYTES = 8 << 10 };

struct perf_map_name {
	struct str name; /* empty if no row contains the address */
	uint64_t start;
};

struct perf_map_names {
	struct perf_map_name *names; /* by requested address */
	uint32_t n;
	uint64_t rows, bad_rows; /* all lines that are not empty; the malformed ones */
	uint64_t found;		 /* number of addresses with a name */
	/* The last line is incomplete, so its name may be cut: the process was still writing, or was killed. */
	bool ends_in_half_line;
	struct buf text;
};

/*
 * An address at the time the map had `limit` bytes: named by the newest row that begins before
 * `limit`, otherwise by the first one after it. UINT64_MAX: by the newest of all.
 */
struct perf_map_wanted {
	uint64_t address, limit;
};
/* wanted: sorted by address; names are in the same order. */
void perf_map_read_as_of(struct reader *r, const struct perf_map_wanted *wanted, uint32_t n,
			 struct perf_map_names *names);
/* addresses: sorted, unique. */
void perf_map_read(struct reader *r, const uint64_t *addresses, uint32_t n,
		   struct perf_map_names *names);
void perf_map_names_fini(struct perf_map_names *names);
