/*
 * .gopclntab, the table that every Go program carries for its own tracebacks: it survives `-s -w` and strip. It has
 * functions, the lines and inlined functions of their instructions, and how far the stack pointer has moved at each
 * of them. Supports Go 1.2 to 1.26, with pointers of 4 and 8 bytes.
 *
 * Nothing in it is trusted. Reading is bounded by the size of the table; a table that needs more is ignored from then
 * on.
 */
#pragma once
#include "debug_info/lookup.h"
#include "elf/elf.h"

struct go_table;

/* Returns NULL if elf is not a Go program, or its table has an unknown version. elf must outlive it. */
struct go_table *go_table_new(struct elf *elf);
void go_table_free(struct go_table *t);
/* Where the table begins, as a link-time address. */
uint64_t go_table_address(const struct go_table *t);
/* Its names: NUL-terminated strings. */
struct str go_table_names(const struct go_table *t);

struct go_function {
	uint64_t start, end;
	uint32_t name;	 /* offset in the names */
	uint64_t record; /* where the rest is in the table */
};

/* Functions by address. get returns false if number `i` is damaged. */
uint32_t go_table_count(const struct go_table *t);
bool go_table_get(const struct go_table *t, uint32_t i, struct go_function *f);
/* The function at an address. */
bool go_table_find(const struct go_table *t, uint64_t address, struct go_function *f);

enum go_kind {
	GO_ORDINARY,
	GO_OUTERMOST,	   /* nothing called it: a thread or goroutine begins here */
	GO_SWITCHES_STACK, /* its frame size does not tell where its caller is */
};
enum go_kind go_function_kind(const struct go_table *t, const struct go_function *f);

/* A number that changes with the address: ranges [start, end) and their value. */
struct go_values {
	struct go_table *table;
	struct cursor rows;
	uint64_t start, end, function_end;
	int32_t value;
};

/* How many bytes of stack the function uses; more than its frame if it has pushed arguments. */
bool go_frame_sizes(struct go_table *t, const struct go_function *f, struct go_values *v);
/* Returns false at the end, or if the table cannot be read. */
bool go_values_next(struct go_values *v);

/*
 * The functions at an address, outermost first, with lines; frames has room for DEBUG_MAX_INLINES +
 * 1. Texts live as long as elf.
 */
uint32_t go_table_lines(struct go_table *t, uint64_t address, struct debug_frame *frames);
/* It needed more work than a table of its size can require. */
bool go_table_gave_up(const struct go_table *t);
