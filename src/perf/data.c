#include "perf/perf.h"

bool perf_is_data(struct str head)
{
	return str_starts(head, STR("PERFILE2")) || str_starts(head, STR("2ELIFREP"));
}
