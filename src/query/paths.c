/*
 * Choosing lines. A sample is explained by the deepest line that it came past: wholly when it ends
 * there, else as far as the line leads. So lines are chosen one by one, each time the one that
 * explains most more; the sum only grows, and each line adds less than it would have before, for
 * which taking the best first is within 1 - 1/e of the best there is.
 */
#include "query/query.h"

#include <math.h>

/* A node that is large enough to be a line's end. */
struct candidate {
	uint32_t node, parent; /* parent: a candidate */
	double area;	       /* of all below it: what one frame more explains */
	double place;	       /* how much of a stack is explained up to here, in units of area */
	double end;	       /* what it explains of the samples that end here */
	bool is_glue;	       /* tells little as the end of a line */

	bool is_line;
	bool is_closed; /* no lines below it */

	/* Of the round. */
	uint32_t line_above; /* the nearest, not itself */
	uint32_t fork;	     /* the nearest on the way to a line, itself included */
	double area_below;   /* of the nearest lines below it */
	uint64_t total_below;
	bool is_shut; /* below a closed one */
};

struct chooser {
	const struct tree *t;
	const struct paths_query *q;
	double *worth;	     /* by node: of the stack that ends there */
	double *area_before; /* by node */
	uint32_t trunk;
	VEC(struct candidate) all; /* preorder; the first is the trunk's end */
	uint32_t line_count, max_lines;
};

/* Of the total. */
static const double TRUNK_SHARE = 0.99;

