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

extern const struct option_set input_option_set;     /* struct input_options */
extern const struct option_set name_option_set;	     /* struct query */
extern const struct option_set mark_option_set;	     /* struct mark_options */
extern const struct option_set filter_option_set;    /* struct query */
extern const struct option_set time_option_set;	     /* struct query; goes on with filters */
extern const struct option_set transform_option_set; /* struct query */

/* How to read, as the options have it. */
struct source_options source_options_of(const struct input_options *input,
					const struct mark_options *marks);
void mark_options_apply(const struct mark_options *marks, struct query *q);
/*
 * Whether kinds of frames are known: folded stacks do not say which file a function comes from, so
 * not what is the kernel's.
 */
bool knows_kinds(const struct profile *p);

/* Threads to use when the user said nothing: one per core. */
unsigned default_threads(void);

/*
 * Reads all files into one sealed profile. No file: standard input when something is piped into it,
 * else ./perf.data, and says so. NULL: e.
 */
struct profile *read_profiles(const struct text_list *files, const struct source_options *options,
			      unsigned columns, struct err *e);

/* EXIT_DAMAGED when the input was damaged or incomplete, else EXIT_DONE. */
int exit_code_of(const struct profile *p, const struct query_ledger *l);
/* What is missing or odd, in words. */
void say_warnings(const struct profile *p, const struct query *q, const struct query_ledger *l);
/*
 * `perf script | plume fold`: a pipe or a file there is meant to be read; a terminal or /dev/null
 * is not.
 */
bool stdin_is_piped(void);
/* The ledger, a line per count that is not zero. tree: may be NULL. */
void say_ledger(const struct profile *p, const struct query_ledger *l, const struct tree *tree);
/* Why nothing is left to show. Fills e. */
void explain_nothing(const struct profile *p, const struct query *q, const struct query_ledger *l,
		     struct err *e);
