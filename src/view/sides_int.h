/* The two sides of a diff, BEFORE and AFTER, selected and paired. */
#pragma once
#include "view/view_int.h"

struct side {
	struct view_input in; /* profile is NULL if the side has none of its own */
	struct tree *tree;
	struct query_ledger ledger;
};

struct comparing {
	struct side side[SIDES]; /* only [BEFORE] if one profile holds both */
	struct tree *pair;
	struct comparison comparison;
};

bool comparing_add_up(struct comparing *c, const struct view_input *sides,
		      const struct view_request *r, struct view_notes *notes, struct err *e);
void comparing_fini(struct comparing *c);
/*
 * The sides of c again, with the time of built-in functions, libraries and the kernel charged to
 * the program's functions. For profiles in which user code runs inside a runtime such as Node.js.
 * Without a pair if that does not apply, or if c is that view already.
 */
bool comparing_your_code(struct comparing *yours, const struct comparing *c,
			 const struct view_request *r, struct err *e);
/* `1,234 samples of cpu-clock, base.perf, time 0,5`. */
void comparing_describe(const struct comparing *c, const struct view_request *r, unsigned side,
			struct buf *out);
