#include "perf/write_int.h"
void written_tracing_add(const struct perf_data_writer *w, struct buf *section)
{
	(void)w;
	(void)section;
}
