/*
 * The numbers in a report: how much each function took, in total and by group. Works on trees that keep their rows.
 */
#pragma once
#include "query/diff.h"

/* --- functions --- */

enum report_order { ORDER_BY_SELF, ORDER_BY_TOTAL };

struct report_function {
	uint32_t label;
	uint64_t self, total; /* recursion counts once */
	/*
	 * The part of self, as far as it is known, in code of each of V8's compilers (TREE_TIERS),
	 * and in inlined copies.
	 */
	uint64_t of_tier[TREE_TIER_COUNT], inlined;
	/*
	 * The part of self that ran in each tier, or was called from it and is charged to the function. For a
	 * function without such samples, the same part of total; a recursive one then counts with each of its frames.
	 */
	uint64_t ran_in[TREE_TIER_COUNT];
	/* Where most of its self samples were taken, if frames say so; empty or 0 if not known. */
	struct str module; /* with folders */
	struct str file;
	uint32_t line;
};

struct report_functions {
	VEC(struct report_function) rows; /* heaviest first */
};

/* All functions, except processes at the root. t is a tree of p and keeps its rows. */
void report_functions(const struct profile *p, const struct tree *t, enum report_order order,
		      struct report_functions *out);
/* Moves functions of the program and its packages to the front; returns the sum of their self values. */
uint64_t report_functions_yours_first(const struct tree *t, struct report_functions *f);
void report_functions_fini(struct report_functions *f);

/* --- summary of the samples shown --- */

struct report_summary {
	uint64_t first_ns, last_ns; /* has_times only */
	bool has_times;
	uint32_t processes, threads, cpus; /* 0 if not recorded */
	/* In the tree's units: */
	uint64_t total;
	uint64_t idle;	   /* ended in the kernel's idle loop */
	uint64_t no_name;  /* ended in a frame without a name */
	uint64_t no_stack; /* had no frame */
};

struct report_summary report_summary(const struct profile *p, const struct tree *t);
/* The columns it needs besides the query's. */
enum { REPORT_COLUMNS = COLUMN_TIME | COLUMN_CPU | COLUMN_PID | COLUMN_TID };

/* --- units --- */

struct query_ledger;
enum { REPORT_MOST_UNITS = 8 };

struct report_units {
	struct str all; /* what values count: "samples", "ns", "page-faults"; "events" if several */
	struct str list[REPORT_MOST_UNITS]; /* of the events shown; further ones are left out */
	uint32_t n;
	struct str *of_event; /* by event id */
	uint32_t events;      /* how many events are shown */
	uint32_t left_out;    /* ... and how many others, by name, have samples */
	bool has_only_sums;   /* none of the events shown was sampled */
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
	GROUP_CATEGORY, /* of the leaf: whose code it is */
	GROUP_KEYS
};
/* By enum report_key; NULL-terminated. */
extern const char *const report_key_names[];

struct report_group {
	struct str name;  /* "node", "3", "libc.so.6"; never empty */
	uint64_t weight;  /* in the tree's values */
	uint64_t samples; /* number of samples, whatever they weigh */
	uint32_t hottest; /* label of the function with the largest self value */
	uint64_t hottest_weight;
	event_id event; /* of its first sample */
	uint64_t whole; /* 100 % for shares: the tree's total */
};

/* The weights add up to the tree's total. */
struct report_groups {
	VEC(struct report_group) rows; /* heaviest first */
	struct arena text;
};

void report_groups(const struct profile *p, const struct tree *t, enum report_key key,
		   struct report_groups *out);
/* For groups by event: from here on, shares are relative to the total of the same unit. */
void report_groups_by_unit(struct report_groups *g, const struct report_units *u);
void report_groups_fini(struct report_groups *g);

/* --- one function --- */

enum name_match { MATCH_NONE, MATCH_EXACT, MATCH_WORD, MATCH_PART };

/*
 * Finds the labels that a user may mean by text: those with that name, with or without its mark; otherwise those that
 * contain it as a whole word; otherwise those that contain it. is_wanted: by label, cleared first.
 */
enum name_match report_find(const struct tree *t, struct str text, bool *is_wanted);
/* The labels closest to text, at most n, best first; returns how many. */
uint32_t report_nearest(const struct tree *t, struct str text, uint32_t *labels, uint32_t n);

/*
 * The callers of the wanted functions: the function is below the root, its callers are below it.
 * Each stack counts once, from the outermost wanted frame. A single function keeps its label;
 * several share one named root_name. Names belong to t, which must outlive the result.
 */
struct tree *tree_callers(const struct tree *t, const bool *is_wanted, struct str root_name);
/*
 * The callees: one tree of everything below the functions. Several functions count as one named
 * root_name, so if one calls another it calls itself, which is folded as in tree_without_loops.
 */
struct tree *tree_callees(const struct tree *t, const bool *is_wanted, struct str root_name);

/*
 * A tree in which no function is below itself: where a stack returns to a function, the frames in between are removed
 * and the function becomes is_recursive. All samples are kept, and each frame is below one that called it.
 */
struct tree *tree_without_loops(const struct tree *from);
