/*
 * Basic blocks of compiled code: their instructions, what is known about them, and their
 * successors. Instructions are read in sequence, without gaps; jump tables are skipped.
 */
#include "instruction/instruction.h"
#include "v8/flow_int.h"

/* A way to where a block begins, from an instruction of which the table says that it is of a function. */
struct way {
	uint32_t to; /* V8_NONE: not known */
	uint32_t node;
};

struct begins {
	uint8_t *all;	      /* a bit for each byte of the code */
	VEC(struct way) ways; /* by both */
};

static bool is_set(const uint8_t *bits, uint32_t at)
{
	return bits[at / 8] >> at % 8 & 1;
}

static void set_bit(uint8_t *bits, struct str code, int64_t at)
{
	if (at >= 0 && at < (int64_t)code.n)
		bits[at / 8] |= (uint8_t)(1 << at % 8);
}

const struct point *point_find(const point_vec *list, uint32_t at)
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

static bool list_entry(const struct flow *f, uint32_t at, int64_t *target)
{
	uint64_t address;
	if (at + sizeof(address) > f->code.n)
		return false;
	memcpy(&address, f->code.p + at, sizeof(address));
	*target = (int64_t)(address - f->address);
	return address - f->address < f->code.n;
}

static uint32_t list_begin(const struct flow *f, uint32_t at)
{
	return at + (uint32_t)(-(f->address + at) % sizeof(uint64_t));
}

uint32_t flow_list_bytes(const struct flow *f, uint32_t at)
{
	uint32_t begin = list_begin(f, at), end = begin;
	int64_t target;
	while (list_entry(f, end, &target))
		end += (uint32_t)sizeof(uint64_t);
	return end > begin ? end - at : 0;
}

/* Entries of the table of positions: how many have a call behind them, up to the next one. */
struct entries {
	uint32_t all, with_call;
	bool is_open;
	uint32_t next; /* in the table, behind the instruction at hand */
};

static void count_entry(const struct flow *f, uint32_t at, const struct instruction *in,
			struct entries *e)
{
	if (point_find(&f->told, at)) {
		e->all++;
		e->is_open = true;
	}
	while (e->next < f->told.n && f->told.p[e->next].at <= at)
		e->next++;
	if (in->kind == CALLS && e->is_open) {
		e->with_call++;
		e->is_open = false;
	}
}

static void add_way(const struct flow *f, struct begins *b, const struct entries *e, int64_t target)
{
	bool is_inside = target >= 0 && target < (int64_t)f->code.n;
	set_bit(b->all, f->code, target);
	if (e->next && (is_inside || target == V8_NONE))
		vec_push(&b->ways,
			 (struct way){ (uint32_t)target, f->told.p[e->next - 1].point.spot.node });
}

static void add_ways(const struct flow *f, struct begins *b, const struct entries *e, uint32_t at,
		     struct instruction *in)
{
	uint32_t behind = at + in->size_bytes;
	int64_t target;
	if (in->kind == VANISHES) {
		in->size_bytes += flow_list_bytes(f, behind);
		for (uint32_t i = list_begin(f, behind); i < at + in->size_bytes; i += 8)
			if (list_entry(f, i, &target))
				add_way(f, b, e, target);
		if (at + in->size_bytes == behind) /* it is behind the code */
			add_way(f, b, e, V8_NONE);
	}
	if (in->kind == BRANCHES)
		add_way(f, b, e, behind);
	set_bit(b->all, f->code, (int64_t)at + in->size_bytes);
	if (in->kind == BRANCHES || in->kind == JUMPS)
		add_way(f, b, e, in->target);
}

static int by_target(const void *a, const void *b)
{
	const struct way *x = a, *y = b;
	return x->to < y->to ? -1 : x->to > y->to;
}

static int by_target_and_node(const void *a, const void *b)
{
	const struct way *x = a, *y = b;
	return x->to != y->to ? by_target(a, b) : x->node < y->node ? -1 : x->node > y->node;
}

static bool find_begins(struct graph *g, struct begins *b)
{
	const struct flow *f = g->flow;
	struct instruction in;
	struct entries e = { 0 };
	set_bit(b->all, f->code, 0);
	for (uint32_t at = 0; at < f->code.n; at += in.size_bytes) {
		if (!instruction_read(f->code, at, &in))
			return false;
		count_entry(f, at, &in, &e);
		if (in.kind != GOES_ON && in.kind != CALLS)
			add_ways(f, b, &e, at, &in);
	}
	g->is_dense = e.all > e.with_call + e.with_call / 4;
	if (b->ways.n)
		qsort(b->ways.p, b->ways.n, sizeof(*b->ways.p), by_target_and_node);
	return true;
}

