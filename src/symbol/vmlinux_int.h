/* The kernel as an ELF file, where there is one with symbols. */
#pragma once
#include "symbol/kernel.h"
#include "symbol/table_int.h"

struct vmlinux {
	struct elf *elf; /* NULL: there is none */
	struct symbol_table table;
	uint64_t shift; /* of the recorded addresses against those in the file */
};

/* Looks for the file of that kernel. False: there is none, or none that is certainly its own. */
bool vmlinux_load(struct vmlinux *v, const struct kernel_id *id,
		  const struct symbol_options *options);
void vmlinux_fini(struct vmlinux *v);
