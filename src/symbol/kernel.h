/* Functions of the kernel and its modules: kallsyms, of this machine or of a file, or vmlinux. */
#pragma once
#include "symbol/options.h"

/* What a recording says of its kernel. */
struct kernel_id {
	struct str build_id;	/* bytes; empty: not known */
	struct str release;	/* uname -r; empty: not known */
	uint64_t text_address;	/* where the symbol below was; 0: not known */
	struct str text_symbol; /* `_text` or `_stext` */
};

struct kernel_symbols;

/* Never NULL: with nothing found, nothing is found in it, and kernel_symbols_explain says why. */
struct kernel_symbols *kernel_symbols_new(const struct kernel_id *id,
					  const struct symbol_options *options);
void kernel_symbols_free(struct kernel_symbols *k);

struct kernel_symbol {
	struct str name;
	struct str module; /* `[kernel.kallsyms]`, `[nf_tables]`, `[bpf]` */
	uint64_t start;
};
bool kernel_symbols_find(struct kernel_symbols *k, uint64_t address, struct kernel_symbol *found);
/* Why names are missing and what would help; both empty when all is well. */
void kernel_symbols_explain(struct kernel_symbols *k, struct buf *reason, struct buf *fix);

/* The build id of the running kernel, from /sys/kernel/notes; empty: not known. */
void kernel_running_build_id(struct buf *build_id);
