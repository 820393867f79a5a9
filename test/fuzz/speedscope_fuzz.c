#include "pull_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_pull_format(&speedscope_format, data, size);
	return 0;
}
