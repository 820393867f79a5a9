#include "source_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_format(&folded_format, (struct source_options){ 0 }, data, size);
	fuzz_format(&folded_diff_format, (struct source_options){ 0 }, data, size);
	folded_format.probe((struct str){ (const char *)data, size });
	return 0;
}
