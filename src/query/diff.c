#include "query/diff.h"

#include <math.h>

double comparison_change(const struct comparison *c, uint64_t before, uint64_t after)
{
	return (double)after - c->scale * (double)before;
}

double comparison_points(const struct comparison *c, uint64_t before, uint64_t after)
{
	/* Without an AFTER, relative to BEFORE's total. */
	double whole = (double)c->total[AFTER];
	if (whole == 0)
		whole = c->scale * (double)c->total[BEFORE];
	return whole > 0 ? 100 * comparison_change(c, before, after) / whole : 0;
}

/* Two-sided 95 % of the normal distribution. */
static const double Z_95 = 1.959964;

/* A difference in standard errors. correction: for continuity. */
static double in_errors(double difference, double error, double correction)
{
	double beyond = fabs(difference) - correction;
	if (beyond <= 0)
		return 0;
	return copysign(error > 0 ? beyond / error : INFINITY, difference);
}

/* Sample counts where AFTER should be `ratio` times BEFORE; given the sum, AFTER is binomial. */
static double counts_error(double before, double after, double ratio)
{
	double n = before + after, p = ratio / (1 + ratio);
	return sqrt(n * p * (1 - p));
}

static bool counts_are_alike(double before, double after, double ratio)
{
	double n = before + after, p = ratio / (1 + ratio);
	return fabs(in_errors(after - n * p, counts_error(before, after, ratio), 0.5)) <= Z_95;
}

/* Two shares: the standard error of the pooled share. */
static double shares_error(const struct comparison *c, double before, double after)
{
	double n = c->samples[BEFORE], m = c->samples[AFTER];
	double pooled = (before + after) / (n + m);
	return sqrt(pooled * (1 - pooled) * (1 / n + 1 / m));
}

static double samples_of(const struct comparison *c, unsigned side, uint64_t value)
{
	uint64_t total = c->total[side];
	return total ? (double)value / (double)total * c->samples[side] : 0;
}

/* How many samples AFTER should have per sample of BEFORE. */
static double sample_ratio(const struct comparison *c)
{
	double before = samples_of(c, BEFORE, 1), after = samples_of(c, AFTER, 1);
	return before > 0 && after > 0 ? c->scale * after / before : 1;
}

/* How many standard errors a change of `points` percent of AFTER is, for a function with these sample counts. */
static double deviation_of(const struct comparison *c, double before, double after, double points)
{
	double n = c->samples[BEFORE], m = c->samples[AFTER];
	if (c->scaled_by == SCALE_BY_TOTAL)
		return in_errors(points / 100, shares_error(c, before, after),
				 0.5 * (1 / n + 1 / m));
	/* The change is AFTER - ratio * BEFORE; their sum is fixed, so AFTER deviates by less. */
	double ratio = sample_ratio(c);
	return in_errors(points / 100 * m / (1 + ratio), counts_error(before, after, ratio), 0.5);
}

static bool has_samples(const struct comparison *c)
{
	return c->samples[BEFORE] >= 1 && c->samples[AFTER] >= 1;
}

double comparison_deviation(const struct comparison *c, uint64_t before, uint64_t after,
			    double points)
{
	if (!has_samples(c))
		return points > 0 ? INFINITY : 0;
	return deviation_of(c, samples_of(c, BEFORE, before), samples_of(c, AFTER, after), points);
}

bool comparison_is_noise(const struct comparison *c, uint64_t before, uint64_t after)
{
	if (!has_samples(c))
		return before == after; /* one side has no samples: that is not noise */
	double points = comparison_points(c, before, after);
	return fabs(comparison_deviation(c, before, after, points)) <= Z_95;
}

/* --- scale --- */

enum {
	ENOUGH_SAMPLES = 10, /* of a function, on both sides together, for it to count */
	MOST_PROPOSALS = 64, /* functions that propose a ratio: those with the most samples */
	ENOUGH_FUNCTIONS = 3,
};

/* The self samples of a function. */
struct sampled {
	double count[SIDES];
};

struct sampled_list {
	struct sampled *p;
	uint32_t n;
	double sum[SIDES];
};

