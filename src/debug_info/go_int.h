/* Parts of .gopclntab (src/runtime/symtab.go, src/internal/abi/symtab.go, src/debug/gosym/pclntab.go in Go). */
#pragma once
#include "debug_info/go_table.h"

enum go_version {
	GO_1_2,	 /* to 1.15 */
	GO_1_16, /* and 1.17 */
	GO_1_18, /* and 1.19 */
	GO_1_20, /* to 1.26, so far */
};

struct go_table {
	struct elf *elf;
	struct str bytes; /* from its header on */
	uint64_t address; /* of its first byte */
	enum go_version version;
	uint8_t quantum, pointer_bytes;
	struct str names, units, files, values;
	struct str functions; /* the base of record offsets; since 1.16 also holds their list */
	uint64_t list;	      /* offset of the list of functions in it */
	uint32_t count;
	uint64_t *starts; /* count + 1: the last one ends the last function */
	uint64_t text;	  /* base of starts; since 1.18 */
	bool has_inlines;
	uint64_t funcdata; /* base of the trees of inlined functions; since 1.18 */
	uint64_t work_left, held_bytes;
};

/* A number of n <= 8 bytes; returns false if it is out of bounds. */
static inline bool go_read(struct str bytes, uint64_t at, unsigned n, uint64_t *value)
{
	*value = 0;
	if (at > bytes.n || bytes.n - at < n)
		return false;
	memcpy(value, bytes.p + at, n);
	return true;
}

static inline uint64_t go_number(struct str bytes, uint64_t at, unsigned n)
{
	uint64_t value;
	go_read(bytes, at, n, &value);
	return value;
}

/* The bytes of the file from an address to the end of its segment. */
struct str go_bytes_at(const struct elf *elf, uint64_t address);

/*
 * go_module.c: the runtime's description of the program: where its text is, and data about its
 * functions. Found by its pointer to the table. Returns false if there is none.
 */
bool go_module_find(struct go_table *t);
/* Whether address is the base of funcdata offsets; up to 1.17 these are pointers: address is 0. */
bool go_funcdata_is_at(struct go_table *t, uint64_t address);
/* Gets the starts of functions from relocations if the file does not hold them. */
void go_module_relocate_starts(struct go_table *t, uint64_t list_address, unsigned step);

/* Fields of a function record. */
enum go_field { GO_NAME, GO_FRAME_SIZES, GO_FILES, GO_LINES, GO_UNIT, GO_START_LINE };
bool go_field(const struct go_table *t, const struct go_function *f, enum go_field field,
	      uint32_t *value);
/* The runtime's function flags; 0 before 1.17. */
uint8_t go_flags(const struct go_table *t, const struct go_function *f);
/*
 * The offset of a function's pcdata (a table of values), or the address of its funcdata. Returns
 * false if it has none.
 */
bool go_pcdata(const struct go_table *t, const struct go_function *f, uint32_t i, uint32_t *at);
bool go_funcdata(const struct go_table *t, const struct go_function *f, uint32_t i,
		 uint64_t *address);
/* Starts reading the table of values at an offset. */
bool go_values_begin(struct go_table *t, const struct go_function *f, uint32_t at,
		     struct go_values *v);
bool go_value_at(struct go_table *t, const struct go_function *f, uint32_t at, uint64_t address,
		 int32_t *value);
