/* Where a recording goes: files that grow during the recording, and files that are made at the end. */
#pragma once
#include "cmd/cmd.h"
#include "record/record.h"
#include "store/store.h"
#include "view/view.h"

/* A .plume that is written as samples arrive: whatever is in it survives a crash. */
struct growing_file {
	char *path;
	struct writer *out;
	struct store_writer *store;
};
bool growing_file_open(struct growing_file *g, const char *path, struct err *e);
/* Appends what p has gained. Returns false if nothing more can be written; end says why. */
bool growing_file_append(struct growing_file *g, const struct profile *p);
bool growing_file_end(struct growing_file *g, const struct profile *p, struct err *e);
void growing_file_fini(struct growing_file *g);
uint64_t file_bytes(const char *path);

struct record_outputs {
	struct text_list paths;	     /* all, as given or chosen */
	struct growing_file growing; /* the first .plume among them; path NULL if there is none */
	char *data_path;	     /* the .data among them; NULL if there is none */
	struct perf_data_writer *data;
	const char *format;	   /* --format, for all files made at the end; NULL: by extension */
	struct name_options names; /* --srcline and --context, for them */
	bool with_source;	   /* for pages */
};
/*
 * Checks that all have a known extension and a writable folder: before an hour of recording, not
 * after. stem: the base of the default name. Writes nothing yet, except .data.
 */
bool record_outputs_check(struct record_outputs *o, const char *stem,
			  const struct perf_data_facts *facts, struct err *e);
/* Whether any of them has a line for each address. */
bool record_outputs_keep_lines(const struct record_outputs *o);
/* Opens the growing files. */
bool record_outputs_open(struct record_outputs *o, struct err *e);
/* Call if there will be no recording: removes files that were begun. */
void record_outputs_discard(struct record_outputs *o);
bool record_outputs_append(struct record_outputs *o, const struct profile *p);
/* p is sealed and complete. Says what was written. Returns the exit code. */
int record_outputs_end(struct record_outputs *o, struct profile *p, const char *title,
		       bool is_quiet);
/* The first of its files that plume report can read; NULL if there is none. */
const char *record_outputs_for_report(const struct record_outputs *o);
void record_outputs_fini(struct record_outputs *o);
