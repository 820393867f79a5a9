/* Reports for the terminal, and the same as JSON. Everything has been decided; what remains is formatting. */
#pragma once
#include "query/query.h"

struct report_style {
	unsigned
		columns; /* of the terminal; 0: whole names and exact numbers, for other programs */
	bool has_colours;
	bool is_unicode; /* draw the tree's lines with box characters */
};

enum report_direction {
	PATHS_OF_ALL,
	PATHS_TO_CALLERS, /* up from a function: nothing is sampled where they end */
	PATHS_TO_CALLEES,
};

/* A tree of paths, and what was derived from it. */
struct report_paths {
	enum report_direction direction;
	const struct tree *tree;
	struct paths paths;
};

/* The function given to --callers or --callees. */
struct report_subject {
	struct str name;
	uint32_t functions; /* how many are merged */
	uint64_t self, total;
};

/* The table of functions, heaviest first. */
struct report_table {
	const struct tree *tree;
	const struct report_functions *functions; /* NULL if not requested */
	uint32_t limit;				  /* rows; 0: all */
	enum report_order order;
	bool is_your_code; /* what these functions called in others' code is charged to them */
	uint64_t yours;	   /* of all samples, those in your code */
};

enum { REPORT_MAX_PATHS = 2 };

struct report {
	struct str
		file; /* for `plume doctor FILE`; empty: several, or none that can be read again */
	const struct profile *profile;
	const struct tree *tree;
	const struct query_ledger *ledger;
	const struct report_units *units;
	struct report_summary summary;

	struct report_table your_code;
	struct report_table all;

	const struct report_groups *groups; /* NULL if not requested */
	const char *group_key;
	uint32_t group_limit;

	const struct report_subject *subject; /* NULL for the whole profile */
	struct report_paths paths[REPORT_MAX_PATHS];
	unsigned path_count;
};

/* Appends what is shown and what is missing or doubtful, fitted to the terminal. Returns the number of lines. */
unsigned report_add_ledger(struct buf *out, const struct report *r, const struct report_style *s);
/* The lines of a table besides its rows. */
enum { REPORT_TABLE_LINES = 2 };

/* writer_commit reports errors. */
void sink_report_text(const struct report *r, const struct report_style *s, struct writer *out);
void sink_report_json(const struct report *r, struct writer *out);
