#include "sink/profile_format.h"

const struct profile_format *const profile_formats[] = {
	&plume_sink,
	&pprof_sink,
	NULL,
};
