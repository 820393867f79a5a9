#pragma once
#include "v8/layout.h"

/* 11.3 is 1103. */
static inline uint32_t v8_version(const struct v8_layout *l)
{
	return l->major * 100 + l->minor;
}

/* layout_table.c: what this version does not export, and how it differs. False: it is not in the table. */
bool v8_layout_complete(struct v8_layout *l);
/* `9.4, 9.6, ...`: all that are. */
void v8_layout_known(struct buf *out);

/* layout_blob.c: */
/* Bytes of a file at one of its own addresses. */
bool v8_file_read(struct elf *elf, uint64_t address, void *to, size_t n);

/* Addresses; 0: it is not there. */
struct blob_symbols {
	uint64_t code, code_bytes, code_size;
	uint64_t code_function, code_size_function, data_function; /* they return these */
};
/* Where V8's own code is, and the interpreter in it. */
void v8_layout_find_blob(struct elf *elf, const struct blob_symbols *s, struct v8_layout *l);

/* blob_x86_64.c: what a function of one instruction or two returns. */
struct v8_answer {
	uint64_t address;
	bool is_behind; /* what is at the address is returned, else the address itself */
};
/* code: of `return name;`, which is at pc. False: it is something else. */
bool v8_answer_of(struct str code, uint64_t pc, struct v8_answer *answer);
/* Whether code saves a function in a frame of its own, as the interpreter's entry does. */
bool v8_is_interpreter_entry(struct str code);
