/*
 * A profile as another tool's file. A format is one file in this folder and one row in
 * PROFILE_FORMATS. What a format cannot hold is left out and said in a sentence.
 */
#pragma once
#include "query/query.h"

struct profile_format_options {
	/* A record for each sample, with its time, where the format is used to have sums. */
	bool each_sample;
	/* One timeline of all threads, which become root frames, where the format has one each. */
	bool all_threads;
};

struct profile_format {
	const char *name;	/* for --format */
	const char *title;	/* for messages */
	const char *endings[3]; /* of file names, with the point; those not used are NULL */
	bool is_gzip;		/* its bytes are always compressed */
	bool keeps_starts;	/* of functions without a name, which are told apart */
	bool keeps_lines;	/* a function may have several, and stays one function */
	/* Columns (enum profile_column) that it makes use of, without and with each_sample. */
	unsigned columns, columns_of_each;
	/*
	 * p is sealed. Errors surface in writer_commit. notes: a line for each thing that the format
	 * could not hold. NULL: the format holds a tree.
	 */
	void (*write)(const struct profile *p, const struct profile_format_options *o,
		      struct writer *out, struct buf *notes);
	/* t is all of p, its kinds of code apart where by_kind says so. */
	void (*write_tree)(const struct tree *t, const struct profile *p,
			   const struct query_ledger *ledger, struct writer *out);
	bool by_kind;
};

/* clang-format off */
#define PROFILE_FORMATS(ROW)  \
	ROW(plume_sink)       \
	ROW(pprof_sink)       \
	ROW(speedscope_sink)  \
	ROW(cpuprofile_sink)  \
	ROW(firefox_sink)     \
	ROW(json_tree_sink)   \
	ROW(json_flat_sink)   \
	ROW(csv_sink)         \
	ROW(folded_sink)
/* clang-format on */

#define DECLARE_SINK(format) extern const struct profile_format format;
PROFILE_FORMATS(DECLARE_SINK)

/* Ends in NULL. */
extern const struct profile_format *const profile_formats[];
/* NULL: none of that name, or with an ending that the path has; a .gz behind it does not count. */
const struct profile_format *profile_format_named(const char *name);
const struct profile_format *profile_format_of_path(struct str path);
/* `plume, pprof, ...`: all of them. */
void profile_format_add_names(struct buf *out);
/* `.plume, .pb.gz, ...`: the first ending of each. */
void profile_format_add_endings(struct buf *out);
/* False and e: its bytes are no text. */
bool profile_format_suits_terminal(const struct profile_format *f, struct err *e);
/* A format that is always compressed is so unless an ending of its own says otherwise. */
bool profile_format_is_gzip(const struct profile_format *f, struct str path);
