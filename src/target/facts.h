/* Facts about a live process, seen from outside, that decide what a profile of it can show. */
#pragma once
#include "symbol/symbol.h"
#include "target/frame_pointers.h"
#include "target/living.h"

/* A program or library that is mapped executable. */
struct mapped_file {
	char *path; /* as the process knows it */
	uint64_t code_bytes;
	enum frame_pointer_use frame_pointers;
	/* .eh_frame, .debug_frame or .gopclntab: it can be unwound without frame pointers. */
	bool has_tables;
	/* DWARF, in the file or in a debug file: lines and inlined functions. */
	bool has_lines;
	enum binary_trouble trouble; /* with its names */
	bool has_exports;	     /* stripped, but some functions are exported */
	struct buf why, fix;	     /* why names are missing, and how to fix that; else empty */
};

/* perf-PID.map in the process's /tmp. */
struct code_map {
	char *path;   /* as the process knows it */
	int fd;	      /* -1 if it does not exist or is not trusted */
	struct err e; /* why it is not trusted */
	uint64_t size_bytes, rows;
	bool is_counted_whole;	       /* false if it has too many rows to count */
	uint64_t seen_ns;	       /* when it was read */
	uint64_t grown_bytes, grew_ns; /* growth since then, and over what time: code_map_watch */
};

struct process_facts {
	int32_t pid;
	int32_t inner_pid; /* in its own pid namespace */
	char *name;	   /* as in /proc/PID/comm */
	char *program;	   /* path, as the process knows it; NULL if hidden */
	uint32_t uid;
	char *user; /* its name here; NULL if it has none */
	uint32_t threads;
	bool is_stopped;
	bool is_visible; /* plume may read its files and mappings */
	bool has_own_pids, has_own_mounts, has_own_users; /* namespaces other than plume's */
	struct buf container;				  /* name or id; empty if not known */
	struct runtime runtime;
	bool may_be_asked;		/* a JVM that accepts commands */
	VEC(struct mapped_file) mapped; /* the program first, then those with most code */
	uint32_t more_mapped;		/* number of files beyond the limit */
	uint64_t jit_bytes;		/* anonymous executable memory */
	struct code_map map;
	char *jitdump; /* NULL if it writes none */
};

/* For a process selected by target_choose. Returns false and sets e if it has ended. */
bool process_facts_read(int32_t pid, const struct symbol_options *options, struct process_facts *f,
			struct err *e);
void process_facts_fini(struct process_facts *f);
/* Checks how much the map has grown. */
void code_map_watch(struct code_map *m);
