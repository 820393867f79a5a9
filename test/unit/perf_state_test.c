/* Order, mappings and threads against the plain way of doing it. */
#include "perf/perf_int.h"
#include "random.h"
#include "tap.h"

/* --- order --- */

struct seen {
	VEC(uint64_t) times;
	VEC(uint64_t) offsets;
};

static void on_deliver(void *context, const struct perf_record *r)
{
	struct seen *seen = context;
	uint64_t time;
	memcpy(&time, r->bytes, sizeof(time));
	vec_push(&seen->times, time);
	vec_push(&seen->offsets, r->offset);
}

/* Rounds as perf makes them: a round's times are not before those of the round before the last. */
static void check_order(bool keeps_bytes)
{
	struct seen seen = { 0 };
	struct perf_order o = { .deliver = on_deliver,
				.context = &seen,
				.keeps_bytes = keeps_bytes };
	enum { ROUNDS = 50, EACH = 40 };
	static uint64_t times[ROUNDS * EACH];
	uint64_t added = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < EACH; i++) {
			times[added] = 1 + round * 100ull + random_below(150);
			struct perf_record r = { .bytes = (const char *)&times[added],
						 .size = sizeof(*times),
						 .offset = added };
			perf_order_add(&o, times[added], &r);
			added++;
		}
		perf_order_end_round(&o);
	}
	perf_order_flush(&o);
	unsigned bad = 0;
	for (uint32_t i = 1; i < seen.times.n; i++)
		bad += seen.times.p[i - 1] > seen.times.p[i] ||
		       (seen.times.p[i - 1] == seen.times.p[i] &&
			seen.offsets.p[i - 1] > seen.offsets.p[i]);
	tap_num_eq(seen.times.n, added, "every record is given on");
	tap_num_eq(bad, 0, "in the order of their times, equal ones as they came");
	perf_order_fini(&o);
	vec_fini(&seen.times);
	vec_fini(&seen.offsets);
}

/* --- mappings --- */

enum { SPAN = 200 };

static void check_mappings(void)
{
	unsigned bad = 0;
	for (unsigned turn = 0; turn < 200; turn++) {
		struct perf_processes s;
		struct profile *p = profile_new(0);
		uint32_t plain[SPAN], offset[SPAN];
		memset(plain, 0xff, sizeof(plain));
		perf_processes_init(&s, p);
		for (unsigned i = 0; i < 40; i++) {
			uint32_t start = random_below(SPAN), n = 1 + random_below(SPAN / 4);
			struct mapping_row row = { start, start + n, i * 1000, i };
			perf_process_map(&s, 1, &row);
			for (uint32_t k = start; k < start + n && k < SPAN; k++) {
				plain[k] = i;
				offset[k] = i * 1000 + k - start;
			}
			const struct address_space *a = &s.spaces.p[perf_process_get(&s, 1)->space];
			for (uint32_t k = 0; k < SPAN; k++) {
				const struct mapping_row *found = address_space_find(a, k);
				bad += (found ? found->mapped : UINT32_MAX) != plain[k];
				bad += found && k - found->start + found->file_offset != offset[k];
			}
		}
		perf_processes_fini(&s);
		profile_unref(p);
	}
	tap_num_eq(bad, 0, "what is mapped last is found, with its place in the file");
}

static mapped_id mapped_at(struct perf_processes *s, int32_t pid, uint64_t address)
{
	const struct address_space *a = &s->spaces.p[perf_process_get(s, pid)->space];
	const struct mapping_row *row = address_space_find(a, address);
	return row ? row->mapped : INDEX_NONE;
}

