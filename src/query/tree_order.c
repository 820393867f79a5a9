/* Converts growing nodes to preorder: siblings ordered by name, or by time. */
#include "query/query_int.h"

/* Orders labels of one name by kind, so that two trees have the same order. */
static void order_namesakes(const struct tree *t, const uint32_t *used, uint32_t *order, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t k = i; k; k--) {
			const struct tree_label *a = &t->labels.p[used[order[k - 1]]];
			const struct tree_label *b = &t->labels.p[used[order[k]]];
			if (a->kind <= b->kind || !str_eq(a->name, b->name))
				break;
			uint32_t swap = order[k];
			order[k] = order[k - 1];
			order[k - 1] = swap;
		}
}

/* The labels that nodes use, each once. */
static uint32_t list_used_labels(const struct growth *g, uint32_t *used)
{
	bool *is_used = mem_zalloc(g->tree->labels.n, sizeof(*is_used));
	uint32_t n = 0;
	for (uint32_t i = 0; i < g->nodes.n; i++)
		is_used[g->nodes.p[i].label] = true;
	for (uint32_t i = 0; i < g->tree->labels.n; i++)
		if (is_used[i])
			used[n++] = i;
	free(is_used);
	return n;
}

/* rank[label]: its rank in bytewise order among all names in use. */
static uint32_t *ranks_of(const struct growth *g)
{
	const struct tree *t = g->tree;
	uint32_t *used = mem_alloc(t->labels.n, sizeof(*used));
	uint32_t n = list_used_labels(g, used);
	struct str *names = mem_alloc(n, sizeof(*names));
	uint32_t *order = mem_alloc(n, sizeof(*order));
	uint32_t *rank = mem_alloc(t->labels.n, sizeof(*rank));
	for (uint32_t i = 0; i < n; i++)
		names[i] = t->labels.p[used[i]].name;
	str_sort(names, order, n);
	order_namesakes(t, used, order, n);
	for (uint32_t i = 0; i < n; i++)
		rank[used[order[i]]] = i;
	free(used);
	free(names);
	free(order);
	return rank;
}

/* All nodes ordered by the rank of their name: a counting sort, O(nodes + names). */
static uint32_t *nodes_by_rank(const struct growth *g)
{
	uint32_t names = g->tree->labels.n, n = g->nodes.n;
	uint32_t *rank = ranks_of(g);
	uint32_t *start = mem_zalloc((size_t)names + 1, sizeof(*start));
	uint32_t *order = mem_alloc(n, sizeof(*order));
	for (uint32_t i = 1; i < n; i++)
		start[rank[g->nodes.p[i].label] + 1]++;
	for (uint32_t i = 0; i < names; i++)
		start[i + 1] += start[i];
	for (uint32_t i = 1; i < n; i++)
		order[start[rank[g->nodes.p[i].label]]++] = i;
	free(start);
	free(rank);
	return order;
}

static uint32_t *nodes_by_age(const struct growth *g)
{
	uint32_t *order = mem_alloc(g->nodes.n, sizeof(*order));
	for (uint32_t i = 1; i < g->nodes.n; i++)
		order[i - 1] = i;
	return order;
}

/* Children as linked lists, in name order or time order. */
struct children {
	uint32_t *first, *next; /* INDEX_NONE if none */
};

static struct children children_of(const struct growth *g)
{
	uint32_t n = g->nodes.n;
	struct children c = { index_none_alloc(n), mem_alloc(n, sizeof(uint32_t)) };
	uint32_t *order = query_keeps_order(g->q) ? nodes_by_age(g) : nodes_by_rank(g);
	for (uint32_t i = n - 1; i-- > 0;) { /* last name first, each inserted at the front */
		uint32_t node = order[i], parent = g->nodes.p[node].parent;
		c.next[node] = c.first[parent];
		c.first[parent] = node;
	}
	free(order);
	return c;
}

