#include "query/diff.h"

#include <math.h>

double comparison_change(const struct comparison *c, uint64_t before, uint64_t after)
{
	return (double)after - c->scale * (double)before;
}

double comparison_points(const struct comparison *c, uint64_t before, uint64_t after)
{
	/* Without an AFTER, of what BEFORE comes to. */
	double whole = (double)c->total[AFTER];
	if (whole == 0)
		whole = c->scale * (double)c->total[BEFORE];
	return whole > 0 ? 100 * comparison_change(c, before, after) / whole : 0;
}

/* Two-sided 95 % of the normal distribution. */
static const double Z_95 = 1.959964;

/*
 * Counts of samples of which AFTER should have `ratio` times BEFORE's: given their sum, AFTER's is
 * binomial. With continuity correction.
 */
static bool counts_are_alike(double before, double after, double ratio)
{
	double n = before + after, p = ratio / (1 + ratio);
	return fabs(after - n * p) <= Z_95 * sqrt(n * p * (1 - p)) + 0.5;
}

/* Two shares: the pooled share's standard error. With continuity correction. */
static bool shares_are_alike(const struct comparison *c, double before, double after)
{
	double n = c->samples[BEFORE], m = c->samples[AFTER];
	double pooled = (before + after) / (n + m);
	double error = sqrt(pooled * (1 - pooled) * (1 / n + 1 / m));
	return fabs(after / m - before / n) <= Z_95 * error + 0.5 * (1 / n + 1 / m);
}

static double samples_of(const struct comparison *c, unsigned side, uint64_t value)
{
	uint64_t total = c->total[side];
	return total ? (double)value / (double)total * c->samples[side] : 0;
}

/* How many samples AFTER should have for one of BEFORE. */
static double sample_ratio(const struct comparison *c)
{
	double before = samples_of(c, BEFORE, 1), after = samples_of(c, AFTER, 1);
	return before > 0 && after > 0 ? c->scale * after / before : 1;
}

bool comparison_is_noise(const struct comparison *c, uint64_t before, uint64_t after)
{
	double b = samples_of(c, BEFORE, before), a = samples_of(c, AFTER, after);
	if (c->samples[BEFORE] < 1 || c->samples[AFTER] < 1)
		return before == after; /* a side without samples: that is no noise */
	if (c->scaled_by == SCALE_BY_TOTAL)
		return shares_are_alike(c, b, a);
	return counts_are_alike(b, a, sample_ratio(c));
}

/* --- scale --- */

enum {
	ENOUGH_SAMPLES = 10, /* of a function, on both sides together, to have a say */
	MOST_FUNCTIONS = 256,
	ENOUGH_FUNCTIONS = 3,
};

/* Own samples of a function. */
struct sampled {
	double count[SIDES];
};

static int compare_sampled(const void *a, const void *b)
{
	const struct sampled *x = a, *y = b;
	double p = x->count[BEFORE] + x->count[AFTER], q = y->count[BEFORE] + y->count[AFTER];
	return (p < q) - (p > q);
}

/* Functions that ran, those with most samples first. */
static uint32_t sampled_functions(const struct comparison *c, const struct tree *pair,
				  struct sampled *out, double *sum)
{
	struct functions f = { 0 };
	uint32_t n = 0;
	functions_of_tree(pair, &f);
	struct sampled *all = mem_alloc(f.rows.n, sizeof(*all));
	for (uint32_t i = 0; i < f.rows.n; i++)
		for (unsigned side = 0; side < SIDES; side++) {
			all[i].count[side] = samples_of(c, side, f.rows.p[i].self[side]);
			sum[side] += all[i].count[side];
		}
	if (f.rows.n)
		qsort(all, f.rows.n, sizeof(*all), compare_sampled);
	while (n < f.rows.n && n < MOST_FUNCTIONS &&
	       all[n].count[BEFORE] + all[n].count[AFTER] >= ENOUGH_SAMPLES) {
		out[n] = all[n];
		n++;
	}
	free(all);
	functions_fini(&f);
	return n;
}

/* The functions that a ratio explains. */
struct agreement {
	uint32_t functions;
	double count[SIDES];
};

