#include "source_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_format(&csv_format, (struct source_options){ 0 }, data, size);
	csv_format.probe((struct str){ (const char *)data, size });
	return 0;
}
