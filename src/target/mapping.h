/* What a living process has mapped: /proc/PID/maps. */
#pragma once
#include "base/base.h"

struct target_mapping {
	uint64_t start, end, offset;
	uint32_t device_major, device_minor;
	uint64_t inode;
	unsigned protection; /* PROT_ */
	bool is_shared;
	/*
	 * As the process knows it; `[heap]`, `[vdso]`; empty: none. The kernel puts ` (deleted)` behind
	 * those that have no name any more, as it does in its own records.
	 */
	struct str path;
};
typedef void target_on_mapping(void *context, const struct target_mapping *m);

/*
 * Calls with each executable one, in the order of addresses; is_all: with all. False: e, it is gone, or
 * has no memory of its own (a thread of the kernel), or may not be looked at.
 */
bool target_read_mappings(int32_t pid, bool is_all, target_on_mapping *on, void *context,
			  struct err *e);
/* One line of such a file, without its end. path is in the line or in *text. False: it is none. */
bool target_parse_mapping(struct str line, struct target_mapping *m, struct buf *text);
