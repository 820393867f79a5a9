/*
 * Chooses lines. A sample is explained by the deepest line it passes: fully if it ends there,
 * otherwise in proportion to how far the line leads. Lines are chosen greedily, each time the one
 * that explains most in addition. The sum is monotone and submodular (each line adds less than it
 * would have added earlier), so the greedy choice is within 1 - 1/e of the optimum.
 */
#include "query/paths_int.h"

#include <math.h>

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

/* What a line ending here would explain in addition, per line that it costs. */
static double gain_of(const struct chooser *c, uint32_t i, uint32_t *cost)
{
	const struct candidate *all = c->all.p, *it = &all[i], *fork = &all[it->fork];
	const struct candidate *above = &all[it->line_above];
	double taste = it->is_glue ? 0.5 : 1;
	*cost = 1;
	if (it->fork == i || fork->is_line)
		return taste * gain_below(it, above);
	/* A line must end where it branches off the way to another line. */
	*cost = 2;
	double at_fork = (fork->place - above->place) * (fork->area - fork->area_below - it->area) +
			 fork->end;
	double at_end = (it->place - above->place) * it->area + it->end;
	return (at_fork + taste * at_end) / 2;
}

/* --- samples covered --- */

/* Samples that passed a line but none below it. */
static double cell_of(const struct chooser *c, const struct candidate *it)
{
	return (double)without(c->t->total[0][it->node], it->total_below);
}

static double self_of(const struct chooser *c, const struct candidate *it)
{
	return (double)c->t->self[0][it->node];
}

static bool is_leaf(const struct candidate *it)
{
	return it->total_below == 0;
}

/* Those of them that the lines account for: samples that end there, or below a last line. */
static double held_by(const struct chooser *c, uint32_t i)
{
	const struct candidate *it = &c->all.p[i];
	return it->has_rest || (i && is_leaf(it)) ? cell_of(c, it) : self_of(c, it);
}

static double held_now(const struct chooser *c)
{
	double held = 0;
	for (uint32_t i = 0; i < c->all.n; i++)
		if (c->all.p[i].is_line)
			held += held_by(c, i);
	return held;
}

/* The value if i becomes a line, and so does the fork where it parts from another line. */
static double held_after(const struct chooser *c, uint32_t i, double held)
{
	const struct candidate *it = &c->all.p[i], *above = &c->all.p[it->line_above];
	const struct candidate *fork = &c->all.p[it->fork];
	bool needs_fork = it->fork != i && !fork->is_line;
	held += is_leaf(it) ? cell_of(c, it) : self_of(c, it);
	if (needs_fork)
		held += self_of(c, fork);
	if (above->has_rest)
		held -= cell_of(c, needs_fork ? fork : it);
	else if (it->line_above && is_leaf(above))
		held -= cell_of(c, above) - self_of(c, above);
	return held;
}

/* --- best candidate --- */

/* Among equal ones the first is taken, regardless of rounding. */
static const double JUST_MORE = 1 + 1e-9;

static uint32_t best_candidate(const struct chooser *c, double least_held, uint32_t *cost)
{
	double most = 0, held = held_now(c);
	uint32_t best = 0;
	for (uint32_t i = 1; i < c->all.n; i++) {
		uint32_t lines;
		if (c->all.p[i].is_line || c->all.p[i].is_shut)
			continue;
		double gain = gain_of(c, i, &lines);
		if (gain <= most * JUST_MORE || c->line_count + lines > c->max_lines ||
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

/* --- closed lines --- */

/*
 * A function may call a thousand others, each for a little time: lines for some of them leave out
 * all the rest, while a line for the function alone covers everything. Such lines are closed:
 * nothing is shown below them, and what they took goes to other places.
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
		if (it->is_line && it->total_below && !it->has_rest)
			s->left_out[i] += (double)without(without(total, self), it->total_below);
		s->left_out[it->parent] += s->left_out[i];
		s->worth[it->parent] += s->worth[i];
		if (it->is_line)
			s->worth[it->parent] += gain_below(it, &all[it->line_above]);
	}
}

/* The line whose lines below explain the least for what they leave out; 0 if none. */
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

/* --- choosing lines --- */

static void choose_anew(struct chooser *c, uint32_t max_lines)
{
	c->max_lines = max_lines;
	c->line_count = 0;
	for (uint32_t i = 1; i < c->all.n; i++)
		c->all.p[i].is_line = false;
	choose(c, 0);
}

/* The line with the most left out; 0 if none leaves out anything. */
static uint32_t leakiest_line(const struct chooser *c)
{
	double most = 0;
	uint32_t worst = 0;
	for (uint32_t i = 1; i < c->all.n; i++) {
		const struct candidate *it = &c->all.p[i];
		double leak = it->is_line ? cell_of(c, it) - held_by(c, i) : 0;
		if (leak > most) {
			most = leak;
			worst = i;
		}
	}
	return worst;
}

/* Rests of lines that are gone, or that leave nothing out, need no line. */
static void drop_idle_rests(struct chooser *c)
{
	for (uint32_t i = 0; i < c->all.n; i++) {
		struct candidate *it = &c->all.p[i];
		if (!it->has_rest || (it->is_line && (i == 0 || !is_leaf(it))))
			continue;
		it->has_rest = false;
		c->max_lines++;
	}
}

/* If lines leave out too much, spends some of them on what the leakiest ones leave out. */
static void add_rests(struct chooser *c, uint32_t max_lines, double least)
{
	uint32_t most = max_lines / 5;
	for (uint32_t rests = 1; rests <= most && held_now(c) < least; rests++) {
		uint32_t worst = leakiest_line(c);
		if (!worst)
			break;
		c->all.p[worst].has_rest = true;
		choose_anew(c, max_lines - rests);
	}
	drop_idle_rests(c);
}

static void close_lines(struct chooser *c, double least)
{
	while (held_now(c) < least) {
		uint32_t worst = worst_line(c, least - held_now(c));
		if (!worst)
			return;
		close_line(c, worst);
		look_up_and_down(c);
		drop_idle_rests(c);
	}
	choose(c, least);
}

static void choose_to_hold(struct chooser *c, uint32_t max_lines, double least)
{
	choose_anew(c, max_lines);
	add_rests(c, max_lines, least);
	close_lines(c, least);
}

void paths_choose(struct chooser *c)
{
	double least = c->q->least_held * (double)c->t->total[0][0];
	choose_to_hold(c, c->q->max_lines, least);
	if (held_now(c) >= least || c->q->max_lines < 2)
		return;
	/* The tree branches right at its root: all that can be told is how much there is. */
	for (uint32_t i = 0; i < c->all.n; i++)
		c->all.p[i].has_rest = c->all.p[i].is_closed = false;
	c->all.p[0].has_rest = true;
	choose_to_hold(c, c->q->max_lines - 1, least);
}
