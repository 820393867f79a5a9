#include "source_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_format(&perf_script_format, (struct source_options){ .keep_addresses = size % 2 },
		    data, size);
	perf_script_format.probe((struct str){ (const char *)data, size });
	return 0;
}
