/*
 * Finds loops in compiled code, and the function each belongs to. The points in a loop give a function that all of it
 * is in, but that function may have been called from the loop: `for (...) short()` without a point in the loop's own
 * function looks the same as a loop in `short`. The bytecode decides. If all points in that function are in a loop of
 * its source, this is that loop, unless an inner loop already is (iterations are copied out of it). Otherwise it is a
 * loop around the call, and the caller is tested the same way, and so on.
 */
#include "v8/flow_int.h"

enum { MAX_LOOPS = 1 << 12, MAX_STEPS = 1 << 22 };

/* A way back to a block that was on the way. */
struct back {
	uint32_t from, to;
};

/* A search through all blocks, deepest first. */
struct search {
	struct graph *g;
	uint32_t
		*number; /* of each block, in the order that they are come to, from 1; 0: not yet */
	uint8_t *is_open; /* it is on the way to the one at hand */
	uint8_t *way;	  /* that is next to be gone */
	uint32_t *stack, depth, numbers;
	VEC(struct back) backs;
	VEC(uint32_t) headers;
	uint32_t *seen; /* in which loop's body each block was seen last */
	uint32_t steps;
};

static void come_to(struct search *s, uint32_t block)
{
	s->number[block] = ++s->numbers;
	s->is_open[block] = 1;
	s->stack[s->depth++] = block;
}

static void search_from(struct search *s, uint32_t first)
{
	come_to(s, first);
	while (s->depth) {
		uint32_t at = s->stack[s->depth - 1];
		if (s->way[at] >= 2) {
			s->is_open[at] = 0;
			s->depth--;
			continue;
		}
		uint32_t next = s->g->blocks.p[at].next[s->way[at]++];
		if (next == V8_NONE)
			continue;
		if (!s->number[next])
			come_to(s, next);
		else if (s->is_open[next])
			vec_push(&s->backs, (struct back){ at, next });
	}
}

static void add_to_body(struct search *s, uint32_t block, uint32_t mark)
{
	s->steps++;
	if (s->seen[block] == mark)
		return;
	s->seen[block] = mark;
	s->stack[s->depth++] = block;
}

/* The blocks of a loop, on the stack: all that lead to its header without leaving it. False: too many. */
static bool find_body(struct search *s, uint32_t header, uint32_t mark)
{
	const struct graph *g = s->g;
	s->depth = 0;
	add_to_body(s, header, mark);
	for (uint32_t i = 0; i < s->backs.n; i++)
		if (s->backs.p[i].to == header)
			add_to_body(s, s->backs.p[i].from, mark);
	for (uint32_t i = 1; i < s->depth; i++) {
		const struct block *b = &g->blocks.p[s->stack[i]];
		for (uint32_t k = 0; k < b->befores; k++)
			add_to_body(s, g->edges.p[b->first_before + k], mark);
	}
	s->steps += s->backs.n;
	return s->steps < MAX_STEPS;
}

/* The innermost loop of a function's text that is around both. */
static uint32_t common_loop(const struct flow *f, uint32_t a, uint32_t b)
{
	/* Those around come behind. */
	while (a != b) {
		if (a == V8_NONE || b == V8_NONE)
			return V8_NONE;
		if (a < b)
			a = f->loops.p[a].parent;
		else
			b = f->loops.p[b].parent;
	}
	return a;
}

typedef void on_mark(const struct graph *g, const struct point *point, struct loop *loop);

static void each_mark(const struct search *s, struct loop *loop, on_mark *on)
{
	for (uint32_t i = 0; i < s->depth; i++) {
		const struct block *b = &s->g->blocks.p[s->stack[i]];
		for (uint32_t k = 0; k < b->marks; k++)
			on(s->g, &s->g->marks.p[b->first_mark + k].point, loop);
	}
}

static void take_spot(const struct graph *g, const struct point *point, struct loop *loop)
{
	loop->first = spot_first(g->nodes, loop->first, point->spot);
	loop->last = spot_last(g->nodes, loop->last, point->spot);
}

/* In the text of the function that all points have in common: its own, or those of calls in it. */
static void take_text_loop(const struct graph *g, const struct point *point, struct loop *loop)
{
	uint32_t own = point->loop;
	for (uint32_t node = point->spot.node; node > loop->first.node;
	     node = g->nodes->p[node].parent)
		own = g->nodes->p[node].loop;
	if (own == LOOP_UNKNOWN)
		return;
	loop->text_loop =
		loop->text_loop == LOOP_UNKNOWN ? own : common_loop(g->flow, loop->text_loop, own);
}

