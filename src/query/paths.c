/* The candidates for lines, and the lines that were chosen. */
#include "query/paths_int.h"

#include <math.h>

/* Of the total. */
static const double TRUNK_SHARE = 0.99;

/* --- value of a frame --- */

/* Glue says little: what is above and below it says more. */
static const double GLUE_WORTH = 0.3;

static bool is_glue(const struct tree_label *l)
{
	enum category c = category_of_label(l);
	return c == CATEGORY_BUILTIN || c == CATEGORY_UNKNOWN || c == CATEGORY_PROCESS;
}

/* How much there is to say about the stack that ends at each node. */
static double *worth_of_stacks(const struct tree *t)
{
	double *of_label = mem_alloc(t->labels.n, sizeof(*of_label));
	double *worth = mem_alloc(t->n, sizeof(*worth));
	VEC(uint32_t) open = { 0 };
	for (uint32_t i = 0; i < t->labels.n; i++)
		of_label[i] = is_glue(&t->labels.p[i]) ? GLUE_WORTH : 1;
	worth[0] = 0;
	vec_push(&open, 0);
	for (uint32_t i = 1; i < t->n; i++) {
		while (i >= t->end[open.p[open.n - 1]])
			open.n--;
		worth[i] = worth[open.p[open.n - 1]] + of_label[t->label[i]];
		vec_push(&open, i);
	}
	vec_fini(&open);
	free(of_label);
	return worth;
}

/* The sum over all nodes before each one, so that a subtree's sum is a difference. */
static double *area_sums(const struct tree *t, const double *worth)
{
	double *sum = mem_alloc((size_t)t->n + 1, sizeof(*sum));
	sum[0] = sum[1] = 0;
	for (uint32_t i = 1; i < t->n; i++)
		sum[i + 1] = sum[i] + (double)t->self[0][i] / worth[i];
	return sum;
}

/* The nearest callers matter most. */
static double place_near_start(uint32_t depth)
{
	return 1 - pow(0.7, depth);
}

static struct candidate candidate_of(const struct chooser *c, uint32_t node)
{
	const struct tree *t = c->t;
	struct candidate it = { .node = node, .is_glue = is_glue(tree_label_of(t, node)) };
	if (c->q->aim == PATHS_TO_ENDS) {
		it.area = c->area_before[t->end[node]] - c->area_before[node];
		it.place = c->worth[node];
		it.end = (double)t->self[0][node];
	} else {
		it.area = (double)t->total[0][node];
		it.place = place_near_start(t->depth[node]);
	}
	return it;
}

/* Lines for less than this are not worth reading. */
static uint64_t least_total(const struct chooser *c)
{
	enum { PARTS_PER_LINE = 25 };
	uint64_t parts = (uint64_t)PARTS_PER_LINE * (c->q->max_lines > 40 ? c->q->max_lines : 40);
	uint64_t least = c->t->total[0][0] / parts;
	least = least < c->q->least ? c->q->least : least;
	return least ? least : 1;
}

/* The child that holds nearly everything; 0 if none. */
static uint32_t only_child(const struct tree *t, uint32_t node)
{
	for (uint32_t i = node + 1; i < t->end[node]; i = t->end[i])
		if ((double)t->total[0][i] >= TRUNK_SHARE * (double)t->total[0][0])
			return i;
	return 0;
}

/*
 * The node up to which nearly all stacks are the same: nothing before it is worth a line. It must
 * branch there, otherwise it is a path like others.
 */
static uint32_t trunk_of(const struct tree *t)
{
	uint32_t trunk = 0, heirs = 0;
	for (uint32_t next; (next = only_child(t, trunk));)
		trunk = next;
	double least = (1 - TRUNK_SHARE) * (double)t->total[0][0];
	for (uint32_t i = trunk + 1; i < t->end[trunk]; i = t->end[i])
		heirs += (double)t->total[0][i] > least;
	return heirs > 1 && (double)t->self[0][trunk] <= least ? trunk : 0;
}

