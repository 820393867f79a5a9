/*
 * A program or library that was mapped into a process when it was recorded: finds its file again,
 * verifies that it is the same one, and looks up its functions.
 *
 * Files are opened lazily. Not thread-safe.
 */
#pragma once
#include "elf/elf.h"
#include "process/process.h"
#include "symbol/options.h"

/* Why names are missing. */
enum binary_trouble {
	BINARY_FINE,
	BINARY_MISSING,	    /* no such file, neither at its path nor by its build id */
	BINARY_DENIED,	    /* no permission to read it */
	BINARY_DIFFERS,	    /* the file has another build id or inode, or was changed since */
	BINARY_DAMAGED,	    /* not an ELF file, or one that contradicts itself */
	BINARY_OVER_BUDGET, /* reading its symbols would exceed the budget */
	BINARY_STRIPPED,    /* it has no symbol table, and no debug file was found */
	BINARY_UNVERIFIED,  /* used although neither build id nor inode could be compared */
};

struct binary;

/* options belong to the caller and must outlive it. */
struct binary *binary_new(const struct binary_id *id, const struct symbol_options *options);
/* An image that is not in a file: the vdso. bytes belong to the caller and must outlive it. */
struct binary *binary_of_memory(const struct binary_id *id, struct str bytes,
				const struct symbol_options *options);
void binary_free(struct binary *b);

/* Adds a process that had it mapped: if it is still running, its root directory is searched too. */
void binary_add_process(struct binary *b, int32_t pid);
/* For a build id that became known later than the path; call it before the first lookup. */
void binary_set_build_id(struct binary *b, struct str build_id);

/* The file with the code. Returns NULL if there is none; binary_trouble_of says why. */
struct elf *binary_code(struct binary *b);
/*
 * The file with DWARF sections: the debug file, or the same file, which may have none:
 * debug_info_new tells. Returns NULL if there is no file.
 */
struct elf *binary_debug(struct binary *b);

struct binary_symbol {
	struct str name; /* as in the file, mangled; `f@plt` for PLT entries */
	uint64_t start;	 /* as a link-time (ELF) address */
};
/* The function at a link-time address. Returns false if none is known. */
bool binary_find_symbol(struct binary *b, uint64_t address, struct binary_symbol *found);
/*
 * Where the function at a link-time address begins according to .eh_frame, which also covers
 * functions without a symbol. Returns false if it has no entry there.
 */
bool binary_find_start(struct binary *b, uint64_t address, uint64_t *start);

struct binary_function {
	struct str name; /* as in the file, mangled */
	uint64_t start;	 /* as a link-time (ELF) address */
	bool is_chooser; /* it only decides, when the program starts, which code gets that name */
};
/*
 * Calls visit with every name of every function defined in the file, aliases included, in any order
 * and possibly more than once, until it returns false. Names live as long as b.
 */
void binary_visit_functions(struct binary *b,
			    bool (*visit)(void *context, const struct binary_function *f),
			    void *context);

enum binary_trouble binary_trouble_of(struct binary *b);
/* Its file is used although nothing proves that it is the recorded one; it may also be stripped. */
bool binary_is_unverified(struct binary *b);
/* The budget, its own or its debug file's, that was exceeded; NULL if none was so far. */
const struct budget *binary_spent_budget(const struct binary *b);
/* Call between lookups: drops pages of files with a strict budget. */
void binary_let_go(struct binary *b);
/* Part of a sentence: what was found and where, and what would help. */
void binary_explain(struct binary *b, struct buf *reason, struct buf *fix);
const struct binary_id *binary_id_of(const struct binary *b);
