#include "query/report.h"
#include "query/query_int.h"

/* --- functions --- */

/* A frame that rows end in. */
struct leaf {
	uint32_t label;
	frame_id frame;
	uint64_t weight;
};

struct leaves {
	VEC(struct leaf) list;
};

/* Lists frames by label. If a transform made a row end in another frame than its own, its place is not known. */
static void list_leaves(const struct profile *p, const struct tree *t, struct leaves *out)
{
	AUTO_FREE uint64_t *weight = mem_zalloc(p->frames.n, sizeof(*weight));
	uint64_t overflows = 0;
	for (uint32_t row = 0; row < p->samples.n; row++) {
		node_id node = p->samples.node[row];
		frame_id frame = p->nodes.p[node].frame;
		if (node == NODE_ROOT || t->rows->label[row] == INDEX_NONE ||
		    t->rows->of_frame[frame] != t->rows->label[row])
			continue;
		weight[frame] = saturating_add(weight[frame], t->rows->weight[row], &overflows);
	}
	for (frame_id i = 0; i < p->frames.n; i++)
		if (t->rows->of_frame[i] != INDEX_NONE)
			vec_push(&out->list, (struct leaf){ t->rows->of_frame[i], i, weight[i] });
}

static int compare_ids(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare_places(const void *a, const void *b, void *profile)
{
	const struct profile *p = profile;
	const struct leaf *x = a, *y = b;
	const struct frame *f = &p->frames.p[x->frame], *g = &p->frames.p[y->frame];
	int by_label = compare_ids(x->label, y->label);
	int by_file = compare_ids(f->file, g->file);
	int by_line = compare_ids(f->line, g->line);
	return by_label	 ? by_label
	       : by_file ? by_file
	       : by_line ? by_line
			 : compare_ids(x->frame, y->frame);
}

static bool is_same_place(const struct profile *p, const struct leaf *a, const struct leaf *b)
{
	const struct frame *f = &p->frames.p[a->frame], *g = &p->frames.p[b->frame];
	return a->label == b->label && f->file == g->file && f->line == g->line;
}

/* Fills in the hottest place of each label; the first one if none has samples. */
static void fill_places(const struct profile *p, struct leaves *leaves,
			struct report_function *by_label)
{
	uint64_t *most = NULL;
	uint32_t n = leaves->list.n, labels = 0;
	const struct leaf *list = leaves->list.p;
	for (uint32_t i = 0; i < n; i++)
		labels = list[i].label >= labels ? list[i].label + 1 : labels;
	most = mem_zalloc(labels, sizeof(*most));
	if (n)
		qsort_r(leaves->list.p, n, sizeof(*list), compare_places, (void *)p);
	for (uint32_t i = 0, next; i < n; i = next) {
		uint64_t sum = 0, overflows = 0;
		for (next = i; next < n && is_same_place(p, &list[i], &list[next]); next++)
			sum = saturating_add(sum, list[next].weight, &overflows);
		struct report_function *f = &by_label[list[i].label];
		const struct frame *frame = &p->frames.p[list[i].frame];
		bool is_better = sum > most[list[i].label] || (!f->file.n && !f->module.n) ||
				 (sum == most[list[i].label] && !f->file.n && frame->file);
		if (!is_better)
			continue;
		most[list[i].label] = sum;
		f->module = profile_str(p, frame->module);
		f->file = profile_str(p, frame->file);
		f->line = frame->line;
	}
	free(most);
}

static void fill_tiers(const struct profile *p, const struct leaves *leaves,
		       struct report_function *by_label)
{
	uint64_t overflows = 0;
	for (uint32_t i = 0; i < leaves->list.n; i++) {
		const struct leaf *leaf = &leaves->list.p[i];
		const struct frame *frame = &p->frames.p[leaf->frame];
		struct report_function *f = &by_label[leaf->label];
		for (unsigned k = 0; k < TREE_TIER_COUNT; k++)
			if (frame->tier == TREE_TIERS[k])
				f->of_tier[k] =
					saturating_add(f->of_tier[k], leaf->weight, &overflows);
		if (frame->flags & FRAME_INLINED)
			f->inlined = saturating_add(f->inlined, leaf->weight, &overflows);
	}
}

/* --- tiers that functions ran in --- */

/*
 * The tier in which a node runs: inlined functions run in the code of the function they were
 * inlined into. TREE_TIER_COUNT if not known.
 */
static unsigned tier_of_node(const struct profile *p, node_id node)
{
	const struct frame *f = &p->frames.p[p->nodes.p[node].frame];
	while (!f->tier && f->flags & FRAME_INLINED && p->nodes.p[node].parent != NODE_ROOT) {
		node = p->nodes.p[node].parent;
		f = &p->frames.p[p->nodes.p[node].frame];
	}
	const char *at = f->tier ? strchr(TREE_TIERS, f->tier) : NULL;
	return at ? (unsigned)(at - TREE_TIERS) : TREE_TIER_COUNT;
}

static void add_tier(const struct profile *p, node_id node, uint64_t weight,
		     struct report_function *f)
{
	uint64_t overflows = 0;
	unsigned tier = tier_of_node(p, node);
	if (tier < TREE_TIER_COUNT)
		f->ran_in[tier] = saturating_add(f->ran_in[tier], weight, &overflows);
}

/* The innermost frame that the row is charged to; NODE_ROOT if none. */
static node_id charged_node(const struct profile *p, const struct tree_rows *rows, uint32_t row)
{
	node_id node = p->samples.node[row];
	while (node != NODE_ROOT && rows->of_frame[p->nodes.p[node].frame] != rows->label[row])
		node = p->nodes.p[node].parent;
	return node;
}

static bool has_ran_in(const struct report_function *f)
{
	uint64_t any = 0;
	for (unsigned k = 0; k < TREE_TIER_COUNT; k++)
		any |= f->ran_in[k];
	return any;
}

static void fill_ran_in(const struct profile *p, const struct tree *t,
			struct report_function *by_label)
{
	AUTO_FREE uint64_t *total = mem_zalloc(p->nodes.n, sizeof(*total));
	AUTO_FREE bool *is_known = mem_zalloc(t->labels.n, sizeof(*is_known));
	uint64_t overflows = 0;
	for (uint32_t row = 0; row < p->samples.n; row++) {
		uint32_t label = t->rows->label[row];
		node_id node = p->samples.node[row];
		if (label == INDEX_NONE)
			continue;
		total[node] = saturating_add(total[node], t->rows->weight[row], &overflows);
		node = charged_node(p, t->rows, row);
		if (node != NODE_ROOT)
			add_tier(p, node, t->rows->weight[row], &by_label[label]);
	}
	for (uint32_t i = 0; i < t->labels.n; i++)
		is_known[i] = has_ran_in(&by_label[i]);
	/* Callers come before their callees. */
	for (node_id node = p->nodes.n; node-- > NODE_ROOT + 1;) {
		const struct node *n = &p->nodes.p[node];
		uint32_t label = t->rows->of_frame[n->frame];
		total[n->parent] = saturating_add(total[n->parent], total[node], &overflows);
		if (label != INDEX_NONE && !is_known[label])
			add_tier(p, node, total[node], &by_label[label]);
	}
}

struct function_order {
	const struct tree *t;
	enum report_order by;
};

static int compare_functions(const void *a, const void *b, void *context)
{
	const struct function_order *o = context;
	const struct report_function *x = a, *y = b;
	bool by_self = o->by == ORDER_BY_SELF;
	uint64_t keys[][2] = { { by_self ? x->self : x->total, by_self ? y->self : y->total },
			       { by_self ? x->total : x->self, by_self ? y->total : y->self } };
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] > keys[i][1] ? -1 : 1;
	const struct tree_label *f = &o->t->labels.p[x->label], *g = &o->t->labels.p[y->label];
	int by_name = str_compare(f->name, g->name);
	return by_name ? by_name : (f->kind > g->kind) - (f->kind < g->kind);
}

