/*
 * pprof: tables in any order, ids that lead nowhere, claims of any size; and whatever a profile can hold
 * comes back from a file of our own writing.
 */
#include "sink/profile_format.h"
#include "source/source_int.h"
#include "tap.h"

#include <fcntl.h>
#include <unistd.h>

/* --- files as they should not be --- */

/* Texts of all files here. */
enum {
	EMPTY,
	SAMPLES,
	COUNT,
	CPU,
	NANOSECONDS,
	MAIN,
	RUN,
	INNER,
	FILE_C,
	BINARY,
	BUILD,
	KEY,
	VALUE
};
static const char *const texts[] = { "",     "samples", "count", "cpu",	   "nanoseconds",
				     "main", "run",	"inner", "file.c", "/bin/x",
				     "abc",  "key",	"value" };

static void add_texts(struct buf *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		protobuf_add_bytes(b, PPROF_STRING_TABLE, str_from(texts[i]));
}

static void add_text(struct buf *b, const char *text)
{
	protobuf_add_bytes(b, PPROF_STRING_TABLE, str_from(text));
}

static void add_type(struct buf *b, uint32_t name, uint32_t unit)
{
	size_t type = protobuf_begin(b, PPROF_SAMPLE_TYPE);
	protobuf_add_number(b, PPROF_TYPE_NAME, name);
	protobuf_add_number(b, PPROF_TYPE_UNIT, unit);
	protobuf_end(b, type);
}

static void add_go_types(struct buf *b)
{
	add_type(b, SAMPLES, COUNT);
	add_type(b, CPU, NANOSECONDS);
}

static void add_function(struct buf *b, uint64_t id, uint64_t name)
{
	size_t function = protobuf_begin(b, PPROF_FUNCTION);
	protobuf_add_number(b, PPROF_FUNCTION_ID, id);
	protobuf_add_number(b, PPROF_FUNCTION_NAME, name);
	protobuf_add_number(b, PPROF_FUNCTION_FILE, FILE_C);
	protobuf_end(b, function);
}

static void add_mapping(struct buf *b, uint64_t id)
{
	size_t mapping = protobuf_begin(b, PPROF_MAPPING);
	protobuf_add_number(b, PPROF_MAPPING_ID, id);
	protobuf_add_number(b, PPROF_MAPPING_FILE, BINARY);
	protobuf_add_number(b, PPROF_MAPPING_BUILD_ID, BUILD);
	protobuf_end(b, mapping);
}

/* A location with lines for functions[0..n), innermost first. */
static void add_location(struct buf *b, uint64_t id, uint64_t mapping, const uint64_t *functions,
			 size_t n)
{
	size_t location = protobuf_begin(b, PPROF_LOCATION);
	protobuf_add_number(b, PPROF_LOCATION_ID, id);
	protobuf_add_number(b, PPROF_LOCATION_MAPPING, mapping);
	protobuf_add_number(b, PPROF_LOCATION_ADDRESS, 0xabc);
	for (size_t i = 0; i < n; i++) {
		size_t line = protobuf_begin(b, PPROF_LOCATION_LINE);
		protobuf_add_number(b, PPROF_LINE_FUNCTION, functions[i]);
		protobuf_add_number(b, PPROF_LINE_LINE, 10 + i);
		protobuf_end(b, line);
	}
	protobuf_end(b, location);
}

static void add_packed(struct buf *b, uint32_t field, const uint64_t *numbers, size_t n)
{
	size_t packed = protobuf_begin(b, field);
	for (size_t i = 0; i < n; i++)
		buf_add_varint(b, numbers[i]);
	protobuf_end(b, packed);
}

#define NUMBERS(...)                                                                               \
	(const uint64_t[]){ __VA_ARGS__ }, ARRAY_SIZE(((const uint64_t[]){ __VA_ARGS__ }))

static void add_sample(struct buf *b, const uint64_t *locations, size_t n, uint64_t count,
		       uint64_t value)
{
	size_t sample = protobuf_begin(b, PPROF_SAMPLE);
	add_packed(b, PPROF_SAMPLE_LOCATION, locations, n);
	add_packed(b, PPROF_SAMPLE_VALUE, NUMBERS(count, value));
	protobuf_end(b, sample);
}

static struct profile *read_with(struct str bytes, unsigned columns, bool keep_addresses)
{
	struct source_options options = { .keep_addresses = keep_addresses };
	struct profile *p = profile_new(columns);
	struct reader *r = reader_of_memory(bytes, 0);
	pprof_format.read(r, &options, p);
	reader_free(r);
	return p;
}

