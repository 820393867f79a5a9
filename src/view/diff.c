/* Comparisons: their options, and their output. */
#include "view/sides_int.h"

#include <math.h>

#define DIFF(field) offsetof(struct view_request, diff.field)

static const char *const formats[] = { "auto", "svg", "html", "folded", "table", "json", NULL };
static const char *const widths[] = { "union", "after", "before", NULL };
static const char *const scales[] = { "rest", "total", "none", NULL };
static const char *const deltas[] = { "self", "total", NULL };

static const struct option format_options[] = {
	{ "format", 0, OPTION_CHOICE, DIFF(format), "NAME",
	  "svg, html, folded, table or json (default: auto, from FILE's extension; without one, "
	  "table)",
	  formats },
	{ "json", 0, OPTION_FLAG, DIFF(is_json), NULL, "same as --format json" },
	{ "limit", 0, OPTION_NUMBER, DIFF(limit), "N",
	  "show N functions in the table (default: 30; 0: all)" },
};
const struct option_set diff_format_option_set = OPTION_SET(NULL, format_options);

static const struct option diff_options[] = {
	{ "absolute", 0, OPTION_FLAG, DIFF(is_absolute), NULL,
	  "compare counts as they are; same as --scale-by none" },
	{ "scale-by", 0, OPTION_CHOICE, DIFF(scale_by), "WHAT",
	  "what to scale BEFORE by: rest makes unchanged code equal (the default; total if that is "
	  "unclear), total makes totals equal, none leaves counts as they are",
	  scales },
	{ "delta", 0, OPTION_CHOICE, DIFF(delta), "WHAT",
	  "colour frames by the change in their own time and outline their callers (self, the "
	  "default), or by the change including callees (total)",
	  deltas },
	{ "fail-above", 0, OPTION_TEXT, DIFF(fail_above), "PERCENT",
	  "list functions whose own time grew by more than PERCENT of AFTER, beyond sampling "
	  "noise, and exit with status 4 if there are any; JavaScript, Java and Python are also "
	  "checked as with --your-code" },
	{ "width-by", 0, OPTION_CHOICE, DIFF(width_by), "SIDE",
	  "take widths from after, before, or the larger of the two (union, the default, which "
	  "shows vanished paths)",
	  widths },
	{ "normalize", 'n', OPTION_FLAG, DIFF(normalizes), NULL,
	  "same as --scale-by total; in folded output, scale BEFORE's counts to AFTER's total, "
	  "like difffolded.pl -n" },
	{ "time", 0, OPTION_LIST, DIFF(times), "A,B",
	  "keep only samples from A to B, in seconds from the start or with a unit (200ms, 1.5m, "
	  "1h); A "
	  "or B may be omitted; the comma is required; negative times count from the end; if given "
	  "twice, the first is for BEFORE and the second for AFTER" },
	{ "strip-hex", 's', OPTION_FLAG, offsetof(struct view_request, query.strip_hex), NULL,
	  "when comparing names, treat 0x7f3a... as 0x..., like difffolded.pl -s" },
};
const struct option_set diff_option_set = OPTION_SET("Comparison", diff_options);

static bool parse_percent(const char *text, double *percent, struct err *e)
{
	char *end;
	*percent = -1;
	if (!text)
		return true;
	*percent = strtod(text, &end);
	bool is_number = is_digit(text[0]) || text[0] == '.';
	if (is_number && (!*end || strcmp(end, "%") == 0) && *percent >= 0 && *percent <= 100)
		return true;
	return err_usage(e, "--fail-above %s: must be a percentage from 0 to 100, such as 5%%",
			 text);
}

bool diff_options_settle(struct diff_options *o, struct err *e)
{
	if (o->is_absolute && o->normalizes)
		return err_usage(e, "--absolute and --normalize cannot be combined");
	if (o->is_absolute && o->scale_by == SCALE_BY_TOTAL)
		return err_usage(e, "--absolute and --scale-by total cannot be combined");
	if (o->times.n > SIDES)
		return err_usage(e, "--time can be given at most twice, for BEFORE and for AFTER");
	return parse_percent(o->fail_above, &o->fail_percent, e);
}

