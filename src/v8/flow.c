/*
 * From points in compiled code to every instruction of it. Functions that were put into others are nested,
 * as calls are: control enters one only from its caller, and goes back there. So an instruction is of the
 * function that the points before and behind it, on all ways, have in common; or of one that was put into
 * that and has no point at all, of which it is a caller then.
 *
 * Loops are better known: the ways into one and out of it go through the function that the loop is of
 * (loops.c), so that nothing outside counts for what is inside, nor the other way round.
 */
#include "v8/flow_int.h"
#include "v8/instruction.h"

enum { MAX_ROUNDS = 256 };

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

/* --- blocks --- */

/* A bit for each byte of the code: a block begins there. */
static bool is_begin(const uint8_t *begins, uint32_t at)
{
	return begins[at / 8] >> at % 8 & 1;
}

static void set_begin(uint8_t *begins, struct str code, int64_t at)
{
	if (at >= 0 && at < (int64_t)code.n)
		begins[at / 8] |= (uint8_t)(1 << at % 8);
}

static bool find_begins(struct str code, uint8_t *begins)
{
	struct instruction in;
	set_begin(begins, code, 0);
	for (uint32_t at = 0; at < code.n; at += in.size_bytes) {
		if (!instruction_read(code, at, &in))
			return false;
		if (in.kind == GOES_ON || in.kind == CALLS)
			continue;
		set_begin(begins, code, (int64_t)at + in.size_bytes);
		if (in.kind == BRANCHES || in.kind == JUMPS)
			set_begin(begins, code, in.target);
	}
	return true;
}