const struct point *flow_exit(const struct flow *f, const struct instruction *in)
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
	const struct point *told = point_find(&f->told, at), *exit = flow_exit(f, in);
	struct point point = { { V8_NONE, -1 }, LOOP_UNKNOWN };
	if (told) {
		point = w->told = *told;
		w->last = told->spot;
	}
	if (in->kind == CALLS) {
		const struct point *call = point_find(&f->calls, at + in->size_bytes);
		w->calls += call != NULL;
		point = call ? call_point(w, call) : w->told;
	}
	if (g->is_dense && w->told.spot.node != V8_NONE)
		return w->told; /* up to the next entry, or the block's end */
	if (in->kind == CALLS)
		w->told.spot.node = V8_NONE;
	return exit ? *exit : point;
}

/* Whether a point is as the last one was, directly behind it. */
static bool goes_on(const struct graph *g, const struct mark *last, uint32_t at,
		    const struct point *point)
{
	return g->is_dense && last->end == at && last->point.spot.node == point->spot.node &&
	       last->point.spot.offset == point->spot.offset;
}

static void mark_instruction(struct graph *g, struct walk *w, uint32_t at,
			     const struct instruction *in)
{
	struct block *b = &g->blocks.p[g->blocks.n - 1];
	struct point point = point_of(g, w, at, in);
	if (point.spot.node == V8_NONE)
		return;
	if (b->marks && goes_on(g, &g->marks.p[g->marks.n - 1], at, &point)) {
		g->marks.p[g->marks.n - 1].end = at + in->size_bytes;
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
					      !is_inside && !flow_exit(g->flow, in));
}

static bool find_way(const struct begins *b, const struct way *way,
		     int (*compare)(const void *, const void *))
{
	return b->ways.n && bsearch(way, b->ways.p, b->ways.n, sizeof(*way), compare);
}

/* Whether a block is come to from a function: where the code just goes on that is the last one. */
static bool is_come_to(const struct graph *g, const struct begins *b, uint32_t at, uint32_t node)
{
	struct way way = { at, node }, unknown = { V8_NONE, node };
	if (g->blocks.n && g->blocks.p[g->blocks.n - 1].next[0] == at)
		return true;
	return find_way(b, &way, by_target_and_node) ||
	       (!find_way(b, &way, by_target) && find_way(b, &unknown, by_target_and_node));
}

/*
 * Whether a block is as the table's last entry, as it has none itself: something in it must have a position,
 * which moves and jumps need not have, and it is come to from the same function. Behind the last entry there is
 * also code that has none at all.
 */
enum doubt { NOT_AS_BEFORE, MAYBE_AS_BEFORE, AS_BEFORE };

static enum doubt is_as_before(const struct graph *g, const struct begins *b, uint32_t at,
			       uint32_t node)
{
	const struct flow *f = g->flow;
	struct instruction in;
	enum doubt found = NOT_AS_BEFORE;
	if (!g->is_dense || f->told.p[f->told.n - 1].at <= at || !is_come_to(g, b, at, node))
		return NOT_AS_BEFORE;
	for (uint32_t here = at; here < f->code.n && (here == at || !is_set(b->all, here));
	     here += in.size_bytes) {
		if (point_find(&f->told, here) || !instruction_read(f->code, here, &in))
			break;
		if (in.is_move || in.kind == JUMPS || in.kind == RETURNS || in.kind == ENDS)
			continue;
		if (f->is_all_told || !in.is_common)
			return AS_BEFORE;
		found = MAYBE_AS_BEFORE;
	}
	return found;
}

static void begin_block(struct graph *g, struct walk *w, const struct begins *b, uint32_t at)
{
	const struct point nothing = { { V8_NONE, -1 }, LOOP_UNKNOWN };
	enum doubt doubt = is_as_before(g, b, at, w->last.node);
	w->told = nothing;
	if (doubt == AS_BEFORE)
		w->told.spot = w->last;
	vec_push(&g->blocks, (struct block){ .start = at,
					     .first_mark = g->marks.n,
					     .next = { V8_NONE, V8_NONE },
					     .loop = V8_NONE,
					     .told = doubt ? w->last : nothing.spot });
}

static bool make_blocks(struct graph *g, const struct begins *begins)
{
	struct str code = g->flow->code;
	struct instruction in = { 0 };
	struct walk w = { .last = { .node = V8_NONE } };
	for (uint32_t at = 0; at < code.n; at += in.size_bytes) {
		if (is_set(begins->all, at))
			begin_block(g, &w, begins, at);
		if (!instruction_read(code, at, &in) || g->blocks.n > MAX_BLOCKS)
			return false;
		mark_instruction(g, &w, at, &in);
		if (in.kind == VANISHES)
			in.size_bytes += flow_list_bytes(g->flow, at + in.size_bytes);
		struct block *b = &g->blocks.p[g->blocks.n - 1];
		b->end = at + in.size_bytes;
		if (b->end >= code.n || is_set(begins->all, b->end))
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

bool graph_make(struct graph *g)
{
	AUTO_FREE uint8_t *bits = mem_zalloc(g->flow->code.n / 8 + 1, 1);
	struct begins begins = { .all = bits };
	bool is_good = find_begins(g, &begins) && make_blocks(g, &begins) && connect(g);
	vec_fini(&begins.ways);
	return is_good;
}
