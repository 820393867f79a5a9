/* perf.data: module perf reads it; this fits it to the other formats. */
#include "source/source_int.h"

static unsigned perf_data_probe(struct str head)
{
	return perf_is_data(head) ? PROBE_MAGIC : 0;
}

static void perf_data_read(struct reader *r, const struct source_options *options,
			   struct profile *p)
{
	AUTO(buf) struct buf damage = { 0 };
	uint64_t offset = 0;
	struct perf_options perf = {
		.names = options->names,
		.keep_addresses = options->keep_addresses,
		.progress = options->progress,
		.progress_context = options->progress_context,
		.counted = options->counted,
	};
	perf_read(r, options->directory, &perf, p, &damage, &offset);
	if (damage.n && !reader_damage(r))
		source_damage(p, r, "perf.data", buf_c_string(&damage), offset);
}

const struct source_format perf_data_format = {
	.title = "perf.data",
	.probe = perf_data_probe,
	.read = perf_data_read,
};