static const struct point *find_point(const point_vec *list, uint32_t at)
{
	uint32_t low = 0, high = list->n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (list->p[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->n && list->p[low].at == at ? &list->p[low].point : NULL;
}

/* The exit that an instruction leads to, if it does. */
static const struct point *exit_of(const struct flow *f, const struct instruction *in)
{
	int64_t behind = in->target - (int64_t)f->code.n;
	if ((in->kind != BRANCHES && in->kind != JUMPS) || behind < 0 ||
	    behind % f->exit_bytes != 0 || behind / f->exit_bytes >= f->exits.n)
		return NULL;
	return &f->exits.p[behind / f->exit_bytes];
}

/* A walk over the instructions, and what the table of positions said last. */
struct walk {
	struct point told; /* in this block, of the call that comes */
	struct spot last;  /* in all */
	uint32_t calls;	   /* that were found */
};

static struct point call_point(struct walk *w, const struct point *call)
{
	struct point p = *call;
	/* Its own entry is that of the call; equal ones are left out of the table. */
	if (w->told.spot.node == p.spot.node)
		p.spot = w->told.spot;
	else if (p.spot.offset < 0 && w->last.node == p.spot.node)
		p.spot = w->last;
	return p;
}

static void mark_instruction(struct graph *g, struct walk *w, uint32_t at,
			     const struct instruction *in)
{
	const struct flow *f = g->flow;
	const struct point *told = find_point(&f->told, at), *known = exit_of(f, in);
	struct mark m = { .start = at, .end = at + in->size_bytes };
	m.point.spot.node = V8_NONE;
	if (told) {
		w->told = m.point = *told;
		w->last = told->spot;
	}
	if (in->kind == CALLS) {
		const struct point *call = find_point(&f->calls, at + in->size_bytes);
		w->calls += call != NULL;
		m.point = call ? call_point(w, call) : w->told;
		w->told.spot.node = V8_NONE;
	}
	if (known)
		m.point = *known;
	if (m.point.spot.node == V8_NONE)
		return;
	vec_push(&g->marks, m);
	g->blocks.p[g->blocks.n - 1].marks++;
}

/* Behind the code are its exits, which are no part of the graph. */
static void end_block(struct graph *g, struct block *b, const struct instruction *in)
{
	int64_t size = (int64_t)g->flow->code.n;
	bool is_inside = in->target >= 0 && in->target < size;
	if (in->kind != JUMPS && in->kind != RETURNS && in->kind != ENDS && in->kind != VANISHES &&
	    b->end < size)
		b->next[0] = b->end;
	if ((in->kind == JUMPS || in->kind == BRANCHES) && is_inside)
		b->next[1] = (uint32_t)in->target;
	b->is_return = in->kind == RETURNS;
	b->is_open = in->kind == VANISHES || ((in->kind == JUMPS || in->kind == BRANCHES) &&
					      !is_inside && !exit_of(g->flow, in));
}

static bool make_blocks(struct graph *g, const uint8_t *begins)
{
	struct str code = g->flow->code;
	struct instruction in = { 0 };
	struct walk w = { .last = { .node = V8_NONE } };
	for (uint32_t at = 0; at < code.n; at += in.size_bytes) {
		if (is_begin(begins, at)) {
			vec_push(&g->blocks, (struct block){ .start = at,
							     .first_mark = g->marks.n,
							     .next = { V8_NONE, V8_NONE },
							     .loop = V8_NONE });
			w.told = (struct point){ .spot.node = V8_NONE, .loop = LOOP_UNKNOWN };
		}
		if (!instruction_read(code, at, &in) || g->blocks.n > MAX_BLOCKS)
			return false;
		mark_instruction(g, &w, at, &in);
		struct block *b = &g->blocks.p[g->blocks.n - 1];
		b->end = at + in.size_bytes;
		if (b->end >= code.n || is_begin(begins, b->end))
			end_block(g, b, &in);
	}
	/* Each call that is known is one: else these are not the instructions. */
	return w.calls == g->flow->calls.n;
}

/* The block that begins at an address; V8_NONE: none does. */
static uint32_t block_at(const struct graph *g, uint32_t at)
{
	uint32_t low = 0, high = g->blocks.n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (g->blocks.p[middle].start < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < g->blocks.n && g->blocks.p[low].start == at ? low : V8_NONE;
}

/* From addresses to blocks, and which lead to each. False: something jumps into an instruction. */
static bool connect(struct graph *g)
{
	for (uint32_t i = 0; i < g->blocks.n; i++) {
		for (unsigned way = 0; way < 2; way++) {
			uint32_t *next = &g->blocks.p[i].next[way];
			if (*next == V8_NONE)
				continue;
			*next = block_at(g, *next);
			if (*next == V8_NONE)
				return false;
			g->blocks.p[*next].befores++;
		}
	}
	uint32_t sum = 0;
	for (uint32_t i = 0; i < g->blocks.n; i++) {
		g->blocks.p[i].first_before = sum;
		sum += g->blocks.p[i].befores;
		g->blocks.p[i].befores = 0;
	}
	vec_reserve(&g->edges, (uint64_t)sum + 1);
	g->edges.n = sum;
	for (uint32_t i = 0; i < g->blocks.n; i++) {
		for (unsigned way = 0; way < 2; way++) {
			if (g->blocks.p[i].next[way] == V8_NONE)
				continue;
			struct block *to = &g->blocks.p[g->blocks.p[i].next[way]];
			g->edges.p[to->first_before + to->befores++] = i;
		}
	}
	return true;
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

/* The loop that a way from `here` to `there` (or back) crosses first; V8_NONE: none. */
static uint32_t crossed(const struct graph *g, uint32_t here, uint32_t there)
{
	uint32_t own = g->blocks.p[here].loop, other = g->blocks.p[there].loop;
	if (own != V8_NONE && !is_within(g, other, own))
		return own;
	return other == own ? V8_NONE : outermost(g, other, own);
}

static struct spot before_from(const struct graph *g, uint32_t from, uint32_t to)
{
	const struct block *b = &g->blocks.p[from];
	uint32_t loop = crossed(g, to, from);
	if (loop != V8_NONE)
		return g->loops.p[loop].spot;
	return b->marks ? g->marks.p[b->first_mark + b->marks - 1].point.spot : b->before;
}

static struct spot after_from(const struct graph *g, uint32_t from, uint32_t to)
{
	const struct block *b = &g->blocks.p[to];
	uint32_t loop = crossed(g, from, to);
	if (loop != V8_NONE)
		return g->loops.p[loop].spot;
	return b->marks ? g->marks.p[b->first_mark].point.spot : b->after;
}

static const struct spot root = { 0, -1 }, nothing = { V8_NONE, -1 };

static bool update(struct spot *old, struct spot now)
{
	bool is_new = old->node != now.node;
	if (is_new)
		*old = now;
	return is_new;
}

static bool look_around(struct graph *g, uint32_t i)
{
	struct block *b = &g->blocks.p[i];
	struct spot before = i == 0 || !b->befores ? root : nothing;
	struct spot after = b->is_return || b->is_open ? root : nothing;
	for (uint32_t k = 0; k < b->befores; k++)
		before = spot_meet(g->nodes, before,
				   before_from(g, g->edges.p[b->first_before + k], i));
	for (unsigned way = 0; way < 2; way++)
		if (b->next[way] != V8_NONE)
			after = spot_meet(g->nodes, after, after_from(g, i, b->next[way]));
	bool is_new = update(&b->before, before);
	return update(&b->after, after) || is_new;
}

/* What is known only gets less from round to round, a caller at a time: it ends. */
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
	struct span *last = out->spans.n ? &out->spans.p[out->spans.n - 1] : NULL;
	if (spot.node == V8_NONE)
		spot = root;
	if (last && last->spot.node == spot.node && last->spot.offset == spot.offset)
		return;
	if (last && last->start == start)
		last->spot = spot;
	else
		vec_push(&out->spans, (struct span){ start, spot });
}

static void add_spans(const struct graph *g, const struct block *b, struct inlined_code *out)
{
	struct spot before = b->before;
	uint32_t at = b->start;
	for (uint32_t i = 0; i <= b->marks; i++) {
		const struct mark *m = i < b->marks ? &g->marks.p[b->first_mark + i] : NULL;
		struct spot after = m ? m->point.spot : b->after;
		if (at < (m ? m->start : b->end))
			add_span(out, at, spot_meet(g->nodes, before, after));
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
	AUTO_FREE uint8_t *begins = mem_zalloc(f->code.n / 8 + 1, 1);
	bool is_good = find_begins(f->code, begins) && make_blocks(&g, begins) && connect(&g) &&
		       graph_find_loops(&g) && look_until_same(&g);
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
