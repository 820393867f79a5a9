/* A small compressed file can hold rows without end: each table has a most, and it is said. */
#include "base/protobuf.h"
#include "model/pprof.h"
#include "rows_of.h"

/* The text with no more than 3 rows in any table. */
static void check_limit(const struct source_format *format, struct str text, const char *want,
			uint32_t rows)
{
	struct source_options options = { .max_rows = 3 };
	struct profile *p = profile_new(COLUMN_TIME);
	struct reader *r = reader_of_memory(text, 0);
	format->read(r, &options, p);
	reader_free(r);
	struct str damage = profile_str(p, p->ledger.damage);
	tap_ok(str_find(damage, str_from(want)) >= 0, "%s: %s", format->title, want);
	tap_num_eq(p->samples.n, rows, "... and %u rows were read before", rows);
	profile_unref(p);
}

#define SAMPLES "{\"unit\":\"none\",\"samples\":[[0],[1]],\"weights\":[1,2]}"

static void test_speedscope(void)
{
	const struct source_format *f = &speedscope_format;
	check_limit(f, STR("{\"profiles\":[" SAMPLES "],\"shared\":{\"frames\":[{},{},{},{}]}}"),
		    ": more than 3 frames at byte 95; 3 samples were read", 2);
	check_limit(f, STR("{\"profiles\":[" SAMPLES "," SAMPLES "]}"), ": more than 3 samples", 3);
	check_limit(f, STR("{\"profiles\":[{\"samples\":[[0]],\"weights\":[1,1,1,1]}]}"),
		    ": more than 3 weights", 1);
	check_limit(f, STR("{\"profiles\":[" SAMPLES ",{\"samples\":[[2,3,4,5]]}]}"),
		    ": more than 3 different stacks", 2);
	check_limit(
		f,
		STR("{\"profiles\":[{\"unit\":\"nanoseconds\",\"events\":["
		    "{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"C\",\"frame\":0,\"at\":1},"
		    "{\"type\":\"O\",\"frame\":0,\"at\":1},{\"type\":\"C\",\"frame\":0,\"at\":2},"
		    "{\"type\":\"O\",\"frame\":0,\"at\":2},{\"type\":\"C\",\"frame\":0,\"at\":3},"
		    "{\"type\":\"O\",\"frame\":0,\"at\":3}]}]}"),
		": more than 3 samples", 3);
}

static void test_cpuprofile(void)
{
	const struct source_format *f = &cpuprofile_format;
	check_limit(f, STR("{\"samples\":[1],\"nodes\":[{\"id\":1},{},{},{}]}"),
		    ": more than 3 nodes", 1);
	check_limit(f, STR("{\"nodes\":[{\"id\":1,\"children\":[2,3,4,5]}]}"),
		    ": more than 3 children", 0);
	check_limit(f, STR("{\"nodes\":[{\"id\":1}],\"samples\":[1,1,1,1]}"),
		    ": more than 3 samples", 3);
	check_limit(f, STR("{\"nodes\":[{\"id\":1}],\"samples\":[1],\"timeDeltas\":[1,1,1,1]}"),
		    ": more than 3 times", 1);
}

#define CALL  "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1}"
#define CHUNK "{\"ph\":\"P\",\"name\":\"ProfileChunk\",\"args\":{\"data\":{\"cpuProfile\":{"
#define NODES CHUNK "\"nodes\":[{\"id\":1},{\"id\":2}],\"samples\":[1]}}}}"

static void test_trace(void)
{
	const struct source_format *f = &trace_format;
	check_limit(f, STR("[" CALL "," CALL "," CALL "," CALL "]"), ": more than 3 calls", 1);
	check_limit(f, STR("[" NODES "," NODES "]"), ": more than 3 nodes", 1);
	check_limit(f, STR("[" NODES "," CHUNK "\"samples\":[1,1,1]}}}}]"), ": more than 3 samples",
		    1);
}

static void test_flat(void)
{
	const struct source_format *f = &json_flat_format;
	check_limit(f, STR("{\"strings\":[\"\",\"a\",\"b\",\"c\"]}"), ": more than 3 strings", 0);
	check_limit(f, STR("{\"frames\":{\"name\":[0,0,0,0]}}"), ": more than 3 frames", 0);
	check_limit(f, STR("{\"stacks\":{\"parent\":[0,0,0,0]}}"), ": more than 3 stacks", 0);
	check_limit(f, STR("{\"samples\":[{\"stack\":[0,0]},{\"stack\":[0,0,0,0]}]}"),
		    ": more than 3 samples in a block", 2);
	check_limit(f, STR("{\"samples\":[{\"stack\":[0,0]},{\"stack\":[0,0]},{\"stack\":[0]}]}"),
		    ": more than 3 samples at", 4);
}

static void test_pprof(void)
{
	AUTO(buf) struct buf b = { 0 };
	for (size_t i = 0; i < 4; i++)
		protobuf_add_bytes(&b, PPROF_STRING_TABLE, STR(""));
	check_limit(&pprof_format, buf_str(&b), "pprof profile: more than 3 texts at byte", 0);
}

int main(void)
{
	test_speedscope();
	test_cpuprofile();
	test_trace();
	test_flat();
	test_pprof();
	return tap_done();
}
