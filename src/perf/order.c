/* Putting records in the order of their times: runs that are in order already are merged. */
#include "perf/record_int.h"

/* Beyond this, what waits is given on without waiting for the end of a round. */
enum { MAX_WAITING_BYTES = 128 << 20, MAX_WAITING = 1 << 20 };

void perf_order_fini(struct perf_order *o)
{
	vec_fini(&o->queue);
	vec_fini(&o->scratch);
	arena_fini(&o->bytes);
}

static void copy(struct perf_order *o, struct perf_record *r)
{
	r->bytes = arena_copy(&o->bytes, (struct str){ r->bytes, r->size }).p;
}

void perf_order_add(struct perf_order *o, uint64_t time_ns, const struct perf_record *r)
{
	struct queued_record q = { time_ns, *r };
	if (!o->keeps_bytes) {
		if (o->bytes.total_bytes > MAX_WAITING_BYTES || o->queue.n >= MAX_WAITING)
			perf_order_flush(o);
		copy(o, &q.record);
	}
	if (time_ns > o->round_max_ns)
		o->round_max_ns = time_ns;
	vec_push(&o->queue, q);
}

/* Merges from[start..middle) and from[middle..end) into `to`; of equals the first comes first. */
static void merge(const struct queued_record *from, struct queued_record *to, uint32_t start,
		  uint32_t middle, uint32_t end)
{
	uint32_t a = start, b = middle;
	for (uint32_t i = start; i < end; i++) {
		bool takes_first = b == end || (a < middle && from[a].time_ns <= from[b].time_ns);
		to[i] = from[takes_first ? a++ : b++];
	}
}

/* Where the run that begins at start ends. */
static uint32_t run_end(const struct queued_record *list, uint32_t start, uint32_t n)
{
	uint32_t end = start + 1;
	while (end < n && list[end - 1].time_ns <= list[end].time_ns)
		end++;
	return end;
}

/* One pass over the queue, which merges pairs of runs; false when it was one run already. */
static bool merge_runs(struct perf_order *o)
{
	uint32_t n = o->queue.n;
	if (!n || run_end(o->queue.p, 0, n) == n)
		return false;
	vec_reserve(&o->scratch, n);
	for (uint32_t start = 0; start < n;) {
		uint32_t middle = run_end(o->queue.p, start, n);
		uint32_t end = middle < n ? run_end(o->queue.p, middle, n) : middle;
		merge(o->queue.p, o->scratch.p, start, middle, end);
		start = end;
	}
	struct queued_record *sorted = o->scratch.p;
	uint32_t capacity = o->scratch.capacity;
	o->scratch.p = o->queue.p;
	o->scratch.capacity = o->queue.capacity;
	o->queue.p = sorted;
	o->queue.capacity = capacity;
	return true;
}

/* Records that still wait move to memory of their own, so that the rest can go. */
static void compact(struct perf_order *o)
{
	struct arena old = o->bytes;
	o->bytes = (struct arena){ 0 };
	for (uint32_t i = 0; i < o->queue.n; i++)
		copy(o, &o->queue.p[i].record);
	arena_fini(&old);
}

static void give_until(struct perf_order *o, uint64_t limit_ns)
{
	uint32_t given = 0;
	while (merge_runs(o))
		;
	for (; given < o->queue.n && o->queue.p[given].time_ns <= limit_ns; given++)
		o->deliver(o->context, &o->queue.p[given].record);
	memmove(o->queue.p, o->queue.p + given, (o->queue.n - given) * sizeof(*o->queue.p));
	o->queue.n -= given;
	if (!o->keeps_bytes)
		compact(o);
}

void perf_order_end_round(struct perf_order *o)
{
	if (o->queue.n)
		give_until(o, o->last_max_ns);
	o->last_max_ns = o->round_max_ns;
}

void perf_order_flush(struct perf_order *o)
{
	if (o->queue.n)
		give_until(o, UINT64_MAX);
}
