/*
 * Queries on a sealed profile: which samples (selection), how they are shown (transforms), and in
 * which shape (tree). Does no I/O. The command line, the API and the page's URL use the same words.
 */
#pragma once
#include "model/model.h"
#include "query/category.h"
#include "query/diagnosis.h"
#include "query/diff.h"
#include "query/layout.h"
#include "query/match.h"
#include "query/palette.h"
#include "query/palette_map.h"
#include "query/paths.h"
#include "query/presets.h"
#include "query/report.h"
#include "query/shown_name.h"
#include "query/time_ranges.h"

/* How a frame's source position is appended to its name. */
enum query_place {
	PLACE_HIDDEN,
	PLACE_BEHIND_BLANK, /* `main file.c:12` */
	PLACE_BEHIND_COLON, /* `main:file.c:12`, like stackcollapse-perf.pl --inline --context */
};

/* How frames are named. */
enum query_names {
	NAMES_FOLDED, /* as in folded stacks: V8's tiers and inlined copies count separately */
	NAMES_SHOWN,  /* for people: one entry per function; how it was compiled is a detail */
};

enum query_weight { QUERY_WEIGHT_AUTO, QUERY_WEIGHT_SAMPLES, QUERY_WEIGHT_PERIOD };

struct query {
	/* Selections: a sample is shown if all of them hold. */
	struct text_list where; /* KEY=VALUE[,VALUE...] */
	struct text_list
		times; /* A,B or A, or ,B from the start; -5s, from the end; a sample in any is kept */
	struct text_list only; /* regular expressions on the whole folded stack */
	struct text_list without;
	/* For all expressions together, here and below; what takes longer counts as no match. NULL: no limit. */
	struct regex_budget *budget;
	bool no_idle;
	bool all_events; /* if no event is selected: show all of them, not just the first */

	/*
	 * Transforms: applied to the stacks of the selected samples, in this order. Expressions
	 * match names without marks.
	 */
	unsigned names; /* enum query_names */
	/*
	 * The other side of a comparison: unnamed functions are told apart only in files that are
	 * the same on both sides. NULL: in all files.
	 */
	const struct profile *beside;
	bool merge_tiers; /* merge V8's tiers of a function, even in folded stacks */
	bool split_tiers; /* keep tiers and inlined copies apart, even for people */
	struct text_list
		root; /* stacks begin at the first frame that matches; others are left out */
	struct text_list skip_after; /* drop the callers of this function */
	struct text_list hide;	     /* drop frames that match */
	bool no_inlines;	     /* drop frames that were inlined */
	bool your_code; /* drop builtins, libraries and the kernel: their caller gets the time */
	struct text_list charge; /* drop frames of these categories; CATEGORY[,CATEGORY...] */
	bool collapse_recursion; /* a;a;a becomes a */
	struct text_list fold;	 /* a run of frames of these categories becomes one frame */
	bool reverse;		 /* leaf first */

	/* What is added to names. */
	bool show_pid, show_tid;    /* root frame comm-PID or comm-PID/TID */
	bool mark_kernel, mark_jit; /* _[k], _[j] */
	unsigned show_place;	    /* enum query_place */
	bool strip_hex;		    /* 0x7f3a... becomes 0x..., so that addresses compare equal */
	unsigned weight;	    /* enum query_weight */

	/* For pictures. */
	bool by_kind;	/* the same name in the kernel and outside is two functions */
	bool in_order;	/* stacks are side by side in time order, or in input order */
	bool by_thread; /* in_order: one thread after another, busiest first */
	/*
	 * flamegraph.pl sorts lines of text and merges equal neighbours, so a function that ran by itself and called
	 * others may be two frames with another between them (`f`, `f.cold`, `f;g`). Set this to reproduce that.
	 */
	bool as_lines;
	bool marks_wakers;    /* what follows a frame "--" in a stack is a waker: _[w] */
	bool ends_first_part; /* ... and a stack without one ends in "--", as in the old script */
	bool keeps_rows;      /* the tree says which label each row ended in */
	double min_share;     /* drop what is on nodes with less than this share of the total */
};

void query_fini(struct query *q);

/* True if user code runs inside a runtime: JavaScript, Java, Python. */
bool profile_has_scripts(const struct profile *p);

/* The columns (enum profile_column) that a profile needs to answer q. */
unsigned query_columns(const struct query *q);

/* What happens to a row of samples. */
enum row_fate {
	ROW_SHOWN,
	ROW_OTHER_EVENT,
	ROW_BY_WHERE,
	ROW_BY_TIME,
	ROW_IDLE,
	ROW_BY_TEXT,
	ROW_NOT_UNDER_ROOT,
	ROW_FATES
};

/* What happened to the profile's samples; in = the sum of the others. */
struct query_ledger {
	uint64_t samples_in;
	uint64_t shown;
	uint64_t by_where, by_time, by_text, idle, other_events, not_under_root;
	uint64_t gave_up;   /* expressions that reached their limit (counted as no match) */
	uint64_t overflows; /* sums clamped to the largest value */
	uint64_t stacks;    /* distinct stacks shown */
	bool is_in_periods; /* the weight is the sum of periods */
	event_id event;	    /* the one shown; INDEX_NONE if several */
};

/* The count of a fate. */
uint64_t *query_ledger_count(struct query_ledger *l, enum row_fate fate);

/* True if the leaf of a row of samples is the kernel's idle loop. */
bool row_is_idle(const struct profile *p, uint32_t row);
/* True if q neither selects nor transforms anything, apart from showing only the first event. */
bool query_takes_everything(const struct query *q);
/*
 * The samples that q selects, with transformed stacks, as a new profile: sealed; the caller unrefs
 * it. Ignores what q adds to names. Returns NULL and sets e like query_tree.
 */
struct profile *query_profile(struct profile *p, const struct query *q, struct query_ledger *ledger,
			      struct err *e);

/*
 * The tree of the samples that q selects. Returns NULL and sets e if q is wrong (a usage error) or asks for something
 * the profile does not have. A tree without samples is not an error: the ledger says where they went.
 */
struct tree *query_tree(const struct profile *p, const struct query *q, struct query_ledger *ledger,
			struct err *e);

/* Garbage collections, by thread: consecutive samples in the collector. kind and text mean nothing. */
struct gc_marks {
	VEC(struct mark) list;
};
/* period_ns: between samples; 0: not known. */
void gc_marks_of(const struct profile *p, uint64_t period_ns, struct gc_marks *out);
void gc_marks_fini(struct gc_marks *m);

#include "query/prepared.h"
