#include "query/time_ranges.h"

void time_ranges_fini(struct time_ranges *r)
{
	vec_fini(&r->list);
}

/* One end of a range. */
static bool time_point(struct str text, const struct time_range *all, uint64_t if_empty,
		       uint64_t *ns)
{
	double seconds;
	bool from_end = text.n && text.p[0] == '-';
	*ns = if_empty;
	if (text.n == 0)
		return true;
	if (!str_to_seconds(str_from_byte(text, from_end), &seconds))
		return false;
	uint64_t span = (uint64_t)(seconds * 1e9);
	if (from_end)
		*ns = span > all->until_ns ? 0 : all->until_ns - span;
	else
		*ns = all->from_ns + span;
	return true;
}

/* all: the times of the first and the last sample. */
static bool parse_range(const char *time, const struct time_range *all, struct time_range *out,
			struct err *e)
{
	struct str text = str_from(time);
	ptrdiff_t comma = str_find_char(text, ',');
	struct str from = str_first(text, comma < 0 ? text.n : (size_t)comma);
	struct str until = comma < 0 ? STR("") : str_from_byte(text, (size_t)comma + 1);
	bool is_last_part =
		comma < 0 && from.n > 1 && from.p[0] == '-'; /* -5s: the last five seconds */
	if ((is_last_part || (comma >= 0 && text.n > 1)) &&
	    time_point(from, all, all->from_ns, &out->from_ns) &&
	    time_point(until, all, UINT64_MAX, &out->until_ns))
		return out->from_ns <= out->until_ns ||
		       err_usage(e, "--time %s: the range ends before it begins", time);
	return err_usage(e,
			 "--time %s: must be A,B in seconds from the start (ms, s, m and h also "
			 "work; -5s is the last 5 seconds)",
			 time);
}

static struct time_range first_and_last(const struct samples *s)
{
	struct time_range all = { UINT64_MAX, 0 };
	for (uint32_t i = 0; i < s->n; i++) {
		all.from_ns = s->time_ns[i] < all.from_ns ? s->time_ns[i] : all.from_ns;
		all.until_ns = s->time_ns[i] > all.until_ns ? s->time_ns[i] : all.until_ns;
	}
	return all;
}

static int compare_ranges(const void *a, const void *b)
{
	uint64_t x = ((const struct time_range *)a)->from_ns;
	uint64_t y = ((const struct time_range *)b)->from_ns;
	return (x > y) - (x < y);
}

static void merge_overlapping(struct time_ranges *r)
{
	uint32_t n = 0;
	if (r->list.n)
		qsort(r->list.p, r->list.n, sizeof(*r->list.p), compare_ranges);
	for (uint32_t i = 0; i < r->list.n; i++) {
		struct time_range next = r->list.p[i];
		if (n && next.from_ns <= r->list.p[n - 1].until_ns) {
			if (next.until_ns > r->list.p[n - 1].until_ns)
				r->list.p[n - 1].until_ns = next.until_ns;
		} else {
			r->list.p[n++] = next;
		}
	}
	r->list.n = n;
}

bool query_time_ranges(const struct profile *p, const struct text_list *times,
		       struct time_ranges *out, struct err *e)
{
	const struct samples *s = &p->samples;
	if (!times->n)
		return true;
	if (p->ledger.count[LEDGER_NO_TIME] || (s->n && !s->time_ns))
		return err_set(e,
			       "--time %s: the samples have no timestamps (perf script prints them "
			       "unless -F omits time)",
			       times->p[0]);
	struct time_range all = first_and_last(s), range;
	for (uint32_t i = 0; i < times->n; i++) {
		if (!parse_range(times->p[i], &all, &range, e))
			return false;
		if (range.from_ns < range.until_ns)
			vec_push(&out->list, range);
	}
	merge_overlapping(out);
	return true;
}

bool time_ranges_have(const struct time_ranges *r, uint64_t time_ns)
{
	uint32_t low = 0, high = r->list.n; /* the first range that ends later */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (r->list.p[middle].until_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->list.n && r->list.p[low].from_ns <= time_ns;
}
