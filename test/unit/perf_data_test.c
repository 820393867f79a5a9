/* perf.data made by hand: every record that changes what samples mean, both byte orders, all damage. */
#include "perf_data.h"
#include "query/query.h"
#include "random.h"
#include "source/source_int.h"
#include "tap.h"

#include <time.h>
#include <unistd.h>
#include <zstd.h>

static struct profile *read_data(struct str bytes, size_t step)
{
	struct source_options options = { .names = { .symfs = "/nonexistent" },
					  .keep_addresses = true };
	struct profile *p = profile_new(COLUMNS_ALL);
	struct reader *r = reader_of_memory(bytes, step);
	perf_data_format.read(r, &options, p);
	reader_free(r);
	profile_seal(p);
	return p;
}

/* `comm;root;leaf` of row i; frames without a name are as they are shown. */
static void add_stack(const struct profile *p, uint32_t row, struct buf *out)
{
	frame_id frames[64];
	uint32_t n = 0;
	for (node_id node = p->samples.node[row]; node && n < 64; node = p->nodes.p[node].parent)
		frames[n++] = p->nodes.p[node].frame;
	buf_add(out, profile_str(p, p->threads.p[p->samples.thread[row]].comm));
	while (n-- > 0) {
		buf_add_char(out, ';');
		buf_add(out, profile_str(p, p->frames.p[frames[n]].name));
	}
}

static void check_stacks(const struct profile *p, const char *const *want, uint32_t n,
			 const char *what)
{
	AUTO(buf) struct buf got = { 0 };
	tap_num_eq(p->samples.n, n, "%s: samples", what);
	for (uint32_t i = 0; i < n && i < p->samples.n; i++) {
		got.n = 0;
		add_stack(p, i, &got);
		tap_str_eq(buf_str(&got), str_from(want[i]), "%s: sample %u", what, i);
	}
}

static void write_file(const char *folder, const char *name, const struct buf *bytes)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	if (!f || fwrite(bytes->p, 1, bytes->n, f) != bytes->n || fclose(f) != 0)
		abort();
}