static struct profile *read_bytes(const struct buf *b)
{
	return read_with(buf_str(b), COLUMNS_ALL, false);
}

/* Root first: `main run[i] inner 2x20`, a word in brackets for each flag. */
static void add_stack_text(const struct profile *p, node_id node, struct buf *out)
{
	if (node == NODE_ROOT)
		return;
	const struct frame *f = &p->frames.p[p->nodes.p[node].frame];
	add_stack_text(p, p->nodes.p[node].parent, out);
	buf_add(out, f->name ? profile_str(p, f->name) : STR("?"));
	if (f->flags & FRAME_INLINED)
		buf_add(out, STR("[i]"));
	buf_add_char(out, ' ');
}

static struct str rows_of(const struct profile *p, struct buf *out)
{
	out->n = 0;
	for (uint32_t i = 0; i < p->samples.n; i++) {
		add_stack_text(p, p->samples.node[i], out);
		buf_addf(out, "%llux%llu %.*s\n", (unsigned long long)p->samples.count[i],
			 (unsigned long long)p->samples.period[i],
			 STR_ARG(profile_str(p, p->events.p[p->samples.event[i]].name)));
	}
	return buf_str(out);
}

static void check_rows(const struct profile *p, const char *want, const char *name)
{
	AUTO(buf) struct buf got = { 0 };
	tap_str_eq(rows_of(p, &got), str_from(want), "%s", name);
}

static uint64_t bad_records(const struct profile *p)
{
	return p->ledger.count[LEDGER_BAD_RECORDS];
}

/* main calls run, into which inner was inlined. */
static void add_tables(struct buf *b, unsigned part)
{
	if (part == 0)
		add_location(b, 1, 1, NUMBERS(3, 2));
	else if (part == 1)
		add_location(b, 2, 1, NUMBERS(1));
	else if (part == 2)
		add_mapping(b, 1);
	else if (part == 3)
		add_texts(b);
	else if (part == 4)
		add_go_types(b);
	else if (part == 5)
		add_sample(b, NUMBERS(1, 2), 2, 20);
	else
		for (uint64_t i = 1; i <= 3; i++)
			add_function(b, i, MAIN + i - 1);
}

static void add_whole(struct buf *b)
{
	for (unsigned part = 0; part < 7; part++)
		add_tables(b, part);
}

static void check_orders(void)
{
	bool ok = true;
	for (unsigned first = 0; first < 7; first++)
		for (unsigned step = 1; step < 7; step++) {
			AUTO(buf) struct buf b = { 0 };
			AUTO(buf) struct buf got = { 0 };
			for (unsigned i = 0; i < 7; i++)
				add_tables(&b, (first + i * step) % 7);
			struct profile *p = read_bytes(&b);
			ok &= str_eq(rows_of(p, &got), STR("main run inner[i] 2x20 cpu\n"));
			ok &= bad_records(p) == 0 && !p->ledger.damage;
			ok &= pprof_format.probe(buf_str(&b)) > 90;
			profile_unref(p);
		}
	tap_ok(ok, "tables, types and samples in any order");
}

static void check_frames(void)
{
	AUTO(buf) struct buf b = { 0 };
	add_whole(&b);
	add_location(&b, 3, 1, NULL, 0);
	add_sample(&b, NUMBERS(3, 2), 1, 10);
	struct profile *p = read_bytes(&b);
	const struct frame *inner = &p->frames.p[p->nodes.p[p->samples.node[0]].frame];
	const struct frame *unknown = &p->frames.p[p->nodes.p[p->samples.node[1]].frame];
	tap_str_eq(profile_str(p, inner->file), STR("file.c"), "a frame has its source file");
	tap_ok(inner->line == 10 && inner->flags == FRAME_INLINED, "... and line, and is inlined");
	tap_str_eq(profile_str(p, inner->module), STR("/bin/x"), "... and its module");
	tap_ok(unknown->kind == FRAME_UNKNOWN && !unknown->name && unknown->module == inner->module,
	       "a location without lines is a frame without a name");
	tap_ok(p->modules.n == 1 && str_eq(profile_str(p, p->modules.p[0].build_id), STR("abc")),
	       "the module has its build id");
	tap_num_eq(p->ledger.count[LEDGER_UNKNOWN_FRAMES], 1, "it is counted");
	tap_num_eq(p->ledger.count[LEDGER_SAMPLES], 3, "samples are counted by their count");
	profile_unref(p);
	p = read_with(buf_str(&b), 0, true);
	check_rows(p, "main run inner[i] 2x20 cpu\nmain [x <abc>] 1x10 cpu\n",
		   "addresses are kept when they are asked for");
	profile_unref(p);
}