static struct agreement agreement_on(double ratio, const struct sampled *f, uint32_t n)
{
	struct agreement a = { 0 };
	for (uint32_t i = 0; i < n; i++)
		if (counts_are_alike(f[i].count[BEFORE], f[i].count[AFTER], ratio)) {
			a.functions++;
			a.count[BEFORE] += f[i].count[BEFORE];
			a.count[AFTER] += f[i].count[AFTER];
		}
	return a;
}

static double weight_of(const struct agreement *a)
{
	return a->count[BEFORE] + a->count[AFTER];
}

/* The ratio that explains most; each function proposes its own, then those that agree settle it. */
static double most_agreed_ratio(const struct sampled *f, uint32_t n, struct agreement *best)
{
	*best = (struct agreement){ 0 };
	for (uint32_t i = 0; i < n; i++) {
		if (f[i].count[BEFORE] < 1 || f[i].count[AFTER] < 1)
			continue;
		double proposed = f[i].count[AFTER] / f[i].count[BEFORE];
		for (unsigned round = 0; round < 3; round++) {
			struct agreement a = agreement_on(proposed, f, n);
			if (weight_of(&a) > weight_of(best))
				*best = a;
			if (a.count[BEFORE] > 0 && a.count[AFTER] > 0)
				proposed = a.count[AFTER] / a.count[BEFORE];
		}
	}
	return best->count[BEFORE] > 0 ? best->count[AFTER] / best->count[BEFORE] : 0;
}

/* False when it is not clear what did not change, or when all of it did not. */
static bool find_rest(struct comparison *c, const struct tree *pair)
{
	struct sampled f[MOST_FUNCTIONS];
	double sum[SIDES] = { 0, 0 };
	struct agreement rest;
	uint32_t n = sampled_functions(c, pair, f, sum);
	double ratio = most_agreed_ratio(f, n, &rest);
	for (unsigned side = 0; side < SIDES; side++)
		c->rest[side] = sum[side] > 0 ? rest.count[side] / sum[side] : 0;
	if (rest.functions < ENOUGH_FUNCTIONS || ratio <= 0 || c->rest[BEFORE] <= 0.5 ||
	    c->rest[AFTER] <= 0.5)
		return false;
	if (counts_are_alike(sum[BEFORE], sum[AFTER], ratio))
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

static uint64_t scaled(uint64_t value, double by)
{
	double product = (double)value * by;
	return by == 1 ? value : product < 1.8e19 ? (uint64_t)(product + 0.5) : UINT64_MAX;
}

struct diff_widths diff_widths_of(const struct tree *t, const struct comparison *c,
				  enum diff_width by)
{
	struct diff_widths w = { mem_alloc(t->n, sizeof(uint64_t)),
				 mem_alloc(t->n, sizeof(uint64_t)) };
	uint64_t overflows = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t before = t->self[BEFORE][i], after = t->self[AFTER][i];
		if (by == WIDTH_UNION)
			before = scaled(before, c->scale);
		w.self[i] = by == WIDTH_AFTER	 ? after
			    : by == WIDTH_BEFORE ? before
			    : before > after	 ? before
						 : after;
		w.total[i] = w.self[i];
	}
	/* Backwards a node's sum is complete before its parent asks for it. */
	for (uint32_t i = t->n; i-- > 0;)
		for (uint32_t child = i + 1; child < t->end[i]; child = t->end[child])
			w.total[i] = saturating_add(w.total[i], w.total[child], &overflows);
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
		else /* the root of the share: small changes are seen, too */
			colours[i] =
				paint_change(sqrt(fabs(change) / largest), (change > 0) != negates);
	}
	return colours;
}

void legend_of_diff(struct legend *l)
{
	vec_push(&l->entries, (struct legend_entry){ "grew", paint_change(0.8, true) });
	vec_push(&l->entries, (struct legend_entry){ "shrank", paint_change(0.8, false) });
	vec_push(&l->entries, (struct legend_entry){ "no change, or within sampling noise (95 %)",
						     paint_no_change() });
}

/* --- functions --- */

void functions_of_tree(const struct tree *t, struct functions *out)
{
	struct function *all = mem_zalloc(t->labels.n, sizeof(*all));
	uint32_t *inside = mem_zalloc(t->labels.n, sizeof(*inside)); /* open frames of the label */
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
