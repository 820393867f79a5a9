/* Groups the samples shown by what they have in common: a thread, a cpu, a module. */
#include "query/query.h"

const char *const report_key_names[] = { "thread", "pid",  "comm",	"cpu",	    "module",
					 "event",  "kind", "container", "category", NULL };

/* What a group took in one function. */
struct part {
	uint32_t group, label;
	uint64_t weight;
};

struct grouping {
	const struct profile *p;
	const struct tree *t;
	enum report_key key;
	struct report_groups *out;
	thread_id *thread_of; /* by thread: the one whose name it goes by */
	struct index_map by_name;
	struct pair_map by_id; /* (id of the key's value, 0) to group: most rows repeat an id */
	struct pair_map by_part;
	VEC(struct part) parts;
	struct buf text;
};

static const struct frame *leaf_of(const struct profile *p, uint32_t row)
{
	node_id node = p->samples.node[row];
	return node == NODE_ROOT ? NULL : &p->frames.p[p->nodes.p[node].frame];
}

/* A number that two rows share only if they are in the same group. */
static uint32_t id_of_row(const struct grouping *g, uint32_t row)
{
	const struct samples *s = &g->p->samples;
	const struct frame *leaf = leaf_of(g->p, row);
	switch (g->key) {
	case GROUP_CPU:
		return s->cpu ? (uint32_t)s->cpu[row] : 0;
	case GROUP_MODULE:
		return leaf ? leaf->module : INDEX_NONE;
	case GROUP_KIND:
		return leaf ? leaf->kind : INDEX_NONE;
	case GROUP_EVENT:
		return s->event[row];
	case GROUP_CATEGORY:
		return g->t->rows->label[row];
	case GROUP_THREAD:
		return g->thread_of[s->thread[row]];
	case GROUP_PID:
	case GROUP_COMM:
	case GROUP_CONTAINER:
	case GROUP_KEYS:
		break;
	}
	return s->thread[row];
}

/*
 * A thread that changed its name is one thread, as in report_summary, and goes by the name under which it took most.
 */
static void find_threads(struct grouping *g)
{
	const struct profile *p = g->p;
	AUTO_FREE uint64_t *weight = mem_zalloc(p->threads.n, sizeof(*weight));
	AUTO_FREE thread_id *first = mem_alloc(p->threads.n, sizeof(*first));
	struct pair_map by_number = { 0 };
	uint64_t overflows = 0;
	g->thread_of = mem_alloc(p->threads.n, sizeof(*g->thread_of));
	for (uint32_t row = 0; row < p->samples.n; row++) {
		uint64_t *sum = &weight[p->samples.thread[row]];
		if (g->t->rows->label[row] != INDEX_NONE)
			*sum = saturating_add(*sum, g->t->rows->weight[row], &overflows);
	}
	for (thread_id i = 0; i < p->threads.n; i++) {
		const struct thread *t = &p->threads.p[i];
		first[i] = g->thread_of[i] = i;
		if (t->tid == PID_UNKNOWN)
			continue;
		uint32_t *known = pair_map_place(&by_number, (uint32_t)t->pid, (uint32_t)t->tid);
		*known = first[i] = *known == INDEX_NONE ? i : *known;
		if (weight[i] > weight[g->thread_of[first[i]]])
			g->thread_of[first[i]] = i;
	}
	for (thread_id i = 0; i < p->threads.n; i++)
		if (first[i] != i)
			g->thread_of[i] = g->thread_of[first[i]];
	pair_map_fini(&by_number);
}

static void add_number(struct buf *out, int32_t number, bool is_known)
{
	if (is_known)
		buf_addf(out, "%d", number);
	else
		buf_add(out, STR("(not recorded)"));
}

static void add_known(struct buf *out, struct str text, struct str otherwise)
{
	buf_add(out, text.n ? text : otherwise);
}

static void add_thread(struct grouping *g, const struct thread *t)
{
	add_known(&g->text, profile_str(g->p, t->comm), STR("(no name)"));
	if (t->tid == PID_UNKNOWN)
		return;
	buf_add_char(&g->text, ' ');
	if (t->pid != PID_UNKNOWN && t->pid != t->tid)
		buf_addf(&g->text, "%d/", t->pid);
	buf_addf(&g->text, "%d", t->tid);
}

static void add_category(struct grouping *g, uint32_t row)
{
	const struct tree_label *label = &g->t->labels.p[g->t->rows->label[row]];
	if (label->is_process)
		buf_add(&g->text, STR("(no stack)"));
	else
		buf_add(&g->text, str_from(category_name(category_of_label(label))));
}

/* Puts the group's name into g->text. */
static void name_of_row(struct grouping *g, uint32_t row)
{
	const struct profile *p = g->p;
	const struct thread *t = &p->threads.p[p->samples.thread[row]];
	const struct frame *leaf = leaf_of(p, row);
	g->text.n = 0;
	switch (g->key) {
	case GROUP_THREAD:
		add_thread(g, &p->threads.p[g->thread_of[p->samples.thread[row]]]);
		return;
	case GROUP_PID:
		add_number(&g->text, t->pid, t->pid != PID_UNKNOWN);
		return;
	case GROUP_COMM:
		add_known(&g->text, profile_str(p, t->comm), STR("(not recorded)"));
		return;
	case GROUP_CPU:
		add_number(&g->text, p->samples.cpu ? p->samples.cpu[row] : -1,
			   p->samples.cpu && p->samples.cpu[row] >= 0);
		return;
	case GROUP_MODULE:
		add_known(&g->text,
			  leaf ? str_basename(profile_str(p, leaf->module)) : STR("(no stack)"),
			  STR("(not known)"));
		return;
	case GROUP_EVENT:
		add_known(&g->text, profile_str(p, p->events.p[p->samples.event[row]].name),
			  STR("(no name)"));
		return;
	case GROUP_KIND:
		buf_add(&g->text, leaf ? str_from(frame_kind_name(leaf->kind)) : STR("(no stack)"));
		return;
	case GROUP_CONTAINER:
		add_known(&g->text, profile_str(p, t->container), STR("(none)"));
		return;
	case GROUP_CATEGORY:
		add_category(g, row);
		return;
	case GROUP_KEYS:
		break;
	}
}

