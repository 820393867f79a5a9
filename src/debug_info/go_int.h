/* Parts of .gopclntab (src/runtime/symtab.go, src/internal/abi/symtab.go, src/debug/gosym/pclntab.go of Go). */
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
	struct str functions; /* what offsets of records count from; from 1.16 on also their list */
	uint64_t list;	      /* where the list of functions is in it */
	uint32_t count;
	uint64_t *starts; /* count + 1: the last one ends the last function */
	uint64_t text;	  /* what starts count from; from 1.18 on */
	bool has_inlines;
	uint64_t funcdata; /* what trees of inlined functions count from; from 1.18 on */
	uint64_t work_left, held_bytes;
};

/* A number of n <= 8 bytes; false: it is not there. */
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

/* What is in the file at an address, to the end of the part that is loaded with it. */
struct str go_bytes_at(const struct elf *elf, uint64_t address);

/*
 * go_module.c: what the runtime knows of the program: where its text is, and data of its functions. It is found
 * by its pointer to the table. False: it is not there.
 */
bool go_module_find(struct go_table *t);
/* Whether offsets of funcdata count from there; up to 1.17 they are pointers, and address is 0. */
bool go_funcdata_is_at(struct go_table *t, uint64_t address);
/* Starts of functions that the file does not hold, but its relocations do. */
void go_module_relocate_starts(struct go_table *t, uint64_t list_address, unsigned step);

/* Fields of a function's record. */
enum go_field { GO_NAME, GO_FRAME_SIZES, GO_FILES, GO_LINES, GO_UNIT, GO_START_LINE };
bool go_field(const struct go_table *t, const struct go_function *f, enum go_field field,
	      uint32_t *value);
/* What the runtime marks functions with; 0 before 1.17. */
uint8_t go_flags(const struct go_table *t, const struct go_function *f);
/* Offset of a function's pcdata (a table of values), or the address of its funcdata. False: it has none. */
bool go_pcdata(const struct go_table *t, const struct go_function *f, uint32_t i, uint32_t *at);
bool go_funcdata(const struct go_table *t, const struct go_function *f, uint32_t i,
		 uint64_t *address);
/* Rows of the table of values at an offset. */
bool go_values_begin(struct go_table *t, const struct go_function *f, uint32_t at,
		     struct go_values *v);
bool go_value_at(struct go_table *t, const struct go_function *f, uint32_t at, uint64_t address,
		 int32_t *value);
