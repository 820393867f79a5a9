#include "query/prepared_int.h"

/* Sorts the rows and cuts them into runs. */
static void order_rows(struct prepared *q, const struct query *query)
{
	const struct samples *s = &q->p->samples;
	q->n = s->n;
	q->row = rows_in_order(q->p, query);
	for (uint32_t i = 0; i < q->n; i++) {
		bool is_first = i == 0 || (query->by_thread &&
					   s->thread[q->row[i]] != s->thread[q->row[i - 1]]);
		if (is_first)
			vec_push(&q->runs, (struct row_run){ i, i });
		q->runs.p[q->runs.n - 1].until = i + 1;
	}
	if (!s->time_ns || !profile_has_times(q->p))
		return;
	q->time_ns = mem_alloc((size_t)q->n + 1, sizeof(*q->time_ns));
	for (uint32_t i = 0; i < q->n; i++)
		q->time_ns[i] = s->time_ns[q->row[i]];
}

static void add_elapsed(struct prepared *q)
{
	uint64_t sum = 0;
	q->elapsed = mem_alloc((size_t)q->n + 1, sizeof(*q->elapsed));
	for (uint32_t i = 0; i < q->n; i++) {
		q->elapsed[i] = sum;
		if (q->whole->rows->node[q->row[i]] != INDEX_NONE)
			ledger_add(&sum, q->whole->rows->weight[q->row[i]]);
	}
	q->elapsed[q->n] = sum;
}

struct prepared *prepared_new(const struct profile *p, const struct query *query, struct err *e)
{
	struct query whole = *query;
	struct prepared *q = mem_zalloc(1, sizeof(*q));
	q->p = p;
	whole.times = (struct text_list){ 0 };
	whole.keeps_rows = true;
	whole.min_share = 0;
	whole.by_thread &= whole.in_order;
	q->whole = query_tree(p, &whole, &q->ledger, e);
	if (!q->whole) {
		prepared_free(q);
		return NULL;
	}
	order_rows(q, &whole);
	if (whole.in_order)
		add_elapsed(q);
	for (uint32_t i = 0; i < q->n; i++)
		ledger_add(&q->of_fate[q->whole->rows->fate[i]], p->samples.count[i]);
	return q;
}

void prepared_free(struct prepared *q)
{
	if (!q)
		return;
	tree_free(q->whole);
	free(q->row);
	free(q->time_ns);
	free(q->elapsed);
	vec_fini(&q->runs);
	free(q);
}

const struct tree *prepared_whole(const struct prepared *q)
{
	return q->whole;
}

const struct query_ledger *prepared_ledger(const struct prepared *q)
{
	return &q->ledger;
}