static void check_nowhere(void)
{
	AUTO(buf) struct buf b = { 0 };
	add_whole(&b);
	add_location(&b, 7, 99, NUMBERS(1));
	add_location(&b, 8, 1, NUMBERS(77));
	add_function(&b, 9, 5000);
	add_location(&b, 0, 1, NUMBERS(1));
	add_location(&b, 1, 1, NUMBERS(1));
	add_sample(&b, NUMBERS(12345, 2), 1, 1);
	add_sample(&b, NUMBERS(7), 1, 1);
	add_sample(&b, NUMBERS(8, 2), 1, 1);
	struct profile *p = read_bytes(&b);
	check_rows(p, "main run inner[i] 2x20 cpu\nmain ? 1x1 cpu\nmain 1x1 cpu\nmain ? 1x1 cpu\n",
		   "what leads nowhere is a frame without a name");
	tap_num_eq(bad_records(p), 6, "and each is counted");
	tap_ok(!p->ledger.damage && p->ledger.first_bad_text, "the first one is told");
	profile_unref(p);
}

static void check_values(void)
{
	AUTO(buf) struct buf b = { 0 };
	add_whole(&b);
	size_t sample = protobuf_begin(&b, PPROF_SAMPLE);
	protobuf_add_number(&b, PPROF_SAMPLE_LOCATION, 2); /* not packed */
	protobuf_add_number(&b, PPROF_SAMPLE_VALUE, 3);
	protobuf_add_number(&b, PPROF_SAMPLE_VALUE, 30);
	protobuf_end(&b, sample);
	add_sample(&b, NUMBERS(2), 1, (uint64_t)-5);
	add_sample(&b, NUMBERS(2), 0, 0);
	sample = protobuf_begin(&b, PPROF_SAMPLE);
	add_packed(&b, PPROF_SAMPLE_VALUE, NUMBERS(1, 2, 3));
	protobuf_end(&b, sample);
	sample = protobuf_begin(&b, PPROF_SAMPLE);
	protobuf_end(&b, sample);
	struct profile *p = read_bytes(&b);
	check_rows(p, "main run inner[i] 2x20 cpu\nmain 3x30 cpu\nmain 1x0 cpu\nmain 0x0 cpu\n",
		   "numbers that are not packed, negative ones, and none");
	tap_num_eq(p->ledger.count[LEDGER_NEGATIVE], 1, "negative values are counted");
	tap_num_eq(bad_records(p), 2, "samples with too many or too few values are left out");
	profile_unref(p);
}

static void check_event(const struct profile *p, uint32_t i, const char *want)
{
	AUTO(buf) struct buf got = { 0 };
	if (i < p->events.n) {
		const struct event *e = &p->events.p[i];
		buf_addf(&got, "%.*s %.*s%s%s %u", STR_ARG(profile_str(p, e->name)),
			 STR_ARG(profile_str(p, e->unit)), e->counts_periods ? " periods" : "",
			 e->has_only_sums ? " sums" : "", e->decimals);
	}
	tap_str_eq(buf_str(&got), str_from(want), "event %u: %s", i, want);
}

/* A file with these value types, given as name, unit, name, unit, ..., NULL; and a default. */
static struct profile *read_types(const char *const *names, const char *chosen)
{
	AUTO(buf) struct buf b = { 0 };
	uint32_t n = 0;
	add_text(&b, "");
	for (; names[n]; n++)
		add_text(&b, names[n]);
	for (uint32_t i = 0; i < n; i += 2)
		add_type(&b, i + 1, i + 2);
	add_text(&b, chosen);
	protobuf_add_number(&b, PPROF_DEFAULT_SAMPLE_TYPE, n + 1);
	size_t sample = protobuf_begin(&b, PPROF_SAMPLE);
	size_t values = protobuf_begin(&b, PPROF_SAMPLE_VALUE);
	for (uint32_t i = 0; i < n / 2; i++)
		buf_add_varint(&b, 100 + i);
	protobuf_end(&b, values);
	protobuf_end(&b, sample);
	return read_bytes(&b);
}

#define TYPES(...)                                                                                 \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