/* --- output --- */

struct view_diff {
	const struct view_request *request;
	struct comparing all, yours; /* yours: only for --fail-above, if it applies */
	struct grown_list grown;     /* by more than --fail-above */
	struct buf text[SIDES];
	struct buf count_name;
	const char *count;
};

/* What a side is missing: `0.2% of stacks incomplete; under 0.1% of frames unnamed`. */
static void add_missing_of(const struct side *s, struct buf *out)
{
	static const char dot[] = " \xc2\xb7 ";
	AUTO(buf) struct buf parts = { 0 };
	if (s->in.profile)
		picture_ledger_missing(s->in.profile, &s->ledger, &parts);
	struct str rest = buf_str(&parts);
	while (rest.n) { /* each part begins with a dot */
		rest = str_from_byte(rest, strlen(dot));
		ptrdiff_t at = str_find(rest, str_from(dot));
		struct str part = at < 0 ? rest : str_first(rest, (size_t)at);
		buf_add(out, out->n ? STR("; ") : STR(""));
		buf_add(out, part);
		rest = str_from_byte(rest, part.n);
	}
}

/* Appends what is missing, and from which side. */
static void add_missing(const struct view_diff *d, struct buf *line)
{
	static const char *const names[] = { "before", "after" };
	AUTO(buf) struct buf before = { 0 };
	AUTO(buf) struct buf after = { 0 };
	const struct buf *lists[SIDES] = { &before, &after };
	add_missing_of(&d->all.side[BEFORE], &before);
	add_missing_of(&d->all.side[AFTER], &after);
	bool is_alike = !d->all.side[AFTER].in.profile || str_eq(buf_str(&before), buf_str(&after));
	for (unsigned i = 0; i < (is_alike ? 1 : SIDES); i++)
		if (lists[i]->n)
			buf_addf(line, " \xc2\xb7 %s: %.*s", is_alike ? "both" : names[i],
				 STR_ARG(buf_str(lists[i])));
}

static void add_ledger_line(const struct view_diff *d, const struct layout *l, uint32_t absent,
			    struct buf *line)
{
	buf_addf(line, "before: %s \xc2\xb7 ", buf_c_string((struct buf *)&d->text[BEFORE]));
	buf_addf(line, "after: %s", buf_c_string((struct buf *)&d->text[AFTER]));
	const struct comparison *c = &d->all.comparison;
	if (c->scaled_by == SCALE_BY_REST)
		buf_addf(line, " \xc2\xb7 before scaled by %.3g so that the unchanged %.0f%% match",
			 c->scale, 100 * c->rest[BEFORE]);
	else
		buf_addf(line, " \xc2\xb7 %s",
			 c->scaled_by == SCALE_NONE ? "counts as they are" : "compared by shares");
	add_missing(d, line);
	uint32_t narrow = l->narrow > absent ? l->narrow - absent : 0;
	picture_ledger_part(narrow,
			    narrow == 1 ? "frame too narrow to draw" : "frames too narrow to draw",
			    line);
	picture_ledger_part(absent, "frames only on the other side", line);
}

/* `node b.js against node a.js`, if known. */
static void add_title(const struct view_diff *d, struct buf *out)
{
	enum { MOST_TARGET = 60 };
	struct str target[SIDES];
	for (unsigned i = 0; i < SIDES; i++) {
		const struct profile *p = d->all.side[i].in.profile;
		target[i] = p ? recording_brief_of(p, INDEX_NONE).target : STR("");
	}
	if (!target[BEFORE].n || !target[AFTER].n) {
		buf_add(out, STR("Differential Flame Graph"));
	} else {
		bool is_same = str_eq(target[BEFORE], target[AFTER]);
		fit_add_start(out, target[AFTER], MOST_TARGET, true);
		buf_add(out, is_same ? STR(": before and after") : STR(" against "));
		if (!is_same)
			fit_add_start(out, target[BEFORE], MOST_TARGET, true);
	}
}

