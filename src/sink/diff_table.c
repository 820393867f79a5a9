#include "sink/fit_text.h"
#include "sink/name_column.h"
#include "sink/sink.h"
#include <math.h>

/* --- values --- */

static double share_of(const struct diff_report *r, unsigned side, uint64_t value)
{
	uint64_t total = r->comparison->total[side];
	return total ? 100.0 * (double)value / (double)total : 0;
}

/* In percentage points, or in counts when they are compared as they are. */
static double change_of(const struct diff_report *r, const uint64_t *values)
{
	double change = comparison_change(r->comparison, values[BEFORE], values[AFTER]);
	double sign = r->negates && change != 0 ? -1 : 1;
	if (r->comparison->scaled_by == SCALE_NONE)
		return sign * change / (double)tree_unit(r->pair) * r->factor;
	return sign * comparison_points(r->comparison, values[BEFORE], values[AFTER]);
}

static bool is_noise(const struct diff_report *r, const uint64_t *values)
{
	return comparison_is_noise(r->comparison, values[BEFORE], values[AFTER]);
}

/* --- table --- */

/* What BEFORE is compared as has a column of its own where that is not its share. */
static bool shows_scaled(const struct diff_report *r)
{
	return r->comparison->scaled_by == SCALE_BY_REST;
}

static unsigned column_count(const struct diff_report *r)
{
	return shows_scaled(r) ? 4 : 3;
}

/* Wide enough for the largest count and a sign. */
static unsigned number_width(const struct diff_report *r)
{
	enum { USUAL = 9, NARROW = 7 };
	AUTO(buf) struct buf text = { 0 };
	size_t width = shows_scaled(r) ? NARROW : USUAL;
	for (unsigned side = 0; side < SIDES && r->comparison->scaled_by == SCALE_NONE; side++) {
		text.n = 0;
		buf_addf(&text, "%.15g",
			 (double)r->comparison->total[side] / (double)tree_unit(r->pair) *
				 r->factor);
		width = text.n + 2 > width ? text.n + 2 : width;
	}
	return (unsigned)width;
}

/* The columns of one value, and what is between it and the next. */
static size_t group_width(const struct diff_report *r)
{
	return column_count(r) * (size_t)number_width(r) + 1;
}

static void add_right(struct buf *out, struct str text, size_t width)
{
	for (size_t n = utf8_count(text); n < width; n++)
		buf_add_char(out, ' ');
	buf_add(out, text);
}

static void add_value(struct buf *out, const struct diff_report *r, unsigned side, uint64_t value)
{
	AUTO(buf) struct buf text = { 0 };
	if (r->comparison->scaled_by == SCALE_NONE && r->factor == 1)
		buf_add_decimal(&text, value, r->pair->decimals);
	else if (r->comparison->scaled_by == SCALE_NONE)
		buf_addf(&text, "%.15g", (double)value / (double)tree_unit(r->pair) * r->factor);
	else
		buf_addf(&text, shows_scaled(r) ? "%.2f" : "%.2f%%", share_of(r, side, value));
	add_right(out, buf_str(&text), number_width(r));
}

/* BEFORE as it is compared, in percent of AFTER: AFTER minus this is the change. */
static void add_scaled(struct buf *out, const struct diff_report *r, uint64_t before)
{
	AUTO(buf) struct buf text = { 0 };
	buf_addf(&text, "%.2f", fabs(comparison_points(r->comparison, before, 0)));
	add_right(out, buf_str(&text), number_width(r));
}

/* `+1.20`, with a '~' behind it where it is within noise. */
static void add_change(struct buf *out, const struct diff_report *r, const uint64_t *values)
{
	AUTO(buf) struct buf text = { 0 };
	double change = change_of(r, values);
	if (change == 0)
		buf_add_char(&text, '0');
	else if (r->comparison->scaled_by == SCALE_NONE && r->factor == 1)
		buf_add_difference(&text, values[r->negates], values[!r->negates],
				   r->pair->decimals);
	else if (r->comparison->scaled_by == SCALE_NONE)
		buf_addf(&text, "%+.15g", change);
	else
		buf_addf(&text, "%+.2f", change);
	add_right(out, buf_str(&text), number_width(r));
	buf_add_char(out, change != 0 && is_noise(r, values) ? '~' : ' ');
}

/* Own time, or that with callees: a column for each side, one for BEFORE as it is compared, and the change. */
static void add_values(struct buf *out, const struct diff_report *r, const uint64_t *values)
{
	add_value(out, r, BEFORE, values[BEFORE]);
	if (shows_scaled(r))
		add_scaled(out, r, values[BEFORE]);
	add_value(out, r, AFTER, values[AFTER]);
	add_change(out, r, values);
}

