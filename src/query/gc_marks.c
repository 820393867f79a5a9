/* Infers from samples when the garbage collector ran. */
#include "query/query.h"

/* Samples of a collection are one period apart; in a gap of a few, another thread may have run. */
enum { MOST_GAPS = 3 };

/* By node: whether it is inside the collector. */
static bool *nodes_in_gc(const struct profile *p)
{
	bool *is_gc = mem_zalloc(p->nodes.n, sizeof(*is_gc));
	for (node_id i = 1; i < p->nodes.n; i++) {
		const struct node *n = &p->nodes.p[i];
		is_gc[i] = is_gc[n->parent] ||
			   category_of_frame(p, &p->frames.p[n->frame]) == CATEGORY_GC;
	}
	return is_gc;
}

struct collecting {
	const struct profile *p;
	struct mark *open; /* by thread: the collection that may go on; text 0: none */
	uint64_t gap_ns;
	struct gc_marks *out;
};

static void end_one(struct collecting *c, thread_id thread)
{
	struct mark *m = &c->open[thread];
	if (m->text)
		vec_push(&c->out->list, *m);
	m->text = 0;
}

static void see(struct collecting *c, uint32_t row, bool is_gc)
{
	thread_id thread = c->p->samples.thread[row];
	uint64_t now = c->p->samples.time_ns[row];
	struct mark *m = &c->open[thread];
	bool goes_on =
		m->text && now >= m->time_ns && now - m->time_ns - m->duration_ns <= c->gap_ns;
	if (m->text && !goes_on)
		end_one(c, thread);
	if (!is_gc)
		return;
	if (!m->text)
		*m = (struct mark){ .time_ns = now, .thread = thread, .text = 1 };
	m->duration_ns = now - m->time_ns;
}

void gc_marks_of(const struct profile *p, uint64_t period_ns, struct gc_marks *out)
{
	const struct samples *s = &p->samples;
	if (!profile_has_times(p) || !s->time_ns)
		return;
	AUTO_FREE bool *is_gc = nodes_in_gc(p);
	AUTO_FREE struct mark *open = mem_zalloc(p->threads.n, sizeof(*open));
	struct collecting c = { p, open, MOST_GAPS * (period_ns ? period_ns : 10000000), out };
	for (uint32_t row = 0; row < s->n; row++)
		see(&c, row, is_gc[s->node[row]]);
	for (thread_id t = 0; t < p->threads.n; t++)
		end_one(&c, t);
}

void gc_marks_fini(struct gc_marks *m)
{
	vec_fini(&m->list);
}
