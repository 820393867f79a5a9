/*
 * Inlined functions and source lines from DWARF 2 to 5, or from Go's own table (go_table.h), decoded in this process.
 * Work is bounded by the size of the file, by 5 s of CPU time and 1 GB: once that is spent, what is not known yet
 * stays unknown and debug_info_gave_up reports it. Before the first lookup only section headers are read.
 */
#pragma once
#include "elf/elf.h"

/* One of the functions that the code at an address belongs to. */
struct debug_frame {
	struct str
		name; /* linkage name, mangled, or the plain one with its scopes; empty: unknown */
	/* If not set, an ELF symbol that covers the address is a better name for the outermost function. */
	bool is_linkage_name;
	struct str file; /* of the line below; empty if not known */
	uint32_t line,
		column; /* where in this function the address or inlined call is; 0: not known */
	struct str declared_file; /* where the function itself begins; empty and 0 if not known */
	uint32_t declared_line;
};

enum { DEBUG_MAX_INLINES = 64 };

struct debug_info;

/* Returns NULL if elf has neither DWARF nor Go's own table. The caller keeps elf, which must outlive this. */
struct debug_info *debug_info_new(struct elf *elf);
void debug_info_free(struct debug_info *d);
/* Look up file, line and column of an address only if its function does not say where it begins. */
void debug_info_skip_lines(struct debug_info *d);
/*
 * The functions at a link-time address, outermost first, the last being the innermost inlined one;
 * 0 if the DWARF does not cover it. Results are cached and valid as long as d is.
 */
uint32_t debug_info_find(struct debug_info *d, uint64_t address, const struct debug_frame **frames);
/* True if lookups were refused because they would have taken too long. */
bool debug_info_gave_up(const struct debug_info *d);
