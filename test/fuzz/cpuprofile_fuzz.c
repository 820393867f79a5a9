#include "pull_fuzz.h"
#include "sink/profile_format.h"

/* What was read is written: any profile must be. */
static void write_it(struct str text)
{
	struct profile *p = fuzz_pull(&cpuprofile_format, text, 0, cpuprofile_sink.columns);
	AUTO(buf) struct buf notes = { 0 };
	struct profile_format_options options = { 0 };
	struct err e = { 0 };
	struct writer *out = writer_open("/dev/null", &e);
	profile_seal(p);
	if (out)
		cpuprofile_sink.write(p, &options, out, &notes);
	writer_free(out);
	profile_unref(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_pull_format(&cpuprofile_format, data, size);
	write_it((struct str){ (const char *)data, size });
	return 0;
}