static double samples_in(const struct sampled *s)
{
	return s->count[BEFORE] + s->count[AFTER];
}

static int compare_sampled(const void *a, const void *b)
{
	double p = samples_in(a), q = samples_in(b);
	return (p < q) - (p > q);
}

/* Functions by sample count, descending; those with few samples are merged into one. */
static struct sampled_list sampled_functions(const struct comparison *c, const struct tree *pair)
{
	struct functions f = { 0 };
	struct sampled_list list = { 0 };
	struct sampled few = { 0 };
	functions_of_tree(pair, &f);
	list.p = mem_alloc((size_t)f.rows.n + 1, sizeof(*list.p));
	for (uint32_t i = 0; i < f.rows.n; i++) {
		struct sampled one;
		for (unsigned side = 0; side < SIDES; side++) {
			one.count[side] = samples_of(c, side, f.rows.p[i].self[side]);
			list.sum[side] += one.count[side];
		}
		if (samples_in(&one) >= ENOUGH_SAMPLES) {
			list.p[list.n++] = one;
			continue;
		}
		few.count[BEFORE] += one.count[BEFORE];
		few.count[AFTER] += one.count[AFTER];
	}
	if (samples_in(&few) >= ENOUGH_SAMPLES)
		list.p[list.n++] = few;
	if (list.n)
		qsort(list.p, list.n, sizeof(*list.p), compare_sampled);
	functions_fini(&f);
	return list;
}

/* The functions that a ratio explains. */
struct agreement {
	uint32_t functions;
	double count[SIDES];
};

static struct agreement agreement_on(double ratio, const struct sampled_list *list)
{
	struct agreement a = { 0 };
	for (uint32_t i = 0; i < list->n; i++) {
		const struct sampled *f = &list->p[i];
		if (!counts_are_alike(f->count[BEFORE], f->count[AFTER], ratio))
			continue;
		a.functions++;
		a.count[BEFORE] += f->count[BEFORE];
		a.count[AFTER] += f->count[AFTER];
	}
	return a;
}

static double weight_of(const struct agreement *a)
{
	return a->count[BEFORE] + a->count[AFTER];
}

/* Refines the ratio with the functions that agree on it; then others may agree too. */
static void improve(double ratio, const struct sampled_list *list, struct agreement *best)
{
	for (unsigned round = 0; round < 3; round++) {
		struct agreement a = agreement_on(ratio, list);
		if (weight_of(&a) > weight_of(best))
			*best = a;
		if (a.count[BEFORE] <= 0 || a.count[AFTER] <= 0)
			return;
		ratio = a.count[AFTER] / a.count[BEFORE];
	}
}

/*
 * The agreement for the ratio that explains the most samples; proposals come from large functions,
 * and from the total.
 */
static struct agreement most_agreed(const struct sampled_list *list)
{
	struct agreement best = { 0 };
	improve(list->sum[AFTER] / list->sum[BEFORE], list, &best);
	for (uint32_t i = 0; i < list->n && i < MOST_PROPOSALS; i++)
		if (list->p[i].count[BEFORE] >= 1 && list->p[i].count[AFTER] >= 1)
			improve(list->p[i].count[AFTER] / list->p[i].count[BEFORE], list, &best);
	return best;
}

/* Returns false if it is unclear what is unchanged, or if everything is. */
static bool find_rest(struct comparison *c, const struct tree *pair)
{
	struct sampled_list list = sampled_functions(c, pair);
	bool has_both = list.sum[BEFORE] > 0 && list.sum[AFTER] > 0;
	struct agreement rest = has_both ? most_agreed(&list) : (struct agreement){ 0 };
	free(list.p);
	for (unsigned side = 0; side < SIDES; side++)
		c->rest[side] = has_both ? rest.count[side] / list.sum[side] : 0;
	if (rest.functions < ENOUGH_FUNCTIONS || c->rest[BEFORE] <= 0.5 || c->rest[AFTER] <= 0.5)
		return false;
	double ratio = rest.count[AFTER] / rest.count[BEFORE];
	if (counts_are_alike(list.sum[BEFORE], list.sum[AFTER], ratio))
		return false;
	c->scale = ratio * samples_of(c, BEFORE, 1) / samples_of(c, AFTER, 1);
	return true;
}

