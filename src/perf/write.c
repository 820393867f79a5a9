/* Placeholder until the writer is merged. */
#include "perf/perf_int.h"
void perf_data_write_record(struct perf_data_writer *w, const struct perf_record *r)
{
	(void)w;
	(void)r;
}
void perf_data_write_sample(struct perf_data_writer *w, uint64_t id,
			    const struct perf_sample *sample, uint16_t misc, const uint64_t *chain,
			    uint32_t n)
{
	(void)w, (void)id, (void)sample, (void)misc, (void)chain, (void)n;
}
