/* Builds the tree from samples: stacks as displayed, merged by name, siblings ordered by name. */
#include "query/query_int.h"

enum fate { FATE_KNOWN = 1, FATE_HIDE = 2, FATE_ROOT = 4, FATE_SKIP_AFTER = 8 };

void growth_add_node(struct growth *g, uint32_t parent, uint32_t label)
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
		growth_add_node(g, parent, label);
	return node;
}

/* The tree node of a stack below `root`. Stacks share callers, so most of the way is cached. */
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

/* The names that an expression may match: the frame's name in folded stacks, and as displayed. */
struct frame_names {
	struct str p[3];
	unsigned n;
};

static struct frame_names names_of_frame(struct growth *g, frame_id frame, struct buf *brief)
{
	uint32_t id = label_of_frame(g->labels, frame);
	struct str folded = folded_name_of(g->labels, frame);
	const struct tree_label *label = &g->tree->labels.p[id];
	bool has_mark = !str_eq(folded, label->name) || label->mark_bytes;
	if (has_mark && folded.n > 4 && folded.p[folded.n - 1] == ']' &&
	    memcmp(folded.p + folded.n - 4, "_[", 2) == 0)
		folded.n -= 4;
	struct frame_names names = { .p = { folded, label->shown }, .n = 1 };
	if (label->shown.p == label->name.p && str_eq(folded, tree_label_bare(label)))
		return names;
	label_add_brief(brief, label);
	names.p[2] = buf_str(brief);
	names.n = 3;
	return names;
}

static bool any_name_matches(const struct regex_list *list, const struct frame_names *names,
			     uint64_t *gave_up)
{
	for (unsigned i = 0; i < names->n; i++)
		if (regex_list_any(list, names->p[i], gave_up))
			return true;
	return false;
}

static uint8_t new_fate(struct growth *g, frame_id frame, uint64_t *gave_up)
{
	AUTO(buf) struct buf brief = { 0 };
	struct frame_names names = names_of_frame(g, frame, &brief);
	uint8_t fate = FATE_KNOWN;
	bool is_inlined = g->p->frames.p[frame].flags & FRAME_INLINED;
	bool is_hidden = (g->q->no_inlines && is_inlined) || growth_charges(g, frame) ||
			 any_name_matches(&g->hide, &names, gave_up);
	fate |= is_hidden ? FATE_HIDE : 0;
	fate |= any_name_matches(&g->root, &names, gave_up) ? FATE_ROOT : 0;
	for (uint32_t i = 0; i < g->q->skip_after.n; i++)
		for (unsigned k = 0; k < names.n; k++)
			if (str_eq(names.p[k], str_from(g->q->skip_after.p[i])))
				fate |= FATE_SKIP_AFTER;
	return fate;
}

static uint8_t fate_of(struct growth *g, frame_id frame, uint64_t *gave_up)
{
	if (!g->fate)
		g->fate = mem_zalloc(g->p->frames.n, 1);
	if (!g->fate[frame])
		g->fate[frame] = new_fate(g, frame, gave_up);
	return g->fate[frame];
}

static void reverse_path(struct frame_path *path)
{
	for (uint32_t i = 0; i < path->n / 2; i++) {
		uint32_t swap = path->p[i];
		path->p[i] = path->p[path->n - 1 - i];
		path->p[path->n - 1 - i] = swap;
	}
}

/* Chain graphs: `blocked;stack;--;waker;stack`. A separator has a frame before and after it. */
static void mark_wakers(struct growth *g, struct frame_path *path)
{
	uint32_t separator = label_of_text(g->labels, STR("--"));
	bool is_waker = false;
	for (uint32_t i = 1; i < path->n; i++) {
		bool separates = str_eq(g->tree->labels.p[path->p[i]].name, STR("--"));
		if (is_waker && !separates)
			path->p[i] = label_as_waker(g->labels, path->p[i]);
		is_waker |= separates && i + 1 < path->n;
	}
	if (!is_waker && g->q->ends_first_part)
		vec_push(path, separator);
}