static void check_types(void)
{
	struct profile *p = read_types(TYPES("samples", "count", "cpu", "nanoseconds"), "");
	check_event(p, 0, "cpu ns periods 0");
	check_rows(p, "100x101 cpu\n", "Go's cpu profile is one event");
	profile_unref(p);
	p = read_types(TYPES("alloc_objects", "count", "alloc_space", "bytes", "inuse_objects",
			     "count", "inuse_space", "bytes"),
		       "");
	check_event(p, 0, "inuse_space bytes periods sums 0");
	check_event(p, 1, "alloc_objects samples periods sums 0");
	check_rows(p,
		   "103x103 inuse_space\n100x100 alloc_objects\n101x101 alloc_space\n"
		   "102x102 inuse_objects\n",
		   "without a default the last type comes first, as pprof shows it");
	profile_unref(p);
	p = read_types(TYPES("a", "count", "b", "bytes", "c", "s"), "b");
	check_event(p, 0, "b bytes periods sums 0");
	check_event(p, 2, "c s periods sums 0");
	profile_unref(p);
	p = read_types(TYPES("cycles:samples", "count", "cycles", "count", "x:samples", "count",
			     "x", "count"),
		       "x:samples");
	check_event(p, 0, "x samples 0");
	check_event(p, 1, "cycles samples 0");
	profile_unref(p);
	p = read_types(TYPES("cycles_sample", "count", "cycles_event", "count"), "");
	check_event(p, 0, "cycles samples 0");
	profile_unref(p);
	p = read_types(TYPES("cpu-clock:samples", "count", "cpu-clock", "nanoseconds"),
		       "cpu-clock");
	check_event(p, 0, "cpu-clock ns periods 0");
	profile_unref(p);
	p = read_types(TYPES("x", "/100 count", "x", "bytes", "x", "bytes", "", ""), "x");
	check_event(p, 0, "x samples periods sums 2");
	check_event(p, 1, "x/bytes bytes periods sums 0");
	check_event(p, 2, "x/bytes#2 bytes periods sums 0");
	check_event(p, 3, "value-4 samples periods sums 0");
	profile_unref(p);
}

static void add_label(struct buf *b, const char *key, const char *text, int64_t number,
		      uint32_t *next_text)
{
	size_t label = protobuf_begin(b, PPROF_SAMPLE_LABEL);
	protobuf_add_number(b, PPROF_LABEL_KEY, (*next_text)++);
	if (text)
		protobuf_add_number(b, PPROF_LABEL_TEXT, (*next_text)++);
	else
		protobuf_add_number(b, PPROF_LABEL_NUMBER, (uint64_t)number);
	protobuf_end(b, label);
	(void)key;
}

struct test_label {
	const char *key, *text;
	int64_t number;
};

/* `comm pid tid container cpu time key=value...` of a sample with these labels. */
static void check_labels(const struct test_label *labels, size_t n, const char *want)
{
	AUTO(buf) struct buf b = { 0 };
	AUTO(buf) struct buf got = { 0 };
	uint32_t next = ARRAY_SIZE(texts);
	add_go_types(&b);
	add_texts(&b);
	size_t sample = protobuf_begin(&b, PPROF_SAMPLE);
	add_packed(&b, PPROF_SAMPLE_VALUE, NUMBERS(1, 2));
	for (size_t i = 0; i < n; i++)
		add_label(&b, labels[i].key, labels[i].text, labels[i].number, &next);
	protobuf_end(&b, sample);
	for (size_t i = 0; i < n; i++) {
		add_text(&b, labels[i].key);
		if (labels[i].text)
			add_text(&b, labels[i].text);
	}
	struct profile *p = read_bytes(&b);
	const struct thread *t = &p->threads.p[p->samples.thread[0]];
	buf_addf(&got, "%.*s %d %d %.*s %d %llu", STR_ARG(profile_str(p, t->comm)),
		 t->pid == PID_UNKNOWN ? -1 : t->pid, t->tid == PID_UNKNOWN ? -1 : t->tid,
		 STR_ARG(profile_str(p, t->container)), p->samples.cpu[0],
		 (unsigned long long)p->samples.time_ns[0]);
	for (label_set s = p->samples.labels[0]; s; s = p->label_sets.p[s].rest) {
		const struct label *l = &p->labels.p[p->label_sets.p[s].label];
		buf_addf(&got, " %.*s=", STR_ARG(profile_str(p, l->key)));
		if (l->is_number)
			buf_addf(&got, "%lld", (long long)l->number);
		else
			buf_addf(&got, "'%.*s'", STR_ARG(profile_str(p, l->text)));
	}
	tap_str_eq(buf_str(&got), str_from(want), "labels: %s", want);
	profile_unref(p);
}

#define LABELS(...)                                                                                \
	(const struct test_label[]){ __VA_ARGS__ },                                                \
		ARRAY_SIZE(((const struct test_label[]){ __VA_ARGS__ }))

