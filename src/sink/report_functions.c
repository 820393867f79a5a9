/* The table of functions. */
#include "sink/report_int.h"

#include "sink/name_column.h"

/* Without the place, which has a column of its own. */
static struct str function_of(const struct tree_label *l)
{
	return l->place.n ? l->function : fit_without_place(l->name);
}

/* Its place in the source. */
static void add_source(struct buf *out, const struct report_function *f, const struct tree_label *l)
{
	struct str place = l->place.n ? l->place : fit_place(l->name);
	if (place.n) {
		buf_add(out, place);
		return;
	}
	if (!f->file.n)
		return;
	buf_add(out, f->file);
	if (f->line)
		buf_addf(out, ":%u", f->line);
}

const char *const report_tier_names[TREE_TIER_COUNT] = { "interpreter", "sparkplug", "maglev",
							 "turbofan" };

static const struct tree_label *label_of(const struct report_table *t,
					 const struct report_function *f)
{
	return &t->tree->labels.p[f->label];
}

/* The compiler that made most of what ran; TREE_TIER_COUNT: not known. */
unsigned report_tier_of(const struct report_function *f)
{
	unsigned most = 0;
	for (unsigned i = 1; i < TREE_TIER_COUNT; i++)
		most = f->ran_in[i] > f->ran_in[most] ? i : most;
	return f->ran_in[most] ? most : TREE_TIER_COUNT;
}

/* How much of it. */
static double tier_percent(const struct report_function *f, unsigned tier)
{
	uint64_t sum = 0, overflows = 0;
	for (unsigned i = 0; i < TREE_TIER_COUNT; i++)
		sum = saturating_add(sum, f->ran_in[i], &overflows);
	return report_percent(f->ran_in[tier], sum);
}

/* That functions of scripts were made at run time goes without saying: their places are in files. */
static bool is_made_at_run_time(const struct report_table *t, const struct report_function *f)
{
	const struct tree_label *l = label_of(t, f);
	struct str file = str_basename(f->module);
	return l->place.n && (l->kind == FRAME_JIT || l->kind == FRAME_INTERPRETED) &&
	       (str_starts(file, STR("[JIT]")) || str_starts(file, STR("perf-")) ||
		str_starts(file, STR("jit-")));
}

/* The file it is in; of JavaScript the compiler, and if others did much of it, how much. */
static void add_module(struct buf *out, const struct report_table *t,
		       const struct report_function *f, bool has_percent)
{
	enum { NEARLY_ALL = 95 }; /* percent */
	unsigned tier = report_tier_of(f);
	if (tier < TREE_TIER_COUNT) {
		double percent = tier_percent(f, tier);
		buf_add(out, str_from(report_tier_names[tier]));
		if (has_percent && percent < NEARLY_ALL)
			buf_addf(out, " %.0f %%", percent);
	} else if (!is_made_at_run_time(t, f)) {
		buf_add(out, fit_module(f->module));
	}
}

struct columns {
	size_t name, module, source;
	bool has_percent; /* the modules' column has room for them */
};

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t widest_module(const struct report_table *t, uint32_t n, bool has_percent)
{
	AUTO(buf) struct buf module = { 0 };
	size_t widest = 0;
	for (uint32_t i = 0; i < n; i++) {
		module.n = 0;
		add_module(&module, t, &t->functions->rows.p[i], has_percent);
		size_t width = utf8_count(buf_str(&module));
		widest = width > widest ? width : widest;
	}
	return widest;
}

/* What rows need, within limits; names get the rest. */
static struct columns columns_of(const struct report_table *t, const struct report_style *s,
				 uint32_t n)
{
	enum { NUMBERS = 14, LEAST_NAME = 20, LONGEST_NAME = 80 };
	struct columns c = { 0 };
	AUTO(buf) struct buf source = { 0 };
	for (uint32_t i = 0; i < n; i++) {
		const struct report_function *f = &t->functions->rows.p[i];
		source.n = 0;
		add_source(&source, f, label_of(t, f));
		size_t widths[] = { utf8_count(function_of(label_of(t, f))),
				    utf8_count(buf_str(&source)) };
		c.name = widths[0] > c.name ? widths[0] : c.name;
		c.source = widths[1] > c.source ? widths[1] : c.source;
	}
	size_t room = s->columns > NUMBERS + LEAST_NAME ? s->columns - NUMBERS : LEAST_NAME;
	c.module = widest_module(t, n, true);
	c.has_percent = c.module <= room / 5;
	if (!c.has_percent)
		c.module = smaller(widest_module(t, n, false), room / 5);
	/* One long name must not move the modules of all others out of sight. */
	if (c.module || c.source)
		c.name = smaller(c.name, LONGEST_NAME);
	size_t after_module = room - (c.module ? c.module + 1 : 0);
	size_t wanted_name = smaller(c.name, after_module * 3 / 5);
	c.source = smaller(c.source,
			   after_module > wanted_name + 1 ? after_module - wanted_name - 1 : 0);
	c.name = smaller(c.name, after_module - (c.source ? c.source + 1 : 0));
	return c;
}

/* --- names --- */

