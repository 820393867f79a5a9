/* Functions of the kernel and its modules: from kallsyms, of this machine or in a file, or from vmlinux. */
#pragma once
#include "symbol/options.h"

/* What a recording says about its kernel. */
struct kernel_id {
	struct str build_id;	/* bytes; empty if not known */
	struct str release;	/* uname -r; empty if not known */
	uint64_t text_address;	/* address of the symbol below; 0 if not known */
	struct str text_symbol; /* `_text` or `_stext` */
};

struct kernel_symbols;

/* Never returns NULL: if no source of names was found, lookups find nothing and kernel_symbols_explain says why. */
struct kernel_symbols *kernel_symbols_new(const struct kernel_id *id,
					  const struct symbol_options *options);
void kernel_symbols_free(struct kernel_symbols *k);

struct kernel_symbol {
	struct str name;
	struct str module; /* `[kernel.kallsyms]`, `[nf_tables]`, `[bpf]` */
	uint64_t start;
};
bool kernel_symbols_find(struct kernel_symbols *k, uint64_t address, struct kernel_symbol *found);
/* Why names are missing and what would help; both are empty if none are missing. */
void kernel_symbols_explain(struct kernel_symbols *k, struct buf *reason, struct buf *fix);

/* The build id of the running kernel, from /sys/kernel/notes; empty if not known. */
void kernel_running_build_id(struct buf *build_id);