static void check_all_labels(void)
{
	check_labels(LABELS({ "pid", NULL, 7 }, { "tid", NULL, 8 }, { "comm", "node", 0 },
			    { "cpu", NULL, 0 }, { "timestamp_ns", NULL, 99 },
			    { "container", "web", 0 }),
		     "node 7 8 web 0 99");
	check_labels(LABELS({ "comm", "process", 0 }, { "thread_comm", "worker", 0 },
			    { "thread", "third", 0 }),
		     "worker -1 -1  -1 0 thread='third' comm='process'");
	check_labels(
		LABELS({ "thread", "main", 0 }, { "thread id", "12", 0 }, { "process_id", "3", 0 }),
		"main 3 12  -1 0");
	check_labels(LABELS({ "thread id", "twelve", 0 }, { "thread", NULL, 5 },
			    { "pid", NULL, 1ll << 40 }, { "cpu", NULL, -1 },
			    { "timestamp_ns", NULL, -4 }),
		     " -1 -1  -1 0 timestamp_ns=-4 pid=1099511627776 thread=5 thread id='twelve' "
		     "cpu=-1");
	check_labels(LABELS({ "key", "", 0 }, { "size", NULL, 512 }),
		     " -1 -1  -1 0 size=512 key=''");
}

/* --- damage --- */

static void check_broken(void)
{
	AUTO(buf) struct buf b = { 0 };
	AUTO(buf) struct buf c = { 0 };
	add_whole(&b);
	size_t whole = b.n;
	buf_add(&b, STR("\x12\xff\xff\xff\xff\x07"));
	struct profile *p = read_bytes(&b);
	check_rows(p, "main run inner[i] 2x20 cpu\n", "a length past the end: the rest is kept");
	char want[128];
	snprintf(want, sizeof(want),
		 "memory: pprof profile: a truncated field at byte %zu; 2 samples were read",
		 whole);
	tap_str_eq(profile_str(p, p->ledger.damage), str_from(want), "and the place is told");
	tap_num_eq(p->ledger.count[LEDGER_CUT_SAMPLES], 1, "the sample that was cut is counted");
	profile_unref(p);
	/* A sample whose locations are longer than itself; the one behind it is read. */
	add_whole(&c);
	buf_add(&c, STR("\x12\x02\x0a\x7f"));
	add_sample(&c, NUMBERS(2), 1, 1);
	p = read_bytes(&c);
	check_rows(p, "main run inner[i] 2x20 cpu\nmain 1x1 cpu\n",
		   "a broken sample is left out, the others are not");
	tap_ok(bad_records(p) == 1 && !p->ledger.damage, "it is counted");
	profile_unref(p);
}

/* Bytes that were cut must be known to be so, or nothing came of them. */
static void check_truncation(struct str bytes, const char *name)
{
	size_t silent = 0, with_samples = 0;
	struct profile *whole = read_with(bytes, COLUMNS_ALL, false);
	tap_ok(whole->samples.n && !bad_records(whole) && !whole->ledger.damage, "%s: is whole",
	       name);
	for (size_t n = 0; n < bytes.n; n++) {
		char *copy = mem_alloc(n, 1); /* so that ASan sees every byte read beyond it */
		memcpy(copy, bytes.p, n);
		struct profile *p = read_with((struct str){ copy, n }, COLUMNS_ALL, false);
		silent += p->samples.n && !bad_records(p) && !p->ledger.damage;
		with_samples += p->samples.n > 0;
		profile_unref(p);
		free(copy);
	}
	tap_num_eq(silent, 0, "%s: cut at every byte, it is told each time", name);
	tap_ok(with_samples > bytes.n / 3, "%s: ... and what was there is kept (%zu of %zu)", name,
	       with_samples, bytes.n);
	profile_unref(whole);
}

