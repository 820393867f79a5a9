/* Where a recording goes: files that grow while it goes on, and files that are made of it at the end. */
#pragma once
#include "cmd/cmd.h"
#include "record/record.h"
#include "store/store.h"
#include "view/view.h"

/* A .plume that is written as the samples come: what is in it stays, whatever happens. */
struct growing_file {
	char *path;
	struct writer *out;
	struct store_writer *store;
};
bool growing_file_open(struct growing_file *g, const char *path, struct err *e);
/* Appends what p has gained. False: nothing more can be written; end says why. */
bool growing_file_append(struct growing_file *g, const struct profile *p);
bool growing_file_end(struct growing_file *g, const struct profile *p, struct err *e);
void growing_file_fini(struct growing_file *g);
uint64_t file_bytes(const char *path);

struct record_outputs {
	struct text_list paths;	     /* all, as given or chosen */
	struct growing_file growing; /* the first .plume among them; path NULL: none */
	char *data_path;	     /* the .data among them; NULL: none */
	struct perf_data_writer *data;
	const char *format;	   /* --format, for all that are made at the end; NULL: by ending */
	struct name_options names; /* --srcline and --context, for them */
};
/*
 * Sees that all have an ending that is known and a folder that can be written to: before an hour of
 * recording, not after. stem: of the name when there is none. Nothing is written yet, but for .data.
 */
bool record_outputs_check(struct record_outputs *o, const char *stem,
			  const struct perf_data_facts *facts, struct err *e);
/* Some of them have a line for each address. */
bool record_outputs_keep_lines(const struct record_outputs *o);
/* Opens what grows. */
bool record_outputs_open(struct record_outputs *o, struct err *e);
/* There will be no recording: what was begun is removed. */
void record_outputs_discard(struct record_outputs *o);
bool record_outputs_append(struct record_outputs *o, const struct profile *p);
/* p is sealed, and all of it. Says what was written. The exit code. */
int record_outputs_end(struct record_outputs *o, struct profile *p, const char *title,
		       bool is_quiet);
/* The first of its files that plume report reads; NULL: none is. */
const char *record_outputs_for_report(const struct record_outputs *o);
void record_outputs_fini(struct record_outputs *o);
