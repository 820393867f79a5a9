/*
 * Calls of a trace as samples: B and E are joined to intervals, then the intervals of a thread are
 * nested by their times, and each stretch in which one is the innermost becomes a sample.
 */
#include "source/trace_int.h"

struct interval {
	int64_t from_ns, until_ns;
	uint64_t offset; /* in the input */
	text_id name;
};

/* An interval that contains the moment at hand. */
struct open_call {
	int64_t until_ns;
	node_id node;
	bool was_shown; /* it, or something in it, has a sample */
};

struct calls {
	struct trace *t;
	struct profile *p;
	event_id event; /* V8_NONE: no row needed it yet */
	thread_id thread;
	int64_t now_ns;
	VEC(struct interval) intervals;
	VEC(uint32_t) begun; /* B without an E so far: indices of intervals */
	VEC(struct open_call) open;
	uint32_t *begun_of; /* by name, how many are begun */
	frame_id *frame_of; /* by name; V8_NONE: not made yet */
};

/* --- B and E --- */

static int compare_calls(const void *a, const void *b)
{
	const struct trace_call *x = a, *y = b;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* In order of time; of equal times, in the order of the input. */
static void sort_calls(struct trace_thread *thread)
{
	for (uint32_t i = 1; i < thread->calls.n; i++)
		if (thread->calls.p[i].time_ns < thread->calls.p[i - 1].time_ns) {
			qsort(thread->calls.p, thread->calls.n, sizeof(*thread->calls.p),
			      compare_calls);
			return;
		}
}

static void end_last(struct calls *c, int64_t time_ns)
{
	struct interval *last = &c->intervals.p[c->begun.p[--c->begun.n]];
	last->until_ns = time_ns;
	c->begun_of[last->name]--;
}

/* An E with a name ends the last B of that name, and what was begun in it; one without, the last. */
static void on_end(struct calls *c, const struct trace_call *call)
{
	if (!c->begun.n || (call->name && !c->begun_of[call->name])) {
		source_bad_record(c->p, call->offset, "'%.*s' ends but never began",
				  STR_ARG(str_first(texts_get(&c->t->texts, call->name), 100)));
		return;
	}
	while (call->name && c->intervals.p[c->begun.p[c->begun.n - 1]].name != call->name) {
		end_last(c, call->time_ns);
		c->p->ledger.count[LEDGER_UNCLOSED]++;
	}
	end_last(c, call->time_ns);
}

static void on_call(struct calls *c, const struct trace_call *call)
{
	struct interval i = { call->time_ns, call->time_ns, call->offset, call->name };
	if (call->length_ns == CALL_ENDS) {
		on_end(c, call);
		return;
	}
	if (call->length_ns == CALL_BEGINS) {
		vec_push(&c->begun, c->intervals.n);
		c->begun_of[call->name]++;
	} else if (__builtin_add_overflow(call->time_ns, call->length_ns, &i.until_ns)) {
		i.until_ns = INT64_MAX;
	}
	vec_push(&c->intervals, i);
}

static void make_intervals(struct calls *c, struct trace_thread *thread)
{
	c->intervals.n = 0;
	sort_calls(thread);
	for (uint32_t i = 0; i < thread->calls.n; i++)
		on_call(c, &thread->calls.p[i]);
	c->p->ledger.count[LEDGER_UNCLOSED] += c->begun.n;
	while (c->begun.n)
		end_last(c, c->t->end_ns);
}

/* --- nesting --- */

/* What contains comes first. */
static int compare_intervals(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;
	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	if (x->until_ns != y->until_ns)
		return x->until_ns > y->until_ns ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void sort_intervals(struct calls *c)
{
	for (uint32_t i = 1; i < c->intervals.n; i++)
		if (compare_intervals(&c->intervals.p[i - 1], &c->intervals.p[i]) > 0) {
			qsort(c->intervals.p, c->intervals.n, sizeof(*c->intervals.p),
			      compare_intervals);
			return;
		}
}

static frame_id frame_of(struct calls *c, text_id name)
{
	frame_id *frame = &c->frame_of[name];
	if (*frame == V8_NONE)
		*frame = naming_add_frame(
			c->p, &(struct named_frame){ .name = texts_get(&c->t->texts, name),
						     .kind = name ? FRAME_USER : FRAME_UNKNOWN });
	return *frame;
}

static event_id event_of(struct calls *c)
{
	struct profile *p = c->p;
	if (c->event == V8_NONE)
		c->event = profile_add_event(
			p, (struct event){ .name = profile_add_str(p, STR("trace")),
					   .unit = profile_add_str(p, STR("ns")),
					   .counts_periods = true });
	return c->event;
}

/* The innermost call from now_ns on. */
static void add_sample(struct calls *c, int64_t until_ns)
{
	uint64_t *ledger = c->p->ledger.count;
	struct open_call *last = &c->open.p[c->open.n - 1];
	last->was_shown = true;
	ledger[LEDGER_SAMPLES]++;
	ledger[LEDGER_FRAMES] += c->open.n;
	profile_add_sample(c->p,
			   &(struct sample){ .node = last->node,
					     .thread = c->thread,
					     .event = event_of(c),
					     .cpu = -1,
					     .time_ns = c->now_ns > 0 ? (uint64_t)c->now_ns : 0,
					     .count = 1,
					     .period = (uint64_t)until_ns - (uint64_t)c->now_ns });
}

/* Up to time_ns; what ends before or then is closed. */
static void advance(struct calls *c, int64_t time_ns)
{
	while (c->open.n) {
		struct open_call *last = &c->open.p[c->open.n - 1];
		int64_t until_ns = last->until_ns < time_ns ? last->until_ns : time_ns;
		/* A call without a length was there, too. */
		if (until_ns > c->now_ns || (last->until_ns <= time_ns && !last->was_shown))
			add_sample(c, until_ns);
		c->now_ns = until_ns;
		if (last->until_ns > time_ns)
			break;
		bool was_shown = last->was_shown;
		if (--c->open.n)
			c->open.p[c->open.n - 1].was_shown |= was_shown;
	}
	c->now_ns = time_ns;
}

/* Times are rounded: a call may seem to end a little after the one it was made in. */
enum { ROUNDING_NS = 1000 };

static void open_interval(struct calls *c, const struct interval *i)
{
	const struct open_call *last = c->open.n ? &c->open.p[c->open.n - 1] : NULL;
	struct open_call call = { .until_ns = i->until_ns };
	if (c->open.n == MAX_STACK_FRAMES) {
		c->p->ledger.count[LEDGER_CUT_STACKS]++;
		return;
	}
	if (last && call.until_ns > last->until_ns) {
		if (call.until_ns - ROUNDING_NS > last->until_ns)
			source_bad_record(
				c->p, i->offset, "'%.*s' ends after the call that contains it",
				STR_ARG(str_first(texts_get(&c->t->texts, i->name), 100)));
		call.until_ns = last->until_ns;
	}
	call.node = profile_add_node(c->p, last ? last->node : NODE_ROOT, frame_of(c, i->name));
	vec_push(&c->open, call);
}

static void add_thread(struct calls *c, struct trace_thread *thread)
{
	c->thread = thread->id;
	make_intervals(c, thread);
	sort_intervals(c);
	for (uint32_t i = 0; i < c->intervals.n; i++) {
		if (i == 0)
			c->now_ns = c->intervals.p[i].from_ns;
		advance(c, c->intervals.p[i].from_ns);
		open_interval(c, &c->intervals.p[i]);
	}
	advance(c, INT64_MAX);
}

static bool has_calls(const struct trace *t)
{
	for (uint32_t i = 0; i < t->threads.n; i++)
		if (t->threads.p[i].calls.n)
			return true;
	return false;
}

void trace_add_calls(struct trace *t)
{
	struct calls c = { .t = t, .p = t->p, .event = V8_NONE };
	if (!has_calls(t))
		return;
	c.begun_of = mem_zalloc(t->texts.list.n, sizeof(*c.begun_of));
	c.frame_of = index_none_alloc(t->texts.list.n);
	for (uint32_t i = 0; i < t->threads.n; i++)
		add_thread(&c, &t->threads.p[i]);
	vec_fini(&c.intervals);
	vec_fini(&c.begun);
	vec_fini(&c.open);
	free(c.begun_of);
	free(c.frame_of);
}
