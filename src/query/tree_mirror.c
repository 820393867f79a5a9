/* For folded stacks without transforms: the profile's own stacks are the tree, so it need not be built again. */
#include "query/query_int.h"

static bool selects_all(const struct profile *p, const struct query *q)
{
	return !q->where.n && !q->times.n && !q->only.n && !q->without.n && !q->no_idle &&
	       (p->events.n <= 1 || p->is_differential);
}

/* If two frames share a label, two stacks are one path of the tree. */
static bool has_label_per_frame(struct growth *g)
{
	bool *is_taken = mem_zalloc((size_t)g->p->frames.n + g->tree->labels.n + 1, sizeof(bool));
	bool ok = true;
	for (frame_id i = 0; ok && i < g->p->frames.n; i++) {
		uint32_t label = label_of_frame(g->labels, i);
		ok = !is_taken[label];
		is_taken[label] = true;
	}
	free(is_taken);
	return ok;
}

bool growth_can_mirror(struct growth *g)
{
	const struct profile *p = g->p;
	if (g->changes_paths || g->q->keeps_rows || p->threads.n > 1 || !selects_all(p, g->q))
		return false;
	for (uint32_t i = 0; i < p->samples.n; i++)
		if (p->samples.node[i] == NODE_ROOT)
			return false;
	return has_label_per_frame(g);
}

/* The profile's nodes, and where they go. */
struct mirror {
	uint64_t *total[TREE_MAX_VALUES];
	uint32_t *place; /* in the tree; INDEX_NONE if left out */
};

static void add_rows(struct growth *g, struct mirror *m, struct query_ledger *ledger)
{
	const struct samples *s = &g->p->samples;
	bool *has_stack = mem_zalloc(g->p->nodes.n, sizeof(*has_stack));
	for (uint32_t row = 0; row < s->n; row++) {
		bool is_in_periods;
		uint64_t *total = &m->total[growth_value_of(g, row)][s->node[row]];
		*total = saturating_add(*total, growth_weight(g, row, &is_in_periods),
					&g->overflows);
		ledger_add(&ledger->samples_in, s->count[row]);
		ledger->is_in_periods |= is_in_periods;
		ledger->stacks += !has_stack[s->node[row]];
		has_stack[s->node[row]] = true;
	}
	ledger->shown = ledger->samples_in;
	free(has_stack);
}

/* Going backwards, a node's total is complete before it is added to its parent's. */
static void sum_totals(struct growth *g, struct mirror *m)
{
	for (unsigned v = 0; v < g->value_count; v++)
		for (node_id i = g->p->nodes.n; i-- > 1;) {
			uint64_t *parent = &m->total[v][g->p->nodes.p[i].parent];
			*parent = saturating_add(*parent, m->total[v][i], &g->overflows);
		}
}

/* Leaves out what is on small nodes; see growth_drop_small. */
static void place_nodes(struct growth *g, struct mirror *m)
{
	const uint64_t *total = m->total[g->value_count > 1]; /* widths are AFTER's */
	double least = g->q->min_share * (double)total[0];
	m->place[0] = 0;
	for (node_id i = 1; i < g->p->nodes.n; i++) {
		struct node node = g->p->nodes.p[i];
		uint32_t parent = m->place[node.parent];
		m->place[i] = INDEX_NONE;
		if (parent == INDEX_NONE || (double)total[node.parent] < least)
			continue;
		m->place[i] = g->nodes.n;
		growth_add_node(g, parent, label_of_frame(g->labels, node.frame));
	}
	g->tree->left_out = g->p->nodes.n - g->nodes.n;
}

static void fill_values(struct growth *g, const struct mirror *m)
{
	const struct samples *s = &g->p->samples;
	uint64_t overflows = 0; /* already counted */
	for (unsigned v = 0; v < g->value_count; v++) {
		g->total[v] = mem_alloc(g->nodes.n, sizeof(uint64_t));
		for (node_id i = 0; i < g->p->nodes.n; i++)
			if (m->place[i] != INDEX_NONE)
				g->total[v][m->place[i]] = m->total[v][i];
	}
	for (uint32_t row = 0; row < s->n; row++) {
		bool ignored;
		uint32_t at = m->place[s->node[row]];
		if (at == INDEX_NONE)
			continue;
		uint64_t *self = &g->self[growth_value_of(g, row)].p[at];
		*self = saturating_add(*self, growth_weight(g, row, &ignored), &overflows);
		g->own_stacks.p[at]++;
	}
}

void growth_mirror(struct growth *g, struct query_ledger *ledger)
{
	struct mirror m = { .place = mem_alloc(g->p->nodes.n, sizeof(uint32_t)) };
	for (unsigned v = 0; v < TREE_MAX_VALUES; v++)
		m.total[v] = mem_zalloc(v < g->value_count ? g->p->nodes.n : 1, sizeof(uint64_t));
	add_rows(g, &m, ledger);
	sum_totals(g, &m);
	place_nodes(g, &m);
	fill_values(g, &m);
	for (unsigned v = 0; v < TREE_MAX_VALUES; v++)
		free(m.total[v]);
	free(m.place);
}
