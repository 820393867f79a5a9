/* The samples of a CPU profile: in order of time, each as long as it is to the next. */
#include "source/v8_profile_int.h"

/* The result of reading: which event the samples are of, and how long they last. */
struct finish {
	struct v8_profile *v;
	struct profile *p;
	struct str event_name;
	event_id event; /* V8_NONE: no row needed it yet */
	bool has_times; /* else the weight is the number of samples */
};

struct timed {
	int64_t time_ns;
	uint32_t sample; /* index */
};

static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;
	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return b < 0 ? INT64_MIN : INT64_MAX;
}

/* until - from; 0 when it is before. */
static uint64_t span(int64_t from, int64_t until)
{
	return until > from ? (uint64_t)until - (uint64_t)from : 0;
}

/* --- events --- */

static event_id add_event(struct v8_profile *v, struct profile *p, struct str name)
{
	struct str unit = texts_get(v->texts, v->unit);
	struct event e = {
		.name = profile_add_str(p, v->event ? texts_get(v->texts, v->event) : name),
		.unit = profile_add_str(p, v->event ? unit : STR("ns")),
		.counts_periods = !v->counts_samples,
		.has_only_sums = v->has_only_sums,
	};
	event_id id = profile_add_event(p, e);
	profile_set_decimals(p, id, v->decimals);
	return id;
}

/* Without times samples are all there is to count. */
static event_id add_sum_event(struct profile *p)
{
	struct str name = STR("samples");
	return profile_add_event(p, (struct event){ .name = profile_add_str(p, name),
						    .unit = profile_add_str(p, name),
						    .counts_periods = true,
						    .has_only_sums = true });
}

/* An event without rows would be in the way of those that have some. */
static event_id event_of(struct finish *f)
{
	if (f->event == V8_NONE)
		f->event =
			f->has_times ? add_event(f->v, f->p, f->event_name) : add_sum_event(f->p);
	return f->event;
}

/* --- one sample --- */

/* Counts and periods are as long as the sample; of files that plume wrote, perhaps not. */
static void set_weights(const struct finish *f, uint32_t i, uint64_t length_ns, struct sample *s)
{
	const struct v8_profile *v = f->v;
	uint64_t unit = v->ns_of_unit > 1 ? (uint64_t)v->ns_of_unit : 1;
	uint64_t value = length_ns / unit + (length_ns % unit >= unit - unit / 2);
	s->count = i < v->counts.n ? v->counts.p[i] : 1;
	s->period = i < v->periods.n ? v->periods.p[i] : value;
	if (!f->has_times)
		s->period = s->count;
	else if (v->lasts_count || v->has_only_sums)
		s->count = value;
	for (unsigned d = 0; f->has_times && v->has_only_sums && d < v->decimals; d++)
		s->count /= 10;
}

static void add_sample(struct finish *f, uint32_t sample, int64_t time_ns, uint64_t length_ns)
{
	uint32_t id = f->v->samples.p[sample], i = v8_find_node(f->v, id);
	if (i == V8_NONE) {
		source_bad_record(f->p, f->v->samples_offset,
				  "sample %u refers to node %u, which does not exist", sample + 1,
				  id);
		return;
	}
	const struct v8_node *n = &f->v->nodes.p[i];
	uint64_t *ledger = f->p->ledger.count;
	struct sample s = { .node = n->node,
			    .thread = n->thread,
			    .cpu = -1,
			    .time_ns = time_ns > 0 && !f->v->has_no_times ? (uint64_t)time_ns : 0 };
	if (n->is_gap)
		return;
	s.event = event_of(f);
	set_weights(f, sample, length_ns, &s);
	ledger[LEDGER_SAMPLES] += s.count;
	ledger[LEDGER_FRAMES] += n->depth * s.count;
	ledger[LEDGER_NO_STACK] += n->node == NODE_ROOT ? s.count : 0;
	ledger[LEDGER_CUT_STACKS] += n->is_cut;
	profile_add_sample(f->p, &s);
}

/* --- times --- */

/* Deltas become points in time. */
static void add_up(struct v8_profile *v)
{
	int64_t now = v->has_start ? v->start_ns : 0;
	if (v->times_are_points)
		return;
	for (uint32_t i = 0; i < v->times_ns.n; i++)
		v->times_ns.p[i] = now = plus(now, v->times_ns.p[i]);
	v->times_are_points = true;
}

static int compare_timed(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->sample < y->sample ? -1 : 1;
}

static bool is_in_order(const int64_t *times, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (times[i] < times[i - 1])
			return false;
	return true;
}

