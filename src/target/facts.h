/* What can be seen of a living process from outside, as far as it decides what a profile of it shows. */
#pragma once
#include "symbol/symbol.h"
#include "target/frame_pointers.h"
#include "target/living.h"

/* A program or library that it has mapped, executable. */
struct mapped_file {
	char *path; /* as the process knows it */
	uint64_t code_bytes;
	enum frame_pointer_use frame_pointers;
	bool has_tables; /* .eh_frame, .debug_frame or .gopclntab: can be unwound without frame pointers */
	bool has_lines; /* DWARF, in the file or in a debug file: lines and inlined functions */
	enum binary_trouble trouble; /* of its names */
	bool has_exports;	     /* stripped, but some functions have names */
	struct buf why, fix;	     /* of that trouble; empty: there is none */
};

/* perf-PID.map in its own /tmp. */
struct code_map {
	char *path;   /* as the process knows it */
	int fd;	      /* -1: it is not there, or not to be trusted */
	struct err e; /* then why, except that it is not there */
	uint64_t size_bytes, rows;
	bool is_counted_whole;	       /* false: it has more rows than were counted */
	uint64_t seen_ns;	       /* when that was */
	uint64_t grown_bytes, grew_ns; /* since then, and how long that took: code_map_watch */
};

struct process_facts {
	int32_t pid;
	int32_t inner_pid; /* in its own pid namespace */
	char *name;	   /* as in /proc/PID/comm */
	char *program;	   /* path, as the process knows it; NULL: not to be seen */
	uint32_t uid;
	char *user; /* its name here; NULL: it has none */
	uint32_t threads;
	bool is_stopped;
	bool is_visible; /* its files and mappings may be looked at */
	bool has_own_pids, has_own_mounts, has_own_users; /* namespaces other than ours */
	struct buf container;				  /* name or id; empty: none is known */
	struct runtime runtime;
	bool may_be_asked;		/* a JVM that takes commands */
	VEC(struct mapped_file) mapped; /* the program first, then those with most code */
	uint32_t more_mapped;		/* that were too many to be looked at */
	uint64_t jit_bytes;		/* executable memory that is of no file */
	struct code_map map;
	char *jitdump; /* NULL: it writes none */
};

/* A process that target_choose gave. False: e, it has ended meanwhile. */
bool process_facts_read(int32_t pid, const struct symbol_options *options, struct process_facts *f,
			struct err *e);
void process_facts_fini(struct process_facts *f);
/* Looks at its map once more: how much it has grown since. */
void code_map_watch(struct code_map *m);