static bool write_diff_picture(const struct view_diff *d, struct writer *out, struct err *e)
{
	const struct tree *t = d->all.pair;
	const struct comparison *c = &d->all.comparison;
	const struct picture_options *o = &d->request->picture;
	AUTO(layout) struct layout layout = { 0 };
	AUTO(legend) struct legend legend = { 0 };
	AUTO(buf) struct buf line = { 0 };
	AUTO(buf) struct buf title = { 0 };
	add_title(d, &title);
	AUTO(diff_widths) struct diff_widths w = diff_widths_of(t, c, d->request->diff.width_by);
	if (!w.total[0])
		return err_set(e, "nothing to draw: the side given to --width-by has no samples");
	struct picture_style style =
		picture_style_of(o, PALETTE_KIND, buf_c_string(&title), d->count);
	struct layout_query query = { w.self, w.total, picture_min_value(o, t, w.total[0]) };
	layout_tree(t, &query, &layout);
	add_ledger_line(d, &layout, w.absent, &line);
	legend_of_diff(&legend, c);
	AUTO_FREE struct colour *colours = diff_colours(t, c, &layout, o->negates);
	AUTO_FREE struct colour *outlines = diff_outlines(t, c, &layout, o->negates);
	struct picture p = { .tree = t,
			     .layout = &layout,
			     .style = &style,
			     .total = w.total[0],
			     .min_value = query.min_value,
			     .colours = colours,
			     .outlines = outlines,
			     .legend = &legend,
			     .ledger = buf_str(&line),
			     .attributes = o->attributes,
			     .comparison = c,
			     .negates = o->negates };
	sink_svg(&p, out);
	return true;
}

/* 0 if within noise, otherwise the change. */
static double real_change(const struct comparison *c, const uint64_t *values)
{
	return comparison_is_noise(c, values[BEFORE], values[AFTER])
		       ? 0
		       : fabs(comparison_change(c, values[BEFORE], values[AFTER]));
}

/*
 * Orders functions: first those that changed by themselves, which answers "where"; then those that
 * changed through their callees; then those within noise.
 */
static int compare_functions(const void *a, const void *b, void *context)
{
	const struct comparison *c = context;
	const struct function *x = a, *y = b;
	const double keys[][2] = {
		{ real_change(c, x->self), real_change(c, y->self) },
		{ real_change(c, x->total), real_change(c, y->total) },
		{ fabs(comparison_change(c, x->total[BEFORE], x->total[AFTER])),
		  fabs(comparison_change(c, y->total[BEFORE], y->total[AFTER])) },
	};
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] > keys[i][1] ? -1 : 1;
	return (x->label > y->label) - (x->label < y->label);
}

static void write_functions(const struct view_diff *d, bool json, const struct report_style *style,
			    struct writer *out)
{
	const struct comparison *c = &d->all.comparison;
	AUTO(functions) struct functions functions = { 0 };
	functions_of_tree(d->all.pair, &functions);
	if (functions.rows.n)
		qsort_r(functions.rows.p, functions.rows.n, sizeof(*functions.rows.p),
			compare_functions, (void *)c);
	struct diff_report report = {
		.pair = d->all.pair,
		.comparison = c,
		.functions = &functions,
		.limit = d->request->diff.limit,
		.side_text = { buf_str(&d->text[BEFORE]), buf_str(&d->text[AFTER]) },
		.count_name = d->count,
		.factor = json ? 1 : d->request->picture.style.factor,
		.fail_above = d->request->diff.fail_percent,
		.grown = &d->grown,
		.negates = d->request->picture.negates,
	};
	if (json)
		sink_diff_json(&report, out);
	else
		sink_diff_table(&report, style, out);
}