/* The trunk's end comes first: a line that costs nothing. */
static void add_candidates(struct chooser *c)
{
	const struct tree *t = c->t;
	uint64_t least = least_total(c);
	VEC(uint32_t) open = { 0 }; /* candidates above the current node */
	vec_push(&c->all, candidate_of(c, c->trunk));
	c->all.p[0].is_line = true;
	vec_push(&open, 0);
	for (uint32_t i = c->trunk + 1; i < t->end[c->trunk];) {
		if (t->total[0][i] < least) {
			i = t->end[i];
			continue;
		}
		while (t->depth[c->all.p[open.p[open.n - 1]].node] >= t->depth[i])
			open.n--;
		struct candidate it = candidate_of(c, i);
		it.parent = open.p[open.n - 1];
		vec_push(&open, c->all.n);
		vec_push(&c->all, it);
		i++;
	}
	vec_fini(&open);
}

/* --- lines --- */

struct weighed {
	uint64_t total;
	uint32_t candidate;
};

static int compare_weighed(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return (x->candidate > y->candidate) - (x->candidate < y->candidate);
}

/* The lines directly below a line, or below the root, heaviest first. */
struct below {
	VEC(struct weighed) list;
};

static void list_below(const struct chooser *c, uint32_t above, struct below *out)
{
	out->list.n = 0;
	for (uint32_t i = above + 1; i < c->all.n; i++)
		if (c->all.p[i].is_line && c->all.p[i].line_above == above)
			vec_push(&out->list,
				 (struct weighed){ c->t->total[0][c->all.p[i].node], i });
	if (out->list.n)
		qsort(out->list.p, out->list.n, sizeof(*out->list.p), compare_weighed);
}

/* Adds the frames from the line above (exclusive) to i. */
static void add_chain(const struct chooser *c, uint32_t i, struct paths *out,
		      struct path_line *line)
{
	uint32_t count = 0, above = c->all.p[i].line_above;
	for (uint32_t k = i; k != above; k = c->all.p[k].parent)
		count++;
	line->chain = out->labels.n;
	line->chain_count = count;
	vec_reserve(&out->labels, (uint64_t)out->labels.n + count);
	out->labels.n += count;
	for (uint32_t k = i; k != above; k = c->all.p[k].parent)
		out->labels.p[line->chain + --count] = c->t->label[c->all.p[k].node];
}

static uint32_t stacks_between(const struct tree *t, uint32_t from, uint32_t to)
{
	uint32_t n = 0;
	for (uint32_t i = from; i < to; i++)
		n += t->own_stacks[i] > 0;
	return n;
}

/* What passed a line but none of those below it. */
struct rest {
	uint64_t total;
	uint32_t stacks;
};

static struct rest rest_of(const struct chooser *c, uint32_t node, const struct below *below)
{
	const struct tree *t = c->t;
	struct rest rest = { without(t->total[0][node], t->self[0][node]),
			     stacks_between(t, node + 1, t->end[node]) };
	for (uint32_t k = 0; k < below->list.n; k++) {
		uint32_t other = c->all.p[below->list.p[k].candidate].node;
		rest.total = without(rest.total, t->total[0][other]);
		rest.stacks -= stacks_between(t, other, t->end[other]);
	}
	return rest;
}

/* Finds the function in which most of the rest ended. */
static void find_hottest(const struct chooser *c, const struct below *below, struct path_line *line)
{
	const struct tree *t = c->t;
	AUTO_FREE uint64_t *sum = mem_zalloc(t->labels.n, sizeof(*sum));
	AUTO_FREE bool *is_other = mem_zalloc(t->end[line->node] - line->node, 1);
	uint64_t overflows = 0;
	line->hottest = INDEX_NONE;
	for (uint32_t k = 0; k < below->list.n; k++)
		is_other[c->all.p[below->list.p[k].candidate].node - line->node] = true;
	for (uint32_t i = line->node + 1; i < t->end[line->node];) {
		if (is_other[i - line->node]) {
			i = t->end[i];
			continue;
		}
		uint64_t *of_label = &sum[t->label[i]];
		*of_label = saturating_add(*of_label, t->self[0][i], &overflows);
		if (*of_label > line->hottest_weight) {
			line->hottest_weight = *of_label;
			line->hottest = t->label[i];
		}
		i++;
	}
}

