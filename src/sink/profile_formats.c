#include "sink/profile_format.h"

const struct profile_format *const profile_formats[] = {
	&pprof_sink,
	&pprof_plain_sink,
	NULL,
};