bool growth_transform(struct growth *g, node_id node, uint64_t *gave_up)
{
	bool is_rooted = g->root.n == 0;
	uint32_t n = 0;
	frame_path_of(g->p, node, &g->path);
	for (uint32_t i = 0; i < g->path.n; i++) {
		frame_id frame = g->path.p[i];
		uint32_t label = label_of_frame(g->labels, frame);
		uint8_t fate = fate_of(g, frame, gave_up);
		if ((!is_rooted && fate & FATE_ROOT) || fate & FATE_SKIP_AFTER)
			n = 0;
		is_rooted |= (fate & FATE_ROOT) != 0;
		bool repeats = g->q->collapse_recursion && n > 0 &&
			       label_of_frame(g->labels, g->path.p[n - 1]) == label;
		if (!(fate & FATE_HIDE) && !repeats)
			g->path.p[n++] = frame;
	}
	g->path.n = n;
	if (g->charges && n == 0 && is_rooted)
		vec_push(&g->path, growth_stand_in(g, node));
	else if (g->folds)
		growth_fold(g);
	return is_rooted;
}

/*
 * The labels of a row's stack after all transforms, in g->labels_path. Returns false if --root matches no frame of
 * the row. The thread's label precedes the frames, unless --root selects where they begin.
 */
static bool transformed_path(struct growth *g, uint32_t row, uint64_t *gave_up)
{
	struct frame_path *out = &g->labels_path;
	uint32_t thread = label_of_thread(g->labels, g->p->samples.thread[row]);
	bool is_rooted = growth_transform(g, g->p->samples.node[row], gave_up);
	out->n = 0;
	if (thread != INDEX_NONE && g->root.n == 0)
		vec_push(out, thread);
	for (uint32_t i = 0; i < g->path.n; i++)
		vec_push(out, growth_label_of(g, g->path.p[i]));
	if (g->q->reverse)
		reverse_path(out);
	return is_rooted;
}

/* Sums have no other weight. Clock samples and periods of other events do not add up, so samples are counted then. */
static bool counts_periods(const struct growth *g, const struct event *e)
{
	if (e->has_only_sums)
		return true;
	if (g->q->weight == QUERY_WEIGHT_AUTO)
		return e->counts_periods && !g->mixes_events;
	return g->q->weight == QUERY_WEIGHT_PERIOD;
}