static void remove_files(const char *folder)
{
	static const char *const names[] = { "data", "data.0", "data.1" };
	char path[64];
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

static const uint64_t user = (uint64_t)PERF_CONTEXT_USER, kernel = (uint64_t)PERF_CONTEXT_KERNEL;

/* What processes do, out of order: times put it in order. */
static void put_story(struct made_data *m)
{
	const uint64_t at_a[] = { user, 0x1010, 0x1021 }, at_b[] = { user, 0x5010 };
	const uint64_t both[] = { kernel, 0xffffffff81000010, user, 0x1010, 0x1021 };
	put_mmap(m, 10, 0x1000, 0x1000, "/bin/a", 0);
	put_comm(m, 10, 10, "first", 0, false);
	put_sample(m, 1, 10, 10, 300, at_a, 3);
	put_sample(m, 1, 10, 10, 100, at_a, 3);
	put_comm(m, 10, 10, "second", 200, false);
	put_fork(m, 20, 10, 20, 310);
	put_plain_record(m, RECORD_FINISHED_ROUND);
	put_sample(m, 1, 20, 20, 320, both, 5);
	put_comm(m, 20, 20, "third", 330, true); /* exec: nothing of its parent is left */
	put_mmap(m, 20, 0x5000, 0x1000, "/bin/b", 340);
	put_sample(m, 1, 20, 20, 350, at_b, 2);
	put_sample(m, 1, 20, 20, 360, at_a, 3);
	put_plain_record(m, RECORD_FINISHED_ROUND);
}

static const char *const story[] = {
	"first;[a <1021>];[a <1010>]",
	"second;[a <1021>];[a <1010>]",
	"second;[a <1021>];[a <1010>];[[kernel.kallsyms] <ffffffff81000010>]",
	"third;[b <5010>]",
	"third;[unknown <1021>];[unknown <1010>]",
};

static void check_story(bool is_swapped, size_t step)
{
	struct made_data m = { .is_swapped = is_swapped };
	begin_pipe(&m, 1);
	put_story(&m);
	struct profile *p = read_data(buf_str(&m.b), step);
	check_stacks(p, story, ARRAY_SIZE(story), is_swapped ? "pipe, swapped" : "pipe");
	tap_num_eq(p->samples.time_ns[2], 320, "time");
	tap_num_eq((uint64_t)p->samples.cpu[2], 3, "cpu");
	tap_num_eq(p->samples.period[2], 1000000, "period");
	tap_num_eq((uint64_t)p->threads.p[p->samples.thread[2]].pid, 20, "pid");
	tap_ok(!p->ledger.damage, "a whole pipe is not damaged");
	profile_unref(p);
	buf_fini(&m.b);
}

static void check_file(bool is_swapped)
{
	struct made_data records = { .is_swapped = is_swapped }, m = { .is_swapped = is_swapped };
	put_story(&records);
	make_file(&m, buf_str(&records.b));
	struct profile *p = read_data(buf_str(&m.b), 0);
	check_stacks(p, story, ARRAY_SIZE(story), is_swapped ? "file, swapped" : "file");
	tap_str_eq(profile_fact(p, STR("host")), STR("nowhere"), "the host's name");
	tap_str_eq(profile_str(p, p->events.p[0].name), STR("cpu-clock"), "the event's name");
	tap_ok(!p->ledger.damage, "a whole file is not damaged");
	profile_unref(p);
	buf_fini(&m.b);
	buf_fini(&records.b);
}

/* Samples of several events are told apart by id. */
static void check_events(void)
{
	const uint64_t chain[] = { user, 0x1010 };
	struct made_data m = { 0 };
	begin_pipe(&m, 3);
	put_sample(&m, 3, 1, 1, 10, chain, 2);
	put_sample(&m, 1, 1, 1, 20, chain, 2);
	put_sample(&m, 3, 1, 1, 30, chain, 2);
	begin_record(&m, RECORD_EVENT_UPDATE, 0);
	put_u64(&m, 2);
	put_u64(&m, 3);
	put_text(&m, "faults");
	end_record(&m);
	struct profile *p = read_data(buf_str(&m.b), 0);
	tap_num_eq(p->events.n, 2, "events that have samples");
	tap_str_eq(profile_str(p, p->events.p[p->samples.event[1]].name), STR("cpu-clock"),
		   "the event of a sample by its id");
	profile_unref(p);
	buf_fini(&m.b);
}

static void check_counts(void)
{
	const uint64_t chain[] = { user, 0x1010 };
	struct made_data m = { 0 };
	begin_pipe(&m, 1);
	begin_record(&m, PERF_RECORD_LOST, 0);
	put_u64(&m, 1);
	put_u64(&m, 7);
	put_ids(&m, 1, 1, 5, 1);
	end_record(&m);
	begin_record(&m, PERF_RECORD_LOST_SAMPLES, 0);
	put_u64(&m, 9);
	put_ids(&m, 1, 1, 5, 1);
	end_record(&m);
	begin_record(&m, PERF_RECORD_THROTTLE, 0);
	for (unsigned i = 0; i < 3; i++)
		put_u64(&m, 1);
	put_ids(&m, 1, 1, 5, 1);
	end_record(&m);
	put_sample(&m, 1, 1, 1, 20, chain, 2);
	struct profile *p = read_data(buf_str(&m.b), 0);
	tap_num_eq(p->ledger.count[LEDGER_LOST], 9, "lost: two counts of the same, the larger");
	tap_num_eq(p->ledger.count[LEDGER_THROTTLED], 1, "throttled");
	tap_num_eq(p->ledger.count[LEDGER_SAMPLES], 1, "samples");
	profile_unref(p);
	buf_fini(&m.b);
}

/* A user stack that comes behind the sample, for two samples at once; one that never comes. */
static void check_deferred(void)
{
	const uint64_t deferred = CONTEXT_USER_DEFERRED;
	const uint64_t one[] = { kernel, 0xffffffff81000010, deferred, 77 };
	const uint64_t two[] = { kernel, 0xffffffff81000020, deferred, 77 };
	const uint64_t other[] = { kernel, 0xffffffff81000030, deferred, 78 };
	const char *const want[] = {
		"c;[a <1021>];[a <1010>];[[kernel.kallsyms] <ffffffff81000010>]",
		"c;[a <1021>];[a <1010>];[[kernel.kallsyms] <ffffffff81000020>]",
		"c;[[kernel.kallsyms] <ffffffff81000030>]",
	};
	struct made_data m = { 0 };
	begin_pipe(&m, 1);
	put_comm(&m, 10, 10, "c", 0, false);
	put_mmap(&m, 10, 0x1000, 0x1000, "/bin/a", 0);
	put_sample(&m, 1, 10, 10, 100, one, 4);
	put_sample(&m, 1, 10, 10, 110, two, 4);
	put_sample(&m, 1, 10, 10, 115, other, 4);
	begin_record(&m, RECORD_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER);
	put_u64(&m, 77);
	put_u64(&m, 3);
	put_u64(&m, user);
	put_u64(&m, 0x1010);
	put_u64(&m, 0x1021);
	put_ids(&m, 10, 10, 120, 1);
	end_record(&m);
	struct profile *p = read_data(buf_str(&m.b), 0);
	check_stacks(p, want, 3, "deferred");
	tap_num_eq(p->ledger.count[LEDGER_TRUNCATED], 1, "a user stack that never came");
	profile_unref(p);
	buf_fini(&m.b);
}

/* The records of a pipe packed, cut at any place. */
static void check_packed(size_t part_bytes, bool has_size)
{
	struct made_data records = { 0 }, m = { 0 };
	put_story(&records);
	size_t bound = ZSTD_compressBound(records.b.n);
	AUTO_FREE char *packed = mem_alloc(bound, 1);
	size_t n = ZSTD_compress(packed, bound, records.b.p, records.b.n, 3);
	begin_pipe(&m, 1);
	for (size_t at = 0; at < n; at += part_bytes) {
		size_t part = n - at < part_bytes ? n - at : part_bytes;
		begin_record(&m, has_size ? RECORD_COMPRESSED2 : RECORD_COMPRESSED, 0);
		if (has_size)
			put_u64(&m, part);
		put_bytes(&m, packed + at, part);
		if (has_size)
			put_bytes(&m, "\0\0\0\0\0\0\0", (8 - part % 8) % 8);
		end_record(&m);
	}
	struct profile *p = read_data(buf_str(&m.b), 0);
	check_stacks(p, story, ARRAY_SIZE(story), "packed");
	profile_unref(p);
	buf_fini(&m.b);
	buf_fini(&records.b);
}

/* A folder with the records of two threads of perf: each in order, with rounds of its own. */
static void check_directory(void)
{
	const uint64_t chain[] = { user, 0x1010 };
	const char *const want[] = { "old;[a <1010>]", "old;[a <1010>]", "new;[a <1010>]",
				     "new;[a <1010>]" };
	char folder[] = "/tmp/perf_data_test.XXXXXX";
	struct made_data file = { 0 }, one = { 0 }, two = { 0 };
	make_file(&file, STR(""));
	put_mmap(&one, 10, 0x1000, 0x1000, "/bin/a", 1);
	put_comm(&one, 10, 10, "old", 2, false);
	put_comm(&one, 10, 10, "new", 250, false);
	put_plain_record(&one, RECORD_FINISHED_ROUND);
	put_plain_record(&one, RECORD_FINISHED_ROUND);
	for (unsigned i = 1; i <= 4; i++)
		put_sample(&two, 1, 10, 10, i * 100, chain, 2);
	if (!mkdtemp(folder))
		abort();
	write_file(folder, "data", &file.b);
	write_file(folder, "data.0", &one.b);
	write_file(folder, "data.1", &two.b);
	struct source_options options = { .names = { .symfs = "/nonexistent" },
					  .keep_addresses = true };
	struct profile *p = profile_new(COLUMNS_ALL);
	struct err e = { 0 };
	tap_ok(source_read(folder, &options, p, &e), "a folder is read: %s", e.text);
	check_stacks(p, want, 4, "directory");
	profile_unref(p);
	remove_files(folder);
	buf_fini(&file.b);
	buf_fini(&one.b);
	buf_fini(&two.b);
}

static uint64_t rows_of(const struct profile *p)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < p->samples.n; i++)
		sum += p->samples.count[i];
	return sum;
}

