/* Samples to a tree: stacks as they are shown, merged by name, siblings ordered by name. */
#include "query/query_int.h"

/* A tree node while the tree grows; a parent always has a smaller index than its children. */
struct growing_node {
	uint32_t parent, label;
};

struct growth {
	const struct profile *p;
	const struct query *q;
	struct tree *tree;
	struct labels *labels;
	unsigned value_count;
	unsigned decimals;
	bool mixes_events; /* clocks and other events are shown together */
	uint64_t overflows;

	struct child_map map; /* (parent, label) to node */
	VEC(struct growing_node) nodes;
	VEC(uint64_t) self[TREE_MAX_VALUES];
	uint64_t *total[TREE_MAX_VALUES];
	VEC(uint32_t) own_stacks;

	bool mirrors_profile; /* tree nodes are the profile's nodes, number by number */

	/* For each stack of the profile: its tree node below the root that asked last. */
	uint32_t *known_root, *known_node;
	struct frame_path pending;

	/* Transforms. */
	struct regex_list hide, root;
	bool changes_paths;
	uint8_t *fate; /* by label: what the expressions say, 0: not asked yet */
	uint32_t fate_count;
	struct frame_path path, labels_path;
	struct frame_path open; /* in_order: the nodes of the stack before */
};

enum fate { FATE_KNOWN = 1, FATE_HIDE = 2, FATE_ROOT = 4, FATE_SKIP_AFTER = 8 };

static void add_growing(struct growth *g, uint32_t parent, uint32_t label)
{
	vec_push(&g->nodes, (struct growing_node){ parent, label });
	for (unsigned v = 0; v < g->value_count; v++)
		vec_push(&g->self[v], 0);
	vec_push(&g->own_stacks, 0);
}

static uint32_t child_of(struct growth *g, uint32_t parent, uint32_t label)
{
	uint32_t node = child_map_get(&g->map, parent, label);
	if (node == g->nodes.n)
		add_growing(g, parent, label);
	return node;
}

/*
 * The tree node of a stack below `root`. Stacks share callers, so most of the way is known already.
 */
static uint32_t node_of_stack(struct growth *g, uint32_t root, node_id node)
{
	g->pending.n = 0;
	while (node != NODE_ROOT && g->known_root[node] != root) {
		vec_push(&g->pending, node);
		node = g->p->nodes.p[node].parent;
	}
	uint32_t at = node == NODE_ROOT ? root : g->known_node[node];
	while (g->pending.n) {
		node = g->pending.p[--g->pending.n];
		at = child_of(g, at, label_of_frame(g->labels, g->p->nodes.p[node].frame));
		g->known_root[node] = root;
		g->known_node[node] = at;
	}
	return at;
}

static uint8_t fate_of(struct growth *g, uint32_t label, uint64_t *gave_up)
{
	uint32_t n = g->tree->labels.n;
	if (n > g->fate_count) {
		uint32_t room = n + n / 2 + 64;
		g->fate = mem_realloc(g->fate, room, 1);
		memset(g->fate + g->fate_count, 0, room - g->fate_count);
		g->fate_count = room;
	}
	if (!g->fate[label]) {
		struct str name = g->tree->labels.p[label].name;
		name.n -= g->tree->labels.p[label].mark_bytes;
		uint8_t fate = FATE_KNOWN;
		fate |= regex_list_any(&g->hide, name, gave_up) ? FATE_HIDE : 0;
		fate |= regex_list_any(&g->root, name, gave_up) ? FATE_ROOT : 0;
		for (uint32_t i = 0; i < g->q->skip_after.n; i++)
			if (str_eq(name, str_from(g->q->skip_after.p[i])))
				fate |= FATE_SKIP_AFTER;
		g->fate[label] = fate;
	}
	return g->fate[label];
}

static void reverse_path(struct frame_path *path)
{
	for (uint32_t i = 0; i < path->n / 2; i++) {
		uint32_t swap = path->p[i];
		path->p[i] = path->p[path->n - 1 - i];
		path->p[path->n - 1 - i] = swap;
	}
}

