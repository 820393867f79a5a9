#pragma once
#include "view/view.h"

struct view {
	struct view_input in;
	const struct view_request *request;
	struct query
		query; /* the request's, and what depends on the profile; its lists are the request's */
	struct query_ledger ledger;
	struct tree *tree;	  /* NULL for VIEW_PROFILE */
	struct profile *selected; /* VIEW_PROFILE only */
	struct making *report;	  /* VIEW_REPORT only */
};

/*
 * Whether kinds of frames are known: folded stacks do not say which file a function comes from, so
 * not what is the kernel's.
 */
bool knows_kinds(const struct profile *p);

/* --- notes.c --- */

void notes_add(struct view_notes *n, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A sentence for each line of text. */
void notes_add_lines(struct view_notes *n, struct str text);
/* What the recording itself lacks, for output that has no ledger to say it. */
void notes_add_recording(struct view_notes *n, const struct view_input *in);
/* What is missing or odd. */
void notes_add_warnings(struct view_notes *n, const struct profile *p, const struct query *q,
			const struct query_ledger *l);
/* The ledger, a row per count that is not zero. tree: may be NULL. */
void notes_add_ledger(struct view_notes *n, const struct profile *p, const struct query_ledger *l,
		      const struct tree *tree);
/* Why nothing is left to show: false, and e. */
bool explain_nothing(const struct profile *p, const struct query *q, const struct query_ledger *l,
		     struct err *e);

/* --- picture_options.c --- */

bool picture_options_settle(struct picture_options *o, struct err *e);
/* The style with what was left to the view. */
struct picture_style picture_style_of(const struct picture_options *o, enum palette palette,
				      const char *title, const char *count_name);
/* The narrowest value that is drawn, where the whole width stands for total. */
double picture_min_value(const struct picture_options *o, const struct tree *t, uint64_t total);
/* A share of the total below which nothing is drawn, for struct query: a little less than that. */
double picture_min_share(const struct picture_options *o);

/* --- picture.c --- */

void write_picture(struct view *v, struct writer *out, struct view_notes *notes);

/* --- picture_ledger.c --- */

/* What the picture is made of, in one line. */
void picture_ledger(const struct profile *p, const struct query_ledger *l, const struct tree *t,
		    const struct layout *layout, struct buf *out);
/* The parts of it that say what is not in the picture, each after a dot. */
void picture_ledger_missing(const struct profile *p, const struct query_ledger *l, struct buf *out);
/* ` . 12 text`; nothing for 0. */
void picture_ledger_part(uint64_t count, const char *text, struct buf *out);
/* "samples", or what else the values count. */
const char *picture_count_name(const struct profile *p, const struct query_ledger *l,
			       struct buf *scratch);

/* --- report.c --- */

bool report_options_settle(struct report_options *o, struct err *e);
/* A report and what it is made of. NULL and e when it cannot be made as asked. */
struct making *making_new(const struct view *v, struct view_notes *notes, struct err *e);
void making_free(struct making *m);
void making_write(const struct making *m, struct writer *out);

/* --- diff.c --- */

bool diff_options_settle(struct diff_options *o, struct err *e);
