/*
 * Questions to a sealed profile: which samples (selection), shown how (transforms), as which shape
 * (tree). No input, no output. The words are the same on the command line, in the API and in the
 * page's URL.
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
#include "query/report.h"
#include "query/shown_name.h"

/* Where a frame is in the source, behind its name. */
enum query_place {
	PLACE_HIDDEN,
	PLACE_BEHIND_BLANK, /* `main file.c:12` */
	PLACE_BEHIND_COLON, /* `main:file.c:12`, as stackcollapse-perf.pl --inline --context */
};

/* How frames are called. */
enum query_names {
	NAMES_FOLDED, /* as in folded stacks: V8's tiers and inlined copies are functions of their own */
	NAMES_SHOWN, /* as people read them: a function once; what it was compiled to is a detail of it */
};

enum query_weight { QUERY_WEIGHT_AUTO, QUERY_WEIGHT_SAMPLES, QUERY_WEIGHT_PERIOD };

struct query {
	/* Selections: a sample is shown when all of them hold. */
	struct text_list where; /* KEY=VALUE[,VALUE...] */
	const char *time;	/* A,B or A, or ,B from the start; -5s, from the end; NULL: all */
	struct text_list only;	/* expressions on the whole folded stack */
	struct text_list without;
	bool no_idle;
	bool all_events; /* without a word on events: all of them, not the first alone */

	/*
	 * Transforms: what happens to the stacks of the samples shown, in this order. Expressions
	 * see names without marks.
	 */
	unsigned names; /* enum query_names */
	/*
	 * The other side of a comparison: functions without a name are told apart only in files that are
	 * the same there. NULL: in all files.
	 */
	const struct profile *beside;
	bool merge_tiers; /* V8's tiers of one function are one function, in folded stacks as well */
	bool split_tiers; /* they are several, and so are inlined copies, for people as well */
	struct text_list
		root; /* stacks begin at the first frame that matches; others are left out */
	struct text_list skip_after; /* the callers of this function are cut off */
	struct text_list hide;	     /* frames that match are taken out */
	bool no_inlines;	     /* frames that were inlined are taken out */
	bool your_code; /* built-in functions, libraries and the kernel are taken out: their caller has the time */
	bool collapse_recursion; /* a;a;a is a */
	bool reverse;		 /* leaf first */

	/* What is written into names. */
	bool show_pid, show_tid;    /* root frame comm-PID or comm-PID/TID */
	bool mark_kernel, mark_jit; /* _[k], _[j] */
	unsigned show_place;	    /* enum query_place */
	bool strip_hex;		    /* 0x7f3a... is 0x..., so that addresses compare */
	unsigned weight;	    /* enum query_weight */

	/* For pictures. */
	bool by_kind;  /* one name in the kernel and outside is two functions */
	bool in_order; /* stacks stand side by side in time, or in the order of the input */
	/*
	 * flamegraph.pl sorts lines of text and merges what is alike side by side, so a function
	 * that ran by itself and called others may be two frames with another between them (`f`,
	 * `f.cold`, `f;g`). True: so be it.
	 */
	bool as_lines;
	bool marks_wakers; /* what follows a frame "--" in a stack is a waker: _[w] */
	bool ends_first_part; /* ... and a stack without one gets "--" at its end, as the old script has it */
	bool keeps_rows;  /* the tree says which label each row ended in */
	double min_share; /* what is on nodes with less of the total is left out of the tree */
};

void query_fini(struct query *q);

/* True where people's own functions run in somebody else's program: JavaScript, Java, Python. */
bool profile_has_scripts(const struct profile *p);

/* The columns (enum profile_column) a profile needs to answer q. */
unsigned query_columns(const struct query *q);

/* What became of the samples of the profile; in = the sum of the others. */
struct query_ledger {
	uint64_t samples_in;
	uint64_t shown;
	uint64_t by_where, by_time, by_text, idle, other_events, not_under_root;
	uint64_t gave_up;   /* expressions that reached their limit (counted as no match) */
	uint64_t overflows; /* sums held at their largest value */
	uint64_t stacks;    /* distinct stacks shown */
	bool is_in_periods; /* the weight is the sum of periods */
	event_id event;	    /* the one shown; INDEX_NONE: several */
};

/* True when the leaf of a row of samples is the kernel's idle loop. */
bool row_is_idle(const struct profile *p, uint32_t row);
/* True when q neither selects nor transforms, all events but the first aside. */
bool query_takes_everything(const struct query *q);
/*
 * The samples that q selects, with their stacks transformed, as a profile of their own: sealed, to be
 * unreferenced. What is written into names does not count here. NULL and e as with query_tree.
 */
struct profile *query_profile(struct profile *p, const struct query *q, struct query_ledger *ledger,
			      struct err *e);

/*
 * The tree of the samples that q selects. NULL and e when q is wrong (a usage error) or asks for
 * what the profile does not have. A tree with no samples is not an error: the ledger says where
 * they went.
 */
struct tree *query_tree(const struct profile *p, const struct query *q, struct query_ledger *ledger,
			struct err *e);