/* A loop inside, with the same loop in the same function's text. */
static bool is_taken(const struct search *s, const struct loop *loop, uint32_t mark)
{
	for (uint32_t i = 0; i < s->g->loops.n; i++) {
		const struct loop *inner = &s->g->loops.p[i];
		if (s->seen[inner->header] == mark && inner->first.node == loop->first.node &&
		    inner->text_loop == loop->text_loop)
			return true;
	}
	return false;
}

static void add_loop(struct search *s, const struct loop *loop)
{
	struct graph *g = s->g;
	uint32_t id = g->loops.n;
	vec_push(&g->loops, *loop);
	for (uint32_t i = 0; i < s->depth; i++) {
		uint32_t *around = &g->blocks.p[s->stack[i]].loop;
		while (*around != V8_NONE && *around != id)
			around = &g->loops.p[*around].parent;
		*around = id;
	}
}

/* From the function that all points are in to the one that the loop is of. */
static void find_owner(const struct search *s, struct loop *loop, uint32_t mark)
{
	const struct graph *g = s->g;
	uint32_t node = loop->first.node;
	while (loop->text_loop == V8_NONE || is_taken(s, loop, mark)) {
		if (loop->text_loop != V8_NONE) {
			loop->text_loop = g->flow->loops.p[loop->text_loop].parent;
			continue;
		}
		if (!node)
			return;
		loop->text_loop = g->nodes->p[node].loop;
		node = g->nodes->p[node].parent;
		if (loop->text_loop == LOOP_UNKNOWN) {
			loop->text_loop = V8_NONE;
			node = 0;
		}
		loop->first = spot_lift(g->nodes, loop->first, node);
		loop->last = spot_lift(g->nodes, loop->last, node);
	}
}

static bool look_at_loop(struct search *s, uint32_t header, uint32_t mark)
{
	struct loop loop = { .header = header,
			     .first = { V8_NONE, -1 },
			     .last = { V8_NONE, -1 },
			     .text_loop = LOOP_UNKNOWN,
			     .parent = V8_NONE };
	if (!find_body(s, header, mark))
		return false;
	each_mark(s, &loop, take_spot);
	each_mark(s, &loop, take_text_loop);
	if (loop.text_loop == LOOP_UNKNOWN) /* no point, or none that tells */
		return true;
	find_owner(s, &loop, mark);
	add_loop(s, &loop);
	return true;
}

/* Headers by their number, the last first: those of inner loops are come to after those around. */
static void find_headers(struct search *s, uint32_t *block_of_number)
{
	const struct graph *g = s->g;
	for (uint32_t i = 0; i < g->blocks.n; i++)
		block_of_number[s->number[i] - 1] = i;
	for (uint32_t i = 0; i < s->backs.n; i++)
		s->seen[s->backs.p[i].to] = 1;
	for (uint32_t i = g->blocks.n; i-- > 0;)
		if (s->seen[block_of_number[i]])
			vec_push(&s->headers, block_of_number[i]);
}

static bool find_loops(struct search *s)
{
	const struct graph *g = s->g;
	for (uint32_t i = 0; i < g->blocks.n; i++)
		if (!s->number[i] && (i == 0 || !g->blocks.p[i].befores))
			search_from(s, i);
	for (uint32_t i = 0; i < g->blocks.n; i++) /* nothing leads to what is left */
		if (!s->number[i])
			search_from(s, i);
	find_headers(s, s->stack);
	if (s->headers.n > MAX_LOOPS)
		return false;
	for (uint32_t i = 0; i < s->headers.n; i++)
		if (!look_at_loop(s, s->headers.p[i], i + 2))
			return false;
	return true;
}

bool graph_find_loops(struct graph *g)
{
	uint32_t n = g->blocks.n;
	AUTO_FREE uint32_t *number = mem_zalloc(n, sizeof(*number));
	AUTO_FREE uint32_t *stack = mem_zalloc(n, sizeof(*stack));
	AUTO_FREE uint32_t *seen = mem_zalloc(n, sizeof(*seen));
	AUTO_FREE uint8_t *is_open = mem_zalloc(n, 1);
	AUTO_FREE uint8_t *way = mem_zalloc(n, 1);
	struct search s = { .g = g,
			    .number = number,
			    .stack = stack,
			    .seen = seen,
			    .is_open = is_open,
			    .way = way };
	bool is_good = find_loops(&s);
	vec_fini(&s.backs);
	vec_fini(&s.headers);
	return is_good;
}
