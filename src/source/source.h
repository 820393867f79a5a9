/*
 * Input: any profile file or pipe becomes rows of a profile. The format is found by content, never
 * by name. A format is one file in this folder and one row in formats_int.h.
 */
#pragma once
#include "model/model.h"
#include "perf/perf.h"

struct source_options {
	const char *format;  /* force a format by name; NULL: find it by content */
	unsigned threads;    /* for files; 0 is taken as 1 */
	bool is_one_of_many; /* a recording of a period in which nothing ran is no failure */
	bool keep_addresses; /* tell frames without a name apart: [libc.so <7f12...>] */
	bool keep_names;     /* folded stacks: names as they are, not tidied */
	bool compat;	     /* read as stackcollapse-perf.pl does, mistakes included */
	bool compat_pid, compat_tid, compat_kernel,
		compat_jit;	  /* its options, which change its names */
	const char *compat_event; /* its --event-filter, or NULL */

	bool needs_lines;	     /* lines of addresses are to be shown: read_profiles */
	bool source_maps;	     /* for source_find_originals, when all is read */
	struct symbol_options names; /* perf.data: where to look for names */
	const char *directory;	     /* set by source_read: of perf.data that is a directory */

	/* The most rows of a table, where the format's own limit is not less; 0: that limit. */
	uint32_t max_rows;

	/*
	 * Called now and then while a stream is read, with what there is so far. False: nothing more is
	 * to be read. May be NULL.
	 */
	bool (*progress)(void *context, const struct profile *p);
	void *progress_context;
	bool is_quiet;		  /* for read_profile: the terminal is not told how far it is */
	struct progress *counted; /* how far it is; may be NULL */
};

/*
 * Adds what `path` ("-": standard input) holds to p. False and e when there is nothing to be had
 * from it: it cannot be read, or holds no stacks (e then says what it looks like and what to run
 * instead). Damage that leaves something readable is in p's ledger.
 */
bool source_read(const char *path, const struct source_options *options, struct profile *p,
		 struct err *e);

/*
 * Generated JavaScript of a profile as it was written, by the source maps of its scripts, as names says where
 * files are. Takes p, which is not sealed yet, and returns it or what takes its place.
 */
struct profile *source_find_originals(struct profile *p, const struct symbol_options *names);

/*
 * A .plume file that is still being written: each poll adds what it has gained to the profile. False
 * once there is nothing more to come: its writer has ended it, or e says what is wrong.
 */
struct followed;
struct followed *source_follow(const char *path, unsigned columns, bool needs_lines, struct err *e);
void followed_free(struct followed *f);
bool followed_poll(struct followed *f, struct err *e);
struct profile *followed_profile(const struct followed *f);

/* A fact of profiles that have one line of each function, as older .plume files do. */
extern const struct str source_lines_key;

/* Names for --input, ending in NULL; the first is "auto". And the option's help, which lists them. */
extern const char *const source_input_names[];
extern const char source_input_help[];
