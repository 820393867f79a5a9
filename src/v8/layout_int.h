#pragma once
#include "v8/layout.h"

/* 11.3 is 1103. */
static inline uint32_t v8_version(const struct v8_layout *l)
{
	return l->major * 100 + l->minor;
}

/*
 * layout_table.c: adds what this version does not export, and how it differs. Returns false if it
 * is not in the table.
 */
bool v8_layout_complete(struct v8_layout *l);
/* `9.4, 9.6, ...`: all supported versions. */
void v8_layout_known(struct buf *out);

/* layout_blob.c: */
/* Reads bytes of a file at one of its addresses. */
bool v8_file_read(struct elf *elf, uint64_t address, void *to, size_t n);

/* Addresses; 0 if missing. */
struct blob_symbols {
	uint64_t code, code_bytes, code_size;
	uint64_t code_function, code_size_function, data_function; /* functions that return these */
};
/* Finds V8's builtins, and the interpreter among them. */
void v8_layout_find_blob(struct elf *elf, const struct blob_symbols *s, struct v8_layout *l);

/* blob_x86_64.c: the result of a function of one or two instructions. */
struct v8_answer {
	uint64_t address;
	bool is_behind; /* the result is stored at the address; else it is the address */
};
/* code is that of `return name;` at pc. Returns false if it is anything else. */
bool v8_answer_of(struct str code, uint64_t pc, struct v8_answer *answer);
/* Whether code saves a function in its frame, as the interpreter's entry does. */
bool v8_is_interpreter_entry(struct str code);
