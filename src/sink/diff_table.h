/* What changed, by function: a table for people, JSON for programs. */
#pragma once
#include "query/query.h"
#include "sink/report.h"

struct diff_report {
	const struct tree *pair;
	const struct comparison *comparison;
	const struct functions *functions; /* in display order */
	uint32_t limit;			   /* rows in the table; 0: all */
	struct str side_text[SIDES];	   /* describes each side in one line */
	const char *count_name;
	double factor;
	double fail_above;		/* percent; below 0: never fail */
	const struct grown_list *grown; /* what makes it fail */
	bool negates;
};

/* Shortens names to fit the style's columns; 0 columns: keeps them whole. */
void sink_diff_table(const struct diff_report *r, const struct report_style *style,
		     struct writer *out);
void sink_diff_json(const struct diff_report *r, struct writer *out);
