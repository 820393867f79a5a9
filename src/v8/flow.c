/*
 * Spreads points in compiled code to every instruction. Inlined functions nest like calls: control
 * enters one only from its caller, and returns there. So an instruction belongs to the function
 * that the points before and after it, on all paths, have in common; or to one inlined into that
 * function without a point here, and then the answer is its caller.
 *
 * Only a loop around a call lets control leave a function and enter it again without a point of its
 * caller in between. So the ways into a loop, out of it, and back to its start count as points of
 * the function that the loop belongs to (loops.c). Loops may also be unrolled, with one iteration
 * after the other. So the points of a function called in a loop must be in the order of its source;
 * otherwise what is between them belongs to its caller, up to the one with the loop.
 */
#include "v8/flow_int.h"

enum { MAX_ROUNDS = 64 };

void flow_fini(struct flow *f)
{
	vec_fini(&f->exits);
	vec_fini(&f->calls);
	vec_fini(&f->told);
	vec_fini(&f->loops);
}

struct spot spot_meet(const inlined_vec *nodes, struct spot a, struct spot b)
{
	uint32_t other = b.node;
	if (a.node == V8_NONE)
		return b;
	/* Parents come before. */
	while (b.node != V8_NONE && a.node != other) {
		if (a.node > other)
			a = (struct spot){ nodes->p[a.node].parent, nodes->p[a.node].call };
		else
			other = nodes->p[other].parent;
	}
	return a;
}

struct spot spot_lift(const inlined_vec *nodes, struct spot spot, uint32_t to)
{
	return spot_meet(nodes, spot, (struct spot){ to, -1 });
}

/* What is not known stays so: it is in no order. */
static struct spot choose(struct spot a, struct spot b, bool is_last)
{
	if (a.offset < 0 || b.offset < 0)
		return (struct spot){ a.node, -1 };
	return (a.offset > b.offset) == is_last ? a : b;
}

struct spot spot_last(const inlined_vec *nodes, struct spot a, struct spot b)
{
	return choose(spot_meet(nodes, a, b), spot_meet(nodes, b, a), true);
}

struct spot spot_first(const inlined_vec *nodes, struct spot a, struct spot b)
{
	return choose(spot_meet(nodes, a, b), spot_meet(nodes, b, a), false);
}

/* --- what is before and behind each block --- */

static bool is_within(const struct graph *g, uint32_t loop, uint32_t outer)
{
	while (loop != V8_NONE && loop != outer)
		loop = g->loops.p[loop].parent;
	return loop == outer;
}

/* The outermost loop around `inner` that is not around `common`, too. */
static uint32_t outermost(const struct graph *g, uint32_t inner, uint32_t common)
{
	uint32_t parent;
	while ((parent = g->loops.p[inner].parent) != V8_NONE && !is_within(g, common, parent))
		inner = parent;
	return inner;
}

/* The loop that a way crosses first, as seen from one of its ends, or that it goes back in; V8_NONE: none. */
static uint32_t crossed(const struct graph *g, uint32_t from, uint32_t to, bool is_seen_from_end)
{
	uint32_t start = g->blocks.p[from].loop, end = g->blocks.p[to].loop;
	uint32_t own = is_seen_from_end ? end : start, other = is_seen_from_end ? start : end;
	if (end != V8_NONE && g->loops.p[end].header == to && is_within(g, start, end))
		return end;
	if (own != V8_NONE && !is_within(g, other, own))
		return own;
	return other == own ? V8_NONE : outermost(g, other, own);
}

static struct spot before_from(const struct graph *g, uint32_t from, uint32_t to)
{
	const struct block *b = &g->blocks.p[from];
	uint32_t loop = crossed(g, from, to, true);
	if (loop != V8_NONE)
		return is_within(g, g->blocks.p[to].loop, loop) ? g->loops.p[loop].first
								: g->loops.p[loop].last;
	return b->marks ? g->marks.p[b->first_mark + b->marks - 1].point.spot : b->before;
}

static struct spot after_from(const struct graph *g, uint32_t from, uint32_t to)
{
	const struct block *b = &g->blocks.p[to];
	uint32_t loop = crossed(g, from, to, false);
	if (loop != V8_NONE)
		return is_within(g, g->blocks.p[from].loop, loop) ? g->loops.p[loop].last
								  : g->loops.p[loop].first;
	return b->marks ? g->marks.p[b->first_mark].point.spot : b->after;
}