uint64_t growth_weight(struct growth *g, uint32_t row, bool *is_in_periods)
{
	const struct samples *s = &g->p->samples;
	const struct event *e = &g->p->events.p[s->event[row]];
	*is_in_periods = counts_periods(g, e);
	uint64_t weight = *is_in_periods ? s->period[row] : s->count[row];
	for (unsigned d = *is_in_periods ? e->decimals : 0; d < g->decimals; d++)
		if (__builtin_mul_overflow(weight, 10u, &weight)) {
			g->overflows++;
			return UINT64_MAX;
		}
	return weight;
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

/* In time order: the common prefix with the previous stack continues, the rest starts anew. */
static uint32_t next_in_order(struct growth *g, thread_id thread)
{
	if (g->q->by_thread && thread != g->last_thread)
		g->open.n = 0;
	g->last_thread = thread;
	uint32_t same = 0, at = 0;
	while (same < g->open.n && same < g->labels_path.n &&
	       g->nodes.p[g->open.p[same]].label == g->labels_path.p[same])
		at = g->open.p[same++];
	g->open.n = same;
	for (uint32_t i = same; i < g->labels_path.n; i++) {
		uint32_t child = g->nodes.n;
		growth_add_node(g, at, g->labels_path.p[i]);
		vec_push(&g->starts, g->elapsed);
		vec_push(&g->open, child);
		at = child;
	}
	return at;
}

/* Marks a stack that --root leaves out. No tree has this many nodes. */
static const uint32_t NODE_LEFT_OUT = INDEX_NONE - 1;

static uint32_t transformed_node(struct growth *g, uint32_t row, uint64_t *gave_up)
{
	uint32_t at = 0;
	if (!transformed_path(g, row, gave_up))
		return NODE_LEFT_OUT;
	if (g->q->marks_wakers)
		mark_wakers(g, &g->labels_path);
	if (query_keeps_order(g->q) && g->labels_path.n == 0)
		vec_push(&g->labels_path, label_of_text(g->labels, STR("[no stack]")));
	if (query_keeps_order(g->q))
		return next_in_order(g, g->p->samples.thread[row]);
	for (uint32_t i = 0; i < g->labels_path.n; i++)
		at = child_of(g, at, g->labels_path.p[i]);
	return at;
}

/* There are far fewer stacks than samples, so each is transformed once, unless the tree is in order. */
static uint32_t node_of_row(struct growth *g, uint32_t row, uint64_t *gave_up)
{
	node_id stack = g->p->samples.node[row];
	uint32_t thread = label_of_thread(g->labels, g->p->samples.thread[row]);
	if (!g->changes_paths)
		return node_of_stack(g, thread == INDEX_NONE ? 0 : child_of(g, 0, thread), stack);
	if (query_keeps_order(g->q))
		return transformed_node(g, row, gave_up);
	uint32_t *at = pair_map_place(&g->transformed, thread, stack);
	if (*at == INDEX_NONE)
		*at = transformed_node(g, row, gave_up);
	return *at;
}

static bool add_row(struct growth *g, uint32_t row, struct query_ledger *ledger)
{
	uint32_t at = node_of_row(g, row, &ledger->gave_up);
	if (at == NODE_LEFT_OUT)
		return false;
	if (at == 0)
		at = child_of(g, 0, label_of_text(g->labels, STR("[no stack]")));
	bool is_in_periods;
	uint64_t weight = growth_weight(g, row, &is_in_periods);
	uint64_t *self = &g->self[growth_value_of(g, row)].p[at];
	*self = saturating_add(*self, weight, &g->overflows);
	if (growth_value_of(g, row) == g->value_count - 1)
		ledger_add(&g->elapsed, weight);
	g->own_stacks.p[at]++;
	if (g->tree->rows) {
		g->tree->rows->label[row] = g->nodes.p[at].label;
		g->tree->rows->node[row] = at;
		g->tree->rows->weight[row] = weight;
	}
	ledger->is_in_periods |= is_in_periods;
	return true;
}

static struct tree_rows *rows_new(uint32_t n)
{
	struct tree_rows *rows = mem_zalloc(1, sizeof(*rows));
	rows->label = index_none_alloc(n);
	rows->node = index_none_alloc(n);
	rows->weight = mem_zalloc(n, sizeof(uint64_t));
	rows->fate = mem_zalloc(n, sizeof(uint8_t));
	return rows;
}

/* --- building the tree --- */

bool growth_init(struct growth *g, const struct profile *p, const struct query *q, struct err *e)
{
	g->p = p;
	g->q = q;
	g->tree = tree_new();
	g->labels = labels_new(p, q, g->tree);
	g->value_count = p->is_differential ? 2 : 1;
	g->changes_paths = q->root.n || q->hide.n || q->skip_after.n || q->collapse_recursion ||
			   q->no_inlines || q->your_code || q->charge.n || q->fold.n ||
			   q->reverse || query_keeps_order(q) || q->marks_wakers;
	for (uint32_t i = 0; i < p->events.n; i++)
		if (p->events.p[i].decimals > g->decimals)
			g->decimals = p->events.p[i].decimals;
	child_map_init(&g->map);
	growth_add_node(g, 0, label_of_text(g->labels, STR("all")));
	return growth_parse_categories(g, e) &&
	       regex_list_compile(&g->hide, &q->hide, q->budget, e) &&
	       regex_list_compile(&g->root, &q->root, q->budget, e);
}

void growth_fini(struct growth *g)
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
	pair_map_fini(&g->transformed);
	vec_fini(&g->pending);
	regex_list_fini(&g->hide);
	regex_list_fini(&g->root);
	free(g->fate);
	free(g->categories);
	vec_fini(&g->path);
	vec_fini(&g->labels_path);
	vec_fini(&g->open);
	vec_fini(&g->starts);
}