static void add_scale(struct buf *out, const struct comparison *c)
{
	switch (c->scaled_by) {
	case SCALE_NONE:
		buf_add(out, STR("counts are compared unscaled\n"));
		return;
	case SCALE_BY_TOTAL:
		buf_add(out, STR("before and after in percent of their totals; change: after minus "
				 "before\n"));
		return;
	case SCALE_BY_REST:
		buf_addf(out,
			 "before and after in percent of their totals\nscaled: before times %.3g; "
			 "%.0f%% of before and %.0f%% of after did not change\nchange: after minus "
			 "scaled; both in percent of after\n",
			 c->scale, 100 * c->rest[BEFORE], 100 * c->rest[AFTER]);
	}
}

/* A heading over several columns: `   ---- own ----`. */
static void add_ruled(struct buf *out, const char *text, size_t width)
{
	size_t n = strlen(text), rule = width - n - 4, left = rule / 2;
	buf_add(out, STR("   "));
	for (size_t i = 0; i < rule; i++) {
		if (i == left)
			buf_add(out, str_from(text));
		buf_add_char(out, '-');
	}
	buf_add_char(out, ' ');
}

static void add_sides(struct buf *out, const struct diff_report *r)
{
	for (unsigned side = 0; side < SIDES; side++) {
		buf_addf(out, "%-7s", side == BEFORE ? "before" : "after");
		fit_add_safe(out, r->side_text[side]);
		buf_add_char(out, '\n');
	}
}

static void add_heading(struct buf *out, const struct diff_report *r)
{
	add_sides(out, r);
	add_scale(out, r->comparison);
	buf_add(out, STR("~ marks changes within sampling noise (95 %)\n\n"));
	int width = (int)number_width(r);
	add_ruled(out, " own ", group_width(r));
	add_ruled(out, " with callees ", group_width(r));
	out->n--;
	buf_add_char(out, '\n');
	for (unsigned i = 0; i < 2; i++) {
		buf_addf(out, "%*s", width, "before");
		if (shows_scaled(r))
			buf_addf(out, "%*s", width, "scaled");
		buf_addf(out, "%*s%*s ", width, "after", width, "change");
	}
	buf_add(out, STR(" function\n"));
}

/* A name as it is listed, whole. */
static struct str whole_name(const struct tree_label *l, struct arena *text)
{
	AUTO(buf) struct buf brief = { 0 };
	if (!l->place.n)
		return tree_label_bare(l);
	label_add_brief(&brief, l);
	return arena_copy(text, buf_str(&brief));
}

/* Functions in the order of the table. */
struct rows {
	const struct function **p;
	uint32_t n;
};

static bool changed_itself(const struct diff_report *r, const struct function *f)
{
	return change_of(r, f->self) != 0;
}

/* Those that changed by what they call alone come last: they would hide the others. */
static struct rows rows_of(const struct diff_report *r)
{
	const struct functions *f = r->functions;
	struct rows rows = { mem_alloc((size_t)f->rows.n + 1, sizeof(*rows.p)), 0 };
	for (unsigned is_caller = 0; is_caller < 2; is_caller++)
		for (uint32_t i = 0; i < f->rows.n; i++)
			if (changed_itself(r, &f->rows.p[i]) == !is_caller)
				rows.p[rows.n++] = &f->rows.p[i];
	return rows;
}

static bool has_differences(const struct diff_report *r)
{
	for (uint32_t i = 0; i < r->functions->rows.n; i++) {
		const struct function *f = &r->functions->rows.p[i];
		if (changed_itself(r, f) || change_of(r, f->total) != 0)
			return true;
	}
	return false;
}

static void add_no_differences(struct buf *out, const struct diff_report *r)
{
	add_sides(out, r);
	buf_add(out, STR("no differences in "));
	buf_add_grouped(out, r->functions->rows.n);
	buf_add(out, r->functions->rows.n == 1 ? STR(" function\n") : STR(" functions\n"));
}

static struct name_column fit_names(const struct diff_report *r, const struct rows *rows,
				    size_t room, bool is_unicode)
{
	AUTO(arena) struct arena text = { 0 };
	AUTO_FREE struct str *names = mem_alloc((size_t)rows->n + 1, sizeof(*names));
	for (uint32_t i = 0; i < rows->n; i++)
		names[i] = whole_name(&r->pair->labels.p[rows->p[i]->label], &text);
	return name_column_of(names, rows->n, room, is_unicode);
}

static void add_rows(const struct diff_report *r, const struct rows *rows,
		     const struct name_column *names, struct writer *out)
{
	AUTO(buf) struct buf text = { 0 };
	for (uint32_t i = 0; i < rows->n; i++) {
		text.n = 0;
		add_values(&text, r, rows->p[i]->self);
		add_values(&text, r, rows->p[i]->total);
		buf_add_char(&text, ' ');
		buf_add(&text, names->p[i]);
		buf_add_char(&text, '\n');
		writer_add(out, buf_str(&text));
	}
}

