#include "perf/perf_int.h"

void names_of_jit(struct location_names *n, mapped_id mapped, const location_id *ids,
		  uint32_t count, struct buf *reason, struct buf *fix, struct buf *module)
{
	(void)fix;
	(void)mapped;
	(void)module;
	buf_add(reason, STR("no map"));
	for (uint32_t i = 0; i < count; i++)
		location_add_unnamed(n, ids[i], STR(""));
}
