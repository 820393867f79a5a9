/*
 * What every command that reads profiles has in common: its options, reading the files, the ledger
 * in words.
 */
#pragma once
#include "cmd/cmd.h"
#include "query/query.h"
#include "source/source.h"

struct input_options {
	unsigned format; /* index into source_input_names */
	uint32_t threads;
};

/* What fold and flame write into names, beyond the query's own. */
struct mark_options {
	bool all; /* mark_kernel and mark_jit */
	bool addresses;
};

/* Where names of functions are looked for, and how much of what is known of them is shown. */
struct naming_options {
	const char *symfs, *container_root;
	struct text_list maps;
	bool asks_debuginfod;
	bool source_maps;
	bool inlines, no_inlines; /* as given; inlined functions are shown when neither is */
	bool shows_lines;	  /* `name file.c:12` */
	bool shows_context;	  /* `name:file.c:12` */
};

/* What the command line says, as far as all commands that read profiles have it in common. */
struct profile_request {
	struct text_list files;
	struct query query;
	struct mark_options marks;
	struct naming_options naming;
	struct input_options input;
	struct common_options common;
	bool has_ledger;	 /* what is written says itself what the recording lacks */
	struct profile *profile; /* at hand already, sealed: no files are read; the caller's */
};
void profile_request_fini(struct profile_request *r);

/* Each is bound to its part of struct profile_request. */
extern const struct option_set input_option_set;
extern const struct option_set name_option_set;
extern const struct option_set mark_option_set;
extern const struct option_set naming_option_set;
extern const struct option_set filter_option_set;
extern const struct option_set time_option_set; /* goes on with filters */
extern const struct option_set transform_option_set;

/*
 * Parses the words by the sets of a command. own: the sets that are the command's alone, ending in
 * { NULL }; all others go to r.
 */
bool profile_request_parse(struct profile_request *r, const struct command *self, char **words,
			   size_t n, const struct option_binding *own, struct err *e);
/* How to read, as the options have it; good as long as r is. */
struct source_options source_options_of(const struct profile_request *r);
/*
 * Whether kinds of frames are known: folded stacks do not say which file a function comes from, so
 * not what is the kernel's.
 */
bool knows_kinds(const struct profile *p);

/* --- reading: read_profiles.c --- */

/*
 * Reads all files into one sealed profile. No file: standard input when something is piped into it,
 * else ./perf.data, and says so. NULL: e.
 */
struct profile *read_profiles(const struct text_list *files, const struct source_options *options,
			      unsigned columns, struct err *e);
/* The profile that r has at hand, or the files of r. To be unreferenced. NULL: e. */
struct profile *request_profile(const struct profile_request *r,
				const struct source_options *options, unsigned columns,
				struct err *e);
/* What is read when no file is named. Says so where that is not what is piped in. */
const char *default_input(void);
/* As source_read, with a line on a terminal that counts samples. */
bool read_profile(const char *path, const struct source_options *options, struct profile *p,
		  struct err *e);
/*
 * `perf script | plume fold`: a pipe or a file there is meant to be read; a terminal or /dev/null
 * is not.
 */
bool stdin_is_piped(void);

/* --- what became of it: ledger.c --- */

/* EXIT_DAMAGED when the input was damaged or incomplete, else EXIT_DONE. */
int exit_code_of(const struct profile *p, const struct query_ledger *l);
/* What is missing or odd, in words. */
void say_warnings(const struct profile *p, const struct query *q, const struct query_ledger *l);
/* What the recording itself lacks, for output that has no ledger to say it. */
void say_recording(const struct profile *p, const struct text_list *files);
/* The ledger, a line per count that is not zero. tree: may be NULL. */
void say_ledger(const struct profile *p, const struct query_ledger *l, const struct tree *tree);
/* Warnings and ledger as r asks for them, behind output that was written; the exit code. */
int say_outcome(const struct profile_request *r, const struct profile *p,
		const struct query_ledger *l, const struct tree *tree);
/* Why nothing is left to show. Fills e. */
void explain_nothing(const struct profile *p, const struct query *q, const struct query_ledger *l,
		     struct err *e);
