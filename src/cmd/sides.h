/* What diff compares: BEFORE and AFTER, read, selected and paired. */
#pragma once
#include "cmd/profile_options.h"

/* What the command line says about the sides; everything is borrowed. */
struct sides_wish {
	const struct text_list *files; /* one or two */
	const struct text_list *times; /* --time: none, one for both, or one for each */
	const struct query *query;
	struct source_options source;
	enum diff_scale scale;
	bool is_folded; /* names are those of folded stacks */
	bool by_self;
	bool quiet;
};

struct side {
	struct profile *profile;
	struct tree *tree;
	struct query_ledger ledger;
	const char *name;
};

struct comparing {
	struct side side[SIDES]; /* [BEFORE] only when a file holds both */
	struct tree *pair;
	struct comparison comparison;
};

/* False and e when a side cannot be had. Warnings are said. */
bool comparing_read(struct comparing *c, const struct sides_wish *w, struct err *e);
void comparing_fini(struct comparing *c);
/*
 * The sides of c again, with the time of built-in functions, libraries and the kernel charged to the
 * functions of the program, for profiles in which people's own functions run in somebody else's
 * program. Without a pair where that does not apply, or where c is that view.
 */
bool comparing_your_code(struct comparing *yours, const struct comparing *c,
			 const struct sides_wish *w, struct err *e);
/* `1,234 samples of cpu-clock, base.perf, time 0,5`. */
void comparing_describe(const struct comparing *c, const struct sides_wish *w, unsigned side,
			struct buf *out);