static void check_fork(void)
{
	struct perf_processes s;
	struct profile *p = profile_new(0);
	perf_processes_init(&s, p);
	perf_process_map(&s, 1, &(struct mapping_row){ 0, 100, 0, 7 });
	perf_process_fork(&s, 2, 1);
	perf_process_map(&s, 1, &(struct mapping_row){ 0, 50, 0, 8 });
	tap_num_eq(mapped_at(&s, 2, 10), 7, "a child keeps what its parent had when it was made");
	tap_num_eq(mapped_at(&s, 1, 10), 8, "the parent has what it mapped since");
	perf_process_map(&s, 2, &(struct mapping_row){ 60, 70, 0, 9 });
	tap_num_eq(mapped_at(&s, 1, 65), 7, "what a child maps is its own");
	perf_process_exec(&s, 2);
	tap_num_eq(mapped_at(&s, 2, 65), INDEX_NONE, "exec leaves nothing");
	perf_process_fork(&s, 1, 2);
	tap_num_eq(mapped_at(&s, 1, 65), INDEX_NONE, "a pid that is used again is another process");
	perf_processes_fini(&s);
	profile_unref(p);
}

/* --- those that have ended --- */

static void end_thread(struct perf_processes *s, int32_t pid, int32_t tid)
{
	struct perf_thread *t = perf_thread_get(s, pid, tid);
	t->has_ended = true;
	t->is_past = false;
}

static void check_forget(void)
{
	struct perf_processes s;
	struct profile *p = profile_new(0);
	perf_processes_init(&s, p);
	for (int32_t pid = 1; pid <= 3; pid++) {
		perf_process_map(&s, pid, &(struct mapping_row){ 0, 100, 0, (mapped_id)pid });
		perf_thread_get(&s, pid, pid);
	}
	perf_thread_get(&s, 3, 30);
	end_thread(&s, 2, 2);
	end_thread(&s, 3, 3);
	perf_processes_forget_ended(&s);
	tap_num_eq(mapped_at(&s, 2, 10), 2, "samples of the last moments may follow the end");
	perf_processes_forget_ended(&s);
	tap_num_eq(s.list.n, 2, "then it is forgotten");
	tap_num_eq(s.total_rows, 2, "... with what it had mapped");
	tap_num_eq(mapped_at(&s, 3, 10), 3, "one of whose threads another lives stays");
	tap_num_eq(s.threads.n, 2, "without the thread that has ended");
	end_thread(&s, 1, 1);
	perf_processes_forget_ended(&s);
	perf_thread_get(&s, 1, 1)->has_ended = false; /* as a fork does */
	end_thread(&s, 1, 1);
	perf_processes_forget_ended(&s);
	tap_num_eq(mapped_at(&s, 1, 10), 1, "a number that is used again begins anew");
	perf_processes_fini(&s);
	profile_unref(p);
}

static bool is_odd(struct processes *p, int32_t tid)
{
	(void)p;
	return tid % 2 == 1;
}

/* The kernel may lose the record of an end. */
static void check_missing(void)
{
	static const struct processes_ops ops = { .has_thread = is_odd };
	struct processes living = { &ops };
	struct perf_processes s;
	struct profile *p = profile_new(0);
	perf_processes_init(&s, p);
	uint32_t most = 0;
	for (int32_t pid = 1; pid <= 10000; pid++) {
		if (pid % 2 == 1 && pid > 9)
			continue;
		perf_process_map(&s, pid, &(struct mapping_row){ 0, 100, 0, 1 });
		perf_thread_get(&s, pid, pid);
		if (pid % 100 == 0) {
			perf_processes_end_missing(&s, &living);
			perf_processes_forget_ended(&s);
		}
		most = s.list.n > most ? s.list.n : most;
	}
	perf_processes_forget_ended(&s);
	tap_num_eq(s.list.n, 5, "those that live are known");
	tap_ok(most <= 110 && s.spaces.n <= 110, "others are forgotten as they go: %u", most);
	perf_processes_fini(&s);
	profile_unref(p);
}

int main(void)
{
	check_forget();
	check_missing();
	check_order(true);
	check_order(false);
	check_mappings();
	check_fork();
	return tap_done();
}
