/* The text of /proc/kallsyms, `ADDRESS TYPE NAME[\t[MODULE]]`, as a table. */
#pragma once
#include "base/base.h"

struct kallsyms_row {
	uint64_t start;
	uint32_t name_at;
	uint16_t name_bytes; /* 0: data, which only ends the function before it */
	uint16_t module;
};

struct kallsyms {
	struct str text; /* the caller's */
	VEC(struct kallsyms_row) rows;
	VEC(struct str) modules; /* 0 is the kernel itself */
	bool is_hidden;		 /* all addresses are zero */
};

/* Skips the rows of modules unless wants_modules is set. text must outlive t. */
void kallsyms_init(struct kallsyms *t, struct str text, bool wants_modules);
void kallsyms_fini(struct kallsyms *t);
/* The function that contains address. */
const struct kallsyms_row *kallsyms_find(const struct kallsyms *t, uint64_t address);
struct str kallsyms_name(const struct kallsyms *t, const struct kallsyms_row *row);
/* The address of a function by its name. Returns false if there is none. */
bool kallsyms_address(const struct kallsyms *t, struct str name, uint64_t *address);
