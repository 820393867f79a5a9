/* The kernel as an ELF file, if one with symbols exists. */
#pragma once
#include "symbol/kernel.h"
#include "symbol/table_int.h"

struct vmlinux {
	struct elf *elf; /* NULL if there is none */
	struct symbol_table table;
	uint64_t shift; /* recorded addresses minus those in the file */
};

/* Finds the file for that kernel. Returns false if there is none, or none that surely matches. */
bool vmlinux_load(struct vmlinux *v, const struct kernel_id *id,
		  const struct symbol_options *options);
void vmlinux_fini(struct vmlinux *v);
