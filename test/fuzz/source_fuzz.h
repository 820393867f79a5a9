/*
 * Feeds bytes to one format of the source module in two ways that must agree: in one piece, and in
 * small ones.
 */
#pragma once
#include "fuzz.h"
#include "query/query.h"
#include "source/source_int.h"

static inline size_t feed_in_pieces(const struct source_format *format, void *state,
				    struct str text, size_t step)
{
	size_t done = 0, shown = 0;
	while (done < text.n || shown < text.n) {
		shown = shown + step < text.n ? shown + step : text.n;
		bool is_last = shown == text.n;
		/*
		 * A window of its own, as a stream has it: stale pointers into the last one are
		 * seen by ASan.
		 */
		size_t n = shown - done;
		char *window = mem_alloc(n, 1);
		memcpy(window, text.p + done, n);
		size_t used = format->feed(state, (struct str){ window, n }, done, is_last);
		free(window);
		if (used > n)
			abort();
		done += used;
		if (is_last)
			break;
	}
	return done;
}

/* A tree from the profile: labels, transforms and sums see hostile names too. */
static inline uint64_t query_all(struct profile *p)
{
	struct query q = { .mark_kernel = true,
			   .mark_jit = true,
			   .show_tid = true,
			   .merge_tiers = true,
			   .collapse_recursion = true };
	struct query_ledger ledger;
	struct err e = { 0 };
	uint64_t sum = 0;
	text_list_add(&q.where, STR("event=all"));
	profile_seal(p);
	struct tree *t = query_tree(p, &q, &ledger, &e);
	if (!t || ledger.samples_in != ledger.shown)
		abort();
	for (uint32_t i = 0; i < t->n; i++)
		sum += t->own_stacks[i];
	if (sum != p->samples.n)
		abort(); /* a row got lost on the way */
	sum = t->total[0][0];
	tree_free(t);
	query_fini(&q);
	return sum;
}

static inline void fuzz_format(const struct source_format *format, struct source_options options,
			       const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct profile *whole = profile_new(COLUMN_PID | COLUMN_TID);
	struct profile *pieces = profile_new(COLUMN_PID | COLUMN_TID);
	void *state = format->begin(whole, &options, text);
	format->feed(state, text, 0, true);
	format->end(state, false);
	state = format->begin(pieces, &options, str_first(text, 64));
	feed_in_pieces(format, state, text, size / 7 + 1);
	format->end(state, false);
	if (whole->ledger.count[LEDGER_SAMPLES] != pieces->ledger.count[LEDGER_SAMPLES] ||
	    whole->ledger.count[LEDGER_FRAMES] != pieces->ledger.count[LEDGER_FRAMES] ||
	    whole->samples.n != pieces->samples.n)
		abort();
	if (query_all(whole) != query_all(pieces))
		abort();
	profile_unref(whole);
	profile_unref(pieces);
}
