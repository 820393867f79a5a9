/*
 * Input: any profile file or pipe becomes rows of a profile. The format is detected by content,
 * never by name. Each format is one file in this folder and one row in formats_int.h.
 */
#pragma once
#include "model/model.h"
#include "perf/perf.h"

struct source_options {
	const char *format;  /* force a format by name; NULL: detect it by content */
	unsigned threads;    /* for files; 0 means 1 */
	bool is_one_of_many; /* an empty recording of a period is not an error */
	bool keep_addresses; /* tell unnamed frames apart: [libc.so <7f12...>] */
	bool keep_names;     /* folded stacks: keep names as they are, not tidied */
	bool compat;	     /* read like stackcollapse-perf.pl, bugs included */
	bool compat_pid, compat_tid, compat_kernel,
		compat_jit;	  /* its options, which change names */
	const char *compat_event; /* its --event-filter, or NULL */

	bool needs_lines;	     /* lines of addresses will be shown: read_profiles */
	bool source_maps;	     /* for source_find_originals, once everything is read */
	struct symbol_options names; /* perf.data: where to look for names */
	const char *directory;	     /* set by source_read if perf.data is a directory */

	/* The most rows of a table, unless the format's own limit is lower; 0: only that limit. */
	uint32_t max_rows;

	/*
	 * Called from time to time while reading a stream, with what has been read so far. Return
	 * false to stop reading. May be NULL.
	 */
	bool (*progress)(void *context, const struct profile *p);
	void *progress_context;
	bool is_quiet;		  /* for read_profile: show no progress on the terminal */
	struct progress *counted; /* the progress; may be NULL */
};

/*
 * Adds the content of `path` ("-": standard input) to p. Returns false and sets e if nothing could
 * be read: it cannot be opened, or has no stacks (e then says what it looks like and what to run
 * instead). If damaged input is still partly readable, the damage is in p's ledger.
 */
bool source_read(const char *path, const struct source_options *options, struct profile *p,
		 struct err *e);

/*
 * Maps generated JavaScript back to its original source, with the source maps of its scripts; names
 * says where files are. Takes p, which is not sealed yet, and returns it or its replacement.
 */
struct profile *source_find_originals(struct profile *p, const struct symbol_options *names);

/*
 * A .plume file that is still being written: each poll adds the new part to the profile. Returns
 * false when there is nothing more to come: either its writer ended it, or e says what is wrong.
 */
struct followed;
struct followed *source_follow(const char *path, unsigned columns, bool needs_lines, struct err *e);
void followed_free(struct followed *f);
bool followed_poll(struct followed *f, struct err *e);
struct profile *followed_profile(const struct followed *f);

/* The key of a fact in profiles that have one line per function, like older .plume files. */
extern const struct str source_lines_key;

/* Names for --input, NULL-terminated; the first is "auto". The option's help lists them. */
extern const char *const source_input_names[];
extern const char source_input_help[];
