/* Formats the live picture. What it shows comes from untrusted programs. */
#include "cmd/record_screen.h"

/* --- text --- */

enum ink { INK_PLAIN, INK_BOLD, INK_DIM, INK_HOT, INK_WARM };

static void ink(struct buf *out, const struct record_view *v, enum ink which)
{
	static const char *const codes[] = { "\033[0m", "\033[1m", "\033[2m", "\033[1;31m",
					     "\033[33m" };
	if (v->style.has_colours)
		buf_add(out, str_from(codes[which]));
}

/*
 * Text is already free of control characters. But in a terminal that does not use UTF-8, its bytes
 * may be control characters.
 */
static void add_text(struct buf *out, const struct record_view *v, struct str text)
{
	for (size_t at = 0; at < text.n;) {
		size_t start = at;
		bool is_plain = utf8_next(text, &at) < 0x80 || v->style.is_unicode;
		buf_add(out, is_plain ? (struct str){ text.p + start, at - start } : STR("?"));
	}
}

static void add_padded(struct buf *out, const struct record_view *v, struct str text,
		       size_t columns)
{
	add_text(out, v, text);
	for (size_t n = utf8_count(text); n < columns; n++)
		buf_add_char(out, ' ');
}

/* One column less than there are: terminals disagree on the cursor position in the last one. */
static size_t width_of(const struct record_view *v)
{
	return v->style.columns > 1 ? v->style.columns - 1 : 1;
}

/* --- the headline --- */

/* `12.4 s`, `5 min 07 s`, `2 h 05 min`. */
static void add_time(struct buf *out, uint64_t ns, bool is_whole)
{
	uint64_t tenths = ns / 100000000, s = tenths / 10;
	if (s >= 3600)
		buf_addf(out, "%llu h %02u min", (unsigned long long)(s / 3600),
			 (unsigned)(s / 60 % 60));
	else if (s >= 60)
		buf_addf(out, "%u min %02u s", (unsigned)(s / 60), (unsigned)(s % 60));
	else if (is_whole && tenths % 10 == 0)
		buf_addf(out, "%u s", (unsigned)s);
	else
		buf_addf(out, "%u.%u s", (unsigned)s, (unsigned)(tenths % 10));
}

