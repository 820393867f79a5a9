/*
 * From points in compiled code to every instruction of it. Functions that were put into others are nested,
 * as calls are: control comes to one only from its caller, and goes back there. So an instruction is of the
 * function that the points before and behind it, on all ways, have in common; or of one that was put into
 * that and has no point here, of which it is a caller then.
 *
 * There is one way for control to leave a function and be in it again with no point of its caller between:
 * a loop around the call. So ways into a loop, out of it, and back to its begin count as points of the function
 * that it is of (loops.c). And as loops may be unrolled, with rounds one behind the other: of a function that
 * is called in a loop, points have to be in the order of its text, else what is between them is its
 * caller's, up to the one with the loop.
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

/* Behind a jump to where a register says there may be a list of where that can be, aligned. */
static uint32_t list_bytes(const struct flow *f, uint32_t at, uint8_t *begins)
{
	uint32_t begin = at;
	uint64_t address;
	at += (uint32_t)(-(f->address + at) % sizeof(address));
	uint32_t first = at;
	for (; at + sizeof(address) <= f->code.n; at += (uint32_t)sizeof(address)) {
		memcpy(&address, f->code.p + at, sizeof(address));
		if (address - f->address >= f->code.n)
			break;
		set_begin(begins, f->code, (int64_t)(address - f->address));
	}
	return at > first ? at - begin : 0;
}

/* Entries of the table of positions: how many have a call behind them, up to the next one. */
struct entries {
	uint32_t all, with_call;
	bool is_open;
};

static void count_entry(const struct flow *f, uint32_t at, const struct instruction *in,
			struct entries *e)
{
	if (find_point(&f->told, at)) {
		e->all++;
		e->is_open = true;
	}
	if (in->kind == CALLS && e->is_open) {
		e->with_call++;
		e->is_open = false;
	}
}

static bool find_begins(struct graph *g, uint8_t *begins)
{
	struct str code = g->flow->code;
	struct instruction in;
	struct entries e = { 0 };
	set_begin(begins, code, 0);
	for (uint32_t at = 0; at < code.n; at += in.size_bytes) {
		if (!instruction_read(code, at, &in))
			return false;
		count_entry(g->flow, at, &in, &e);
		if (in.kind == GOES_ON || in.kind == CALLS)
			continue;
		if (in.kind == VANISHES)
			in.size_bytes += list_bytes(g->flow, at + in.size_bytes, begins);
		set_begin(begins, code, (int64_t)at + in.size_bytes);
		if (in.kind == BRANCHES || in.kind == JUMPS)
			set_begin(begins, code, in.target);
	}
	g->is_dense = e.all > e.with_call + e.with_call / 4;
	return true;
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

static struct point point_of(const struct graph *g, struct walk *w, uint32_t at,
			     const struct instruction *in)
{
	const struct flow *f = g->flow;
	const struct point *told = find_point(&f->told, at), *exit = exit_of(f, in);
	struct point point = { { V8_NONE, -1 }, LOOP_UNKNOWN };
	if (told) {
		point = w->told = *told;
		w->last = told->spot;
	}
	if (in->kind == CALLS) {
		const struct point *call = find_point(&f->calls, at + in->size_bytes);
		w->calls += call != NULL;
		point = call ? call_point(w, call) : w->told;
	}
	if (g->is_dense && w->told.spot.node != V8_NONE)
		return w->told; /* up to the next entry, or the block's end */
	if (in->kind == CALLS)
		w->told.spot.node = V8_NONE;
	return exit ? *exit : point;
}

static void mark_instruction(struct graph *g, struct walk *w, uint32_t at,
			     const struct instruction *in)
{
	struct block *b = &g->blocks.p[g->blocks.n - 1];
	struct point point = point_of(g, w, at, in);
	if (point.spot.node == V8_NONE)
		return;
	struct mark *last = b->marks ? &g->marks.p[g->marks.n - 1] : NULL;
	if (last && g->is_dense && last->end == at && last->point.spot.node == point.spot.node &&
	    last->point.spot.offset == point.spot.offset) {
		last->end = at + in->size_bytes;
		return;
	}
	vec_push(&g->marks, (struct mark){ at, at + in->size_bytes, point });
	b->marks++;
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

static bool make_blocks(struct graph *g, uint8_t *begins)
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
		if (in.kind == VANISHES)
			in.size_bytes += list_bytes(g->flow, at + in.size_bytes, begins);
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
	struct spot before = i == 0 || !b->befores ? root : nothing;
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
	if (a.node == V8_NONE || (a.offset >= 0 && a.offset < z.offset))
		return a;
	return spot_lift(g->nodes, a,
			 b->loop == V8_NONE ? repeating(g->nodes, a.node)
					    : g->loops.p[b->loop].first.node);
}

static void add_spans(const struct graph *g, const struct block *b, struct inlined_code *out)
{
	struct spot before = b->before;
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
	AUTO_FREE uint8_t *begins = mem_zalloc(f->code.n / 8 + 1, 1);
	bool is_good = find_begins(&g, begins) && make_blocks(&g, begins) && connect(&g) &&
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
