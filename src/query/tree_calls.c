/* Callers and callees of a function: trees made from a tree. */
#include "query/query_int.h"
#include "query/report.h"

struct calls {
	const struct tree *from;
	struct growth g;
	struct frame_path open; /* nodes of `from` above the current one, root first */
	uint32_t root;		/* the function's node in the new tree */
	bool is_one;		/* one function is wanted, not several merged into one */
};

static uint32_t child_of(struct growth *g, uint32_t parent, uint32_t label)
{
	uint32_t node = child_map_get(&g->map, parent, label);
	if (node == g->nodes.n)
		growth_add_node(g, parent, label);
	return node;
}

/* The wanted label if it is the only one; otherwise INDEX_NONE. */
static uint32_t only_wanted(const struct tree *t, const bool *is_wanted)
{
	uint32_t found = INDEX_NONE;
	for (uint32_t i = 0; i < t->labels.n; i++) {
		if (is_wanted[i] && found != INDEX_NONE)
			return INDEX_NONE;
		if (is_wanted[i])
			found = i;
	}
	return found;
}

/*
 * Labels are those of `from`. A single function keeps its label, so that recursion is detected;
 * several merged functions get a new one.
 */
static void calls_init(struct calls *c, const struct tree *from, const bool *is_wanted,
		       struct str root_name)
{
	static const struct query plain = { 0 };
	struct tree *t = tree_new();
	uint32_t label = only_wanted(from, is_wanted);
	*c = (struct calls){ .from = from, .is_one = label != INDEX_NONE };
	for (uint32_t i = 0; i < from->labels.n; i++)
		vec_push(&t->labels, from->labels.p[i]);
	if (!c->is_one) {
		struct tree_label several = { .name = arena_copy(&t->text, root_name) };
		several.shown = several.function = several.name;
		label = t->labels.n;
		vec_push(&t->labels, several);
	}
	c->g = (struct growth){
		.q = &plain, .tree = t, .value_count = 1, .decimals = from->decimals
	};
	child_map_init(&c->g.map);
	growth_add_node(&c->g, 0, from->label[0]);
	c->root = child_of(&c->g, 0, label);
}

static struct tree *calls_finish(struct calls *c)
{
	struct growth *g = &c->g;
	growth_sum_totals(g);
	growth_order(g);
	child_map_fini(&g->map);
	vec_fini(&g->nodes);
	vec_fini(&g->self[0]);
	free(g->total[0]);
	vec_fini(&g->own_stacks);
	vec_fini(&c->open);
	return g->tree;
}

/* Moves to node i: the stack above it is then in c->open. */
static void move_to(struct calls *c, uint32_t i)
{
	while (c->open.n && i >= c->from->end[c->open.p[c->open.n - 1]])
		c->open.n--;
}

static void add_value(struct calls *c, uint32_t at, uint64_t value, uint32_t stacks)
{
	uint64_t *self = &c->g.self[0].p[at];
	*self = saturating_add(*self, value, &c->g.overflows);
	c->g.own_stacks.p[at] += stacks;
}

struct tree *tree_callers(const struct tree *t, const bool *is_wanted, struct str root_name)
{
	struct calls c;
	calls_init(&c, t, is_wanted, root_name);
	for (uint32_t i = 1; i < t->n;) {
		move_to(&c, i);
		if (!is_wanted[t->label[i]]) {
			vec_push(&c.open, i);
			i++;
			continue;
		}
		uint32_t at = c.root;
		for (uint32_t k = c.open.n; k-- > 0;)
			at = child_of(&c.g, at, t->label[c.open.p[k]]);
		add_value(&c, at, t->total[0][i], 1);
		i = t->end[i]; /* its frames further down belong to it */
	}
	return calls_finish(&c);
}

/* The place of node i below node `above` of the new tree; INDEX_NONE if it is not below it. */
static uint32_t place_of_callee(struct calls *c, uint32_t i, uint32_t above, bool is_wanted)
{
	if (above == INDEX_NONE)
		return is_wanted ? c->root : INDEX_NONE;
	if (c->is_one || !is_wanted)
		return child_of(&c->g, above, c->from->label[i]);
	/* One of several merged functions calls another: no other frame has their label, so it is folded here. */
	c->g.tree->labels.p[c->g.nodes.p[c->root].label].is_recursive = true;
	return c->root;
}

struct tree *tree_callees(const struct tree *t, const bool *is_wanted, struct str root_name)
{
	struct calls c;
	AUTO_FREE uint32_t *place = mem_alloc(t->n, sizeof(*place)); /* in the new tree */
	calls_init(&c, t, is_wanted, root_name);
	for (uint32_t i = 1; i < t->n; i++) {
		move_to(&c, i);
		uint32_t above = c.open.n ? place[c.open.p[c.open.n - 1]] : INDEX_NONE;
		place[i] = place_of_callee(&c, i, above, is_wanted[t->label[i]]);
		if (place[i] != INDEX_NONE)
			add_value(&c, place[i], t->self[0][i], t->own_stacks[i]);
		vec_push(&c.open, i);
	}
	return calls_finish(&c);
}
