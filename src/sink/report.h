/* The answer in the terminal, and the same as JSON. Everything is decided; only bytes are left to write. */
#pragma once
#include "query/query.h"

struct report_style {
	unsigned
		columns; /* of the terminal; 0: names whole, numbers exact, for programs that read text */
	bool has_colours;
	bool is_unicode; /* lines of the tree as box drawings */
};

enum report_direction {
	PATHS_OF_ALL,
	PATHS_TO_CALLERS, /* up from a function: nothing is taken where they end */
	PATHS_TO_CALLEES,
};

/* A tree of paths, and what was made of it. */
struct report_paths {
	enum report_direction direction;
	const struct tree *tree;
	struct paths paths;
};

/* The function that --callers and --callees ask for. */
struct report_subject {
	struct str name;
	uint32_t functions; /* so many are taken together */
	uint64_t self, total;
};

/* Functions, the heaviest first. */
struct report_table {
	const struct tree *tree;
	const struct report_functions *functions; /* NULL: not asked for */
	uint32_t limit;				  /* rows; 0: all */
	enum report_order order;
	bool is_your_code; /* what these functions called in others' code is theirs */
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

	const struct report_groups *groups; /* NULL: not asked for */
	const char *group_key;
	uint32_t group_limit;

	const struct report_subject *subject; /* NULL: the whole */
	struct report_paths paths[REPORT_MAX_PATHS];
	unsigned path_count;
};

/* What is shown, and what is not or doubtful, fitted to the terminal. How many lines it took. */
unsigned report_add_ledger(struct buf *out, const struct report *r, const struct report_style *s);
/* Lines that a table takes beside its rows. */
enum { REPORT_TABLE_LINES = 2 };

/* Errors surface in writer_commit. */
void sink_report_text(const struct report *r, const struct report_style *s, struct writer *out);
void sink_report_json(const struct report *r, struct writer *out);
