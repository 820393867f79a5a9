/*
 * A profile as another tool's file. Each format is one file in this folder and one row in
 * PROFILE_FORMATS. Whatever a format cannot hold is left out and reported in a sentence.
 */
#pragma once
#include "query/query.h"

struct profile_format_options {
	/* Write one record per sample, with its time, even if the format usually has sums. */
	bool each_sample;
	/*
	 * Write one timeline for all threads, which become root frames, even if the format usually
	 * has one per thread.
	 */
	bool all_threads;
};

struct profile_format {
	const char *name;	/* for --format */
	const char *title;	/* for messages */
	const char *endings[3]; /* file name extensions, with the dot; unused ones are NULL */
	bool is_gzip;		/* always compressed */
	bool keeps_starts;	/* keeps unnamed functions apart by their start */
	bool keeps_lines;	/* a function may have several lines and stays one function */
	/* The columns (enum profile_column) that it uses, without and with each_sample. */
	unsigned columns, columns_of_each;
	/*
	 * p is sealed. writer_commit reports errors. notes: gets one line for each thing that the
	 * format could not hold. NULL if the format holds a tree.
	 */
	void (*write)(const struct profile *p, const struct profile_format_options *o,
		      struct writer *out, struct buf *notes);
	/* t is the tree of the whole p; by_kind says whether kinds of code are kept apart. */
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

/* NULL-terminated. */
extern const struct profile_format *const profile_formats[];
/* Returns NULL if no format has that name, or an extension that the path has; a trailing .gz is ignored. */
const struct profile_format *profile_format_named(const char *name);
const struct profile_format *profile_format_of_path(struct str path);
/* `plume, pprof, ...`: the names of all formats. */
void profile_format_add_names(struct buf *out);
/* `.plume, .pb.gz, ...`: the first extension of each format. */
void profile_format_add_endings(struct buf *out);
/* Returns false and sets e if the format is binary. */
bool profile_format_suits_terminal(const struct profile_format *f, struct err *e);
/*
 * Whether output to path is compressed: formats marked is_gzip are, unless one of their own
 * extensions says otherwise.
 */
bool profile_format_is_gzip(const struct profile_format *f, struct str path);