static bool name_equal(const void *groups, uint32_t i, const void *key)
{
	return str_eq(((const struct report_group *)groups)[i].name, *(const struct str *)key);
}

static uint32_t group_of_row(struct grouping *g, uint32_t row)
{
	uint32_t *known = pair_map_place(&g->by_id, id_of_row(g, row), 0);
	if (*known != INDEX_NONE)
		return *known;
	name_of_row(g, row);
	struct str name = buf_str(&g->text);
	uint32_t hash = hash_str(name);
	uint32_t i = index_map_find(&g->by_name, hash, name_equal, g->out->rows.p, &name);
	if (i == INDEX_NONE) {
		i = g->out->rows.n;
		struct report_group group = { .name = arena_copy(&g->out->text, name),
					      .hottest = INDEX_NONE,
					      .event = g->p->samples.event[row],
					      .whole = g->t->total[0][0] };
		vec_push(&g->out->rows, group);
		index_map_add(&g->by_name, hash, i);
	}
	return *known = i;
}

static void add_row(struct grouping *g, uint32_t row)
{
	uint64_t overflows = 0, weight = g->t->rows->weight[row];
	uint32_t group = group_of_row(g, row), label = g->t->rows->label[row];
	struct report_group *r = &g->out->rows.p[group];
	r->weight = saturating_add(r->weight, weight, &overflows);
	r->samples = saturating_add(r->samples, g->p->samples.count[row], &overflows);
	uint32_t *part = pair_map_place(&g->by_part, group, label);
	if (*part == INDEX_NONE) {
		*part = g->parts.n;
		vec_push(&g->parts, (struct part){ group, label, 0 });
	}
	uint64_t *sum = &g->parts.p[*part].weight;
	*sum = saturating_add(*sum, weight, &overflows);
}

static void find_hottest(struct grouping *g)
{
	const struct tree_label *labels = g->t->labels.p;
	for (uint32_t i = 0; i < g->parts.n; i++) {
		const struct part *part = &g->parts.p[i];
		struct report_group *r = &g->out->rows.p[part->group];
		bool is_first = r->hottest == INDEX_NONE;
		bool is_equal = !is_first && part->weight == r->hottest_weight &&
				str_compare(labels[part->label].name, labels[r->hottest].name) < 0;
		if (!is_first && part->weight <= r->hottest_weight && !is_equal)
			continue;
		r->hottest = part->label;
		r->hottest_weight = part->weight;
	}
}

static int compare_groups(const void *a, const void *b)
{
	const struct report_group *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return str_compare(x->name, y->name);
}

void report_groups(const struct profile *p, const struct tree *t, enum report_key key,
		   struct report_groups *out)
{
	struct grouping g = { .p = p, .t = t, .key = key, .out = out };
	if (key == GROUP_THREAD)
		find_threads(&g);
	for (uint32_t row = 0; row < p->samples.n; row++)
		if (t->rows->label[row] != INDEX_NONE)
			add_row(&g, row);
	find_hottest(&g);
	if (out->rows.n)
		qsort(out->rows.p, out->rows.n, sizeof(*out->rows.p), compare_groups);
	index_map_fini(&g.by_name);
	pair_map_fini(&g.by_id);
	pair_map_fini(&g.by_part);
	vec_fini(&g.parts);
	buf_fini(&g.text);
	free(g.thread_of);
}

/* The total of a unit. */
struct unit_total {
	struct str unit;
	uint64_t total;
};

static bool unit_equal(const void *totals, uint32_t i, const void *key)
{
	return str_eq(((const struct unit_total *)totals)[i].unit, *(const struct str *)key);
}

void report_groups_by_unit(struct report_groups *g, const struct report_units *u)
{
	struct index_map by_unit = { 0 };
	VEC(struct unit_total) totals = { 0 };
	AUTO_FREE uint32_t *total_of = mem_alloc(g->rows.n, sizeof(*total_of)); /* by group */
	uint64_t overflows = 0;
	for (uint32_t i = 0; i < g->rows.n; i++) {
		struct str unit = u->of_event[g->rows.p[i].event];
		uint32_t hash = hash_str(unit);
		uint32_t k = index_map_place(&by_unit, hash, unit_equal, totals.p, &unit, totals.n);
		if (k == totals.n)
			vec_push(&totals, (struct unit_total){ unit, 0 });
		uint64_t *sum = &totals.p[k].total;
		*sum = saturating_add(*sum, g->rows.p[i].weight, &overflows);
		total_of[i] = k;
	}
	for (uint32_t i = 0; i < g->rows.n; i++)
		g->rows.p[i].whole = totals.p[total_of[i]].total;
	index_map_fini(&by_unit);
	vec_fini(&totals);
}

void report_groups_fini(struct report_groups *g)
{
	vec_fini(&g->rows);
	arena_fini(&g->text);
}