static void add_table(const struct diff_report *r, const struct report_style *style,
		      struct writer *out)
{
	enum { LEAST_NAME = 20 };
	AUTO(buf) struct buf text = { 0 };
	size_t before_name = 2 * group_width(r) + 1;
	size_t room = style->columns > before_name + LEAST_NAME ? style->columns - before_name
								: LEAST_NAME;
	struct rows rows = rows_of(r);
	uint32_t n = rows.n;
	rows.n = r->limit && r->limit < n ? r->limit : n;
	AUTO(name_column)
	struct name_column names =
		fit_names(r, &rows, style->columns ? room : SIZE_MAX, style->is_unicode);
	add_heading(&text, r);
	writer_add(out, buf_str(&text));
	add_rows(r, &rows, &names, out);
	text.n = 0;
	if (rows.n < n) {
		buf_add(&text, STR("and "));
		buf_add_grouped(&text, n - rows.n);
		buf_add(&text, STR(" more functions: --limit 0 shows all\n"));
	}
	writer_add(out, buf_str(&text));
	free(rows.p);
}

void sink_diff_table(const struct diff_report *r, const struct report_style *style,
		     struct writer *out)
{
	AUTO(buf) struct buf text = { 0 };
	if (!r->limit || has_differences(r)) {
		add_table(r, style, out);
		return;
	}
	add_no_differences(&text, r);
	writer_add(out, buf_str(&text));
}

/* --- JSON --- */

static const char *const side_keys[] = { [BEFORE] = "before", [AFTER] = "after" };

static void add_exact(struct json_out *j, const char *key, const struct diff_report *r,
		      uint64_t value)
{
	json_out_decimal(j, key, value, r->pair->decimals);
}

static void add_percent(struct json_out *j, const char *key, double percent)
{
	buf_addf(json_out_value(j, key), "%.6g", percent);
}

static void add_side(struct json_out *j, const struct diff_report *r, const struct function *f,
		     unsigned side)
{
	json_out_open(j, side_keys[side], '{');
	add_exact(j, "self", r, f->self[side]);
	add_exact(j, "total", r, f->total[side]);
	add_percent(j, "self_percent", share_of(r, side, f->self[side]));
	add_percent(j, "total_percent", share_of(r, side, f->total[side]));
	json_out_close(j, '}');
}

static void add_function(struct json_out *j, const struct diff_report *r, const struct function *f)
{
	const struct tree_label *label = &r->pair->labels.p[f->label];
	json_out_line(j);
	json_out_open(j, NULL, '{');
	json_out_string(j, "name", tree_label_bare(label));
	if (label->place.n) {
		json_out_string(j, "function", label->function);
		json_out_string(j, "place", label->place);
	}
	json_out_string(j, "category", str_from(category_name(category_of_label(label))));
	add_side(j, r, f, BEFORE);
	add_side(j, r, f, AFTER);
	json_out_open(j, "change", '{');
	json_out_real(j, "self", change_of(r, f->self));
	json_out_real(j, "total", change_of(r, f->total));
	json_out_close(j, '}');
	json_out_open(j, "noise", '{');
	json_out_bool(j, "self", is_noise(r, f->self));
	json_out_bool(j, "total", is_noise(r, f->total));
	json_out_close(j, '}');
	json_out_close(j, '}');
}

/* What --fail-above found. */
static void add_failures(struct json_out *j, const struct diff_report *r)
{
	if (r->fail_above < 0)
		return;
	json_out_line(j);
	json_out_real(j, "fail_above", r->fail_above);
	json_out_open(j, "failed", '[');
	for (uint32_t i = 0; i < r->grown->rows.n; i++)
		json_out_string(j, NULL, tree_label_bare(r->grown->rows.p[i].label));
	json_out_close(j, ']');
}

void sink_diff_json(const struct diff_report *r, struct writer *out)
{
	static const char *const scales[] = { "rest", "total", "none" };
	const struct comparison *c = r->comparison;
	struct json_out j = { .out = out };
	json_out_open(&j, NULL, '{');
	json_out_string(&j, "scaled_by", str_from(scales[c->scaled_by]));
	json_out_real(&j, "scale", c->scale);
	json_out_string(&j, "unit", str_from(r->count_name));
	for (unsigned side = 0; side < SIDES; side++) {
		json_out_line(&j);
		json_out_open(&j, side_keys[side], '{');
		json_out_string(&j, "text", r->side_text[side]);
		json_out_real(&j, "samples", c->samples[side]);
		add_exact(&j, "total", r, c->total[side]);
		json_out_close(&j, '}');
	}
	json_out_line(&j);
	json_out_open(&j, "functions", '[');
	for (uint32_t i = 0; i < r->functions->rows.n; i++)
		add_function(&j, r, &r->functions->rows.p[i]);
	json_out_close(&j, ']');
	add_failures(&j, r);
	json_out_close(&j, '}');
	json_out_end(&j);
}