/* The first count of each line with two counts, which became two rows. */
static uint64_t *first_counts(struct growth *g)
{
	const struct samples *s = &g->p->samples;
	uint64_t *counts = mem_zalloc(g->p->nodes.n, sizeof(*counts));
	for (uint32_t row = 0; row < s->n; row++) {
		bool ignored;
		if (growth_value_of(g, row) == 0)
			counts[s->node[row]] = growth_weight(g, row, &ignored);
	}
	return counts;
}

/* Rows in bytewise order of their folded lines, `root;caller;leaf 12`. */
static uint32_t *rows_by_line(struct growth *g)
{
	const struct samples *s = &g->p->samples;
	AUTO(arena) struct arena text = { 0 };
	AUTO(buf) struct buf line = { 0 };
	AUTO_FREE uint64_t *counts = first_counts(g);
	AUTO_FREE struct str *lines = mem_alloc(s->n, sizeof(*lines));
	uint32_t *rows = mem_alloc(s->n, sizeof(*rows));
	uint64_t ignored = 0;
	for (uint32_t row = 0; row < s->n; row++) {
		line.n = 0;
		transformed_path(g, row, &ignored);
		for (uint32_t i = 0; i < g->labels_path.n; i++) {
			buf_add(&line, i ? STR(";") : STR(""));
			buf_add(&line, g->tree->labels.p[g->labels_path.p[i]].name);
		}
		buf_add_char(&line, ' ');
		buf_add_decimal(&line, counts[s->node[row]], g->decimals);
		lines[row] = arena_copy(&text, buf_str(&line));
	}
	str_sort(lines, rows, s->n);
	return rows;
}

/* Reserves the likely size: one tree node per stack node of the profile. */
static void prepare(struct growth *g)
{
	uint32_t n = g->p->nodes.n;
	g->known_root = index_none_alloc(n);
	g->known_node = mem_alloc(n, sizeof(uint32_t));
	vec_reserve(&g->nodes, n);
	vec_reserve(&g->own_stacks, n);
	for (unsigned v = 0; v < g->value_count; v++)
		vec_reserve(&g->self[v], n);
}

static void grow(struct growth *g, struct selection *s, struct query_ledger *ledger)
{
	const struct profile *p = g->p;
	AUTO_FREE uint32_t *in_order = g->q->in_order	? rows_in_order(p, g->q)
				       : g->q->as_lines ? rows_by_line(g)
							: NULL;
	prepare(g);
	if (g->q->keeps_rows)
		g->tree->rows = rows_new(p->samples.n);
	if (query_keeps_order(g->q))
		vec_push(&g->starts, 0); /* the root's */
	for (uint32_t i = 0; i < p->samples.n; i++) {
		uint32_t row = in_order ? in_order[i] : i;
		uint64_t count = p->samples.count[row];
		ledger_add(&ledger->samples_in, count);
		enum row_fate fate = selection_fate(s, row, &ledger->gave_up);
		if (fate == ROW_SHOWN && !add_row(g, row, ledger))
			fate = ROW_NOT_UNDER_ROOT;
		ledger_add(query_ledger_count(ledger, fate), count);
		if (g->tree->rows)
			g->tree->rows->fate[row] = (uint8_t)fate;
	}
	for (uint32_t i = 0; i < g->nodes.n; i++)
		ledger->stacks += g->own_stacks.p[i] > 0;
	growth_sum_totals(g);
	if (g->q->min_share > 0)
		growth_drop_small(g);
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
	if (growth_can_mirror(&g))
		growth_mirror(&g, ledger);
	else
		grow(&g, s, ledger);
	selection_free(s);
	if (g.tree->rows)
		g.tree->rows->of_frame = labels_take_frames(g.labels);
	growth_order(&g);
	ledger->overflows = g.overflows;
	return g.tree;
}