/* V8 takes samples on two threads, so some come late. NULL: all are in order. */
static struct timed *sort_samples(const struct v8_profile *v, uint32_t n)
{
	if (is_in_order(v->times_ns.p, n))
		return NULL;
	struct timed *order = mem_alloc(n, sizeof(*order));
	for (uint32_t i = 0; i < n; i++)
		order[i] = (struct timed){ v->times_ns.p[i], i };
	qsort(order, n, sizeof(*order), compare_timed);
	return order;
}

static struct timed timed_at(const struct v8_profile *v, const struct timed *order, uint32_t i)
{
	return order ? order[i] : (struct timed){ v->times_ns.p[i], i };
}

/* Where the last sample ends: a time of its own, the end of the profile, or as long as the others. */
static int64_t end_of(const struct v8_profile *v, uint32_t n, int64_t first, int64_t last)
{
	if (v->times_ns.n == (uint64_t)n + 1 && v->times_ns.p[n] >= last)
		return v->times_ns.p[n];
	if (v->has_end && v->end_ns >= last && n == v->samples.n)
		return v->end_ns;
	return n > 1 ? plus(last, (int64_t)(span(first, last) / (n - 1))) : last;
}

/* The first n samples, which have times. Returns the time of a sample on average. */
static uint64_t add_timed(struct finish *f, uint32_t n)
{
	struct v8_profile *v = f->v;
	AUTO_FREE struct timed *order = sort_samples(v, n);
	struct timed first = timed_at(v, order, 0), last = timed_at(v, order, n - 1);
	int64_t end = end_of(v, n, first.time_ns, last.time_ns);
	for (uint32_t i = 0; i < n; i++) {
		struct timed at = timed_at(v, order, i);
		int64_t next = i + 1 < n ? timed_at(v, order, i + 1).time_ns : end;
		add_sample(f, at.sample, at.time_ns, span(at.time_ns, next));
	}
	return span(first.time_ns, end) / n;
}

/* Times that are missing: the samples stand at equal distances, as DevTools has it. */
static void spread_times(struct v8_profile *v)
{
	uint64_t step = span(v->start_ns, v->end_ns) / v->samples.n;
	for (uint32_t i = 0; i < v->samples.n; i++)
		vec_push(&v->times_ns, plus(v->start_ns, (int64_t)(step * i)));
	v->times_are_points = true;
}

static void add_samples(struct v8_profile *v, struct profile *p, const struct v8_finish *options)
{
	struct finish f = { .v = v, .p = p, .event_name = options->event, .event = V8_NONE };
	if (!v->times_ns.n && v->has_start && v->has_end && v->end_ns > v->start_ns &&
	    !options->is_cut)
		spread_times(v);
	add_up(v);
	uint32_t timed = v->times_ns.n < v->samples.n ? v->times_ns.n : v->samples.n;
	f.has_times = timed > 0;
	uint64_t length_ns = timed ? add_timed(&f, timed) : 0;
	if (timed && timed < v->samples.n && !options->is_cut)
		source_bad_record(p, v->samples_offset, "there are %u samples but %u times",
				  v->samples.n, v->times_ns.n);
	p->ledger.count[LEDGER_NO_TIME] += v->samples.n - (v->has_no_times ? 0 : timed);
	for (uint32_t i = timed; i < v->samples.n; i++)
		add_sample(&f, i, 0, length_ns);
}

/* --- sums --- */

static void add_hits(struct v8_profile *v, struct profile *p)
{
	struct finish f = { .v = v, .p = p, .event = V8_NONE };
	uint64_t *ledger = p->ledger.count;
	for (uint32_t i = 0; i < v->nodes.n; i++) {
		const struct v8_node *n = &v->nodes.p[i];
		if (!n->hits)
			continue;
		ledger[LEDGER_SAMPLES] =
			saturating_add(ledger[LEDGER_SAMPLES], n->hits, &ledger[LEDGER_OVERFLOWS]);
		ledger[LEDGER_NO_TIME]++;
		ledger[LEDGER_FRAMES] += n->depth;
		ledger[LEDGER_CUT_STACKS] += n->is_cut;
		profile_add_sample(p, &(struct sample){ .node = n->node,
							.thread = n->thread,
							.event = event_of(&f),
							.cpu = -1,
							.count = n->hits,
							.period = n->hits });
	}
}

void v8_profile_finish(struct v8_profile *v, struct profile *p, const struct v8_finish *f)
{
	v8_place_nodes(v, p, f->thread);
	if (v->samples.n)
		add_samples(v, p, f);
	else
		add_hits(v, p);
}