void comparison_set_scale(struct comparison *c, const struct tree *pair, enum diff_scale by)
{
	bool has_both = c->total[BEFORE] && c->total[AFTER];
	c->scaled_by = by;
	c->scale = 1;
	if (by == SCALE_NONE || (by == SCALE_BY_REST && has_both && find_rest(c, pair)))
		return;
	c->scaled_by = SCALE_BY_TOTAL;
	if (has_both)
		c->scale = (double)c->total[AFTER] / (double)c->total[BEFORE];
}

/* --- widths --- */

/* Units of width per unit of value, chosen so that sums stay exact in a double. */
static double width_unit(const struct tree *t, const struct comparison *c)
{
	double most = (double)t->total[BEFORE][0] * c->scale + (double)t->total[AFTER][0];
	double unit = 1;
	while (unit < 1 << 20 && most * unit * 2 < 0x1p52)
		unit *= 2;
	return unit;
}

static uint64_t in_units(double value, double unit)
{
	double product = value * unit;
	return product < 1.8e19 ? (uint64_t)(product + 0.5) : UINT64_MAX;
}

struct diff_widths diff_widths_of(const struct tree *t, const struct comparison *c,
				  enum diff_width by)
{
	struct diff_widths w = { mem_alloc(t->n, sizeof(uint64_t)),
				 mem_alloc(t->n, sizeof(uint64_t)), 0 };
	double unit = width_unit(t, c);
	uint64_t overflows = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		double before = c->scale * (double)t->self[BEFORE][i];
		double after = (double)t->self[AFTER][i];
		double width = by == WIDTH_AFTER    ? after
			       : by == WIDTH_BEFORE ? before
						    : fmax(before, after);
		w.total[i] = w.self[i] = in_units(width, unit);
	}
	/* Going backwards, a node's sum is complete before its parent needs it. */
	for (uint32_t i = t->n; i-- > 0;) {
		for (uint32_t child = i + 1; child < t->end[i]; child = t->end[child])
			w.total[i] = saturating_add(w.total[i], w.total[child], &overflows);
		w.absent += w.total[i] == 0;
	}
	return w;
}

void diff_widths_fini(struct diff_widths *w)
{
	free(w->self);
	free(w->total);
}

/* --- colours --- */

static bool box_is_noise(const struct tree *t, const struct comparison *c, const struct box *b)
{
	return comparison_is_noise(c, comparison_value(c, t, BEFORE, b->node),
				   comparison_value(c, t, AFTER, b->node));
}

static double box_change(const struct tree *t, const struct comparison *c, const struct box *b)
{
	return comparison_change(c, comparison_value(c, t, BEFORE, b->node),
				 comparison_value(c, t, AFTER, b->node));
}

struct colour *diff_colours(const struct tree *t, const struct comparison *c,
			    const struct layout *l, bool negates)
{
	struct colour *colours = mem_alloc(l->boxes.n, sizeof(*colours));
	double largest = 0;
	for (uint32_t i = 0; i < l->boxes.n; i++)
		if (!box_is_noise(t, c, &l->boxes.p[i]))
			largest = fmax(largest, fabs(box_change(t, c, &l->boxes.p[i])));
	for (uint32_t i = 0; i < l->boxes.n; i++) {
		double change = box_change(t, c, &l->boxes.p[i]);
		if (change == 0 || largest == 0 || box_is_noise(t, c, &l->boxes.p[i]))
			colours[i] = paint_no_change();
		else /* square root of the share: makes small changes visible */
			colours[i] =
				paint_change(sqrt(fabs(change) / largest), (change > 0) != negates);
	}
	return colours;
}

enum { GROWTH = 1, SHRINKAGE = 2 };

static unsigned direction_of(double change)
{
	return change > 0 ? GROWTH : change < 0 ? SHRINKAGE : 0;
}

