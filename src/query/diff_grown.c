/* Decides which functions grew, over all of them together; comparison_is_noise judges one at a time. */
#include "query/diff.h"

#include <math.h>

/* A function in one view. */
struct suspect {
	struct grown grown;
	double by_chance; /* the chance that it exceeds the limit without having changed */
	double chance;	  /* the chance of a growth this large */
};

struct suspects {
	VEC(struct suspect) rows;
};

static void suspects_fini(struct suspects *s)
{
	vec_fini(&s->rows);
}

/* The normal distribution's chance of `deviation` standard errors or more, in one direction. */
static double chance_beyond(double deviation)
{
	return 0.5 * erfc(deviation / sqrt(2));
}

static void add_suspects(struct suspects *s, const struct grown_view *view, unsigned number,
			 double percent)
{
	const struct comparison *c = view->comparison;
	AUTO(functions) struct functions functions = { 0 };
	functions_of_tree(view->pair, &functions);
	for (uint32_t i = 0; i < functions.rows.n; i++) {
		const struct function *f = &functions.rows.p[i];
		uint64_t before = f->self[BEFORE], after = f->self[AFTER];
		/* All of its time on one side: it cannot grow by more than that. */
		double most = comparison_points(c, 0, after) - comparison_points(c, before, 0);
		double points = comparison_points(c, before, after);
		if (most <= percent)
			continue;
		struct suspect one = {
			.grown = { &view->pair->labels.p[f->label], points, number },
			.by_chance = chance_beyond(comparison_deviation(c, before, after, percent)),
			.chance = comparison_is_noise(c, before, after)
					  ? 1
					  : chance_beyond(
						    comparison_deviation(c, before, after, points)),
		};
		vec_push(&s->rows, one);
	}
}

static int compare_by_chance(const void *a, const void *b)
{
	double x = ((const struct suspect *)a)->by_chance;
	double y = ((const struct suspect *)b)->by_chance;
	return (x > y) - (x < y);
}

/*
 * How unlikely a growth must be. An unchanged function is reported if it exceeds the limit by chance and its growth
 * is less likely than the level, so at most as often as the rarer of the two. The level is the largest for which
 * these add up to one in twenty, as with Bonferroni; but functions that hardly ever exceed the limit do not lower it.
 */
static double level_of(struct suspects *s)
{
	const double of_all = 0.05;
	double left = of_all;
	if (s->rows.n)
		qsort(s->rows.p, s->rows.n, sizeof(*s->rows.p), compare_by_chance);
	for (uint32_t i = 0; i < s->rows.n; i++) {
		double share = left / (s->rows.n - i);
		if (s->rows.p[i].by_chance >= share)
			return share;
		left -= s->rows.p[i].by_chance;
	}
	return of_all;
}

static int compare_grown(const void *a, const void *b)
{
	const struct grown *x = a, *y = b;
	if (x->points != y->points)
		return x->points > y->points ? -1 : 1;
	int by_name = str_compare(x->label->name, y->label->name);
	return by_name ? by_name : (x->view > y->view) - (x->view < y->view);
}

static bool is_same(const struct tree_label *a, const struct tree_label *b)
{
	return a->kind == b->kind && str_eq(a->name, b->name);
}

static bool is_listed(const struct grown_list *l, const struct tree_label *label)
{
	for (uint32_t i = 0; i < l->rows.n; i++)
		if (is_same(l->rows.p[i].label, label))
			return true;
	return false;
}

void grown_find(const struct grown_view *views, unsigned n, double percent, struct grown_list *out)
{
	AUTO(suspects) struct suspects s = { 0 };
	AUTO(grown_list) struct grown_list all = { 0 };
	for (unsigned i = 0; i < n; i++)
		add_suspects(&s, &views[i], i, percent);
	double level = level_of(&s);
	for (uint32_t i = 0; i < s.rows.n; i++)
		if (s.rows.p[i].grown.points > percent && s.rows.p[i].chance < level)
			vec_push(&all.rows, s.rows.p[i].grown);
	if (all.rows.n)
		qsort(all.rows.p, all.rows.n, sizeof(*all.rows.p), compare_grown);
	for (uint32_t i = 0; i < all.rows.n; i++)
		if (!is_listed(out, all.rows.p[i].label))
			vec_push(&out->rows, all.rows.p[i]);
}

void grown_list_fini(struct grown_list *l)
{
	vec_fini(&l->rows);
}
