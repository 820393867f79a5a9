#include "sink/profile_format.h"

const struct profile_format *const profile_formats[] = {
	&plume_sink,	 &pprof_sink,	  &speedscope_sink, &cpuprofile_sink, &firefox_sink,
	&json_tree_sink, &json_flat_sink, &csv_sink,	    &folded_sink,     NULL,
};
