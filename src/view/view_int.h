#pragma once
#include "view/view.h"

struct view {
	struct view_input in;
	const struct view_request *request;
	struct query
		query; /* the request's, adapted to the profile; its lists belong to the request */
	struct query_ledger ledger;
	struct tree *tree;	  /* NULL for VIEW_PROFILE */
	struct profile *selected; /* VIEW_PROFILE only */
	struct making *report;	  /* VIEW_REPORT only */
};

/* --- notes.c --- */

void notes_add(struct view_notes *n, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds one sentence per line of text. */
void notes_add_lines(struct view_notes *n, struct str text);
/* What is wrong with the recording itself, for output that has no ledger. */
void notes_add_recording(struct view_notes *n, const struct view_input *in);
/* Warns about what is missing or odd. */
void notes_add_warnings(struct view_notes *n, const struct profile *p, const struct query *q,
			const struct query_ledger *l);
/* Adds a ledger row for each count that is not zero. tree may be NULL. */
void notes_add_ledger(struct view_notes *n, const struct profile *p, const struct query_ledger *l,
		      const struct tree *tree);

/* --- picture_options.c --- */

bool picture_options_settle(struct picture_options *o, struct err *e);
/* The style, with what was left to the view filled in. */
struct picture_style picture_style_of(const struct picture_options *o, enum palette palette,
				      const char *title, const char *count_name);
/* The smallest value that is drawn, if the full width stands for total. */
double picture_min_value(const struct picture_options *o, const struct tree *t, uint64_t total);
/* A share of the total below which nothing is drawn, for struct query; set slightly below the limit. */
double picture_min_share(const struct picture_options *o);

/* --- picture.c --- */

void write_picture(struct view *v, struct writer *out, struct view_notes *notes);

/* --- picture_ledger.c --- */

/* Describes in one line what the picture is made of. */
void picture_ledger(const struct profile *p, const struct query_ledger *l, const struct tree *t,
		    const struct layout *layout, struct buf *out);
/* The parts of it that say what the picture leaves out, each after a dot. */
void picture_ledger_missing(const struct profile *p, const struct query_ledger *l, struct buf *out);
/* ` . 12 text`; nothing for 0. */
void picture_ledger_part(uint64_t count, const char *text, struct buf *out);
/* "samples", or whatever the values count. */
const char *picture_count_name(const struct profile *p, const struct query_ledger *l,
			       struct buf *scratch);

/* --- report.c --- */

bool report_options_settle(struct report_options *o, struct err *e);
/* Computes a report. Returns NULL and sets e if it cannot be made as requested. */
struct making *making_new(const struct view *v, struct view_notes *notes, struct err *e);
void making_free(struct making *m);
void making_write(const struct making *m, struct writer *out);

/* --- diff.c --- */

bool diff_options_settle(struct diff_options *o, struct err *e);
