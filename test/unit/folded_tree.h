/* Folded text as a tree, for tests of what is drawn from one. */
#pragma once
#include "query/query.h"
#include "source/source_int.h"

/* keeps_names: names are not tidied, as flamegraph.pl has them. */
static inline struct profile *profile_of_folded(struct str text, bool is_differential,
						bool keeps_names, unsigned columns)
{
	const struct source_format *format = is_differential ? &folded_diff_format : &folded_format;
	struct source_options options = { .keep_names = keeps_names };
	struct profile *p = profile_new(columns);
	void *state = format->begin(p, &options, text);
	format->feed(state, text, 0, true);
	format->end(state, false);
	profile_seal(p);
	return p;
}

static inline struct tree *tree_of_query(struct str text, bool is_differential,
					 const struct query *q)
{
	struct query_ledger ledger;
	struct err e = { 0 };
	struct profile *p = profile_of_folded(text, is_differential, true, query_columns(q));
	struct tree *t = query_tree(p, q, &ledger, &e);
	profile_unref(p);
	return t;
}

static inline struct tree *tree_of_folded(struct str text)
{
	struct query q = { 0 };
	return tree_of_query(text, false, &q);
}

/* The first node of that name; the root when there is none. */
static inline uint32_t node_named(const struct tree *t, const char *name)
{
	for (uint32_t i = 1; i < t->n; i++)
		if (str_eq(tree_label_of(t, i)->name, str_from(name)))
			return i;
	return 0;
}
