/* perf.data as we write it, read back: records as they came, samples with their stacks, after any flush. */
#include "perf_data.h"
#include "tap.h"

#include <time.h>
#include <unistd.h>

static char path[] = "/tmp/plume-test-XXXXXX";
static const uint64_t user = (uint64_t)PERF_CONTEXT_USER;
static const struct perf_data_facts facts = { "plume record  -p 1", 1700000000000000000, 5000 };

static struct perf_data_writer *open_writer(void)
{
	struct err e = { 0 };
	struct perf_data_writer *w = perf_data_writer_new(path, &facts, &e);
	if (!w)
		abort();
	return w;
}

static struct perf_event_attr attr_of(uint64_t config, uint64_t sample_type)
{
	return (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE,
					 .size = sizeof(struct perf_event_attr),
					 .config = config,
					 .sample_freq = 99,
					 .freq = 1,
					 .sample_id_all = 1,
					 .sample_type = sample_type,
					 .exclude_callchain_user = 1,
					 .sample_regs_user = 0xff,
					 .sample_stack_user = 8192,
					 .use_clockid = 1,
					 .clockid = CLOCK_MONOTONIC };
}

static void add_event(struct perf_data_writer *w, uint64_t config, uint64_t sample_type,
		      uint64_t id)
{
	struct perf_event_attr attr = attr_of(config, sample_type);
	perf_data_writer_add_event(w, &attr, NULL, &id, 1);
}

static void end_writer(struct perf_data_writer *w)
{
	struct err e = { 0 };
	tap_ok(perf_data_writer_end(w, &e), "it ends: %s", e.text);
	perf_data_writer_free(w);
}

/* All records of m. */
static void write_records(struct perf_data_writer *w, const struct made_data *m)
{
	for (size_t at = 0; at < m->b.n;) {
		struct perf_record r = perf_record_at(m->b.p + at, at, false);
		perf_data_write_record(w, &r);
		at += r.size;
	}
}

static void write_sample_of(struct perf_data_writer *w, uint64_t id, int32_t pid, uint64_t time_ns,
			    const uint64_t *chain, uint32_t n)
{
	struct perf_sample sample = { .ids = { pid, pid, time_ns, id, 1 },
				      .ip = n > 1 ? chain[1] : 0,
				      .period = 7,
				      .has_period = true,
				      .cgroup = 77 };
	perf_data_write_sample(w, id, &sample, PERF_RECORD_MISC_USER, chain, n);
}

static struct profile *read_back(void)
{
	struct perf_options options = { .names = { .symfs = "/nonexistent" },
					.keep_addresses = true };
	struct err e = { 0 };
	struct profile *p = profile_new(COLUMNS_ALL);
	AUTO(buf) struct buf damage = { 0 };
	uint64_t offset = 0;
	struct reader *r = reader_open(path, &e);
	if (r)
		perf_read(r, NULL, &options, p, &damage, &offset);
	tap_ok(r && !damage.n && !p->ledger.count[LEDGER_BAD_RECORDS],
	       "it is read without damage: %s", buf_c_string(&damage));
	reader_free(r);
	profile_seal(p);
	return p;
}

/* `comm;root;leaf` */
static void check_stack(const struct profile *p, uint32_t row, const char *want, const char *what)
{
	AUTO(buf) struct buf got = { 0 };
	frame_id frames[16];
	uint32_t n = 0;
	if (row >= p->samples.n) {
		tap_ok(false, "%s: there are only %u samples", what, p->samples.n);
		return;
	}
	for (node_id node = p->samples.node[row]; node && n < 16; node = p->nodes.p[node].parent)
		frames[n++] = p->nodes.p[node].frame;
	buf_add(&got, profile_str(p, p->threads.p[p->samples.thread[row]].comm));
	while (n-- > 0) {
		buf_add_char(&got, ';');
		buf_add(&got, profile_str(p, p->frames.p[frames[n]].name));
	}
	tap_str_eq(buf_str(&got), str_from(want), "%s", what);
}

