/* Formats that pull their input: reading it in one piece and in small ones must give the same. */
#pragma once
#include "source_fuzz.h"

static inline struct profile *fuzz_pull(const struct source_format *format, struct str text,
					size_t step, unsigned columns)
{
	struct source_options options = { 0 };
	struct profile *p = profile_new(columns);
	/* A copy of its own, so that ASan sees what reads behind its end. */
	char *copy = mem_alloc(text.n + 1, 1);
	memcpy(copy, text.p, text.n);
	char *exact = mem_realloc(copy, text.n ? text.n : 1, 1);
	struct reader *r = reader_of_memory((struct str){ exact, text.n }, step);
	format->read(r, &options, p);
	reader_free(r);
	free(exact);
	return p;
}

static inline void fuzz_pull_format(const struct source_format *format, const uint8_t *data,
				    size_t size)
{
	struct str text = { (const char *)data, size };
	struct profile *whole = fuzz_pull(format, text, 0, COLUMN_PID | COLUMN_TID);
	struct profile *pieces = fuzz_pull(format, text, size / 7 + 1, COLUMN_PID | COLUMN_TID);
	struct profile *timed = fuzz_pull(format, text, 0, COLUMN_TIME | COLUMN_PID | COLUMN_TID);
	for (unsigned i = 0; i < LEDGER_LINES; i++)
		if (whole->ledger.count[i] != pieces->ledger.count[i])
			abort();
	if (whole->samples.n != pieces->samples.n || whole->nodes.n != pieces->nodes.n)
		abort();
	/* The place of the damage, too. */
	if (!str_eq(profile_str(whole, whole->ledger.damage),
		    profile_str(pieces, pieces->ledger.damage)))
		abort();
	if (query_all(whole) != query_all(pieces))
		abort();
	query_all(timed);
	profile_unref(whole);
	profile_unref(pieces);
	profile_unref(timed);
	format->probe(text);
}
