/* What a process runs: a runtime that interprets or compiles a program while it runs, or nothing of the kind. */
#pragma once
#include "elf/elf.h"
#include "process/process.h"

/*
 * A row of the table in runtime_table.c each. Those that have others inside come first: Python in a JVM is a
 * JVM.
 */
enum runtime_kind {
	RUNTIME_NATIVE, /* none that is known */
	RUNTIME_JVM,
	RUNTIME_NODE,
	RUNTIME_BUN,
	RUNTIME_DENO,
	RUNTIME_DOTNET,
	RUNTIME_WASMTIME,
	RUNTIME_BEAM,
	RUNTIME_JULIA,
	RUNTIME_RUBY,
	RUNTIME_PHP,
	RUNTIME_PYTHON,
	RUNTIME_GO,
	RUNTIMES
};

struct runtime {
	enum runtime_kind kind;
	struct buf version;	     /* `20.20.2`, `17.0.15`; empty: not known */
	bool is_in_library;	     /* the program itself is small, as Debian's Node.js */
	bool has_map_flag;	     /* Node: --perf-basic-prof or its sister; Python: -X perf */
	bool has_jitdump_flag;	     /* Node: --perf-prof */
	bool has_interpreted_frames; /* Node: --interpreted-frames-native-stack */
	bool has_no_inlining;	     /* Node: --no-turbo-inlining */
	bool keeps_frame_pointers;   /* JVM: -XX:+PreserveFramePointer on its command line */
	bool has_no_attach;	     /* JVM: -XX:+DisableAttachMechanism */
};
/* Never fails: what cannot be found out is not known. Nothing is run. */
void runtime_of_process(struct process *p, struct runtime *out);
/* Kind and version alone, of a program by its file, which may be NULL, and its name. */
void runtime_of_program(struct elf *elf, struct str name, struct runtime *out);
void runtime_fini(struct runtime *r);
/* Flags of a process whose kind is known: from its command line and its environment. */
void runtime_read_flags(struct process *p, struct runtime *r);

/* By the name of one file that it has mapped. RUNTIME_NATIVE: the file tells nothing. */
enum runtime_kind runtime_of_file(struct str path);
/* Of what two files tell, the one that has the other inside. */
static inline enum runtime_kind runtime_outer(enum runtime_kind a, enum runtime_kind b)
{
	return !a || (b && b < a) ? b : a;
}
/* Whether a file is the library that a runtime is in: `libjvm.so`. */
bool runtime_is_library(enum runtime_kind kind, struct str path);
/* Whether the process has such a library mapped, executable. */
bool runtime_has_library(struct process *p, enum runtime_kind kind);
/* That library, for reading. path: as the process has it mapped. -1: there is none, or it cannot be opened. */
int runtime_open_library(struct process *p, enum runtime_kind kind, struct buf *path);

enum { RUNTIME_NAMES = 2 };

struct runtime_row {
	const char *name; /* as people call it */
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
	const char *advice;	   /* what makes it write down the names of code that it compiles */
};
extern const struct runtime_row runtime_rows[RUNTIMES];