/* The column becomes as wide as what is in it. */
static struct name_column fit_names(const struct report_table *t, const struct report_style *s,
				    struct columns *c, uint32_t n)
{
	AUTO_FREE struct str *names = mem_alloc(n, sizeof(*names));
	for (uint32_t i = 0; i < n; i++)
		names[i] = function_of(label_of(t, &t->functions->rows.p[i]));
	struct name_column shown = name_column_of(names, n, c->name, s->is_unicode);
	c->name = shown.widest;
	return shown;
}

/* --- rows --- */

static void add_fitted(struct buf *out, const struct report_table *t, const struct report_style *s,
		       const struct columns *c, const struct report_function *f, struct str shown)
{
	AUTO(buf) struct buf module = { 0 }, source = { 0 };
	size_t start;
	report_add_share(out, s, f->self, t->tree->total[0][0]);
	buf_add(out, STR("  "));
	report_add_share(out, s, f->total, t->tree->total[0][0]);
	buf_add(out, STR("  "));
	start = out->n;
	buf_add(out, shown);
	report_pad(out, start, c->name + 1);
	start = out->n;
	add_module(&module, t, f, c->has_percent);
	fit_add_start(out, buf_str(&module), c->module, s->is_unicode);
	report_pad(out, start, c->module + 1);
	add_source(&source, f, label_of(t, f));
	fit_add_end(out, buf_str(&source), c->source, s->is_unicode);
	while (out->n && out->p[out->n - 1] == ' ')
		out->n--;
	buf_add_char(out, '\n');
}

/* Words without blanks, then the name: a program finds each by its number. */
static void add_plain(struct buf *out, const struct report_table *t, const struct report_style *s,
		      const struct report_function *f)
{
	AUTO(buf) struct buf module = { 0 }, source = { 0 };
	struct str name = tree_label_listed(label_of(t, f));
	report_add_share(out, s, f->self, t->tree->total[0][0]);
	buf_add_char(out, ' ');
	report_add_share(out, s, f->total, t->tree->total[0][0]);
	buf_add_char(out, ' ');
	buf_add_decimal(out, f->self, t->tree->decimals);
	buf_add_char(out, ' ');
	buf_add_decimal(out, f->total, t->tree->decimals);
	buf_add_char(out, ' ');
	if (report_tier_of(f) < TREE_TIER_COUNT || is_made_at_run_time(t, f))
		add_module(&module, t, f, false);
	else
		buf_add(&module, str_basename(f->module));
	report_add_word(out, buf_str(&module));
	buf_add_char(out, ' ');
	if (!fit_place(name).n)
		add_source(&source, f, label_of(t, f));
	report_add_word(out, buf_str(&source));
	buf_add_char(out, ' ');
	fit_add_safe(out, fit_known(name));
	buf_add_char(out, '\n');
}

/* `, the hottest 12 of 974 by self`, or `; 12 of 974` where that has no room. */
static void add_shown_of(struct buf *out, const struct report_table *t,
			 const struct report_style *s, uint32_t n)
{
	AUTO(buf) struct buf of = { 0 }, text = { 0 };
	buf_add_grouped(&of, n);
	buf_add(&of, STR(" of "));
	buf_add_grouped(&of, t->functions->rows.n);
	buf_addf(&text, "%s the hottest %s by %s", t->is_your_code ? ";" : ",", buf_c_string(&of),
		 t->order == ORDER_BY_SELF ? "self" : "total");
	if (s->columns && utf8_count(buf_str(out)) + utf8_count(buf_str(&text)) > s->columns) {
		text.n = 0;
		buf_addf(&text, "; %s", buf_c_string(&of));
	}
	buf_add(out, buf_str(&text));
}

/* ` self  total  function, the hottest 12 of 974 by self` */
static void add_heading(struct buf *out, const struct report_table *t, const struct report_style *s,
			uint32_t n)
{
	AUTO(buf) struct buf text = { 0 };
	const char *what = t->is_your_code ? "your code" : "function";
	if (s->columns)
		buf_addf(&text, "%5s  %5s  %s", "self", "total", what);
	else
		buf_addf(&text, "# self%% total%% self total module source %s", what);
	if (t->is_your_code) {
		buf_add(&text, STR(": "));
		buf_add_percent(&text, t->yours, t->tree->total[0][0]);
		buf_add(&text, STR(" of samples, including what it calls"));
	}
	if (n < t->functions->rows.n)
		add_shown_of(&text, t, s, n);
	report_ink(out, s, INK_DIM);
	fit_add_start(out, buf_str(&text), s->columns ? s->columns : SIZE_MAX, s->is_unicode);
	report_ink(out, s, INK_PLAIN);
	buf_add_char(out, '\n');
}

void report_add_functions(struct buf *out, const struct report_table *t,
			  const struct report_style *s)
{
	uint32_t all = t->functions->rows.n;
	uint32_t n = t->limit && t->limit < all ? t->limit : all;
	struct columns c = columns_of(t, s, n);
	AUTO(name_column) struct name_column names = { 0 };
	if (s->columns)
		names = fit_names(t, s, &c, n);
	add_heading(out, t, s, n);
	for (uint32_t i = 0; i < n; i++)
		if (s->columns)
			add_fitted(out, t, s, &c, &t->functions->rows.p[i], names.p[i]);
		else
			add_plain(out, t, s, &t->functions->rows.p[i]);
}
