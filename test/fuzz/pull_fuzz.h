/*
 * Bytes to a format that pulls its input from a reader: as a file, which is there at once, and as a
 * stream of small pieces. Both must give the same profile, with all columns and with few.
 */
#pragma once
#include "source_fuzz.h"

static inline struct profile *pull(const struct source_format *format, struct str text, size_t step,
				   unsigned columns)
{
	struct profile *p = profile_new(columns);
	struct reader *r = reader_of_memory(text, step);
	format->read(r, &(struct source_options){ 0 }, p);
	reader_free(r);
	return p;
}

static inline void same_profiles(struct profile *a, struct profile *b)
{
	if (a->samples.n != b->samples.n || a->frames.n != b->frames.n ||
	    a->nodes.n != b->nodes.n || a->threads.n != b->threads.n)
		abort();
	for (unsigned i = 0; i < LEDGER_LINES; i++)
		if (a->ledger.count[i] != b->ledger.count[i])
			abort();
	if (!str_eq(profile_str(a, a->ledger.damage), profile_str(b, b->ledger.damage)))
		abort(); /* the place of the damage, too */
	if (query_all(a) != query_all(b))
		abort();
}

static inline void fuzz_pull(const struct source_format *format, const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	static const unsigned columns[] = { 0, COLUMNS_ALL };
	for (size_t i = 0; i < 2; i++) {
		struct profile *whole = pull(format, text, 0, columns[i]);
		struct profile *pieces = pull(format, text, size / 13 + 1, columns[i]);
		same_profiles(whole, pieces);
		profile_unref(whole);
		profile_unref(pieces);
	}
	format->probe(text);
}