void report_functions(const struct profile *p, const struct tree *t, enum report_order order,
		      struct report_functions *out)
{
	struct leaves leaves = { 0 };
	AUTO(functions) struct functions functions = { 0 };
	AUTO_FREE struct report_function *places = mem_zalloc(t->labels.n, sizeof(*places));
	functions_of_tree(t, &functions);
	list_leaves(p, t, &leaves);
	fill_places(p, &leaves, places);
	fill_tiers(p, &leaves, places);
	fill_ran_in(p, t, places);
	for (uint32_t i = 0; i < functions.rows.n; i++) {
		const struct function *f = &functions.rows.p[i];
		if (t->labels.p[f->label].is_process)
			continue;
		struct report_function row = places[f->label];
		row.label = f->label;
		row.self = f->self[0];
		row.total = f->total[0];
		vec_push(&out->rows, row);
	}
	struct function_order by = { t, order };
	if (out->rows.n)
		qsort_r(out->rows.p, out->rows.n, sizeof(*out->rows.p), compare_functions, &by);
	vec_fini(&leaves.list);
}

uint64_t report_functions_yours_first(const struct tree *t, struct report_functions *f)
{
	struct report_functions others = { 0 };
	uint64_t yours = 0, overflows = 0;
	uint32_t n = 0;
	for (uint32_t i = 0; i < f->rows.n; i++) {
		struct report_function row = f->rows.p[i];
		if (!label_may_be_yours(&t->labels.p[row.label])) {
			vec_push(&others.rows, row);
			continue;
		}
		yours = saturating_add(yours, row.self, &overflows);
		f->rows.p[n++] = row;
	}
	for (uint32_t i = 0; i < others.rows.n; i++)
		f->rows.p[n++] = others.rows.p[i];
	report_functions_fini(&others);
	return yours;
}

