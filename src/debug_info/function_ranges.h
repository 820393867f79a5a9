/*
 * Where functions begin and end, according to .eh_frame: even stripped files have it, because
 * exceptions and unwinding need it. Assembly code often has no entry there.
 */
#pragma once
#include "elf/elf.h"

struct function_range {
	uint64_t start, end; /* as link-time addresses */
};

struct function_ranges {
	struct str frames; /* .eh_frame */
	uint64_t frames_address;
	bool is_64;
	/* Either the linker's lookup table, .eh_frame_hdr: pairs of a start and the location of its entry, ... */
	struct str sorted;
	uint64_t sorted_from; /* the base of both */
	/* ... or, if there is none, a list made from the entries. */
	VEC(struct function_range) list;
	uint32_t n;
};

/* Borrows from elf. Reads nothing in advance if the linker's table exists. */
void function_ranges_init(struct function_ranges *f, struct elf *elf);
void function_ranges_fini(struct function_ranges *f);

/* The last one that starts at or before the address, or INDEX_NONE. */
uint32_t function_ranges_find(const struct function_ranges *f, uint64_t address);
uint64_t function_ranges_start(const struct function_ranges *f, uint32_t i);
/* Returns false if its entry is invalid. */
bool function_ranges_get(const struct function_ranges *f, uint32_t i, struct function_range *range);
