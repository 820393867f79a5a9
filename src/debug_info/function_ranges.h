/*
 * Where functions begin and end, by .eh_frame: stripped files have it as well, since exceptions and
 * stacks need it. Code in assembly often has no entry there.
 */
#pragma once
#include "elf/elf.h"

struct function_range {
	uint64_t start, end; /* in the program's own addresses */
};

struct function_ranges {
	struct str frames; /* .eh_frame */
	uint64_t frames_address;
	bool is_64;
	/* Either the linker's table, .eh_frame_hdr: pairs of a start and where its entry is, ... */
	struct str sorted;
	uint64_t sorted_from; /* what both count from */
	/* ... or where there is none, one made of the entries. */
	VEC(struct function_range) list;
	uint32_t n;
};

/* Borrows from elf. Nothing is read ahead when the linker's table is there. */
void function_ranges_init(struct function_ranges *f, struct elf *elf);
void function_ranges_fini(struct function_ranges *f);

/* The last one that starts at or before the address, or INDEX_NONE. */
uint32_t function_ranges_find(const struct function_ranges *f, uint64_t address);
uint64_t function_ranges_start(const struct function_ranges *f, uint32_t i);
/* False: its entry makes no sense. */
bool function_ranges_get(const struct function_ranges *f, uint32_t i, struct function_range *range);
