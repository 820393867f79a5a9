/* Numbers of a layout, by what they belong to: as many beside each other as fit. */
#include "sink/doctor_int.h"

enum { CELL_COLUMNS = 39, NAME_COLUMNS = 25, VALUE_COLUMNS = 4, INDENT = 2, LEAST_COLUMNS = 80 };

static void add_cell(struct buf *out, const struct doctor_constant *c)
{
	size_t start = out->n;
	fit_add_start(out, c->name, NAME_COLUMNS, false);
	report_pad(out, start, NAME_COLUMNS);
	if (c->is_known)
		buf_addf(out, "%*d %s", VALUE_COLUMNS, c->value, c->origin);
	else
		buf_addf(out, "%*s %s", VALUE_COLUMNS, "-", c->origin);
	report_pad(out, start, CELL_COLUMNS);
}

static bool is_first_of_group(const struct doctor_report *r, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (str_eq(r->constants.p[k].group, r->constants.p[i].group))
			return false;
	return true;
}

static void end_line(struct buf *out)
{
	while (out->n && out->p[out->n - 1] == ' ')
		out->n--;
	buf_add_char(out, '\n');
}

static void add_group(struct buf *out, const struct doctor_report *r, uint32_t first,
		      unsigned cells)
{
	unsigned used = 0;
	for (uint32_t i = first; i < r->constants.n; i++) {
		if (!str_eq(r->constants.p[i].group, r->constants.p[first].group))
			continue;
		if (used == cells) {
			end_line(out);
			used = 0;
		}
		if (!used++)
			buf_addf(out, "%*s", INDENT, "");
		add_cell(out, &r->constants.p[i]);
	}
	end_line(out);
}

void doctor_add_constants(struct buf *out, const struct doctor_report *r,
			  const struct report_style *s)
{
	unsigned columns = s->columns > LEAST_COLUMNS ? s->columns : LEAST_COLUMNS;
	unsigned cells = (columns - INDENT) / CELL_COLUMNS;
	if (r->constants.n) {
		buf_add_char(out, '\n');
		buf_add_wrapped(out,
				STR("layout of V8's heap (exported: by its file; inferred: "
				    "from an exported value; tabled: from plume's table for "
				    "this version of V8)"),
				0, columns);
		buf_add_char(out, '\n');
	}
	for (uint32_t i = 0; i < r->constants.n; i++) {
		if (!is_first_of_group(r, i))
			continue;
		buf_addf(out, "%s", i ? "" : "\n");
		report_ink(out, s, INK_DIM);
		buf_add(out, r->constants.p[i].group);
		report_ink(out, s, INK_PLAIN);
		buf_add_char(out, '\n');
		add_group(out, r, i, cells);
	}
}
