#include "source_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Pieces cannot know the first event of the whole: name it. */
	struct source_options options = { .compat = true,
					  .compat_event = "cycles",
					  .compat_tid = size % 2,
					  .compat_kernel = size % 3,
					  .compat_jit = size % 5,
					  .keep_addresses = size % 7 };
	fuzz_format(&perf_script_compat_format, options, data, size);
	return 0;
}
