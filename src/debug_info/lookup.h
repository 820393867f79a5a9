/*
 * Inlined functions and source lines from DWARF 2 to 5, or Go's own table (go_table.h), in this process. Work is bounded by the size of
 * the file, by 5 s of CPU time and 1 GB: when that is spent, what is not known yet stays unknown and
 * debug_info_gave_up says so. Nothing but the headers of sections is read before the first look-up.
 */
#pragma once
#include "elf/elf.h"

/* One function that the code at an address belongs to. */
struct debug_frame {
	struct str
		name; /* linkage name, mangled, or the plain one with its scopes; empty: not known */
	/* If not, an ELF symbol that covers the address is the better name of the outermost one. */
	bool is_linkage_name;
	struct str file; /* of the line below; empty: not known */
	uint32_t line,
		column; /* where in this function the address (or the inlined call) is; 0: not known */
	struct str declared_file; /* where the function itself begins; empty and 0: not known */
	uint32_t declared_line;
};

enum { DEBUG_MAX_INLINES = 64 };

struct debug_info;

/* NULL when elf has neither DWARF nor Go's own table. elf stays the caller's and must outlive this. */
struct debug_info *debug_info_new(struct elf *elf);
void debug_info_free(struct debug_info *d);
/* File, line and column of an address are needed only where its function does not say where it begins. */
void debug_info_skip_lines(struct debug_info *d);
/*
 * The functions at an address of the program's own, outermost first, the last being the innermost
 * inlined one; 0 when the DWARF does not know it. Results are cached and good as long as d is.
 */
uint32_t debug_info_find(struct debug_info *d, uint64_t address, const struct debug_frame **frames);
/* True when look-ups were refused because they would have taken too long. */
bool debug_info_gave_up(const struct debug_info *d);