/* difffolded.pl -n: int(before * after's total / before's total). */
static void normalize(const struct comparing *c)
{
	struct tree *t = c->pair;
	double before = (double)c->comparison.total[BEFORE];
	double after = (double)c->comparison.total[AFTER];
	double unit = (double)tree_unit(t);
	for (uint32_t i = 0; i < t->n && before > 0 && before != after; i++) {
		double count = (double)t->self[BEFORE][i] / unit * after / before;
		t->self[BEFORE][i] = (uint64_t)count * (uint64_t)unit;
	}
}

bool view_diff_write(struct view_diff *d, enum diff_format format, const struct report_style *style,
		     struct writer *out, struct err *e)
{
	switch (format) {
	case DIFF_SVG:
		return write_diff_picture(d, out, e);
	case DIFF_FOLDED:
		if (d->request->diff.normalizes)
			normalize(&d->all);
		sink_folded(d->all.pair, out);
		return true;
	case DIFF_TABLE:
	case DIFF_JSON:
	case DIFF_HTML:
	case DIFF_BY_NAME:
		break;
	}
	write_functions(d, format == DIFF_JSON, style, out);
	return true;
}

void view_diff_account(const struct view_diff *d, unsigned side, struct view_notes *notes)
{
	const struct side *s = &d->all.side[side];
	if (!s->tree)
		return;
	notes->is_damaged |= ledger_is_damaged(&s->in.profile->ledger) || s->ledger.overflows;
	notes_add_ledger(notes, s->in.profile, &s->ledger, s->tree);
}

/* --- --fail-above --- */

enum { ALL_FUNCTIONS, YOUR_CODE };

/*
 * Functions are judged by their self time and, in scripts, also by what built-ins and libraries
 * spend on their behalf.
 */
static bool find_grown(struct view_diff *d, struct err *e)
{
	double percent = d->request->diff.fail_percent;
	if (percent < 0)
		return true;
	if (!comparing_your_code(&d->yours, &d->all, d->request, e))
		return false;
	const struct grown_view views[] = {
		[ALL_FUNCTIONS] = { d->all.pair, &d->all.comparison },
		[YOUR_CODE] = { d->yours.pair, &d->yours.comparison },
	};
	grown_find(views, d->yours.pair ? 2 : 1, percent, &d->grown);
	return true;
}

bool view_diff_has_grown(const struct view_diff *d, struct view_notes *notes)
{
	for (uint32_t i = 0; i < d->grown.rows.n; i++) {
		const struct grown *g = &d->grown.rows.p[i];
		AUTO(buf) struct buf name = { 0 };
		label_add_brief(&name, g->label);
		notes_add(notes, "%s grew by %.2f %% of AFTER%s; the limit is --fail-above %s",
			  buf_c_string(&name), g->points,
			  g->view == YOUR_CODE ? " (with --your-code)" : "",
			  d->request->diff.fail_above);
	}
	return d->grown.rows.n > 0;
}

/* --- view_diff --- */

struct view_diff *view_diff_new(const struct view_input *sides, const struct view_request *r,
				struct view_notes *notes, struct err *e)
{
	struct view_diff *d = mem_zalloc(1, sizeof(*d));
	d->request = r;
	if (!comparing_add_up(&d->all, sides, r, notes, e) || !find_grown(d, e)) {
		view_diff_free(d);
		return NULL;
	}
	for (unsigned i = 0; i < SIDES; i++)
		comparing_describe(&d->all, r, i, &d->text[i]);
	d->count = r->picture.style.count_name;
	if (!d->count)
		d->count = picture_count_name(d->all.side[BEFORE].in.profile,
					      &d->all.side[BEFORE].ledger, &d->count_name);
	return d;
}

void view_diff_free(struct view_diff *d)
{
	if (!d)
		return;
	comparing_fini(&d->all);
	comparing_fini(&d->yours);
	grown_list_fini(&d->grown);
	buf_fini(&d->text[BEFORE]);
	buf_fini(&d->text[AFTER]);
	buf_fini(&d->count_name);
	free(d);
}