/*
 * The labels of a row's stack after all transforms, in g->labels_path. False when the row has no
 * frame that --root asks for. The thread's label is a frame like the others, but not cut by
 * --skip-after.
 */
static bool transformed_path(struct growth *g, uint32_t row, uint64_t *gave_up)
{
	struct frame_path *out = &g->labels_path;
	uint32_t thread = label_of_thread(g->labels, g->p->samples.thread[row]);
	bool is_rooted = g->root.n == 0;
	out->n = 0;
	if (thread != INDEX_NONE)
		vec_push(out, thread);
	uint32_t first = out->n;
	frame_path_of(g->p, g->p->samples.node[row], &g->path);
	for (uint32_t i = 0; i < g->path.n; i++) {
		uint32_t label = label_of_frame(g->labels, g->path.p[i]);
		uint8_t fate = fate_of(g, label, gave_up);
		if (!is_rooted && fate & FATE_ROOT) {
			is_rooted = true;
			out->n = first = 0;
		}
		if (fate & FATE_SKIP_AFTER)
			out->n = first;
		bool repeats =
			g->q->collapse_recursion && out->n > first && out->p[out->n - 1] == label;
		if (!(fate & FATE_HIDE) && !repeats)
			vec_push(out, label);
	}
	if (g->q->reverse)
		reverse_path(out);
	return is_rooted;
}

/* In units of 10^-decimals of the tree. */
static uint64_t weight_of(struct growth *g, uint32_t row, bool is_in_periods)
{
	const struct samples *s = &g->p->samples;
	const struct event *e = &g->p->events.p[s->event[row]];
	uint64_t weight = is_in_periods ? s->period[row] : s->count[row];
	for (unsigned d = is_in_periods ? e->decimals : 0; d < g->decimals; d++)
		if (__builtin_mul_overflow(weight, 10u, &weight)) {
			g->overflows++;
			return UINT64_MAX;
		}
	return weight;
}

/*
 * Sums have no other weight. Samples of clocks and periods of other events do not add up: then
 * samples count.
 */
static bool counts_periods(const struct growth *g, const struct event *e)
{
	if (e->has_only_sums)
		return true;
	if (g->q->weight == QUERY_WEIGHT_AUTO)
		return e->counts_periods && !g->mixes_events;
	return g->q->weight == QUERY_WEIGHT_PERIOD;
}

static bool mixes_events(const struct profile *p, event_id shown)
{
	bool has_clocks = false, has_others = false;
	for (uint32_t i = 0; i < p->events.n; i++) {
		has_clocks |= !p->events.p[i].counts_periods;
		has_others |= p->events.p[i].counts_periods;
	}
	return shown == INDEX_NONE && has_clocks && has_others;
}

/*
 * In order of time: what the stack has in common with the one before goes on, the rest begins anew.
 */
static uint32_t next_in_order(struct growth *g)
{
	uint32_t same = 0, at = 0;
	while (same < g->open.n && same < g->labels_path.n &&
	       g->nodes.p[g->open.p[same]].label == g->labels_path.p[same])
		at = g->open.p[same++];
	g->open.n = same;
	for (uint32_t i = same; i < g->labels_path.n; i++) {
		uint32_t child = g->nodes.n;
		add_growing(g, at, g->labels_path.p[i]);
		vec_push(&g->open, child);
		at = child;
	}
	return at;
}

