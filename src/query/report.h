/* What a report is made of: who took how much, in all and in groups. Of trees that keep their rows. */
#pragma once
#include "query/diff.h"

/* --- functions --- */

enum report_order { ORDER_BY_SELF, ORDER_BY_TOTAL };

struct report_function {
	uint32_t label;
	uint64_t self, total; /* recursion counts once */
	/* Of self, as far as it is known: in code of each of V8's compilers (TREE_TIERS), and in inlined copies. */
	uint64_t of_tier[TREE_TIER_COUNT], inlined;
	/*
	 * Of self, what ran in each of them or was called from it and is charged to the function. Of a function without
	 * such samples, the same of total; then a recursive one counts with each of its frames.
	 */
	uint64_t ran_in[TREE_TIER_COUNT];
	/* Where most of its own samples were taken, where frames say so; empty or 0: not known. */
	struct str module; /* with folders */
	struct str file;
	uint32_t line;
};

struct report_functions {
	VEC(struct report_function) rows; /* heaviest first */
};

/* All functions, without the processes that are the roots. t is of p and keeps its rows. */
void report_functions(const struct profile *p, const struct tree *t, enum report_order order,
		      struct report_functions *out);
/* Functions that are the program's or a package's come first; the sum of what they took themselves. */
uint64_t report_functions_yours_first(const struct tree *t, struct report_functions *f);
void report_functions_fini(struct report_functions *f);

/* --- the samples shown, in a few numbers --- */

struct report_summary {
	uint64_t first_ns, last_ns; /* has_times only */
	bool has_times;
	uint32_t processes, threads, cpus; /* 0: not recorded */
	/* In the tree's values: */
	uint64_t total;
	uint64_t idle;	   /* ended in the kernel's idle loop */
	uint64_t no_name;  /* ended in a frame without a name */
	uint64_t no_stack; /* had no frame */
};

struct report_summary report_summary(const struct profile *p, const struct tree *t);
/* The columns it needs beyond the query's. */
enum { REPORT_COLUMNS = COLUMN_TIME | COLUMN_CPU | COLUMN_PID | COLUMN_TID };

/* --- units --- */

struct query_ledger;
enum { REPORT_MOST_UNITS = 8 };

struct report_units {
	struct str all; /* what values count: "samples", "ns", "page-faults"; "events": several */
	struct str list[REPORT_MOST_UNITS]; /* those of events shown; further ones are left out */
	uint32_t n;
	struct str *of_event; /* by event id */
	uint32_t events;      /* so many events are shown */
	uint32_t left_out;    /* ... and so many others, by name, have samples */
	bool has_only_sums;   /* no event shown was sampled */
};

/* weight: enum query_weight, as in the query. */
void report_units(const struct profile *p, const struct tree *t, const struct query_ledger *ledger,
		  unsigned weight, struct report_units *out);
void report_units_fini(struct report_units *u);

/* --- groups --- */

enum report_key {
	GROUP_THREAD,
	GROUP_PID,
	GROUP_COMM,
	GROUP_CPU,
	GROUP_MODULE, /* of the leaf */
	GROUP_EVENT,
	GROUP_KIND, /* of the leaf */
	GROUP_CONTAINER,
	GROUP_CATEGORY, /* of what the stack ends in: whose code it is */
	GROUP_KEYS
};
/* By enum report_key; ends in NULL. */
extern const char *const report_key_names[];

struct report_group {
	struct str name;  /* "node", "3", "libc.so.6"; never empty */
	uint64_t weight;  /* in the tree's values */
	uint64_t samples; /* how many, whatever they weigh */
	uint32_t hottest; /* label of the function with most of it by itself */
	uint64_t hottest_weight;
	event_id event; /* of its first sample */
	uint64_t whole; /* what shares are of: the tree's total */
};

/* The weights add up to the tree's total. */
struct report_groups {
	VEC(struct report_group) rows; /* heaviest first */
	struct arena text;
};

void report_groups(const struct profile *p, const struct tree *t, enum report_key key,
		   struct report_groups *out);
/* Groups are events: shares are of the total of the same unit from here on. */
void report_groups_by_unit(struct report_groups *g, const struct report_units *u);
void report_groups_fini(struct report_groups *g);

/* --- one function --- */

enum name_match { MATCH_NONE, MATCH_EXACT, MATCH_WORD, MATCH_PART };

/*
 * The labels that a user may mean by text: those of that name, with or without its mark; else those
 * that hold it as a whole word; else those that hold it. is_wanted: by label, cleared before.
 */
enum name_match report_find(const struct tree *t, struct str text, bool *is_wanted);
/* The labels that come nearest to text, at most n, best first; how many. */
uint32_t report_nearest(const struct tree *t, struct str text, uint32_t *labels, uint32_t n);

/*
 * Who calls the wanted functions: below the root the function, below it its callers. Each stack
 * counts once, from the outermost frame that is wanted. One function has its own label, several
 * have one of that name. Names are t's, which must outlive it.
 */
struct tree *tree_callers(const struct tree *t, const bool *is_wanted, struct str root_name);
/*
 * What they call: one tree of all that is below them. Several are one function of that name, so one
 * of them that calls another calls itself, which is folded as tree_without_loops does it.
 */
struct tree *tree_callees(const struct tree *t, const bool *is_wanted, struct str root_name);

/*
 * A tree in which no function is below itself: where a stack comes back to a function, what lies
 * between is cut out, and the function is_recursive. All samples are there, and each frame is below
 * one that called it.
 */
struct tree *tree_without_loops(const struct tree *from);
