/*
 * The functions of a program by address. Names stay where they are, in the string tables of the files
 * that the symbols came from: those must outlive the table.
 *
 * Filled by symbol_table_add and symbol_table_add_plt, then sealed, then asked.
 */
#pragma once
#include "symbol/binary.h"
#include "debug_info/debug_info.h"

/* Name ids from here on are of names that were made; string tables share those below. */
#define SYMBOL_MADE_FIRST 0xfe000000u

/* What makes one of several names for an address better, the most important first. */
enum symbol_rank {
	SYMBOL_IS_TYPED = 4, /* the compiler said that it is code, rather than a mere label */
	SYMBOL_IS_STRONG = 2,
	SYMBOL_IS_GLOBAL = 1,
};

enum {
	SYMBOL_MAX_BYTES = (1 << 28) - 1, /* of a function: none is of 256 MiB */
};

struct symbol_row {
	uint64_t start;
	uint32_t size_bytes : 28, rank : 4;
	uint32_t name; /* of a symbol_text, or SYMBOL_MADE_FIRST + index in made */
};

/* One string table: the names from `first` on are offsets into it. */
struct symbol_text {
	struct str bytes;
	uint32_t first;
};

/* A name that is in no file, `f@plt`; put together when somebody asks for it. */
struct symbol_made {
	struct str
		function; /* empty: the one at `address`, or when that is 0, the PLT's own code */
	uint64_t address;
	struct str text; /* empty until it is asked for */
};

struct symbol_range {
	uint64_t start, end;
};

struct symbol_table {
	VEC(struct symbol_row) rows; /* by start; with the same start, as in the file */
	/*
	 * The nearest row before this one that ends behind it, or INDEX_NONE: where functions contain
	 * others, that is the next one that can hold an address which this one does not.
	 */
	uint32_t *outer;
	/* Functions of which one is chosen when the program starts (STT_GNU_IFUNC), by start. */
	VEC(struct symbol_row) choosers;
	VEC(struct symbol_text) texts;
	uint32_t text_bytes; /* of all of them */
	VEC(struct symbol_made) made;
	VEC(struct symbol_range) code; /* executable sections, by start once sealed */
	struct arena made_texts;
	uint64_t compared_bytes; /* see may_compare */
	/* What says where symbols without a size end; NULL: the next symbol and the section's end. */
	struct elf *code_file;
	struct function_ranges functions;
	bool is_stripped;    /* it lacks symbols that are not exported */
	uint64_t read_bytes; /* of code, see table_extent.c */
};

void symbol_table_fini(struct symbol_table *t);
/* The functions of a section of symbols (SHT_SYMTAB or SHT_DYNSYM). */
void symbol_table_add(struct symbol_table *t, struct elf *elf, const struct elf_section *section);
/* `f@plt` for the stubs that calls of other files' functions go through. */
void symbol_table_add_plt(struct symbol_table *t, struct elf *elf);
/* Those of a Go program without symbols, if elf is one. */
void symbol_table_add_go(struct symbol_table *t, struct elf *elf);
/* The file with the code, before it is sealed; is_stripped: no full table of symbols was added. */
void symbol_table_set_code(struct symbol_table *t, struct elf *elf, bool is_stripped);
void symbol_table_seal(struct symbol_table *t);
/* What it finds is good as long as t and its files are. */
bool symbol_table_find(struct symbol_table *t, uint64_t address, struct binary_symbol *found);

/* For those that fill it: a name that is made when it is asked for. */
void symbol_table_add_made(struct symbol_table *t, struct symbol_range range,
			   struct symbol_made made);
/* The id of the first name of a string table. False: there is no room for more of them. */
bool symbol_table_add_text(struct symbol_table *t, struct str bytes, uint32_t *first);
/* Of a symbol without a size that reaches to `end` at most. */
uint64_t symbol_extent_end(struct symbol_table *t, uint64_t start, uint64_t end);
