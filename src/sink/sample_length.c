#include "sink/sample_length.h"

/* perf script gives a period of 1 where it was asked for none. */
static bool has_periods(const struct event_rows *r)
{
	const struct samples *s = &r->p->samples;
	for (uint32_t i = 0; i < r->n; i++)
		if (s->period[r->rows[i]] > s->count[r->rows[i]])
			return true;
	return false;
}

bool sample_lasts_period(const struct event_rows *r)
{
	const struct event *e = &r->p->events.p[r->event];
	if (str_eq(profile_str(r->p, e->unit), STR("ns")))
		return true;
	return !e->has_only_sums && event_counts_ns(profile_str(r->p, e->name)) && has_periods(r);
}

/* In *lengths, for r->n of them at most; returns how many. */
static uint32_t list_periods(const struct event_rows *r, uint64_t *lengths)
{
	const struct samples *s = &r->p->samples;
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		uint64_t count = s->count[r->rows[i]];
		lengths[n] = s->period[r->rows[i]] / (count ? count : 1);
		n += lengths[n] != 0;
	}
	return n;
}

static uint32_t list_intervals(const struct event_rows *r, uint64_t *lengths)
{
	const struct samples *s = &r->p->samples;
	AUTO_FREE uint64_t *last = mem_zalloc(r->p->threads.n, sizeof(*last));
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		uint64_t time_ns = s->time_ns[r->rows[i]];
		uint64_t *before = &last[s->thread[r->rows[i]]];
		if (*before && time_ns > *before)
			lengths[n++] = time_ns - *before;
		*before = time_ns;
	}
	return n;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

uint64_t sample_usual_ns(const struct event_rows *r)
{
	AUTO_FREE uint64_t *lengths = mem_alloc(r->n, sizeof(*lengths));
	uint32_t n = 0;
	if (!r->n)
		return 0;
	if (sample_lasts_period(r))
		n = list_periods(r, lengths);
	else if (profile_has_times(r->p))
		n = list_intervals(r, lengths);
	qsort(lengths, n, sizeof(*lengths), compare_u64);
	return n ? lengths[n / 2] : 0;
}

double sample_each_ns(const struct profile *p, event_id event)
{
	static const double alike = 1.01;
	const struct samples *s = &p->samples;
	const struct event *e = &p->events.p[event];
	double sum = 0, count = 0, shortest = 0, longest = 0;
	if (e->has_only_sums || !event_counts_ns(profile_str(p, e->name)))
		return 0;
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->event[i] != event || !s->count[i])
			continue;
		double each = (double)s->period[i] / (double)s->count[i];
		shortest = !count || each < shortest ? each : shortest;
		longest = each > longest ? each : longest;
		sum += (double)s->period[i];
		count += (double)s->count[i];
	}
	/* perf script gives a period of 1 where it was asked for none. */
	return longest > 1 && longest <= shortest * alike ? sum / count : 0;
}