static void check_session(void)
{
	const uint64_t chain[] = { user, 0x1010, 0x1021 };
	struct made_data m = { 0 };
	struct perf_data_writer *w = open_writer();
	add_event(w, PERF_COUNT_SW_CPU_CLOCK, MADE_SAMPLE_TYPE | PERF_SAMPLE_STACK_USER, 1);
	put_mmap(&m, 10, 0x1000, 0x1000, "/bin/a", 0);
	put_comm(&m, 10, 10, "first", 0, false);
	write_records(w, &m);
	write_sample_of(w, 1, 10, 100, chain, 3);
	m.b.n = 0;
	put_comm(&m, 10, 10, "second", 200, false);
	begin_record(&m, PERF_RECORD_LOST, 0);
	put_u64(&m, 1);
	put_u64(&m, 41);
	put_ids(&m, 10, 10, 210, 1);
	end_record(&m);
	put_plain_record(&m, RECORD_CALLCHAIN_DEFERRED);
	write_records(w, &m);
	write_sample_of(w, 1, 10, 300, chain, 3);
	end_writer(w);
	struct profile *p = read_back();
	check_stack(p, 0, "first;[a <1021>];[a <1010>]", "a sample");
	check_stack(p, 1, "second;[a <1021>];[a <1010>]", "a sample after a change of names");
	tap_num_eq(p->samples.n, 2, "samples");
	tap_num_eq(p->samples.time_ns[1], 300, "time");
	tap_num_eq((uint64_t)p->samples.cpu[1], 1, "cpu");
	tap_num_eq(p->samples.period[1], 7, "period");
	tap_num_eq(p->ledger.count[LEDGER_LOST], 41, "lost");
	tap_num_eq(p->ledger.count[LEDGER_OTHER_RECORDS], 0, "a deferred stack is not written");
	tap_str_eq(profile_fact(p, STR("command")), STR("plume record -p 1"), "the command");
	tap_str_eq(profile_fact(p, STR("started_unix_ns")), STR("1700000000000000000"), "the day");
	tap_str_eq(profile_fact(p, STR("call graph")), STR("frame pointers"), "call chains");
	tap_ok(profile_fact(p, STR("host")).n && profile_fact(p, STR("kernel")).n, "the machine");
	tap_str_eq(profile_fact(p, STR("event")), STR("cpu-clock, 99 Hz"), "the event");
	profile_unref(p);
	buf_fini(&m.b);
}

/* Ends of records that do not have what ours have: their times and ids are kept. */
static void check_other_ends(void)
{
	const uint64_t chain[] = { user, 0x1010 };
	struct made_data m = { 0 };
	struct perf_data_writer *w = open_writer();
	add_event(w, PERF_COUNT_SW_CPU_CLOCK,
		  PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER, 1);
	add_event(w, PERF_COUNT_SW_PAGE_FAULTS,
		  PERF_SAMPLE_TIME | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_IDENTIFIER | SAMPLE_CGROUP,
		  2);
	begin_record(&m, PERF_RECORD_COMM, 0);
	put_u32(&m, 10);
	put_u32(&m, 10);
	put_text(&m, "later");
	put_u64(&m, 250); /* time */
	put_u64(&m, 999); /* stream */
	put_u64(&m, 2);	  /* id */
	end_record(&m);
	begin_record(&m, PERF_RECORD_CGROUP, 0);
	put_u64(&m, 77);
	put_text(&m, "/web");
	put_u64(&m, 260);
	put_u64(&m, 999);
	put_u64(&m, 2);
	end_record(&m);
	write_sample_of(w, 2, 10, 200, chain, 2);
	write_records(w, &m);
	write_sample_of(w, 1, 10, 300, chain, 2);
	end_writer(w);
	struct profile *p = read_back();
	check_stack(p, 1, "later;[unknown <1010>]", "a name with a time");
	tap_num_eq(p->events.n, 2, "events");
	tap_str_eq(profile_str(p, p->events.p[p->samples.event[0]].name), STR("page-faults"),
		   "the event by its id");
	tap_str_eq(profile_str(p, p->threads.p[p->samples.thread[1]].container), STR("/web"),
		   "the cgroup");
	profile_unref(p);
	buf_fini(&m.b);
}

