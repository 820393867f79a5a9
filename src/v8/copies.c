/*
 * Maglev records the functions that it inlines, but sometimes with the wrong call: after the first instruction of a
 * peeled loop, the position is the loop's (13.6 to 14.6). Its exits to the interpreter have the right one, and the
 * table of positions tells which inlined function an exit is in. Copies of one call, as in peeled loops, are merged.
 */
#include "instruction/instruction.h"
#include "v8/flow_int.h"

/* What exits say of a function in the list. */
struct call_place {
	int32_t call;
	uint32_t loop;
	bool is_known, is_doubtful; /* exits differ */
};

struct copies {
	struct flow *flow;
	inlined_vec *nodes;
	struct call_place *places; /* of nodes */
	uint32_t *same;		   /* the first node that each is a copy of, or itself */
};

static uint32_t depth_of(const inlined_vec *nodes, uint32_t node)
{
	uint32_t depth = 0;
	for (; node; node = nodes->p[node].parent)
		depth++;
	return depth;
}

/* Both are the same functions, in each other: the calls are those of the exit. */
static void take_calls(struct copies *c, uint32_t told, uint32_t exit)
{
	const struct inlined *list = c->nodes->p;
	if (depth_of(c->nodes, told) != depth_of(c->nodes, exit))
		return;
	for (uint32_t a = told, b = exit; a; a = list[a].parent, b = list[b].parent)
		if (list[a].literal != list[b].literal)
			return;
	for (; told; told = list[told].parent, exit = list[exit].parent) {
		struct call_place *place = &c->places[told];
		place->is_doubtful |= place->is_known && place->call != list[exit].call;
		*place = (struct call_place){ .call = list[exit].call,
					      .loop = list[exit].loop,
					      .is_known = list[exit].call >= 0,
					      .is_doubtful = place->is_doubtful };
	}
}

/* Up to the last entry of the table: behind it are slow paths of all that came before. */
static void look_at_exits(struct copies *c)
{
	const struct flow *f = c->flow;
	struct instruction in;
	uint32_t entry = 0;
	for (uint32_t at = 0; entry < f->told.n; at += in.size_bytes) {
		if (!instruction_read(f->code, at, &in))
			return;
		while (entry < f->told.n && f->told.p[entry].at <= at)
			entry++;
		const struct point *exit = in.kind == CALLS
						   ? point_find(&f->calls, at + in.size_bytes)
						   : flow_exit(f, &in);
		uint32_t told = entry ? f->told.p[entry - 1].point.spot.node : V8_NONE;
		if (told != V8_NONE && exit && exit->spot.node != V8_NONE)
			take_calls(c, told, exit->spot.node);
		if (in.kind == VANISHES)
			in.size_bytes += flow_list_bytes(f, at + in.size_bytes);
	}
}

/* Parents come before, and stay so: each becomes a copy of one before it. */
static void find_copies(struct copies *c)
{
	enum { MOST = 1 << 9 }; /* it takes the square of it */
	struct inlined *list = c->nodes->p;
	for (uint32_t i = 0; i < c->nodes->n; i++) {
		c->same[i] = i;
		if (!i || c->nodes->n > MOST)
			continue;
		if (c->places[i].is_known && !c->places[i].is_doubtful) {
			list[i].call = c->places[i].call;
			list[i].loop = c->places[i].loop;
		}
		list[i].parent = c->same[list[i].parent];
		for (uint32_t k = 1; k < i && c->same[i] == i; k++)
			if (c->same[k] == k && list[k].parent == list[i].parent &&
			    list[k].literal == list[i].literal && list[k].call == list[i].call &&
			    list[k].call >= 0)
				c->same[i] = k;
	}
}

static void replace(const struct copies *c, struct point *point)
{
	if (point->spot.node != V8_NONE)
		point->spot.node = c->same[point->spot.node];
}

void flow_unite_copies(struct flow *f, inlined_vec *nodes)
{
	AUTO_FREE struct call_place *places = mem_zalloc(nodes->n, sizeof(*places));
	AUTO_FREE uint32_t *same = mem_zalloc(nodes->n, sizeof(*same));
	struct copies c = { f, nodes, places, same };
	look_at_exits(&c);
	find_copies(&c);
	for (uint32_t i = 0; i < f->exits.n; i++)
		replace(&c, &f->exits.p[i]);
	for (uint32_t i = 0; i < f->calls.n; i++)
		replace(&c, &f->calls.p[i].point);
	for (uint32_t i = 0; i < f->told.n; i++)
		replace(&c, &f->told.p[i].point);
}
