#include "sink/profile_format.h"

const struct profile_format *const profile_formats[] = {
	&firefox_sink,
	&csv_sink,
	NULL,
};
