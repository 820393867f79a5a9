#include "query/diff.h"

#include <math.h>

static double share_of(const struct comparison *c, unsigned side, uint64_t value)
{
	return c->total[side] ? (double)value / (double)c->total[side] : 0;
}

double comparison_change(const struct comparison *c, uint64_t before, uint64_t after)
{
	if (c->is_absolute)
		return (double)after - (double)before;
	return share_of(c, AFTER, after) - share_of(c, BEFORE, before);
}

/* Two-sided 95 % of the normal distribution. */
static const double Z_95 = 1.959964;

/* Two counts: of all their samples half would be on either side. With continuity correction. */
static bool counts_are_alike(double before, double after)
{
	return fabs(after - before) <= Z_95 * sqrt(before + after) + 1;
}

/* Two shares: the pooled share's standard error. With continuity correction. */
static bool shares_are_alike(const struct comparison *c, double before, double after)
{
	double n = c->samples[BEFORE], m = c->samples[AFTER];
	if (n < 1 || m < 1)
		return false; /* one side has nothing at all: that is no noise */
	double pooled = (before + after) / (n + m);
	double error = sqrt(pooled * (1 - pooled) * (1 / n + 1 / m));
	return fabs(after / m - before / n) <= Z_95 * error + 0.5 * (1 / n + 1 / m);
}

bool comparison_is_noise(const struct comparison *c, uint64_t before, uint64_t after)
{
	double b = share_of(c, BEFORE, before) * c->samples[BEFORE];
	double a = share_of(c, AFTER, after) * c->samples[AFTER];
	return c->is_absolute ? counts_are_alike(b, a) : shares_are_alike(c, b, a);
}

/* --- widths --- */

static uint64_t scaled_by_share(uint64_t value, uint64_t from, uint64_t to)
{
	return from ? (uint64_t)((__uint128_t)value * to / from) : 0;
}

struct diff_widths diff_widths_of(const struct tree *t, const struct comparison *c,
				  enum diff_width by)
{
	struct diff_widths w = { mem_alloc(t->n, sizeof(uint64_t)),
				 mem_alloc(t->n, sizeof(uint64_t)) };
	bool is_scaled = by == WIDTH_UNION && !c->is_absolute && c->total[AFTER];
	uint64_t overflows = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t before = t->self[BEFORE][i], after = t->self[AFTER][i];
		if (is_scaled)
			before = scaled_by_share(before, c->total[BEFORE], c->total[AFTER]);
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

void legend_of_diff(struct legend *l, bool negates)
{
	vec_push(&l->entries, (struct legend_entry){ "grew", paint_change(0.8, !negates) });
	vec_push(&l->entries, (struct legend_entry){ "shrank", paint_change(0.8, negates) });
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