/* Cut anywhere, it gives what was before, and says so unless the cut is between two records. */
static void check_cut(struct str whole, bool is_file, const char *what)
{
	uint32_t silent = 0, wrong = 0;
	for (size_t n = 8; n < whole.n; n++) {
		AUTO_FREE char *copy = mem_alloc(n, 1);
		memcpy(copy, whole.p, n);
		struct profile *p = read_data((struct str){ copy, n }, 0);
		silent += !p->ledger.damage && !p->ledger.count[LEDGER_BAD_RECORDS];
		wrong += rows_of(p) != p->ledger.count[LEDGER_SAMPLES];
		profile_unref(p);
	}
	tap_num_eq(wrong, 0, "%s cut at any byte: samples that were read are there", what);
	if (is_file)
		tap_num_eq(silent, 0, "%s cut at any byte says so", what);
	else
		tap_ok(silent <= 16, "%s cut inside a record says so (%u silent)", what, silent);
}

static void check_flips(struct str whole, const char *what)
{
	uint32_t wrong = 0;
	for (unsigned i = 0; i < 3000; i++) {
		AUTO_FREE char *copy = mem_alloc(whole.n, 1);
		memcpy(copy, whole.p, whole.n);
		for (unsigned k = 0; k <= i % 4; k++)
			copy[random_below((uint32_t)whole.n)] = (char)random_below(256);
		struct profile *p = read_data((struct str){ copy, whole.n }, 0);
		wrong += rows_of(p) != p->ledger.count[LEDGER_SAMPLES];
		profile_unref(p);
	}
	tap_num_eq(wrong, 0, "%s with wrong bytes: samples in are samples out", what);
}

