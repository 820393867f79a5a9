#include "sink/report_int.h"
#include "sink/sink.h"

/* --- parts --- */

void report_ink(struct buf *out, const struct report_style *s, enum ink ink)
{
	static const char *const codes[] = {
		[INK_PLAIN] = "\033[0m",  [INK_BOLD] = "\033[1m",  [INK_DIM] = "\033[2m",
		[INK_HOT] = "\033[1;31m", [INK_WARM] = "\033[33m", [INK_GOOD] = "\033[32m"
	};
	if (s->has_colours)
		buf_add(out, str_from(codes[ink]));
}

void report_add_share(struct buf *out, const struct report_style *s, uint64_t value, uint64_t total)
{
	enum { WARM = 2, HOT = 10 };
	double percent = report_percent(value, total);
	if (!s->columns) {
		buf_addf(out, "%6.2f", percent);
		return;
	}
	if (!value) {
		buf_add(out, STR("     "));
		return;
	}
	enum ink ink = percent >= HOT ? INK_HOT : percent >= WARM ? INK_WARM : INK_PLAIN;
	if (ink != INK_PLAIN)
		report_ink(out, s, ink);
	buf_addf(out, "%5.1f", percent);
	if (ink != INK_PLAIN)
		report_ink(out, s, INK_PLAIN);
}

void report_begin_remark(struct buf *out, const struct report_style *s)
{
	if (!s->columns)
		buf_add(out, STR("# "));
}

void report_pad(struct buf *out, size_t from, size_t columns)
{
	for (size_t n = utf8_count(str_from_byte(buf_str(out), from)); n < columns; n++)
		buf_add_char(out, ' ');
}

void report_add_value(struct buf *out, const struct tree *t, uint64_t value)
{
	if (t->decimals)
		buf_add_decimal(out, value, t->decimals);
	else
		buf_add_grouped(out, value);
}

void report_add_word(struct buf *out, struct str text)
{
	size_t start = out->n;
	fit_add_safe(out, text.n ? text : STR("-"));
	for (char *c = out->p + start; c < out->p + out->n; c++)
		if (*c == ' ')
			*c = '_';
}

/* --- groups --- */

/* On a screen: the group, and what its weight counts where others count something else. */
static void add_group_name(struct buf *out, const struct report *r, const struct report_group *g)
{
	struct str unit = r->units->of_event[g->event];
	buf_add(out, g->name);
	if (report_is_by_unit(r) && !str_eq(unit, g->name))
		buf_addf(out, " (%.*s)", STR_ARG(unit));
}

static size_t group_width(const struct report *r, uint32_t n, size_t most)
{
	size_t width = strlen(r->group_key);
	AUTO(buf) struct buf name = { 0 };
	for (uint32_t i = 0; i < n; i++) {
		name.n = 0;
		add_group_name(&name, r, &r->groups->rows.p[i]);
		size_t need = utf8_count(buf_str(&name));
		width = need > width ? need : width;
	}
	return width < most ? width : most;
}

static void add_group(struct buf *out, const struct report *r, const struct report_style *s,
		      const struct report_group *g, size_t name_width)
{
	AUTO(buf) struct buf value = { 0 };
	AUTO(buf) struct buf name = { 0 };
	struct str hottest = tree_label_listed(&r->tree->labels.p[g->hottest]);
	report_add_share(out, s, g->weight, g->whole);
	if (!s->columns) {
		buf_add_char(out, ' ');
		buf_add_decimal(out, g->weight, r->tree->decimals);
		buf_add_char(out, ' ');
		report_add_word(out, g->name);
		buf_add_char(out, ' ');
		report_add_share(out, s, g->hottest_weight, g->whole);
		buf_add_char(out, ' ');
		fit_add_safe(out, fit_known(hottest));
		buf_add_char(out, '\n');
		return;
	}
	report_add_value(&value, r->tree, g->weight);
	buf_addf(out, " %12.*s  ", STR_ARG(buf_str(&value)));
	size_t start = out->n;
	add_group_name(&name, r, g);
	fit_add_start(out, buf_str(&name), name_width, s->is_unicode);
	report_pad(out, start, name_width + 2);
	report_add_share(out, s, g->hottest_weight, g->whole);
	buf_add(out, STR("  "));
	size_t used = 5 + 1 + 12 + 2 + name_width + 2 + 5 + 2;
	fit_add_name(out, hottest, s->columns > used + 10 ? s->columns - used : 10, s->is_unicode);
	buf_add_char(out, '\n');
}

static void add_groups(struct buf *out, const struct report *r, const struct report_style *s)
{
	uint32_t all = r->groups->rows.n;
	uint32_t n = r->group_limit && r->group_limit < all ? r->group_limit : all;
	size_t width = group_width(r, n, s->columns / 4);
	AUTO(buf) struct buf unit = { 0 };
	buf_add(&unit, r->units->n > 1 ? STR("weight") : r->units->all);
	report_ink(out, s, INK_DIM);
	if (s->columns)
		buf_addf(out, "share %12.12s  %-*s   self  hottest function", buf_c_string(&unit),
			 (int)width, r->group_key);
	else
		buf_addf(out, "# share%% weight %s self%% hottest_function", r->group_key);
	report_ink(out, s, INK_PLAIN);
	buf_add_char(out, '\n');
	for (uint32_t i = 0; i < n; i++)
		add_group(out, r, s, &r->groups->rows.p[i], width);
	if (n == all)
		return;
	uint64_t rest = 0, overflows = 0;
	for (uint32_t i = n; i < all; i++)
		rest = saturating_add(rest, r->groups->rows.p[i].weight, &overflows);
	report_begin_remark(out, s);
	if (!report_is_by_unit(r))
		report_add_share(out, s, rest, r->summary.total);
	buf_add(out, report_is_by_unit(r) ? STR("and ") : STR("  in "));
	buf_add_grouped(out, all - n);
	buf_add(out, STR(" more: --limit 0 shows all\n"));
}

/* --- the whole --- */

static void add_subject(struct buf *out, const struct report *r, const struct report_style *s)
{
	const struct report_subject *f = r->subject;
	report_begin_remark(out, s);
	report_ink(out, s, INK_BOLD);
	fit_add_name(out, f->name, s->columns ? s->columns : SIZE_MAX, s->is_unicode);
	report_ink(out, s, INK_PLAIN);
	if (f->functions > 1)
		buf_addf(out, " (%u functions)", f->functions);
	buf_add_char(out, '\n');
	report_begin_remark(out, s);
	buf_add_percent(out, f->total, r->summary.total);
	buf_add(out, STR(" of all samples with callees, "));
	buf_add_percent(out, f->self, r->summary.total);
	buf_add(out, STR(" self\n"));
}

void sink_report_text(const struct report *r, const struct report_style *s, struct writer *out)
{
	AUTO(buf) struct buf text = { 0 };
	report_add_ledger(&text, r, s);
	for (unsigned i = 0; i < 2; i++) {
		const struct report_table *t = i ? &r->all : &r->your_code;
		if (!t->functions)
			continue;
		buf_add_char(&text, '\n');
		report_add_functions(&text, t, s);
	}
	if (r->groups) {
		buf_add_char(&text, '\n');
		add_groups(&text, r, s);
	}
	if (r->subject) {
		buf_add_char(&text, '\n');
		add_subject(&text, r, s);
	}
	for (unsigned i = 0; i < r->path_count; i++) {
		buf_add_char(&text, '\n');
		report_add_paths(&text, r, &r->paths[i], s);
	}
	writer_add(out, buf_str(&text));
}
