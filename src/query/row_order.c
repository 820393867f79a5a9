/* Sorts rows by time, optionally by thread first. */
#include "query/query_int.h"

struct row_order {
	const struct samples *rows;
	const uint32_t *rank; /* by thread; NULL: threads are mixed */
	bool has_times;
};

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct row_order *o = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t p = o->rank ? o->rank[o->rows->thread[x]] : 0;
	uint32_t q = o->rank ? o->rank[o->rows->thread[y]] : 0;
	if (p != q)
		return p < q ? -1 : 1;
	uint64_t s = o->has_times ? o->rows->time_ns[x] : 0,
		 t = o->has_times ? o->rows->time_ns[y] : 0;
	return s != t ? (s < t ? -1 : 1) : (x > y) - (x < y);
}

static bool is_sorted(const struct row_order *o, const uint32_t *rows)
{
	for (uint32_t i = 1; i < o->rows->n; i++)
		if (compare_rows(&rows[i - 1], &rows[i], (void *)o) > 0)
			return false;
	return true;
}

static int by_samples(const void *a, const void *b, void *context)
{
	const uint64_t *samples = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return samples[x] != samples[y] ? (samples[x] < samples[y]) - (samples[x] > samples[y])
					: (x > y) - (x < y);
}

static uint32_t *ranks_of_threads(const struct profile *p)
{
	uint32_t n = p->threads.n;
	AUTO_FREE uint64_t *samples = mem_zalloc((size_t)n + 1, sizeof(*samples));
	AUTO_FREE uint32_t *order = mem_alloc((size_t)n + 1, sizeof(*order));
	uint32_t *rank = mem_alloc((size_t)n + 1, sizeof(*rank));
	for (uint32_t i = 0; i < p->samples.n; i++)
		ledger_add(&samples[p->samples.thread[i]], p->samples.count[i]);
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), by_samples, samples);
	for (uint32_t i = 0; i < n; i++)
		rank[order[i]] = i;
	return rank;
}

uint32_t *rows_in_order(const struct profile *p, const struct query *q)
{
	const struct samples *s = &p->samples;
	AUTO_FREE uint32_t *rank = q->by_thread ? ranks_of_threads(p) : NULL;
	struct row_order order = { s, rank, s->time_ns != NULL };
	uint32_t *rows = mem_alloc((size_t)s->n + 1, sizeof(*rows));
	for (uint32_t i = 0; i < s->n; i++)
		rows[i] = i;
	if ((order.has_times || rank) && !is_sorted(&order, rows)) /* most recordings are sorted */
		qsort_r(rows, s->n, sizeof(*rows), compare_rows, &order);
	return rows;
}