static void check_damage(void)
{
	struct made_data records = { 0 }, file = { 0 }, pipe = { 0 };
	put_story(&records);
	make_file(&file, buf_str(&records.b));
	begin_pipe(&pipe, 1);
	put_story(&pipe);
	check_cut(buf_str(&file.b), true, "a file");
	check_cut(buf_str(&pipe.b), false, "a pipe");
	check_flips(buf_str(&file.b), "a file");
	check_flips(buf_str(&pipe.b), "a pipe");
	buf_fini(&records.b);
	buf_fini(&file.b);
	buf_fini(&pipe.b);
}

static void check_lie(uint32_t type, uint16_t size, const char *want)
{
	struct made_data m = { 0 };
	begin_pipe(&m, 1);
	put_u32(&m, type);
	put_u16(&m, 0);
	put_u16(&m, size);
	put_u64(&m, 0);
	struct profile *p = read_data(buf_str(&m.b), 0);
	struct str damage = profile_str(p, p->ledger.damage);
	tap_ok(str_find(damage, str_from(want)) >= 0, "a record of %u bytes: %.*s", size,
	       STR_ARG(damage));
	profile_unref(p);
	buf_fini(&m.b);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* CPU time to read n processes, each with a sample in code of its own making. */
static uint64_t processes_ns(uint32_t n)
{
	struct made_data m = { 0 };
	const uint64_t chain[] = { user, 0x7000 };
	begin_pipe(&m, 1);
	for (uint32_t i = 0; i < n; i++) {
		put_comm(&m, (int32_t)i + 2, (int32_t)i + 2, "child", 2 * i + 1, true);
		put_sample(&m, 1, (int32_t)i + 2, (int32_t)i + 2, 2 * i + 2, chain, 2);
	}
	uint64_t begin = cpu_ns();
	struct profile *p = read_data(buf_str(&m.b), 0);
	uint64_t end = cpu_ns();
	tap_num_eq(p->samples.n, n, "%u processes: samples", n);
	profile_unref(p);
	buf_fini(&m.b);
	return end - begin;
}

/* 16 times as many may take 16 times as long, and some more for memory; not 16 * 16. */
static void check_many_processes(void)
{
	uint64_t few = processes_ns(4000), many = processes_ns(64000);
	tap_ok(many < 64 * few, "16 times as many processes: %.0f times the CPU time",
	       (double)many / (double)few);
}

int main(void)
{
	check_story(false, 0);
	check_story(false, 13);
	check_story(true, 0);
	check_story(true, 100);
	check_file(false);
	check_file(true);
	check_events();
	check_counts();
	check_deferred();
	check_directory();
	check_packed(7, false);
	check_packed(1000, false);
	check_packed(13, true);
	check_lie(PERF_RECORD_SAMPLE, 0, "claims a size of 0 bytes");
	check_lie(PERF_RECORD_SAMPLE, 7, "claims a size of 7 bytes");
	check_lie(PERF_RECORD_SAMPLE, 65535, "ends inside a record");
	check_damage();
	check_many_processes();
	return tap_done();
}