/* A location of many lines in many samples: more frames than bytes could ever hold. */
static void check_bomb(void)
{
	enum { LINES = 50000, SAMPLES_OF_IT = 3000 };
	AUTO(buf) struct buf b = { 0 };
	AUTO_FREE uint64_t *functions = mem_zalloc(LINES, sizeof(*functions));
	add_whole(&b);
	for (size_t i = 0; i < LINES; i++)
		functions[i] = 1 + i % 3;
	add_location(&b, 50, 1, functions, LINES);
	for (uint64_t i = 0; i < SAMPLES_OF_IT; i++) { /* no two begin alike */
		add_location(&b, 100 + i, 1, NUMBERS(1 + i % 3));
		add_sample(&b, NUMBERS(50, 100 + i, 100 + i / 7), 1, 1);
	}
	struct profile *p = read_bytes(&b);
	tap_ok(p->ledger.damage && p->nodes.n < 30000000, "a bomb of inlined functions is bounded");
	tap_ok(p->samples.n > 100, "... and what was read is kept");
	profile_unref(p);
	b.n = 0;
	add_texts(&b);
	for (size_t i = 0; i < 600; i++)
		add_type(&b, SAMPLES, COUNT);
	p = read_bytes(&b);
	tap_ok(p->ledger.damage != STR_NONE, "too many value types are told");
	profile_unref(p);
}

static void check_probe(void)
{
	static const struct str others[] = {
		STR(""),
		STR("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"),
		STR("main;a 1\nmain;b 2\n"),
		STR("{\"nodes\":[]}"),
		STR("PERFILE2"),
		STR("\n\x04\x08\x01\x10\x02\x0b"),
		STR("\x12\x04main\x12\x04main"),
		STR("\x32\x01"
		    "a\x32\x01"
		    "b"),
	};
	bool ok = true;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		ok &= pprof_format.probe(others[i]) == 0;
	tap_ok(ok, "text, other formats and broken bytes are no pprof");
	AUTO(buf) struct buf b = { 0 };
	add_whole(&b);
	tap_ok(pprof_format.probe(str_first(buf_str(&b), b.n / 2)) > 90, "half a file is");
}

/* --- what we write --- */

