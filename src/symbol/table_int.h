/*
 * The functions of a program by address. Names stay in the string tables of the files that the
 * symbols came from, so those files must outlive the table.
 *
 * Fill it with symbol_table_add and symbol_table_add_plt, seal it, then look up.
 */
#pragma once
#include "symbol/binary.h"
#include "debug_info/debug_info.h"

/* Name ids from here on stand for generated names; string tables share the ids below. */
#define SYMBOL_MADE_FIRST 0xfe000000u

/* Criteria for the best of several names for an address, most important first. */
enum symbol_rank {
	SYMBOL_IS_TYPED = 4, /* the compiler marked it as code, not as a mere label */
	SYMBOL_IS_STRONG = 2,
	SYMBOL_IS_GLOBAL = 1,
};

enum {
	SYMBOL_MAX_BYTES = (1 << 28) - 1, /* of a function: none is as large as 256 MiB */
};

struct symbol_row {
	uint64_t start;
	uint32_t size_bytes : 28, rank : 4;
	uint32_t name; /* of a symbol_text, or SYMBOL_MADE_FIRST + index in made */
};

/* A string table: names from `first` on are offsets into it. */
struct symbol_text {
	struct str bytes;
	uint32_t first;
};

/* A name that is in no file, `f@plt`; built on demand. */
struct symbol_made {
	struct str
		function; /* empty: the one at `address`, or the PLT's own code if `address` is 0 */
	uint64_t address;
	struct str text; /* empty until requested */
};

struct symbol_range {
	uint64_t start, end;
};

struct symbol_table {
	VEC(struct symbol_row) rows; /* by start; in file order if starts are equal */
	/*
	 * The nearest earlier row that ends after this one, or INDEX_NONE: if functions are nested,
	 * it is the next one that can contain an address which this one does not.
	 */
	uint32_t *outer;
	/* Functions that choose an implementation when the program starts (STT_GNU_IFUNC), by start. */
	VEC(struct symbol_row) choosers;
	VEC(struct symbol_text) texts;
	uint32_t text_bytes; /* total size */
	VEC(struct symbol_made) made;
	VEC(struct symbol_range) code; /* executable sections, by start once sealed */
	struct arena made_texts;
	uint64_t compared_bytes; /* see may_compare */
	/*
	 * Used to find the end of symbols without a size; if NULL, they end at the next symbol or the section's end.
	 */
	struct elf *code_file;
	struct function_ranges functions;
	bool is_stripped;    /* it lacks symbols that are not exported */
	uint64_t read_bytes; /* of code, see table_extent.c */
};

void symbol_table_fini(struct symbol_table *t);
/* Adds the functions of a symbol section (SHT_SYMTAB or SHT_DYNSYM). */
void symbol_table_add(struct symbol_table *t, struct elf *elf, const struct elf_section *section);
/* Adds `f@plt` for the stubs through which functions in other files are called. */
void symbol_table_add_plt(struct symbol_table *t, struct elf *elf);
/* If elf is a Go program without symbols, adds its functions. */
void symbol_table_add_go(struct symbol_table *t, struct elf *elf);
/* Sets the file with the code, before sealing; is_stripped: no full symbol table was added. */
void symbol_table_set_code(struct symbol_table *t, struct elf *elf, bool is_stripped);
void symbol_table_seal(struct symbol_table *t);
/* Results are valid as long as t and its files. */
bool symbol_table_find(struct symbol_table *t, uint64_t address, struct binary_symbol *found);

/* For code that fills the table: adds a name that is built on demand. */
void symbol_table_add_made(struct symbol_table *t, struct symbol_range range,
			   struct symbol_made made);
/* The id of the first name in a string table. Returns false if there is no room for more. */
bool symbol_table_add_text(struct symbol_table *t, struct str bytes, uint32_t *first);
/* The end of a symbol without a size, at most `end`. */
uint64_t symbol_extent_end(struct symbol_table *t, uint64_t start, uint64_t end);
