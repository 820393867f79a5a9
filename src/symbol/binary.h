/*
 * A program or library that was mapped into a process when it was recorded: finding the file again,
 * making sure that it is the same one, and its functions.
 *
 * Nothing is opened before it is asked for. Not for several threads at once.
 */
#pragma once
#include "elf/elf.h"
#include "process/process.h"
#include "symbol/options.h"

/* Why names are missing. */
enum binary_trouble {
	BINARY_FINE,
	BINARY_MISSING,	    /* no such file, neither at its path nor by its build id */
	BINARY_DENIED,	    /* it may not be read */
	BINARY_DIFFERS,	    /* what is there has another build id or inode, or was changed since */
	BINARY_DAMAGED,	    /* no ELF file, or one that contradicts itself */
	BINARY_OVER_BUDGET, /* reading its symbols would cost more than it may */
	BINARY_STRIPPED,    /* it has no symbol table, and no debug file was found */
	BINARY_UNVERIFIED,  /* used, though neither build id nor inode could be compared */
};

struct binary;

/* options are the caller's and stay. */
struct binary *binary_new(const struct binary_id *id, const struct symbol_options *options);
/* An image that is not in a file: the vdso. bytes are the caller's and stay. */
struct binary *binary_of_memory(const struct binary_id *id, struct str bytes,
				const struct symbol_options *options);
void binary_free(struct binary *b);

/* A process that had it mapped: if it lives, its root directory is looked into, too. */
void binary_add_process(struct binary *b, int32_t pid);
/* The build id became known later than the path; before the first look-up. */
void binary_set_build_id(struct binary *b, struct str build_id);

/* The file with the code. NULL: binary_trouble_of says why. */
struct elf *binary_code(struct binary *b);
/*
 * The file with DWARF sections: its debug file, or the same one, which need not have any: debug_info_new tells.
 * NULL: there is no file.
 */
struct elf *binary_debug(struct binary *b);

struct binary_symbol {
	struct str name; /* as it is in the file, mangled; `f@plt` for entries of the PLT */
	uint64_t start;	 /* in the program's own addresses */
};
/* The function at an address of the program's own. False: none is known. */
bool binary_find_symbol(struct binary *b, uint64_t address, struct binary_symbol *found);
/*
 * Where the function at an address begins, by .eh_frame: known of functions without a symbol, too. False:
 * it has no entry there.
 */
bool binary_find_start(struct binary *b, uint64_t address, uint64_t *start);

struct binary_function {
	struct str name; /* as it is in the file, mangled */
	uint64_t start;	 /* in the program's own addresses */
	bool is_chooser; /* it only says, when the program starts, which code has that name */
};
/*
 * Calls visit with every name of every function that the file defines, aliases as well, in no order and
 * maybe more than once, until it returns false. Names are good as long as b is.
 */
void binary_visit_functions(struct binary *b,
			    bool (*visit)(void *context, const struct binary_function *f),
			    void *context);

enum binary_trouble binary_trouble_of(struct binary *b);
/* Its file is used, though nothing says that it is the recorded one; it may be stripped, too. */
bool binary_is_unverified(struct binary *b);
/* Its budget, or that of its debug file, was not enough; NULL: it was, so far. */
const struct budget *binary_spent_budget(const struct binary *b);
/* Between look-ups: pages of files with a strict budget are let go. */
void binary_let_go(struct binary *b);
/* A sentence's part that says what was found and where, and what would help. */
void binary_explain(struct binary *b, struct buf *reason, struct buf *fix);
const struct binary_id *binary_id_of(const struct binary *b);
