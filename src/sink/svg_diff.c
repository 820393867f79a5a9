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

/* `+1.23 points, within noise` */
static void add_change(struct buf *out, const struct frames *f, const uint64_t *values)
{
	const struct comparison *c = f->p->comparison;
	double change = comparison_change(c, values[BEFORE], values[AFTER]);
	double sign = f->p->negates && change != 0 ? -1 : 1;
	if (change == 0) {
		buf_add(out, STR("no change"));
		return;
	}
	if (c->scaled_by == SCALE_NONE && f->p->style->factor == 1)
		buf_add_difference(out, values[f->p->negates], values[!f->p->negates],
				   f->p->tree->decimals);
	else if (c->scaled_by == SCALE_NONE)
		buf_addf(out, "%+.15g", sign * change / f->m.unit * f->p->style->factor);
	else
		buf_addf(out, "%+.2f points",
			 sign * comparison_points(c, values[BEFORE], values[AFTER]));
	if (comparison_is_noise(c, values[BEFORE], values[AFTER]))
		buf_add(out, STR(", within noise"));
}

void svg_add_diff_title(struct buf *out, const struct frames *f, const struct box *b)
{
	const struct comparison *c = f->p->comparison;
	const struct tree *t = f->p->tree;
	uint64_t total[] = { t->total[BEFORE][b->node], t->total[AFTER][b->node] };
	uint64_t self[] = { t->self[BEFORE][b->node], t->self[AFTER][b->node] };
	xml_add(out, b->node ? tree_label_of(t, b->node)->shown : STR("all"));
	buf_add(out, STR(" ("));
	add_side(out, f, "before", total[BEFORE], c->total[BEFORE]);
	buf_add(out, STR("; "));
	add_side(out, f, "after", total[AFTER], c->total[AFTER]);
	buf_add(out, STR("; "));
	add_change(out, f, total);
	if (c->by_self && b->node) {
		buf_add(out, STR("; own "));
		add_change(out, f, self);
	}
	buf_add_char(out, ')');
}
