/* What changed, function by function: a table for people, JSON for programs. */
#pragma once
#include "query/query.h"
#include "sink/report.h"

struct diff_report {
	const struct tree *pair;
	const struct comparison *comparison;
	const struct functions *functions; /* in the order they are shown */
	uint32_t limit;			   /* rows of the table; 0: all */
	struct str side_text[SIDES];	   /* what each side is, in one line */
	const char *count_name;
	double factor;
	double fail_above;		/* percent; below 0: nothing fails */
	const struct grown_list *grown; /* what fails */
	bool negates;
};

/* Names are shortened to fit the style's columns; 0: they are whole. */
void sink_diff_table(const struct diff_report *r, const struct report_style *style,
		     struct writer *out);
void sink_diff_json(const struct diff_report *r, struct writer *out);
