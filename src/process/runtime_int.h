/* How runtimes are recognised, and what is known of them. */
#pragma once
#include "process/runtime.h"

enum { RUNTIME_NAMES = 2 };

struct runtime_row {
	const char *name;
	/* Names of its program and its library; what follows begins with a digit, `.` or `-`. */
	const char *programs[RUNTIME_NAMES], *libraries[RUNTIME_NAMES];
	const char *
		section; /* that all of its programs have and no others, whatever they are called */
	const char *symbol; /* that programs which have it inside export */
	/* Of the file that it is in, which may be NULL, and has that name. NULL: it is not known. */
	void (*add_version)(struct elf *elf, struct str name, struct buf *version);
	/* A word of its options, and the one behind it. NULL: none of them matters here. */
	void (*take_flag)(struct str word, struct str next, struct runtime *r);
	const char *variables[2];  /* with more options, read before those of the command line */
	const char *last_variable; /* ... behind them */
	const char *map_variable;  /* other than 0: it writes a map */
	const char *advice;
};
extern const struct runtime_row runtime_rows[RUNTIMES];

void runtime_take_node_flag(struct str word, struct str next, struct runtime *r);
void runtime_take_jvm_flag(struct str word, struct str next, struct runtime *r);
void runtime_take_python_flag(struct str word, struct str next, struct runtime *r);
/* Flags from texts as they are in /proc: words that end in NUL. */
void runtime_take_flags(struct str cmdline, struct str variables, struct runtime *r);
/* Bytes of a section, not too many; empty: there is none. elf may be NULL. */
struct str runtime_section(struct elf *elf, const char *name);