static bool add_row(struct growth *g, uint32_t row, struct query_ledger *ledger)
{
	const struct samples *s = &g->p->samples;
	uint32_t at = 0;
	if (g->mirrors_profile) {
		at = s->node[row];
	} else if (g->changes_paths) {
		if (!transformed_path(g, row, &ledger->gave_up))
			return false;
		if (g->q->in_order && g->labels_path.n == 0)
			vec_push(&g->labels_path, label_of_text(g->labels, STR("[no stack]")));
		if (g->q->in_order)
			at = next_in_order(g);
		for (uint32_t i = 0; !g->q->in_order && i < g->labels_path.n; i++)
			at = child_of(g, at, g->labels_path.p[i]);
	} else {
		uint32_t thread = label_of_thread(g->labels, s->thread[row]);
		at = node_of_stack(g, thread == INDEX_NONE ? 0 : child_of(g, 0, thread),
				   s->node[row]);
	}
	if (at == 0)
		at = child_of(g, 0, label_of_text(g->labels, STR("[no stack]")));
	const struct event *e = &g->p->events.p[s->event[row]];
	unsigned value =
		g->p->is_differential && s->event[row] == 1; /* event 0 is before, event 1 after */
	bool is_in_periods = counts_periods(g, e);
	g->self[value].p[at] = saturating_add(g->self[value].p[at],
					      weight_of(g, row, is_in_periods), &g->overflows);
	g->own_stacks.p[at]++;
	ledger->is_in_periods |= is_in_periods;
	return true;
}

/* --- from growing nodes to preorder --- */

/* Labels of one name are in order of their kinds, so that two trees have them alike. */
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

/* Labels that nodes have, each once. */
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

/* rank[label]: its place in bytewise order among all names that nodes have. */
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

/* All nodes ordered by the rank of their name: a counting sort, so O(nodes + names). */
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

/* Children as linked lists, in order of their names, or of time. */
struct children {
	uint32_t *first, *next; /* INDEX_NONE: none */
};

static struct children children_of(const struct growth *g)
{
	uint32_t n = g->nodes.n;
	struct children c = { mem_alloc(n, sizeof(uint32_t)), mem_alloc(n, sizeof(uint32_t)) };
	uint32_t *order = g->q->in_order ? nodes_by_age(g) : nodes_by_rank(g);
	memset(c.first, 0xff, n * sizeof(uint32_t));
	for (uint32_t i = n - 1; i-- > 0;) { /* last name first, each put before the ones there */
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
	for (unsigned v = 0; v < g->value_count; v++) {
		t->self[v][to] = g->self[v].p[from];
		t->total[v][to] = g->total[v][from];
	}
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
	free(placed_at);
	free(c.first);
	free(c.next);
}

/* Backwards, a node's total is complete before it is added to its parent's. */
static void sum_totals(struct growth *g)
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

/*
 * Pictures do not show what is too narrow to be seen: what is on such a node is dropped before the
 * order of nodes is worked out. The node itself stays, as it takes its place among its siblings. A
 * node's total is at least its children's, so nothing larger goes with it.
 */
static void drop_small_subtrees(struct growth *g)
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
			moved[i] = n; /* children may stay */
		g->nodes.p[n] = (struct growing_node){ parent, g->nodes.p[i].label };
		g->own_stacks.p[n] = g->own_stacks.p[i];
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

/* --- the whole --- */

static bool selects_all(const struct profile *p, const struct query *q)
{
	return !q->where.n && !q->time && !q->only.n && !q->without.n && !q->no_idle &&
	       (p->events.n <= 1 || p->is_differential);
}

/* Two frames may have one label: then two stacks are one path of the tree. */
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

/*
 * Folded stacks without a wish: the profile's own tree of stacks is the tree, and need not be grown
 * again.
 */
static bool can_mirror(struct growth *g)
{
	const struct profile *p = g->p;
	if (g->changes_paths || p->threads.n > 1 || !selects_all(p, g->q))
		return false;
	for (uint32_t i = 0; i < p->samples.n; i++)
		if (p->samples.node[i] == NODE_ROOT)
			return false;
	return has_label_per_frame(g);
}

static void mirror_nodes(struct growth *g)
{
	for (node_id i = 1; i < g->p->nodes.n; i++) {
		struct node node = g->p->nodes.p[i];
		add_growing(g, node.parent, label_of_frame(g->labels, node.frame));
	}
}

static void forget_known_nodes(struct growth *g)
{
	uint32_t n = g->p->nodes.n;
	g->known_root = mem_alloc(n, sizeof(uint32_t));
	g->known_node = mem_alloc(n, sizeof(uint32_t));
	memset(g->known_root, 0xff, n * sizeof(uint32_t));
}

static bool growth_init(struct growth *g, const struct profile *p, const struct query *q,
			struct err *e)
{
	g->p = p;
	g->q = q;
	g->tree = tree_new();
	g->labels = labels_new(p, q, g->tree);
	g->value_count = p->is_differential ? 2 : 1;
	g->changes_paths = q->root.n || q->hide.n || q->skip_after.n || q->collapse_recursion ||
			   q->reverse || q->in_order;
	for (uint32_t i = 0; i < p->events.n; i++)
		if (p->events.p[i].decimals > g->decimals)
			g->decimals = p->events.p[i].decimals;
	child_map_init(&g->map);
	vec_reserve(&g->nodes, p->nodes.n);
	vec_reserve(&g->own_stacks, p->nodes.n);
	for (unsigned v = 0; v < g->value_count; v++)
		vec_reserve(&g->self[v], p->nodes.n);
	add_growing(g, 0, label_of_text(g->labels, STR("all")));
	g->mirrors_profile = can_mirror(g);
	if (g->mirrors_profile)
		mirror_nodes(g);
	else
		forget_known_nodes(g);
	return regex_list_compile(&g->hide, &q->hide, e) &&
	       regex_list_compile(&g->root, &q->root, e);
}

static void growth_fini(struct growth *g)
{
	labels_free(g->labels);
	child_map_fini(&g->map);
	vec_fini(&g->nodes);
	for (unsigned v = 0; v < TREE_MAX_VALUES; v++) {
		vec_fini(&g->self[v]);
		free(g->total[v]);
	}
	vec_fini(&g->own_stacks);
	free(g->known_root);
	free(g->known_node);
	vec_fini(&g->pending);
	regex_list_fini(&g->hide);
	regex_list_fini(&g->root);
	free(g->fate);
	vec_fini(&g->path);
	vec_fini(&g->labels_path);
	vec_fini(&g->open);
}

static void finish(struct growth *g, struct query_ledger *ledger)
{
	for (uint32_t i = 0; i < g->nodes.n; i++)
		ledger->stacks += g->own_stacks.p[i] > 0;
	sum_totals(g);
	if (g->q->min_share > 0)
		drop_small_subtrees(g);
	tree_alloc_nodes(g->tree, g->nodes.n, g->value_count);
	g->tree->decimals = g->decimals;
	place_nodes(g);
	ledger->overflows = g->overflows;
}

static int compare_times(const void *a, const void *b, void *times)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t p = ((const uint64_t *)times)[x], q = ((const uint64_t *)times)[y];
	return p != q ? (p < q ? -1 : 1) : (x > y) - (x < y);
}