/* After each flush the file is whole, whatever comes behind it. */
static void check_flushes(void)
{
	const uint64_t chain[] = { user, 0x1010 };
	struct perf_data_writer *w = open_writer();
	add_event(w, PERF_COUNT_SW_CPU_CLOCK, MADE_SAMPLE_TYPE, 1);
	for (unsigned i = 1; i <= 3; i++) {
		write_sample_of(w, 1, 10, i * 100, chain, 2);
		tap_ok(perf_data_writer_flush(w), "flush");
		struct profile *p = read_back();
		tap_num_eq(p->samples.n, i, "samples after flush %u", i);
		tap_ok(profile_fact(p, STR("host")).n > 0, "the host after flush %u", i);
		profile_unref(p);
		for (unsigned k = 0; k < 9999 * i; k++) /* some reach the file, some do not */
			write_sample_of(w, 1, 11, i * 100 + 1, chain, 2);
		p = read_back();
		tap_ok(p->samples.n >= i, "between flushes: %u samples", p->samples.n);
		profile_unref(p);
		perf_data_writer_free(w);
		w = open_writer(); /* as if it were killed */
		add_event(w, PERF_COUNT_SW_CPU_CLOCK, MADE_SAMPLE_TYPE, 1);
		for (unsigned k = 1; k <= i; k++)
			write_sample_of(w, 1, 10, k * 100, chain, 2);
	}
	perf_data_writer_free(w);
}

static void check_limits(void)
{
	enum { MANY = 20000 };
	struct perf_data_writer *w = open_writer();
	uint64_t *chain = mem_zalloc(MANY, sizeof(*chain));
	struct made_data m = { 0 };
	add_event(w, PERF_COUNT_SW_CPU_CLOCK,
		  (MADE_SAMPLE_TYPE | SAMPLE_CGROUP) & ~(uint64_t)PERF_SAMPLE_IDENTIFIER, 1);
	for (uint32_t i = 0; i < MANY; i++)
		chain[i] = i ? 0x1000 + i : user;
	write_sample_of(w, 1, 10, 100, chain, MANY);
	write_sample_of(w, 1, 10, 200, chain, 0);
	/* A record that is full already has no room for an end. */
	begin_record(&m, PERF_RECORD_COMM, 0);
	while (m.b.n < 65528)
		put_u64(&m, 0);
	end_record(&m);
	write_records(w, &m);
	end_writer(w);
	struct profile *p = read_back();
	tap_num_eq(p->samples.n, 2, "a stack that is too deep is cut, none is fine");
	profile_unref(p);
	free(chain);
	buf_fini(&m.b);
}

static void check_empty(void)
{
	struct perf_data_writer *w = open_writer();
	add_event(w, PERF_COUNT_SW_CPU_CLOCK, MADE_SAMPLE_TYPE, 1);
	end_writer(w);
	struct profile *p = read_back();
	tap_num_eq(p->samples.n, 0, "no records");
	profile_unref(p);
}

static void check_full_disk(void)
{
	const uint64_t chain[] = { user, 0x1010 };
	struct err e = { 0 };
	struct perf_data_writer *w = perf_data_writer_new("/dev/full", &facts, &e);
	if (!w)
		return;
	add_event(w, PERF_COUNT_SW_CPU_CLOCK, MADE_SAMPLE_TYPE, 1);
	write_sample_of(w, 1, 10, 100, chain, 2);
	tap_ok(!perf_data_writer_flush(w), "a full disk: flush fails");
	tap_ok(!perf_data_writer_end(w, &e), "a full disk: the end fails");
	tap_ok(strstr(e.text, "No space left") != NULL, "%s", e.text);
	perf_data_writer_free(w);
	tap_ok(!perf_data_writer_new("/nonexistent/a", &facts, &e) && e.text[0], "%s", e.text);
}

int main(void)
{
	int fd = mkstemp(path);
	if (fd < 0)
		return 1;
	close(fd);
	check_session();
	check_other_ends();
	check_flushes();
	check_limits();
	check_empty();
	check_full_disk();
	unlink(path);
	return tap_done();
}