/* Sums that were held at their largest value need not add up. */
static uint64_t without(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* --- what a frame is worth --- */

/* Glue says little: what it stands between says more. */
static const double GLUE_WORTH = 0.3;

static bool is_glue(const struct tree_label *l)
{
	enum category c = category_of_label(l);
	return c == CATEGORY_BUILTIN || c == CATEGORY_UNKNOWN || c == CATEGORY_PROCESS;
}

/* How much there is to say of the stack that ends at each node. */
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

/* Of all nodes before each, so that a subtree's is a difference. */
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

/* Lines for less than that would not be read. */
static uint64_t least_total(const struct chooser *c)
{
	enum { PARTS_PER_LINE = 25 };
	uint64_t parts = (uint64_t)PARTS_PER_LINE * (c->q->max_lines > 40 ? c->q->max_lines : 40);
	uint64_t least = c->t->total[0][0] / parts;
	least = least < c->q->least ? c->q->least : least;
	return least ? least : 1;
}

/* The child that holds nearly all there is; 0: none. */
static uint32_t only_child(const struct tree *t, uint32_t node)
{
	for (uint32_t i = node + 1; i < t->end[node]; i = t->end[i])
		if ((double)t->total[0][i] >= TRUNK_SHARE * (double)t->total[0][0])
			return i;
	return 0;
}

/*
 * Where nearly all stacks are still one: nothing up to there is worth a line. It must part into
 * several there, or it is a path like others.
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

/* The trunk's end is the first: a line that takes none. */
static void add_candidates(struct chooser *c)
{
	const struct tree *t = c->t;
	uint64_t least = least_total(c);
	VEC(uint32_t) open = { 0 }; /* candidates above the node at hand */
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

/* --- a round --- */

static void look_up_and_down(struct chooser *c)
{
	struct candidate *all = c->all.p;
	for (uint32_t i = 0; i < c->all.n; i++) {
		all[i].area_below = 0;
		all[i].total_below = 0;
	}
	for (uint32_t i = c->all.n; i-- > 1;) {
		struct candidate *it = &all[i], *parent = &all[it->parent];
		parent->area_below += it->is_line ? it->area : it->area_below;
		parent->total_below += it->is_line ? c->t->total[0][it->node] : it->total_below;
	}
	for (uint32_t i = 1; i < c->all.n; i++) {
		struct candidate *it = &all[i], *parent = &all[it->parent];
		it->line_above = parent->is_line ? it->parent : parent->line_above;
		it->fork = it->is_line || it->area_below > 0 ? i : parent->fork;
		it->is_shut = parent->is_shut || parent->is_closed;
	}
}

static double gain_below(const struct candidate *it, const struct candidate *above)
{
	return (it->place - above->place) * (it->area - it->area_below) + it->end;
}

/* What a line ending here would explain more, for each line that it takes. */
static double gain_of(const struct chooser *c, uint32_t i, uint32_t *cost)
{
	const struct candidate *all = c->all.p, *it = &all[i], *fork = &all[it->fork];
	const struct candidate *above = &all[it->line_above];
	double taste = it->is_glue ? 0.5 : 1;
	*cost = 1;
	if (it->fork == i || fork->is_line)
		return taste * gain_below(it, above);
	/* Where it leaves the way to another line, a line must end. */
	*cost = 2;
	double at_fork = (fork->place - above->place) * (fork->area - fork->area_below - it->area) +
			 fork->end;
	double at_end = (it->place - above->place) * it->area + it->end;
	return (at_fork + taste * at_end) / 2;
}

/* Samples that are no longer held when i becomes a line; its fork, too. */
static double held_after(const struct chooser *c, uint32_t i, double held)
{
	const struct candidate *all = c->all.p, *it = &all[i];
	const uint64_t *total = c->t->total[0], *self = c->t->self[0];
	const struct candidate *above = &all[it->line_above];
	bool needs_fork = it->fork != i && !all[it->fork].is_line;
	double own = it->total_below ? (double)self[it->node] : (double)total[it->node];
	if (needs_fork)
		own += (double)self[all[it->fork].node];
	bool was_leaf = it->line_above != 0 && above->total_below == 0;
	return held + own - (was_leaf ? (double)without(total[above->node], self[above->node]) : 0);
}

/* Ends + further of the lines as they are. */
static double held_now(const struct chooser *c)
{
	double held = (double)c->t->self[0][c->trunk];
	for (uint32_t i = 1; i < c->all.n; i++) {
		const struct candidate *it = &c->all.p[i];
		if (it->is_line)
			held += it->total_below ? (double)c->t->self[0][it->node]
						: (double)c->t->total[0][it->node];
	}
	return held;
}

static uint32_t best_candidate(const struct chooser *c, double least_held, uint32_t *cost)
{
	double most = 0, held = held_now(c);
	uint32_t best = 0;
	for (uint32_t i = 1; i < c->all.n; i++) {
		uint32_t lines;
		if (c->all.p[i].is_line || c->all.p[i].is_shut)
			continue;
		double gain = gain_of(c, i, &lines);
		if (gain <= most || c->line_count + lines > c->max_lines ||
		    (least_held > 0 && held_after(c, i, held) < least_held))
			continue;
		most = gain;
		best = i;
		*cost = lines;
	}
	return best;
}

static void choose(struct chooser *c, double least_held)
{
	uint32_t cost = 0;
	for (;;) {
		look_up_and_down(c);
		uint32_t best = best_candidate(c, least_held, &cost);
		if (!best)
			return;
		c->all.p[c->all.p[best].fork].is_line = true;
		c->all.p[best].is_line = true;
		c->line_count += cost;
	}
}

/* --- too much left out --- */

/*
 * A function that calls a thousand others, each a little: lines for some of them leave out all the
 * rest, while a line for the function alone holds everything. Such lines are closed: nothing is
 * shown below them, and what they took goes elsewhere.
 */
struct closing {
	double *left_out, *worth; /* by candidate, of all lines at and below it */
};

static void sum_lines(const struct chooser *c, struct closing *s)
{
	const struct candidate *all = c->all.p;
	for (uint32_t i = c->all.n; i-- > 1;) {
		const struct candidate *it = &all[i];
		uint64_t total = c->t->total[0][it->node], self = c->t->self[0][it->node];
		if (it->is_line && it->total_below)
			s->left_out[i] += (double)without(without(total, self), it->total_below);
		s->left_out[it->parent] += s->left_out[i];
		s->worth[it->parent] += s->worth[i];
		if (it->is_line)
			s->worth[it->parent] += gain_below(it, &all[it->line_above]);
	}
}

/* The line whose lines below explain least for what they leave out; 0: none. */
static uint32_t worst_line(const struct chooser *c, double missing)
{
	struct closing s = { mem_zalloc(c->all.n, sizeof(double)),
			     mem_zalloc(c->all.n, sizeof(double)) };
	uint32_t worst = 0;
	double least = INFINITY;
	sum_lines(c, &s);
	for (uint32_t i = 1; i < c->all.n; i++) {
		if (!c->all.p[i].is_line || !c->all.p[i].total_below || s.left_out[i] <= 0)
			continue;
		double price = s.worth[i] / fmin(s.left_out[i], missing);
		if (price < least) {
			least = price;
			worst = i;
		}
	}
	free(s.left_out);
	free(s.worth);
	return worst;
}

static void close_line(struct chooser *c, uint32_t i)
{
	uint32_t end = c->t->end[c->all.p[i].node];
	c->all.p[i].is_closed = true;
	for (uint32_t k = i + 1; k < c->all.n && c->all.p[k].node < end; k++)
		if (c->all.p[k].is_line) {
			c->all.p[k].is_line = false;
			c->line_count--;
		}
}

static void hold_enough(struct chooser *c)
{
	double least = c->q->least_held * (double)c->t->total[0][0];
	look_up_and_down(c);
	while (held_now(c) < least) {
		uint32_t worst = worst_line(c, least - held_now(c));
		if (!worst)
			return;
		close_line(c, worst);
		look_up_and_down(c);
	}
	choose(c, least);
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

/* Lines directly below a line, or the root, heaviest first. */
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

/* The frames from the line above, that one excluded, to i. */
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

static void add_line(const struct chooser *c, uint32_t i, uint32_t depth, const struct below *below,
		     struct paths *out)
{
	const struct tree *t = c->t;
	uint32_t node = c->all.p[i].node;
	struct path_line line = { .node = node,
				  .depth = depth,
				  .self = t->self[0][node],
				  .total = t->total[0][node],
				  .has_lines_below = below->list.n > 0 };
	uint64_t rest = without(line.total, line.self);
	line.stacks = stacks_between(t, node + 1, t->end[node]);
	for (uint32_t k = 0; k < below->list.n; k++) {
		uint32_t other = c->all.p[below->list.p[k].candidate].node;
		rest = without(rest, t->total[0][other]);
		line.stacks -= stacks_between(t, other, t->end[other]);
	}
	*(line.has_lines_below ? &line.elsewhere : &line.further) = rest;
	add_chain(c, i, out, &line);
	vec_push(&out->lines, line);
	out->ends += line.self;
	out->further += line.further;
	if (!line.has_lines_below)
		out->further_stacks += line.stacks;
}

/* Without recursion: lines may be many, and deep. */
static void add_lines(const struct chooser *c, struct paths *out)
{
	struct pending {
		uint32_t candidate, depth;
	};
	VEC(struct pending) pending = { 0 };
	struct below below = { 0 };
	vec_push(&pending, (struct pending){ 0, 0 });
	while (pending.n) {
		struct pending at = pending.p[--pending.n];
		list_below(c, at.candidate, &below);
		if (at.candidate)
			add_line(c, at.candidate, at.depth - 1, &below, out);
		for (uint32_t k = below.list.n; k-- > 0;)
			vec_push(&pending,
				 (struct pending){ below.list.p[k].candidate, at.depth + 1 });
	}
	vec_fini(&pending);
	vec_fini(&below.list);
}

/* --- what is below --- */

/* The function that ended most of the samples below a line that leads no further. */
static void find_hottest_below(const struct tree *t, struct paths *out)
{
	uint64_t *sum = mem_zalloc(t->labels.n, sizeof(*sum)), overflows = 0;
	for (uint32_t i = 0; i < out->lines.n; i++) {
		struct path_line *line = &out->lines.p[i];
		uint32_t from = line->node + 1, end = t->end[line->node];
		line->hottest = INDEX_NONE;
		if (!line->further)
			continue;
		for (uint32_t k = from; k < end; k++) {
			uint64_t *of_label = &sum[t->label[k]];
			*of_label = saturating_add(*of_label, t->self[0][k], &overflows);
			if (*of_label > line->hottest_weight) {
				line->hottest_weight = *of_label;
				line->hottest = t->label[k];
			}
		}
		for (uint32_t k = from; k < end; k++)
			sum[t->label[k]] = 0;
	}
	free(sum);
}

/* --- the whole --- */

/* Below the trunk: those that have no line. */
static void count_others(const struct chooser *c, struct paths *out)
{
	const struct tree *t = c->t;
	uint32_t k = 1;
	for (uint32_t i = c->trunk + 1; i < t->end[c->trunk]; i = t->end[i]) {
		bool has_line = false;
		for (; k < c->all.n && c->all.p[k].node < t->end[i]; k++)
			has_line |= c->all.p[k].is_line;
		if (has_line)
			continue;
		out->others++;
		out->others_total =
			saturating_add(out->others_total, t->total[0][i], &(uint64_t){ 0 });
		out->others_stacks += stacks_between(t, i, t->end[i]);
		if (t->total[0][i] > out->largest_other)
			out->largest_other = t->total[0][i];
	}
}

static void choose_all(struct chooser *c, uint32_t max_lines)
{
	c->max_lines = max_lines;
	c->line_count = 0;
	for (uint32_t i = 1; i < c->all.n; i++)
		c->all.p[i].is_line = c->all.p[i].is_closed = false;
	choose(c, 0);
	hold_enough(c);
	look_up_and_down(c);
}

/* What the tree falls apart into right at its root may be too much for lines: one counts the rest. */
static void count_rest(struct chooser *c, struct paths *out)
{
	double least = c->q->least_held * (double)c->t->total[0][0];
	if (held_now(c) >= least || c->max_lines < 2)
		return;
	choose_all(c, c->max_lines - 1);
	count_others(c, out);
	out->further += out->others_total;
	out->further_stacks += out->others_stacks;
}

static void add_trunk(const struct chooser *c, struct paths *out)
{
	const struct tree *t = c->t;
	uint32_t node = c->trunk;
	out->trunk_count = t->depth[node];
	vec_reserve(&out->labels, out->trunk_count);
	out->labels.n = out->trunk_count;
	for (uint32_t depth = t->depth[node], i = node; depth; i--)
		if (t->depth[i] ==
		    depth) /* the nearest before it of one depth less is its caller */
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
	choose_all(&c, q->max_lines);
	count_rest(&c, out);
	add_lines(&c, out);
	out->left_out = without(without(out->total, out->ends), out->further);
	out->left_out_stacks = stacks_between(t, 1, t->n) - out->further_stacks;
	out->left_out_stacks -= t->own_stacks[c.trunk] > 0;
	for (uint32_t i = 0; i < out->lines.n; i++)
		out->left_out_stacks -= t->own_stacks[out->lines.p[i].node] > 0;
	find_hottest_below(t, out);
	vec_fini(&c.all);
	free(c.worth);
	free(c.area_before);
}

void paths_fini(struct paths *p)
{
	vec_fini(&p->lines);
	vec_fini(&p->labels);
}