static void place_node(const struct growth *g, uint32_t from, uint32_t to, uint32_t depth)
{
	struct tree *t = g->tree;
	t->label[to] = g->nodes.p[from].label;
	t->depth[to] = depth;
	t->own_stacks[to] = g->own_stacks.p[from];
	if (t->start)
		t->start[to] = g->starts.p[from];
	for (unsigned v = 0; v < g->value_count; v++) {
		t->self[v][to] = g->self[v].p[from];
		t->total[v][to] = g->total[v][from];
	}
}

/* Rows name their nodes; a node that was dropped for being small has no number. */
static void place_rows(const struct growth *g, const uint32_t *placed_at)
{
	struct tree_rows *rows = g->tree->rows;
	for (uint32_t row = 0; rows && row < g->p->samples.n; row++)
		if (rows->node[row] != INDEX_NONE)
			rows->node[row] = rows->node[row] < g->nodes.n && !g->tree->left_out
						  ? placed_at[rows->node[row]]
						  : INDEX_NONE;
}

/* Numbers the nodes in preorder without recursion: stacks may be a million frames deep. */
static void place_nodes(const struct growth *g)
{
	struct tree *t = g->tree;
	struct children c = children_of(g);
	uint32_t *placed_at = mem_alloc(g->nodes.n, sizeof(*placed_at));
	uint32_t node = 0, depth = 0, placed = 0;
	for (;;) {
		placed_at[node] = placed;
		place_node(g, node, placed++, depth);
		if (c.first[node] != INDEX_NONE) {
			node = c.first[node];
			depth++;
			continue;
		}
		while (node) {
			t->end[placed_at[node]] = placed;
			if (c.next[node] != INDEX_NONE)
				break;
			node = g->nodes.p[node].parent;
			depth--;
		}
		if (!node)
			break;
		node = c.next[node];
	}
	t->end[0] = placed;
	place_rows(g, placed_at);
	free(placed_at);
	free(c.first);
	free(c.next);
}

/* Going backwards, a node's total is complete before it is added to its parent's. */
void growth_sum_totals(struct growth *g)
{
	for (unsigned v = 0; v < g->value_count; v++) {
		uint64_t *total = mem_alloc(g->nodes.n, sizeof(*total));
		memcpy(total, g->self[v].p, g->nodes.n * sizeof(*total));
		for (uint32_t i = g->nodes.n; i-- > 1;) {
			uint32_t parent = g->nodes.p[i].parent;
			total[parent] = saturating_add(total[parent], total[i], &g->overflows);
		}
		g->total[v] = total;
	}
}

/* A node's total is at least that of its children, so nothing larger is dropped with it. */
void growth_drop_small(struct growth *g)
{
	unsigned last = g->value_count - 1; /* widths are AFTER's */
	double least = g->q->min_share * (double)g->total[last][0];
	uint32_t n = 1, *moved = mem_alloc(g->nodes.n, sizeof(*moved));
	moved[0] = 0;
	for (uint32_t i = 1; i < g->nodes.n; i++) {
		uint32_t parent = moved[g->nodes.p[i].parent];
		moved[i] = INDEX_NONE;
		if (parent == INDEX_NONE)
			continue;
		if ((double)g->total[last][i] >= least)
			moved[i] = n; /* its children may stay */
		g->nodes.p[n] = (struct growing_node){ parent, g->nodes.p[i].label };
		g->own_stacks.p[n] = g->own_stacks.p[i];
		if (g->starts.n)
			g->starts.p[n] = g->starts.p[i];
		for (unsigned v = 0; v < g->value_count; v++) {
			g->self[v].p[n] = g->self[v].p[i];
			g->total[v][n] = g->total[v][i];
		}
		n++;
	}
	g->tree->left_out = g->nodes.n - n;
	g->nodes.n = n;
	free(moved);
}

void growth_order(struct growth *g)
{
	tree_alloc_nodes(g->tree, g->nodes.n, g->value_count);
	g->tree->decimals = g->decimals;
	if (g->starts.n)
		g->tree->start = mem_alloc(g->nodes.n, sizeof(uint64_t));
	place_nodes(g);
}
