/*
 * The table that every Go program carries for its own tracebacks, .gopclntab: it survives `-s -w` and strip.
 * Functions, the lines and inlined functions of their instructions, and how far the stack pointer has moved at
 * each of them. Formats of Go 1.2 to 1.26, pointers of 4 and 8 bytes.
 *
 * Nothing in it is believed. What is read is bounded by the size of the table; a table that asks for more says
 * nothing from then on.
 */
#pragma once
#include "debug_info/lookup.h"
#include "elf/elf.h"

struct go_table;

/* NULL: elf is no Go program, or its table is of a version that is not known. elf must outlive it. */
struct go_table *go_table_new(struct elf *elf);
void go_table_free(struct go_table *t);
/* Where the table begins, in the program's own addresses. */
uint64_t go_table_address(const struct go_table *t);
/* Its names: texts that end in NUL. */
struct str go_table_names(const struct go_table *t);

struct go_function {
	uint64_t start, end;
	uint32_t name;	 /* where it begins in the names */
	uint64_t record; /* where in the table the rest is */
};

/* By address. False: number `i` is damaged. */
uint32_t go_table_count(const struct go_table *t);
bool go_table_get(const struct go_table *t, uint32_t i, struct go_function *f);
/* The one that an address is in. */
bool go_table_find(const struct go_table *t, uint64_t address, struct go_function *f);

enum go_kind {
	GO_ORDINARY,
	GO_OUTERMOST,	   /* nothing called it: a thread or goroutine begins in it */
	GO_SWITCHES_STACK, /* frame sizes do not tell where its caller is */
};
enum go_kind go_function_kind(const struct go_table *t, const struct go_function *f);

/* A number that changes with the address: rows of [start, end) and their value. */
struct go_values {
	struct go_table *table;
	struct cursor rows;
	uint64_t start, end, function_end;
	int32_t value;
};

/* How many bytes of the stack the function uses; more than its frame where it has pushed arguments. */
bool go_frame_sizes(struct go_table *t, const struct go_function *f, struct go_values *v);
/* False at the end, or where it cannot be read. */
bool go_values_next(struct go_values *v);

/*
 * The functions at an address, outermost first, with lines; frames has room for DEBUG_MAX_INLINES + 1. Texts are
 * good as long as the program is.
 */
uint32_t go_table_lines(struct go_table *t, uint64_t address, struct debug_frame *frames);
/* It asked for more work than a table of its size can need. */
bool go_table_gave_up(const struct go_table *t);
