/* Any bytes as a pprof file; and whatever comes of them, written again, must come back whole. */
#include "sink/profile_format.h"
#include "source_fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

static struct profile *read_pprof(struct str bytes, bool keep_addresses)
{
	struct source_options options = { .keep_addresses = keep_addresses };
	struct profile *p = profile_new(COLUMNS_ALL);
	struct reader *r = reader_of_memory(bytes, keep_addresses ? bytes.n / 3 + 1 : 0);
	pprof_format.read(r, &options, p);
	reader_free(r);
	return p;
}

static void write_pprof(const struct profile *p, struct buf *bytes)
{
	AUTO(buf) struct buf notes = { 0 };
	char path[64];
	struct err e = { 0 };
	int fd = memfd_create("pprof", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct writer *w = writer_open(path, &e);
	pprof_sink.write(p, &(struct profile_format_options){ .each_sample = true }, w, &notes);
	if (!writer_commit(w, &e))
		abort();
	writer_free(w);
	off_t n = lseek(fd, 0, SEEK_END);
	bytes->n = (size_t)pread(fd, buf_reserve(bytes, (size_t)n + 1), (size_t)n, 0);
	close(fd);
}

static void check_same(const struct profile *a, const struct profile *b)
{
	static const enum ledger_line same[] = { LEDGER_SAMPLES, LEDGER_NO_STACK, LEDGER_NO_TIME,
						 LEDGER_FRAMES };
	if (b->ledger.damage || b->ledger.first_bad_text) {
		str_id why = b->ledger.damage ? b->ledger.damage : b->ledger.first_bad_text;
		printf("%.*s\n", STR_ARG(profile_str(b, why)));
		abort();
	}
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		if (a->ledger.count[same[i]] != b->ledger.count[same[i]]) {
			printf("%s: %llu, %llu\n", ledger_line_name(same[i]),
			       (unsigned long long)a->ledger.count[same[i]],
			       (unsigned long long)b->ledger.count[same[i]]);
			abort();
		}
	if (a->samples.n != b->samples.n)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	AUTO(buf) struct buf written = { 0 };
	pprof_format.probe(text);
	struct profile *p = read_pprof(text, false);
	if (p->samples.n) {
		write_pprof(p, &written);
		struct profile *again = read_pprof(buf_str(&written), false);
		check_same(p, again);
		if (pprof_format.probe(buf_str(&written)) == 0)
			abort();
		query_all(again);
		profile_unref(again);
	}
	query_all(p);
	profile_unref(p);
	profile_unref(read_pprof(text, true));
	return 0;
}