void report_functions_fini(struct report_functions *f)
{
	vec_fini(&f->rows);
}

/* --- summary --- */

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static uint32_t count_distinct(uint64_t *values, uint32_t n)
{
	uint32_t distinct = 0;
	if (n)
		qsort(values, n, sizeof(*values), compare_u64);
	for (uint32_t i = 0; i < n; i++)
		distinct += i == 0 || values[i] != values[i - 1];
	return distinct;
}

/* A thread that changed its name counts once. */
static void count_threads(const struct profile *p, const bool *is_seen, struct report_summary *s)
{
	AUTO_FREE uint64_t *pids = mem_alloc(p->threads.n, sizeof(*pids));
	AUTO_FREE uint64_t *tids = mem_alloc(p->threads.n, sizeof(*tids));
	uint32_t pid_count = 0, tid_count = 0;
	for (thread_id i = 1; i < p->threads.n; i++) {
		const struct thread *t = &p->threads.p[i];
		uint32_t pid = (uint32_t)t->pid, tid = (uint32_t)t->tid;
		if (!is_seen[i])
			continue;
		if (t->pid != PID_UNKNOWN)
			pids[pid_count++] = pid;
		if (t->tid != PID_UNKNOWN)
			tids[tid_count++] = (uint64_t)pid << 32 | tid;
	}
	s->processes = count_distinct(pids, pid_count);
	s->threads = count_distinct(tids, tid_count);
}

static void count_cpus(const struct profile *p, const struct tree *t, struct report_summary *s)
{
	enum { MOST_CPUS = 1 << 16 };
	AUTO_FREE bool *is_seen = mem_zalloc(MOST_CPUS, 1);
	for (uint32_t row = 0; p->samples.cpu && row < p->samples.n; row++) {
		int32_t cpu = p->samples.cpu[row];
		if (t->rows->label[row] == INDEX_NONE || cpu < 0 || cpu >= MOST_CPUS)
			continue;
		s->cpus += !is_seen[cpu];
		is_seen[cpu] = true;
	}
}

static void add_row(const struct profile *p, const struct tree *t, uint32_t row,
		    struct report_summary *s)
{
	uint64_t weight = t->rows->weight[row], overflows = 0;
	node_id node = p->samples.node[row];
	if (node == NODE_ROOT)
		s->no_stack = saturating_add(s->no_stack, weight, &overflows);
	else if (frame_lacks_name(&p->frames.p[p->nodes.p[node].frame]))
		s->no_name = saturating_add(s->no_name, weight, &overflows);
	else if (row_is_idle(p, row))
		s->idle = saturating_add(s->idle, weight, &overflows);
	if (!s->has_times)
		return;
	uint64_t time_ns = p->samples.time_ns[row];
	s->first_ns = time_ns < s->first_ns ? time_ns : s->first_ns;
	s->last_ns = time_ns > s->last_ns ? time_ns : s->last_ns;
}

struct report_summary report_summary(const struct profile *p, const struct tree *t)
{
	struct report_summary s = { .total = t->total[0][0], .first_ns = UINT64_MAX };
	AUTO_FREE bool *is_seen = mem_zalloc(p->threads.n, 1);
	s.has_times = p->samples.time_ns && p->samples.n && !p->ledger.count[LEDGER_NO_TIME];
	for (uint32_t row = 0; row < p->samples.n; row++) {
		if (t->rows->label[row] == INDEX_NONE)
			continue;
		add_row(p, t, row, &s);
		is_seen[p->samples.thread[row]] = true;
	}
	count_threads(p, is_seen, &s);
	count_cpus(p, t, &s);
	s.has_times = s.has_times && s.first_ns < s.last_ns;
	return s;
}