/* Adds a line for what has no line below i. */
static void add_rest(const struct chooser *c, uint32_t i, uint32_t depth, const struct below *below,
		     struct paths *out)
{
	struct rest rest = rest_of(c, c->all.p[i].node, below);
	if (!rest.stacks)
		return;
	struct path_line line = { .node = c->all.p[i].node,
				  .depth = depth,
				  .is_rest = true,
				  .total = rest.total,
				  .further = rest.total,
				  .stacks = rest.stacks };
	find_hottest(c, below, &line);
	vec_push(&out->lines, line);
	out->rests += rest.total;
	out->counted_stacks += rest.stacks;
}

static void add_line(const struct chooser *c, uint32_t i, uint32_t depth, const struct below *below,
		     struct paths *out)
{
	const struct tree *t = c->t;
	uint32_t node = c->all.p[i].node;
	struct rest rest = rest_of(c, node, below);
	struct path_line line = { .node = node,
				  .depth = depth,
				  .self = t->self[0][node],
				  .total = t->total[0][node],
				  .has_lines_below = below->list.n > 0,
				  .hottest = INDEX_NONE };
	add_chain(c, i, out, &line);
	out->ends += line.self;
	if (!line.has_lines_below) {
		line.further = rest.total;
		line.stacks = rest.stacks;
		find_hottest(c, below, &line);
		out->further += rest.total;
		out->counted_stacks += rest.stacks;
	} else if (!c->all.p[i].has_rest) {
		line.elsewhere = rest.total;
		line.stacks = rest.stacks;
	}
	vec_push(&out->lines, line);
}

/* Not recursive: lines may be many and deep. A rest comes after its line's other lines. */
static void add_lines(const struct chooser *c, struct paths *out)
{
	struct pending {
		uint32_t candidate, depth;
		bool is_rest;
	};
	VEC(struct pending) pending = { 0 };
	struct below below = { 0 };
	vec_push(&pending, (struct pending){ 0, 0, false });
	while (pending.n) {
		struct pending at = pending.p[--pending.n];
		list_below(c, at.candidate, &below);
		if (at.is_rest) {
			add_rest(c, at.candidate, at.depth, &below, out);
			continue;
		}
		if (at.candidate)
			add_line(c, at.candidate, at.depth - 1, &below, out);
		if (c->all.p[at.candidate].has_rest)
			vec_push(&pending, (struct pending){ at.candidate, at.depth, true });
		for (uint32_t k = below.list.n; k-- > 0;)
			vec_push(&pending, (struct pending){ below.list.p[k].candidate,
							     at.depth + 1, false });
	}
	vec_fini(&pending);
	vec_fini(&below.list);
}

/* --- result --- */

static void add_trunk(const struct chooser *c, struct paths *out)
{
	const struct tree *t = c->t;
	uint32_t node = c->trunk;
	out->trunk_count = t->depth[node];
	vec_reserve(&out->labels, out->trunk_count);
	out->labels.n = out->trunk_count;
	for (uint32_t depth = t->depth[node], i = node; depth; i--)
		if (t->depth[i] ==
		    depth) /* the nearest one before it whose depth is one less is its caller */
			out->labels.p[--depth] = t->label[i];
	out->ends = t->self[0][node];
}

void paths_of_tree(const struct tree *t, const struct paths_query *q, struct paths *out)
{
	struct chooser c = { .t = t, .q = q, .trunk = trunk_of(t) };
	c.worth = worth_of_stacks(t);
	c.area_before = area_sums(t, c.worth);
	*out = (struct paths){ .total = t->total[0][0] };
	add_candidates(&c);
	add_trunk(&c, out);
	paths_choose(&c);
	add_lines(&c, out);
	out->left_out = without(out->total, paths_held(out));
	out->left_out_stacks = stacks_between(t, 1, t->n) - out->counted_stacks;
	out->left_out_stacks -= t->own_stacks[c.trunk] > 0;
	for (uint32_t i = 0; i < out->lines.n; i++)
		if (!out->lines.p[i].is_rest)
			out->left_out_stacks -= t->own_stacks[out->lines.p[i].node] > 0;
	vec_fini(&c.all);
	free(c.worth);
	free(c.area_before);
}

uint64_t paths_held(const struct paths *p)
{
	uint64_t overflows = 0;
	return saturating_add(p->ends, saturating_add(p->further, p->rests, &overflows),
			      &overflows);
}

void paths_fini(struct paths *p)
{
	vec_fini(&p->lines);
	vec_fini(&p->labels);
}
