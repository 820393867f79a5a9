/* Any bytes as perf.data. No file of this machine is looked into: paths in the input lead nowhere. */
#include "source_fuzz.h"

static struct profile *read_data(struct str bytes, size_t step, unsigned columns)
{
	struct source_options options = {
		.names = { .symfs = "/nonexistent", .wants_inlines = true },
		.keep_addresses = columns & COLUMN_TIME,
	};
	struct profile *p = profile_new(columns);
	char *copy = mem_alloc(bytes.n + 1, 1);
	memcpy(copy, bytes.p, bytes.n);
	char *exact = mem_realloc(copy, bytes.n ? bytes.n : 1, 1);
	struct reader *r = reader_of_memory((struct str){ exact, bytes.n }, step);
	perf_data_format.read(r, &options, p);
	reader_free(r);
	free(exact);
	return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	struct profile *whole = read_data(bytes, 0, COLUMN_PID | COLUMN_TID);
	struct profile *pieces = read_data(bytes, size / 7 + 1, COLUMN_PID | COLUMN_TID);
	struct profile *timed = read_data(bytes, 0, COLUMNS_ALL);
	for (unsigned i = 0; i < LEDGER_LINES; i++)
		if (whole->ledger.count[i] != pieces->ledger.count[i])
			abort();
	if (whole->samples.n != pieces->samples.n || query_all(whole) != query_all(pieces))
		abort();
	/* Samples in the input are samples in the profile. */
	uint64_t sum = 0;
	for (uint32_t i = 0; i < timed->samples.n; i++)
		sum += timed->samples.count[i];
	if (sum != timed->ledger.count[LEDGER_SAMPLES])
		abort();
	query_all(timed);
	profile_unref(whole);
	profile_unref(pieces);
	profile_unref(timed);
	perf_data_format.probe(bytes);
	return 0;
}