static uint32_t *rows_by_time(const struct profile *p)
{
	uint32_t *rows = mem_alloc(p->samples.n, sizeof(*rows));
	for (uint32_t i = 0; i < p->samples.n; i++)
		rows[i] = i;
	if (p->samples.time_ns)
		qsort_r(rows, p->samples.n, sizeof(*rows), compare_times, p->samples.time_ns);
	return rows;
}

struct tree *query_tree(const struct profile *p, const struct query *q, struct query_ledger *ledger,
			struct err *e)
{
	AUTO(growth) struct growth g = { 0 };
	struct selection *s = NULL;
	*ledger = (struct query_ledger){ 0 };
	if (!growth_init(&g, p, q, e) || !(s = selection_new(p, q, g.labels, e))) {
		tree_free(g.tree);
		return NULL;
	}
	ledger->event = selection_event(s);
	g.mixes_events = mixes_events(p, ledger->event);
	AUTO_FREE uint32_t *in_order = q->in_order ? rows_by_time(p) : NULL;
	for (uint32_t i = 0; i < p->samples.n; i++) {
		uint32_t row = in_order ? in_order[i] : i;
		uint64_t count = p->samples.count[row];
		ledger->samples_in += count;
		if (!selection_has(s, row, ledger))
			continue;
		if (add_row(&g, row, ledger))
			ledger->shown += count;
		else
			ledger->not_under_root += count;
	}
	selection_free(s);
	finish(&g, ledger);
	return g.tree;
}