uint32_t prepared_position(const struct prepared *q, const struct row_run *run, uint64_t time_ns)
{
	uint32_t low = run->from, high = run->until;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (q->time_ns[middle] < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Consecutive rows, and where they start in a time-order tree of only the ranges. */
struct piece {
	uint32_t from, until;
	uint64_t start;
};

struct pieces {
	VEC(struct piece) list;
};

static void pieces_fini(struct pieces *p)
{
	vec_fini(&p->list);
}

/* ranges: NULL for all. */
static void pieces_of(const struct prepared *q, const struct time_ranges *ranges,
		      struct pieces *out)
{
	bool has_ranges = ranges && q->time_ns;
	uint64_t start = 0;
	for (uint32_t r = 0; r < q->runs.n; r++) {
		const struct row_run *run = &q->runs.p[r];
		for (uint32_t i = 0; i < (has_ranges ? ranges->list.n : 1); i++) {
			struct piece one = { run->from, run->until, start };
			if (has_ranges) {
				one.from = prepared_position(q, run, ranges->list.p[i].from_ns);
				one.until = prepared_position(q, run, ranges->list.p[i].until_ns);
			}
			if (one.from == one.until)
				continue;
			vec_push(&out->list, one);
			start += q->elapsed ? q->elapsed[one.until] - q->elapsed[one.from] : 0;
		}
	}
}

/* The part of the whole tree that has samples in a range. */
struct part {
	const struct pieces *pieces;
	const struct prepared *q;
	uint64_t *self[TREE_MAX_VALUES], *total[TREE_MAX_VALUES];
	uint32_t *own_stacks;
	uint64_t of_fate[ROW_FATES];
	uint64_t overflows;
};

static unsigned value_of(const struct prepared *q, uint32_t row)
{
	return q->p->is_differential && q->p->samples.event[row] == 1;
}

static void add_rows(struct part *part, uint32_t from, uint32_t until)
{
	const struct prepared *q = part->q;
	const struct tree_rows *rows = q->whole->rows;
	for (uint32_t i = from; i < until; i++) {
		uint32_t row = q->row[i], node = rows->node[row];
		ledger_add(&part->of_fate[rows->fate[row]], q->p->samples.count[row]);
		if (node == INDEX_NONE)
			continue;
		uint64_t *self = &part->self[value_of(q, row)][node];
		*self = saturating_add(*self, rows->weight[row], &part->overflows);
		part->own_stacks[node]++;
	}
}

/* In preorder, children follow their node, so backwards every child is complete first. */
static void sum_totals(struct part *part)
{
	const struct tree *t = part->q->whole;
	AUTO_FREE uint32_t *parent = mem_alloc(t->n, sizeof(*parent));
	AUTO_FREE uint32_t *open = mem_alloc(t->n, sizeof(*open));
	for (uint32_t i = 0; i < t->n; i++) {
		parent[i] = i ? open[t->depth[i] - 1] : 0;
		open[t->depth[i]] = i;
	}
	for (unsigned v = 0; v < t->value_count; v++) {
		memcpy(part->total[v], part->self[v], t->n * sizeof(uint64_t));
		for (uint32_t i = t->n; i-- > 1;)
			part->total[v][parent[i]] = saturating_add(
				part->total[v][parent[i]], part->total[v][i], &part->overflows);
	}
	/* Keep stacks with weight 0 too. */
	AUTO_FREE bool *has_stack = mem_zalloc(t->n, sizeof(*has_stack));
	for (uint32_t i = t->n; i-- > 0;) {
		has_stack[i] |= part->own_stacks[i] > 0;
		has_stack[parent[i]] |= has_stack[i];
	}
	for (uint32_t i = 1; i < t->n; i++)
		if (!has_stack[i])
			part->own_stacks[i] = INDEX_NONE; /* left out */
}

/* A node begins with the first of its rows that is in a piece. */
static uint64_t start_of(const struct part *part, uint64_t start)
{
	const struct prepared *q = part->q;
	const struct piece *p = part->pieces->list.p;
	uint32_t low = 0, high = part->pieces->list.n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (q->elapsed[p[middle].until] <= start)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == part->pieces->list.n) { /* its rows weigh nothing, after all others */
		if (!low)
			return 0;
		low--;
		start = q->elapsed[p[low].until];
	}
	uint64_t from = q->elapsed[p[low].from];
	return p[low].start + (start > from ? start - from : 0);
}

static void place(const struct part *part, uint32_t from, struct tree *to, uint32_t at)
{
	const struct tree *t = part->q->whole;
	to->label[at] = t->label[from];
	to->depth[at] = t->depth[from];
	to->own_stacks[at] = part->own_stacks[from];
	if (t->start)
		to->start[at] = start_of(part, t->start[from]);
	for (unsigned v = 0; v < t->value_count; v++) {
		to->self[v][at] = part->self[v][from];
		to->total[v][at] = part->total[v][from];
	}
}

static struct tree *tree_of_part(const struct part *part)
{
	const struct tree *t = part->q->whole;
	struct tree *to = tree_new();
	AUTO_FREE uint32_t *open = mem_alloc(t->n, sizeof(*open));
	uint32_t n = 0, depth = 0, at = 0;
	for (uint32_t i = 0; i < t->n; i++)
		n += part->own_stacks[i] != INDEX_NONE;
	tree_alloc_nodes(to, n, t->value_count);
	to->decimals = t->decimals;
	to->borrows_labels = true;
	memcpy(&to->labels, &t->labels, sizeof(to->labels));
	if (t->start)
		to->start = mem_alloc(n, sizeof(*to->start));
	for (uint32_t i = 0; i < t->n; i++) {
		if (part->own_stacks[i] == INDEX_NONE)
			continue;
		for (; depth > t->depth[i]; depth--)
			to->end[open[depth - 1]] = at;
		open[depth++] = at;
		place(part, i, to, at++);
	}
	for (; depth; depth--)
		to->end[open[depth - 1]] = at;
	return to;
}

static void fill_ledger(const struct part *part, bool has_ranges, const struct tree *t,
			struct query_ledger *l)
{
	const struct prepared *q = part->q;
	*l = (struct query_ledger){ .samples_in = q->ledger.samples_in,
				    .gave_up = q->ledger.gave_up,
				    .overflows = part->overflows,
				    .is_in_periods = q->ledger.is_in_periods,
				    .event = q->ledger.event };
	for (enum row_fate f = 0; f < ROW_FATES; f++) {
		uint64_t elsewhere = q->of_fate[f] - part->of_fate[f];
		bool is_before_time = f == ROW_OTHER_EVENT || f == ROW_BY_WHERE;
		ledger_add(query_ledger_count(l, f), part->of_fate[f]);
		ledger_add(query_ledger_count(l, is_before_time || !has_ranges ? f : ROW_BY_TIME),
			   elsewhere);
	}
	for (uint32_t i = 0; i < t->n; i++)
		l->stacks += t->own_stacks[i] > 0;
}

struct tree *prepared_tree(const struct prepared *q, const struct time_ranges *ranges,
			   struct query_ledger *ledger)
{
	const struct tree *t = q->whole;
	struct part part = { .q = q, .own_stacks = mem_zalloc(t->n, sizeof(uint32_t)) };
	for (unsigned v = 0; v < t->value_count; v++) {
		part.self[v] = mem_zalloc(t->n, sizeof(uint64_t));
		part.total[v] = mem_alloc(t->n, sizeof(uint64_t));
	}
	AUTO(pieces) struct pieces pieces = { 0 };
	pieces_of(q, ranges, &pieces);
	part.pieces = &pieces;
	for (uint32_t i = 0; i < pieces.list.n; i++)
		add_rows(&part, pieces.list.p[i].from, pieces.list.p[i].until);
	sum_totals(&part);
	struct tree *to = tree_of_part(&part);
	fill_ledger(&part, ranges && q->time_ns, to, ledger);
	for (unsigned v = 0; v < t->value_count; v++) {
		free(part.self[v]);
		free(part.total[v]);
	}
	free(part.own_stacks);
	return to;
}

static void add_weights(const struct prepared *q, uint32_t from, uint32_t until, uint64_t *weights)
{
	const struct tree_rows *rows = q->whole->rows;
	for (uint32_t i = from; i < until; i++)
		if (rows->node[q->row[i]] != INDEX_NONE)
			ledger_add(&weights[q->p->samples.node[q->row[i]]],
				   rows->weight[q->row[i]]);
}

uint64_t *prepared_stack_weights(const struct prepared *q, const struct time_ranges *ranges)
{
	uint64_t *weights = mem_zalloc(q->p->nodes.n, sizeof(*weights));
	AUTO(pieces) struct pieces pieces = { 0 };
	pieces_of(q, ranges, &pieces);
	for (uint32_t i = 0; i < pieces.list.n; i++)
		add_weights(q, pieces.list.p[i].from, pieces.list.p[i].until, weights);
	return weights;
}

bool *tree_nodes_within(const struct tree *t, const bool *is_wanted_label)
{
	bool *is_within = mem_zalloc(t->n, sizeof(*is_within));
	for (uint32_t i = 0; i < t->n;) {
		if (!is_wanted_label[t->label[i]]) {
			i++;
			continue;
		}
		memset(is_within + i, true, t->end[i] - i);
		i = t->end[i];
	}
	return is_within;
}