/* For each box: which changes are coloured among its callees. The caller frees it. */
static unsigned char *called_changes(const struct tree *t, const struct comparison *c,
				     const struct layout *l)
{
	unsigned char *called = mem_zalloc((size_t)l->boxes.n + 1, 1);
	VEC(uint32_t) open = { 0 }; /* the boxes that enclose box i */
	for (uint32_t i = 0; i < l->boxes.n; i++) {
		const struct box *b = &l->boxes.p[i];
		unsigned found = box_is_noise(t, c, b) ? 0 : direction_of(box_change(t, c, b));
		while (open.n && b->depth <= l->boxes.p[open.p[open.n - 1]].depth)
			open.n--;
		/* If a box has it already, so do those that enclose it. */
		for (uint32_t k = open.n; k-- > 0 && (called[open.p[k]] & found) != found;)
			called[open.p[k]] |= (unsigned char)found;
		vec_push(&open, i);
	}
	vec_fini(&open);
	return called;
}

struct colour *diff_outlines(const struct tree *t, const struct comparison *c,
			     const struct layout *l, bool negates)
{
	enum { FULL = 1 };
	if (!c->by_self)
		return NULL;
	struct colour *outlines = mem_zalloc((size_t)l->boxes.n + 1, sizeof(*outlines));
	AUTO_FREE unsigned char *called = called_changes(t, c, l);
	for (uint32_t i = 1; i < l->boxes.n; i++) { /* the root calls everything */
		const struct box *b = &l->boxes.p[i];
		uint64_t before = t->total[BEFORE][b->node], after = t->total[AFTER][b->node];
		double change = comparison_change(c, before, after);
		if ((called[i] & direction_of(change)) && box_is_noise(t, c, b) &&
		    !comparison_is_noise(c, before, after))
			outlines[i] = paint_change(FULL, (change > 0) != negates);
	}
	return outlines;
}

void legend_of_diff(struct legend *l, const struct comparison *c)
{
	static const struct {
		const char *changed, *calls;
	} texts[] = { { "shrank", "calls code that shrank" }, { "grew", "calls code that grew" } };
	struct colour none = paint_no_change();
	for (unsigned grew = 2; grew-- > 0;)
		vec_push(&l->entries, (struct legend_entry){ .text = texts[grew].changed,
							     .colour = paint_change(0.8, grew) });
	for (unsigned grew = 2; grew-- > 0 && c->by_self;)
		vec_push(&l->entries, (struct legend_entry){ .text = texts[grew].calls,
							     .colour = none,
							     .outline = paint_change(1, grew) });
	vec_push(&l->entries,
		 (struct legend_entry){ .text = "no change, or within sampling noise (95 %)",
					.colour = none });
}

/* --- functions --- */

void functions_of_tree(const struct tree *t, struct functions *out)
{
	struct function *all = mem_zalloc(t->labels.n, sizeof(*all));
	uint32_t *inside = mem_zalloc(t->labels.n, sizeof(*inside)); /* open frames per label */
	VEC(uint32_t) open = { 0 };
	for (uint32_t i = 1; i < t->n; i++) {
		while (open.n && i >= t->end[open.p[open.n - 1]])
			inside[t->label[open.p[--open.n]]]--;
		struct function *f = &all[t->label[i]];
		uint64_t overflows = 0;
		for (unsigned v = 0; v < t->value_count; v++) {
			f->self[v] = saturating_add(f->self[v], t->self[v][i], &overflows);
			if (!inside[t->label[i]])
				f->total[v] =
					saturating_add(f->total[v], t->total[v][i], &overflows);
		}
		inside[t->label[i]]++;
		vec_push(&open, i);
	}
	for (uint32_t i = 0; i < t->labels.n; i++) {
		all[i].label = i;
		if (all[i].total[0] || (t->value_count > 1 && all[i].total[1]))
			vec_push(&out->rows, all[i]);
	}
	free(all);
	free(inside);
	vec_fini(&open);
}

void functions_fini(struct functions *f)
{
	vec_fini(&f->rows);
}