static const struct spot root = { 0, -1 }, nothing = { V8_NONE, -1 };

static bool update(struct spot *old, struct spot now)
{
	bool is_new = old->node != now.node || old->offset != now.offset;
	if (is_new)
		*old = now;
	return is_new;
}

static bool look_around(struct graph *g, uint32_t i)
{
	struct block *b = &g->blocks.p[i];
	struct spot before = i == 0 ? root : nothing;
	struct spot after = b->is_return || b->is_open ? root : nothing;
	for (uint32_t k = 0; k < b->befores; k++)
		before = spot_last(g->nodes, before,
				   before_from(g, g->edges.p[b->first_before + k], i));
	for (unsigned way = 0; way < 2; way++)
		if (b->next[way] != V8_NONE)
			after = spot_first(g->nodes, after, after_from(g, i, b->next[way]));
	bool is_new = update(&b->before, before);
	return update(&b->after, after) || is_new;
}

/* From round to round it is a caller, or in the same function farther off: it ends. */
static bool look_until_same(struct graph *g)
{
	for (uint32_t i = 0; i < g->blocks.n; i++)
		g->blocks.p[i].before = g->blocks.p[i].after = nothing;
	bool is_new = true;
	for (unsigned round = 0; is_new && round < MAX_ROUNDS; round++) {
		is_new = false;
		for (uint32_t i = 0; i < g->blocks.n; i++)
			is_new |= look_around(g, i);
		for (uint32_t i = g->blocks.n; i-- > 0;)
			is_new |= look_around(g, i);
	}
	return !is_new;
}

/* --- the result --- */

static void add_span(struct inlined_code *out, uint32_t start, struct spot spot)
{
	uint32_t n = out->spans.n;
	if (spot.node == V8_NONE)
		spot = root;
	if (n && out->spans.p[n - 1].spot.node == spot.node &&
	    out->spans.p[n - 1].spot.offset == spot.offset)
		return;
	if (n && out->spans.p[n - 1].start == start)
		out->spans.p[n - 1].spot = spot;
	else
		vec_push(&out->spans, (struct span){ start, spot });
}

/* The outermost of its callers that has a loop around the call; itself, if none has. */
static uint32_t repeating(const inlined_vec *nodes, uint32_t node)
{
	uint32_t found = node;
	for (; node; node = nodes->p[node].parent)
		if (nodes->p[node].loop != V8_NONE)
			found = nodes->p[node].parent;
	return found;
}

static struct spot between(const struct graph *g, const struct block *b, struct spot before,
			   struct spot after)
{
	struct spot a = spot_meet(g->nodes, before, after), z = spot_meet(g->nodes, after, before);
	if (a.node == V8_NONE || (a.offset >= 0 && a.offset < z.offset) || a.node == b->told.node)
		return a;
	return spot_lift(g->nodes, a,
			 b->loop == V8_NONE ? repeating(g->nodes, a.node)
					    : g->loops.p[b->loop].first.node);
}

static void add_spans(const struct graph *g, const struct block *b, struct inlined_code *out)
{
	/* Nothing is known where no way leads: padding, slow paths that are not taken, what handles exceptions. */
	struct spot before = b->before.node == V8_NONE ? root : b->before;
	uint32_t at = b->start;
	for (uint32_t i = 0; i <= b->marks; i++) {
		const struct mark *m = i < b->marks ? &g->marks.p[b->first_mark + i] : NULL;
		struct spot after = m ? m->point.spot : b->after;
		if (at < (m ? m->start : b->end))
			add_span(out, at, between(g, b, before, after));
		if (!m)
			break;
		add_span(out, m->start, m->point.spot);
		before = m->point.spot;
		at = m->end;
	}
}

bool flow_follow(const struct flow *f, struct inlined_code *out)
{
	struct graph g = { .flow = f, .nodes = &out->nodes };
	if (!f->code.n || f->code.n > MAX_CODE_BYTES || !f->exit_bytes)
		return false;
	bool is_good = graph_make(&g) && graph_find_loops(&g) && look_until_same(&g);
	for (uint32_t i = 0; is_good && i < g.blocks.n; i++)
		add_spans(&g, &g.blocks.p[i], out);
	if (is_good)
		add_span(out, (uint32_t)f->code.n, root);
	vec_fini(&g.blocks);
	vec_fini(&g.marks);
	vec_fini(&g.edges);
	vec_fini(&g.loops);
	return is_good;
}