static void write_file(const struct profile *p, bool each, struct buf *bytes, struct buf *notes)
{
	char path[] = "/tmp/plume-pprof-XXXXXX";
	struct err e = { 0 };
	int fd = mkstemp(path);
	ssize_t n;
	struct writer *w = writer_open(path, &e);
	struct profile_format_options options = { .each_sample = each };
	pprof_sink.write(p, &options, w, notes);
	if (!writer_commit(w, &e))
		tap_ok(false, "%s", e.text);
	writer_free(w);
	close(fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while ((n = read(fd, buf_reserve(bytes, 65536), 65536)) > 0)
		bytes->n += (size_t)n;
	close(fd);
	unlink(path);
}

static struct profile *there_and_back(const struct profile *p, bool each, struct buf *notes)
{
	AUTO(buf) struct buf bytes = { 0 };
	write_file(p, each, &bytes, notes);
	struct profile *q = read_bytes(&bytes);
	tap_ok(!bad_records(q) && !q->ledger.damage, "our own file is whole");
	return q;
}

static void add_frame_text(const struct profile *p, frame_id id, struct buf *out)
{
	const struct frame *f = &p->frames.p[id];
	buf_addf(out, "%.*s|%.*s|%.*s|%u|%u|%s|%c|%u;", STR_ARG(profile_str(p, f->name)),
		 STR_ARG(profile_str(p, f->module)), STR_ARG(profile_str(p, f->file)), f->line,
		 f->column, frame_kind_name(f->kind), f->tier ? f->tier : '-', f->flags);
}

static void add_row_text(const struct profile *p, uint32_t row, struct buf *out)
{
	const struct samples *s = &p->samples;
	const struct thread *t = &p->threads.p[s->thread[row]];
	for (node_id i = s->node[row]; i != NODE_ROOT; i = p->nodes.p[i].parent)
		add_frame_text(p, p->nodes.p[i].frame, out);
	buf_addf(out, " %.*s %d %d %.*s %.*s %llu %llu %d %llu\n", STR_ARG(profile_str(p, t->comm)),
		 t->pid, t->tid, STR_ARG(profile_str(p, t->container)),
		 STR_ARG(profile_str(p, p->events.p[s->event[row]].name)),
		 (unsigned long long)s->count[row], (unsigned long long)s->period[row], s->cpu[row],
		 (unsigned long long)s->time_ns[row]);
}

/* How many rows of a are other rows in b. */
static uint32_t different_rows(const struct profile *a, const struct profile *b)
{
	uint32_t n = a->samples.n > b->samples.n ? a->samples.n - b->samples.n
						 : b->samples.n - a->samples.n;
	for (uint32_t i = 0; i < a->samples.n && i < b->samples.n; i++) {
		AUTO(buf) struct buf x = { 0 };
		AUTO(buf) struct buf y = { 0 };
		add_row_text(a, i, &x);
		add_row_text(b, i, &y);
		if (!str_eq(buf_str(&x), buf_str(&y)) && n++ < 3)
			printf("# %.*s# %.*s", STR_ARG(buf_str(&x)), STR_ARG(buf_str(&y)));
	}
	return n;
}

/* Frames of every kind and flag, with names that stand for files and without any. */
static void add_all_frames(struct profile *p)
{
	static const char *const names[] = {
		"", "f", "[unknown]", "[x]", "[kernel.kallsyms]", "[x <7f00>]"
	};
	static const char *const modules[] = { "", "/bin/x", "[kernel.kallsyms]",
					       "/tmp/perf-1.map" };
	for (uint32_t i = 0; i < ARRAY_SIZE(names) * ARRAY_SIZE(modules); i++)
		for (uint8_t kind = 0; kind < FRAME_KIND_COUNT; kind++)
			for (uint16_t flags = 0; flags < 8; flags++) {
				struct frame f = { .kind = kind, .flags = flags };
				f.name = profile_add_str(p, str_from(names[i % 6]));
				f.module = profile_add_str(p, str_from(modules[i / 6]));
				f.line = kind;
				f.column = kind * 2u;
				if (kind)
					f.file = profile_add_str(p, STR("a.c"));
				profile_add_frame(p, &f);
			}
}

static struct profile *profile_of_everything(void)
{
	struct profile *p = profile_new(COLUMNS_ALL);
	struct event e[2] = {
		{ .name = profile_add_str(p, STR("cpu-clock")),
		  .unit = profile_add_str(p, STR("samples")) },
		{ .name = profile_add_str(p, STR("bytes held")),
		  .unit = profile_add_str(p, STR("bytes")),
		  .counts_periods = true,
		  .has_only_sums = true },
	};
	event_id events[2] = { profile_add_event(p, e[0]), profile_add_event(p, e[1]) };
	thread_id thread = profile_add_thread(
		p, (struct thread){ 12, 0, profile_add_str(p, STR("no de")), STR_NONE });
	add_all_frames(p);
	for (uint32_t i = 0; i < p->frames.n; i++) {
		/* An inlined frame without a module takes that of what it is inlined into. */
		const struct frame *f = &p->frames.p[i];
		node_id node = NODE_ROOT;
		if (!(f->flags & FRAME_INLINED && !f->module))
			node = profile_add_node(p, node, (i * 7919) % p->frames.n);
		node = profile_add_node(p, node, i);
		struct sample s = { .node = node,
				    .thread = i % 3 ? thread : THREAD_NONE,
				    .event = events[i % 2],
				    .cpu = (int32_t)(i % 5) - 1,
				    .time_ns = i * 1000003ull,
				    .count = i + 1,
				    .period = i % 2 ? i + 1 : i * 77 };
		profile_add_sample(p, &s);
	}
	profile_seal(p);
	return p;
}

static void check_everything(void)
{
	AUTO(buf) struct buf notes = { 0 };
	struct profile *p = profile_of_everything();
	struct profile *q = there_and_back(p, true, &notes);
	tap_num_eq(different_rows(p, q), 0,
		   "frames of every kind, threads, cpus, times, weights: there and back");
	tap_num_eq(p->samples.n, 1536, "... all of them");
	tap_str_eq(buf_str(&notes), STR(""), "nothing was left out");
	check_event(q, 0, "cpu-clock samples 0");
	check_event(q, 1, "bytes held bytes periods sums 0");
	struct profile *again = there_and_back(q, true, &notes);
	tap_num_eq(different_rows(q, again), 0, "a second time changes nothing");
	profile_unref(again);
	profile_unref(q);
	profile_unref(p);
}

static label_set add_labels(struct profile *p)
{
	struct label text = { .key = profile_add_str(p, STR("request")) };
	struct label number = { .key = profile_add_str(p, STR("size")),
				.number = -12,
				.unit = profile_add_str(p, STR("bytes")),
				.is_number = true };
	struct label comm = { .key = profile_add_str(p, STR("comm")),
			      .text = profile_add_str(p, STR("process")) };
	label_set set = profile_add_label(p, LABELS_NONE, text); /* its text is empty */
	return profile_add_label(p, profile_add_label(p, set, number), comm);
}

static struct profile *profile_of_sums(void)
{
	struct profile *p = profile_new(COLUMN_LABELS | COLUMN_PID | COLUMN_TID);
	struct frame f = { .name = profile_add_str(p, STR("bad\xff")) };
	node_id node = profile_add_node(p, NODE_ROOT, profile_add_frame(p, &f));
	thread_id thread = profile_add_thread(
		p, (struct thread){ 1, 2, profile_add_str(p, STR("thread")), STR_NONE });
	label_set labels = add_labels(p);
	static const char *const names[] = { "samples", "other" };
	for (unsigned i = 0; i < 2; i++) {
		event_id event = profile_add_event(
			p, (struct event){ .name = profile_add_str(p, str_from(names[i])),
					   .unit = profile_add_str(p, STR("samples")),
					   .counts_periods = true,
					   .has_only_sums = true,
					   .decimals = (uint8_t)(i * 3) });
		struct sample s = { .node = node,
				    .thread = thread,
				    .event = event,
				    .cpu = -1,
				    .labels = labels,
				    .count = 5,
				    .period = i ? 5250 : UINT64_MAX };
		profile_add_sample(p, &s);
	}
	profile_add_mark(p, (struct mark){ 0 });
	profile_add_module(p, (struct module){ profile_add_str(p, STR("/lib/y")),
					       profile_add_str(p, STR("beef")) });
	profile_add_fact(p, STR("started_unix_ns"), STR("1700000000000000000"));
	profile_add_fact(p, STR("period_type"), STR("cpu/nanoseconds"));
	profile_add_fact(p, STR("period"), STR("10101010"));
	profile_add_fact(p, STR("comment"), STR("hello"));
	profile_add_fact(p, STR("host"), STR("build-7"));
	profile_seal(p);
	return p;
}

static void check_facts(const struct profile *q)
{
	tap_str_eq(profile_fact(q, STR("started_unix_ns")), STR("1700000000000000000"), "start");
	tap_str_eq(profile_fact(q, STR("period_type")), STR("cpu/nanoseconds"), "period's type");
	tap_str_eq(profile_fact(q, STR("period")), STR("10101010"), "period");
	tap_str_eq(profile_fact(q, STR("comment")), STR("hello"), "comment");
	tap_str_eq(profile_str(q, q->facts.p[q->facts.n - 1].text), STR("host: build-7"),
		   "a fact that pprof has no field for is a comment");
	tap_ok(q->modules.n == 1 && str_eq(profile_str(q, q->modules.p[0].build_id), STR("beef")),
	       "a module without a frame is kept");
}

static void check_sums(void)
{
	AUTO(buf) struct buf notes = { 0 };
	AUTO(buf) struct buf bytes = { 0 };
	AUTO(buf) struct buf again = { 0 };
	struct profile *p = profile_of_sums();
	struct profile *q = there_and_back(p, false, &notes);
	check_event(q, 0, "samples samples periods sums 0");
	check_event(q, 1, "other samples periods sums 3");
	check_rows(q,
		   "bad\xef\xbf\xbd 9223372036854775807x9223372036854775807 samples\n"
		   "bad\xef\xbf\xbd 5x5250 other\n",
		   "events of one stack share a sample, and come apart again");
	tap_str_eq(buf_str(&notes),
		   STR("values too large for pprof, capped: 1\nstrings that are not UTF-8, written "
		       "with U+FFFD for invalid bytes: 1\nmarks, which pprof cannot store, left "
		       "out: 1\npprof stores whole numbers: other is written in units of 10^-3\n"),
		   "what pprof cannot hold is said");
	label_set s = q->samples.labels[0];
	const struct label *last = &q->labels.p[q->label_sets.p[s].label];
	tap_ok(q->samples.n == 2 && last->text, "labels are there");
	tap_str_eq(profile_str(q, q->threads.p[q->samples.thread[0]].comm), STR("thread"),
		   "a label called comm is not taken for the thread's name");
	check_facts(q);
	write_file(p, false, &bytes, &notes);
	write_file(p, false, &again, &notes);
	tap_ok(str_eq(buf_str(&bytes), buf_str(&again)), "the same profile gives the same bytes");
	check_truncation(buf_str(&bytes), "our own file");
	profile_unref(p);
	profile_unref(q);
}

int main(void)
{
	AUTO(buf) struct buf b = { 0 };
	check_orders();
	check_frames();
	check_nowhere();
	check_values();
	check_types();
	check_all_labels();
	check_broken();
	check_bomb();
	check_probe();
	check_everything();
	check_sums();
	/* As Go orders them: texts at the end. */
	for (unsigned i = 4; i < 4 + 7; i++)
		if (i % 7 != 3)
			add_tables(&b, i % 7);
	add_texts(&b);
	b.n -= 2 + strlen("abc") + strlen("key") + 2 + strlen("value") + 2; /* used by nobody */
	b.n += 2 + strlen("abc");
	check_truncation(buf_str(&b), "Go's order");
	return tap_done();
}
