/* What a process runs: a runtime that interprets or compiles code at run time, or none. */
#pragma once
#include "elf/elf.h"
#include "process/process.h"

/* One row each in the table of runtime_table.c. Runtimes that embed others come first: Python in a JVM is a JVM. */
enum runtime_kind {
	RUNTIME_NATIVE, /* no known runtime */
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
	struct buf version;	     /* `20.20.2`, `17.0.15`; empty if not known */
	bool is_in_library;	     /* the program itself is small, as in Debian's Node.js */
	bool has_map_flag;	     /* Node: --perf-basic-prof or its variant; Python: -X perf */
	bool has_jitdump_flag;	     /* Node: --perf-prof */
	bool has_interpreted_frames; /* Node: --interpreted-frames-native-stack */
	bool has_no_inlining;	     /* Node: --no-turbo-inlining */
	bool keeps_frame_pointers;   /* JVM: -XX:+PreserveFramePointer on its command line */
	bool has_no_attach;	     /* JVM: -XX:+DisableAttachMechanism */
};
/* Never fails: what cannot be found out is left unknown. Runs nothing. */
void runtime_of_process(struct process *p, struct runtime *out);
/* Finds kind and version from a program's file, which may be NULL, and its name. */
void runtime_of_program(struct elf *elf, struct str name, struct runtime *out);
void runtime_fini(struct runtime *r);
/* Reads the flags of a process of known kind from its command line and environment. */
void runtime_read_flags(struct process *p, struct runtime *r);

/* Tells the kind from the name of one mapped file. RUNTIME_NATIVE if the name says nothing. */
enum runtime_kind runtime_of_file(struct str path);
/* Of the kinds of two files, the one that embeds the other. */
static inline enum runtime_kind runtime_outer(enum runtime_kind a, enum runtime_kind b)
{
	return !a || (b && b < a) ? b : a;
}
/* Whether a file is the library of a runtime: `libjvm.so`. */
bool runtime_is_library(enum runtime_kind kind, struct str path);
/* Whether the process has such a library mapped executable. */
bool runtime_has_library(struct process *p, enum runtime_kind kind);
/*
 * Opens that library for reading. path: as the process has it mapped. Returns -1 if there is none
 * or it cannot be opened.
 */
int runtime_open_library(struct process *p, enum runtime_kind kind, struct buf *path);

enum { RUNTIME_NAMES = 2 };

struct runtime_row {
	const char *name; /* for display */
	/* Names of its program and library; what follows begins with a digit, `.` or `-`. */
	const char *programs[RUNTIME_NAMES], *libraries[RUNTIME_NAMES];
	const char *
		/* A section that all of its programs have and no others, whatever their names. */
		section;
	const char *symbol; /* exported by programs that embed it */
	/* elf may be NULL; name is the file's. NULL if the version cannot be told. */
	void (*add_version)(struct elf *elf, struct str name, struct buf *version);
	/* Handles an option and the word after it. NULL if no option matters here. */
	void (*take_flag)(struct str word, struct str next, struct runtime *r);
	const char *variables[2];  /* with more options, read before those of the command line */
	const char *last_variable; /* ... and after them */
	const char *map_variable;  /* if not 0, it writes a map */
	const char *advice;	   /* how to make it write the names of its JIT code */
};
extern const struct runtime_row runtime_rows[RUNTIMES];
