/* What a living process has mapped: /proc/PID/maps. */
#pragma once
#include "base/base.h"

struct target_mapping {
	uint64_t start, end, offset;
	uint32_t device_major, device_minor;
	uint64_t inode;
	unsigned protection; /* PROT_ */
	bool is_shared;
	struct str path; /* as the process knows it; `[heap]`, `[vdso]`; empty: none */
};
typedef void target_on_mapping(void *context, const struct target_mapping *m);

/* Calls with each executable one, in the order of addresses; is_all: with all. False: e, it is gone. */
bool target_read_mappings(int32_t pid, bool is_all, target_on_mapping *on, void *context,
			  struct err *e);
