/* What a frame of a differential picture says: both sides and the change. */
#include "sink/svg_int.h"

static double share(uint64_t value, uint64_t total)
{
	return total ? 100.0 * (double)value / (double)total : 0;
}

static void add_side(struct buf *out, const struct frames *f, const char *side, uint64_t value,
		     uint64_t total)
{
	double count = (double)value / f->m.unit * f->p->style->factor;
	buf_addf(out, "%s ", side);
	if (f->m.unit == 1 && f->p->style->factor == 1)
		buf_add_grouped(out, value);
	else
		buf_addf(out, "%.15g", count);
	buf_add_char(out, ' ');
	xml_add(out, str_from(f->p->style->count_name));
	buf_addf(out, ", %.2f%%", share(value, total));
}

void svg_add_diff_title(struct buf *out, const struct frames *f, const struct box *b)
{
	const struct comparison *c = f->p->comparison;
	const struct tree *t = f->p->tree;
	uint64_t before = t->total[BEFORE][b->node], after = t->total[AFTER][b->node];
	uint64_t judged[] = { comparison_value(c, t, BEFORE, b->node),
			      comparison_value(c, t, AFTER, b->node) };
	double change = comparison_change(c, judged[BEFORE], judged[AFTER]);
	double sign = f->p->negates && change != 0 ? -1 : 1;
	double points = sign * comparison_points(c, judged[BEFORE], judged[AFTER]);
	xml_add(out, b->node ? tree_label_of(t, b->node)->shown : STR("all"));
	buf_add(out, STR(" ("));
	add_side(out, f, "before", before, c->total[BEFORE]);
	buf_add(out, STR("; "));
	add_side(out, f, "after", after, c->total[AFTER]);
	buf_add(out, c->by_self ? STR("; own ") : STR("; "));
	if (change == 0) {
		buf_add(out, STR("no change)"));
		return;
	}
	if (c->scaled_by == SCALE_NONE && f->p->style->factor == 1)
		buf_add_difference(out, judged[f->p->negates], judged[!f->p->negates], t->decimals);
	else if (c->scaled_by == SCALE_NONE)
		buf_addf(out, "%+.15g", sign * change / f->m.unit * f->p->style->factor);
	else
		buf_addf(out, "%+.2f points", points);
	if (b->node && comparison_is_noise(c, judged[BEFORE], judged[AFTER]))
		buf_add(out, STR(", within noise"));
	buf_add_char(out, ')');
}