static void add_bytes(struct buf *out, uint64_t bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	double value = (double)bytes;
	unsigned unit = 0;
	while (value >= 999.5 && unit + 1 < ARRAY_SIZE(units)) {
		value /= 1000;
		unit++;
	}
	buf_addf(out, unit && value < 9.95 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void add_on_cpu(struct buf *out, double on_cpu, bool is_short)
{
	if (on_cpu < 1.995)
		buf_addf(out, "%.0f %% %s", on_cpu * 100, is_short ? "cpu" : "of one cpu");
	else
		buf_addf(out, "%.1f cpus", on_cpu);
}

/* What to drop first if the terminal is narrow. */
enum brevity {
	BRIEF_NOT,
	BRIEF_NO_BYTES,
	BRIEF_WORDS,
	BRIEF_NO_STATE,
	BRIEF_TITLE,
	BRIEF_NO_TITLE,
	BRIEF_LEAST
};

static void begin_part(struct buf *out)
{
	if (out->n)
		buf_add(out, STR("  "));
}

static void add_elapsed(struct buf *out, const struct record_progress *p, enum brevity brevity)
{
	begin_part(out);
	add_time(out, p->elapsed_ns, false);
	if (p->duration_ns) {
		buf_add(out, STR(" of "));
		add_time(out, p->duration_ns, true);
	} else if (brevity < BRIEF_WORDS) {
		buf_add(out, STR(", Ctrl-C to stop"));
	}
}

/* Everything except the title and lost samples. */
static void add_numbers(struct buf *out, const struct record_progress *p, enum brevity brevity)
{
	add_elapsed(out, p, brevity);
	begin_part(out);
	buf_add_grouped(out, p->samples);
	buf_addf(out, " sample%s", p->samples == 1 ? "" : "s");
	if (p->on_cpu >= 0 && brevity < BRIEF_LEAST) {
		begin_part(out);
		add_on_cpu(out, p->on_cpu, brevity >= BRIEF_WORDS);
	}
	if (p->output_bytes && brevity < BRIEF_NO_BYTES) {
		begin_part(out);
		add_bytes(out, p->output_bytes);
	}
}

static void add_lost(struct buf *out, const struct record_progress *p, enum brevity brevity)
{
	if (!p->lost && brevity >= BRIEF_WORDS)
		return;
	buf_add(out, STR("  "));
	buf_add_grouped(out, p->lost);
	buf_add(out, STR(" lost"));
}

/* The parts of the line, to measure its width before it is coloured. */
struct headline {
	struct buf state, title, numbers, lost;
};

static void headline_fini(struct headline *h)
{
	buf_fini(&h->state);
	buf_fini(&h->title);
	buf_fini(&h->numbers);
	buf_fini(&h->lost);
}

static size_t headline_columns(const struct headline *h)
{
	size_t state = utf8_count(buf_str(&h->state)), title = utf8_count(buf_str(&h->title));
	return state + (state && title) + title + (state || title ? 2 : 0) + h->numbers.n +
	       h->lost.n;
}

static void make_headline(struct headline *h, const struct record_view *v,
			  const struct record_progress *p, enum brevity brevity)
{
	enum { LEAST_TITLE = 8 };
	h->state.n = h->title.n = h->numbers.n = h->lost.n = 0;
	if (brevity < BRIEF_NO_STATE)
		fit_add_safe(&h->state, str_from(p->state));
	add_numbers(&h->numbers, p, brevity);
	add_lost(&h->lost, p, brevity);
	size_t used = headline_columns(h) + 2, width = width_of(v);
	if (brevity < BRIEF_TITLE)
		fit_add_safe(&h->title, str_from(v->title));
	else if (brevity == BRIEF_TITLE && width >= used + LEAST_TITLE)
		fit_add_start(&h->title, str_from(v->title), width - used, v->style.is_unicode);
}

static void add_headline(struct buf *out, const struct record_view *v,
			 const struct record_progress *p)
{
	AUTO(headline) struct headline h = { 0 };
	enum brevity brevity = BRIEF_NOT;
	do
		make_headline(&h, v, p, brevity);
	while (headline_columns(&h) > width_of(v) && brevity++ < BRIEF_LEAST);
	if (headline_columns(&h) > width_of(v)) {
		fit_add_start(out, buf_str(&h.numbers), width_of(v), false);
		return;
	}
	ink(out, v, INK_BOLD);
	add_text(out, v, buf_str(&h.state));
	ink(out, v, INK_PLAIN);
	if (h.state.n && h.title.n)
		buf_add_char(out, ' ');
	add_text(out, v, buf_str(&h.title));
	if (h.state.n || h.title.n)
		buf_add(out, STR("  "));
	buf_add(out, buf_str(&h.numbers));
	ink(out, v, p->lost ? INK_HOT : INK_PLAIN);
	buf_add(out, buf_str(&h.lost));
	ink(out, v, INK_PLAIN);
}

/* --- functions --- */

/* Columns of a row: ` 12.3 %  ####  name  module`. */
struct row_columns {
	size_t bar, name, module;
};

enum { SHARE_COLUMNS = 8, GAP_COLUMNS = 2 };

static struct row_columns columns_of(const struct record_view *v)
{
	enum {
		LEAST_FOR_BAR = 50,
		LEAST_FOR_MODULE = 36,
		MOST_BAR = 24,
		MOST_MODULE = 30,
		MOST_NAME = 90
	};
	struct row_columns c = { 0 };
	size_t width = width_of(v), room = width > SHARE_COLUMNS ? width - SHARE_COLUMNS : 0;
	if (width >= LEAST_FOR_BAR)
		c.bar = width / 6 < MOST_BAR ? width / 6 : MOST_BAR;
	if (width >= LEAST_FOR_MODULE)
		c.module = width / 5 < MOST_MODULE ? width / 5 : MOST_MODULE;
	size_t beside = (c.bar ? c.bar + GAP_COLUMNS : 0) + (c.module ? c.module + GAP_COLUMNS : 0);
	c.name = room > beside ? room - beside : 0;
	if (c.module && c.name > MOST_NAME) /* keep modules close to their functions */
		c.name = MOST_NAME;
	return c;
}

static void add_share(struct buf *out, const struct record_view *v, uint64_t value, uint64_t total)
{
	enum { WARM = 2, HOT = 10 };
	double percent = total ? 100.0 * (double)value / (double)total : 0;
	ink(out, v, percent >= HOT ? INK_HOT : percent >= WARM ? INK_WARM : INK_PLAIN);
	buf_addf(out, "%5.1f %%", percent);
	ink(out, v, INK_PLAIN);
}

/* The bar of the hottest function fills all columns. */
static void add_bar(struct buf *out, const struct record_view *v, double share, size_t columns)
{
	enum { EIGHTHS = 8 };
	static const char *const parts[] = { "",
					     "\xe2\x96\x8f",
					     "\xe2\x96\x8e",
					     "\xe2\x96\x8d",
					     "\xe2\x96\x8c",
					     "\xe2\x96\x8b",
					     "\xe2\x96\x8a",
					     "\xe2\x96\x89" };
	size_t eighths = (size_t)(share * (double)(columns * EIGHTHS) + 0.5), used = 0;
	if (!v->style.is_unicode)
		eighths = (eighths + EIGHTHS / 2) / EIGHTHS * EIGHTHS;
	for (; used < eighths / EIGHTHS && used < columns; used++)
		buf_add(out, v->style.is_unicode ? STR("\xe2\x96\x88") : STR("#"));
	if (eighths % EIGHTHS && used++ < columns)
		buf_add(out, str_from(parts[eighths % EIGHTHS]));
	for (; used < columns; used++)
		buf_add_char(out, ' ');
}

/* A function without a name is shown by its file. */
static void add_name(struct buf *out, const struct profile *p, const struct hot_function *f,
		     const struct record_view *v, size_t columns)
{
	AUTO(buf) struct buf name = { 0 };
	struct str module = fit_module(profile_str(p, f->module));
	if (f->name != STR_NONE)
		buf_add(&name, profile_str(p, f->name));
	else if (module.n && module.p[0] == '[')
		buf_add(&name, module);
	else
		buf_addf(&name, "[%.*s]", STR_ARG(module.n ? module : STR("unknown")));
	fit_add_name(out, buf_str(&name), columns, v->style.is_unicode);
}

static void add_row(struct buf *out, const struct record_view *v, const struct hot_functions *hot,
		    const struct hot_function *f, uint64_t most)
{
	AUTO(buf) struct buf name = { 0 }, module = { 0 };
	struct row_columns c = columns_of(v);
	if (width_of(v) <= SHARE_COLUMNS)
		return;
	add_share(out, v, f->self, hot->total);
	buf_add_char(out, ' ');
	if (c.bar) {
		add_bar(out, v, most ? (double)f->self / (double)most : 0, c.bar);
		buf_add(out, STR("  "));
	}
	add_name(&name, hot->profile, f, v, c.name);
	add_padded(out, v, buf_str(&name), c.module ? c.name : 0);
	if (!c.module)
		return;
	fit_add_start(&module, fit_module(profile_str(hot->profile, f->module)), c.module,
		      v->style.is_unicode);
	buf_add(out, STR("  "));
	ink(out, v, INK_DIM);
	add_text(out, v, buf_str(&module));
	ink(out, v, INK_PLAIN);
}

/* --- the picture --- */

static void end_line(struct buf *out)
{
	buf_add(out, STR("\033[K"));
}

/* Returns the number of lines below the first. */
static unsigned add_functions(struct buf *out, const struct record_view *v,
			      const struct hot_functions *hot)
{
	uint32_t top[RECORD_SCREEN_FUNCTIONS];
	unsigned room = v->lines > 2 ? v->lines - 2 : 0; /* keep one line free */
	uint32_t n = hot_functions_top(
		hot, top, room < RECORD_SCREEN_FUNCTIONS ? room : RECORD_SCREEN_FUNCTIONS);
	for (uint32_t i = 0; i < n; i++) {
		buf_add(out, STR("\r\n"));
		add_row(out, v, hot, &hot->list.p[top[i]], hot->list.p[top[0]].self);
		end_line(out);
	}
	return n;
}

void record_screen_draw(const struct record_view *view, const struct record_progress *p,
			const struct hot_functions *hot, struct buf *out)
{
	/* Double-width characters count as one column: with wrapping off, that costs no line. */
	buf_add(out, STR("\r\033[?7l"));
	add_headline(out, view, p);
	end_line(out);
	unsigned below = hot->profile ? add_functions(out, view, hot) : 0;
	buf_add(out, STR("\033[J\033[?7h\r"));
	if (below)
		buf_addf(out, "\033[%uA", below);
}
