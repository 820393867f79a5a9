#include "cmd/picture_options.h"
#include "cmd/screen.h"
#include "cmd/sides.h"

#include <math.h>

struct diff_options {
	struct text_list outputs; /* none: standard output */
	unsigned format;	  /* enum format */
	unsigned width_by;	  /* enum diff_width */
	unsigned delta;		  /* 0: self, 1: total */
	unsigned scale_by;	  /* enum diff_scale */
	uint32_t limit;
	bool is_absolute, normalizes, is_json;
	const char *fail_above; /* percent; NULL: nothing fails */
	double fail_percent;	/* the same as a number; below 0: nothing fails */
	struct text_list times; /* one for both sides, or one for each */
};

/* Some function grew by more than --fail-above. */
enum { EXIT_GREW = 4 };

#define DIFF(field)  offsetof(struct diff_options, field)
#define QUERY(field) offsetof(struct query, field)

enum format { FORMAT_BY_NAME, FORMAT_SVG, FORMAT_HTML, FORMAT_FOLDED, FORMAT_TABLE, FORMAT_JSON };
static const char *const formats[] = { "auto", "svg", "html", "folded", "table", "json", NULL };
static const char *const widths[] = { "union", "after", "before", NULL };
static const char *const scales[] = { "rest", "total", "none", NULL };
static const char *const deltas[] = { "self", "total", NULL };

static const struct option output_options[] = {
	{ "output", 'o', OPTION_LIST, DIFF(outputs), "FILE",
	  "write to FILE: .svg, .html, .folded, .txt (the table) or .json; repeatable" },
	{ "format", 0, OPTION_CHOICE, DIFF(format), "NAME",
	  "svg, html, folded, table or json (default: auto, from FILE's extension; without one, "
	  "table)",
	  formats },
	{ "json", 0, OPTION_FLAG, DIFF(is_json), NULL, "same as --format json" },
	{ "limit", 0, OPTION_NUMBER, DIFF(limit), "N",
	  "show N functions in the table (default: 30; 0: all)" },
};
static const struct option_set output_option_set = { "Output", output_options,
						     ARRAY_SIZE(output_options) };

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
};
static const struct option_set diff_option_set = { "Comparison", diff_options,
						   ARRAY_SIZE(diff_options) };

static const struct option strip_options[] = {
	{ "strip-hex", 's', OPTION_FLAG, QUERY(strip_hex), NULL,
	  "when comparing names, treat 0x7f3a... as 0x..., like difffolded.pl -s" },
};
static const struct option_set strip_option_set = { NULL, strip_options,
						    ARRAY_SIZE(strip_options) };

static const struct option_set *const diff_sets[] = {
	&output_option_set,    &diff_option_set,  &strip_option_set,  &picture_option_set,
	&name_option_set,      &mark_option_set,  &naming_option_set, &filter_option_set,
	&transform_option_set, &input_option_set, &common_option_set, NULL
};

/* Everything the command line says. */
struct request {
	struct profile_request in;
	struct diff_options diff;
	struct picture_options picture;
};

static void request_fini(struct request *r)
{
	profile_request_fini(&r->in);
	text_list_fini(&r->diff.times);
	text_list_fini(&r->diff.outputs);
}

static bool parse(struct request *r, const struct command *self, char **words, size_t n,
		  struct err *e)
{
	const struct option_binding own[] = { { &output_option_set, &r->diff },
					      { &diff_option_set, &r->diff },
					      { &strip_option_set, &r->in.query },
					      { &picture_option_set, &r->picture },
					      { 0 } };
	picture_options_defaults(&r->picture);
	r->diff.limit = 30;
	r->in.query.by_kind = true;
	return profile_request_parse(&r->in, self, words, n, own, e);
}

static bool check(const struct request *r, struct err *e)
{
	const struct diff_options *o = &r->diff;
	if (o->is_absolute && o->normalizes)
		return err_usage(e, "--absolute and --normalize cannot be combined");
	if (o->is_absolute && o->scale_by == SCALE_BY_TOTAL)
		return err_usage(e, "--absolute and --scale-by total cannot be combined");
	if (o->times.n > SIDES)
		return err_usage(e, "--time can be given at most twice, for BEFORE and for AFTER");
	if (r->in.files.n == 0 || r->in.files.n > SIDES)
		return err_usage(e, "diff needs two profiles: plume diff BEFORE AFTER; or two time "
				    "ranges of one: plume diff --time A,B --time C,D FILE");
	return true;
}

/* The ending picks the format; without one it is the table. path: NULL for standard output. */
static bool choose_format(const struct request *r, const char *path, enum format *format,
			  struct err *e)
{
	static const struct {
		const char *ending;
		enum format format;
	} endings[] = { { ".svg", FORMAT_SVG },
			{ ".html", FORMAT_HTML },
			{ ".folded", FORMAT_FOLDED },
			{ ".txt", FORMAT_TABLE },
			{ ".json", FORMAT_JSON } };
	*format = r->diff.is_json ? FORMAT_JSON : r->diff.format;
	if (*format != FORMAT_BY_NAME)
		return true;
	for (size_t i = 0; path && i < ARRAY_SIZE(endings); i++)
		if (str_ends(str_from(path), str_from(endings[i].ending))) {
			*format = endings[i].format;
			return true;
		}
	if (path && strcmp(path, "-") != 0 && !str_starts(str_from(path), STR("/dev/")))
		return err_usage(e,
				 "-o %s: unknown extension; name the file .svg, .html, .folded, "
				 ".txt or .json, or use --format svg, html, folded, table or json",
				 path);
	*format = FORMAT_TABLE;
	return true;
}

/* What is written where; standard output without -o. */
struct output_file {
	const char *path; /* NULL: standard output */
	enum format format;
};

struct output_files {
	VEC(struct output_file) list;
};

static void output_files_fini(struct output_files *o)
{
	vec_fini(&o->list);
}

/* Folded stacks have names of their own: they are not written beside others. */
static bool choose_outputs(const struct request *r, struct output_files *out, struct err *e)
{
	const struct text_list *paths = &r->diff.outputs;
	bool has_folded = false;
	const char *twice = text_list_find_twice(paths);
	if (twice)
		return err_usage(e, "-o %s: given twice", twice);
	if (paths->n > 1 && (r->diff.is_json || r->diff.format != FORMAT_BY_NAME))
		return err_usage(e, "--format and --json work with one -o only; with several, each "
				    "FILE's extension sets its format");
	for (uint32_t i = 0; i < (paths->n ? paths->n : 1); i++) {
		struct output_file file = { .path = paths->n ? paths->p[i] : NULL };
		if (!choose_format(r, file.path, &file.format, e))
			return false;
		has_folded |= file.format == FORMAT_FOLDED;
		vec_push(&out->list, file);
	}
	if (has_folded && out->list.n > 1)
		return err_usage(e, "folded output cannot be combined with other outputs; write it "
				    "in a separate run");
	return true;
}

/* Options of pictures are checked also where none is drawn. */
static bool check_picture_options(const struct request *r, struct err *e)
{
	struct picture_setup setup;
	struct picture_options options = r->picture;
	options.attributes_path = NULL; /* it may be a pipe, which is read once */
	bool ok = picture_setup_init(&setup, &options, PALETTE_KIND, "", e);
	picture_setup_fini(&setup);
	return ok;
}

/* --- output --- */

struct output {
	const struct request *r;
	const struct comparing *c;
	struct grown_list grown; /* by more than --fail-above */
	struct buf text[SIDES];
	struct buf count_name;
	const char *count;
};

static void output_fini(struct output *o)
{
	grown_list_fini(&o->grown);
	buf_fini(&o->text[BEFORE]);
	buf_fini(&o->text[AFTER]);
	buf_fini(&o->count_name);
}

/* What a side lacks: `0.2% of stacks incomplete; under 0.1% of frames unnamed`. */
static void add_missing_of(const struct side *s, struct buf *out)
{
	static const char dot[] = " \xc2\xb7 ";
	AUTO(buf) struct buf parts = { 0 };
	if (s->profile)
		picture_ledger_missing(s->profile, &s->ledger, &parts);
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

/* What is missing, and of which side. */
static void add_missing(const struct output *o, struct buf *line)
{
	static const char *const names[] = { "before", "after" };
	AUTO(buf) struct buf before = { 0 };
	AUTO(buf) struct buf after = { 0 };
	const struct buf *lists[SIDES] = { &before, &after };
	add_missing_of(&o->c->side[BEFORE], &before);
	add_missing_of(&o->c->side[AFTER], &after);
	bool is_alike = !o->c->side[AFTER].profile || str_eq(buf_str(&before), buf_str(&after));
	for (unsigned i = 0; i < (is_alike ? 1 : SIDES); i++)
		if (lists[i]->n)
			buf_addf(line, " \xc2\xb7 %s: %.*s", is_alike ? "both" : names[i],
				 STR_ARG(buf_str(lists[i])));
}

static void add_ledger_line(const struct output *o, const struct layout *l, uint32_t absent,
			    struct buf *line)
{
	buf_addf(line, "before: %s \xc2\xb7 ", buf_c_string((struct buf *)&o->text[BEFORE]));
	buf_addf(line, "after: %s", buf_c_string((struct buf *)&o->text[AFTER]));
	const struct comparison *c = &o->c->comparison;
	if (c->scaled_by == SCALE_BY_REST)
		buf_addf(line, " \xc2\xb7 before scaled by %.3g so that the unchanged %.0f%% match",
			 c->scale, 100 * c->rest[BEFORE]);
	else
		buf_addf(line, " \xc2\xb7 %s",
			 c->scaled_by == SCALE_NONE ? "counts as they are" : "compared by shares");
	add_missing(o, line);
	uint32_t narrow = l->narrow > absent ? l->narrow - absent : 0;
	picture_ledger_part(narrow,
			    narrow == 1 ? "frame too narrow to draw" : "frames too narrow to draw",
			    line);
	picture_ledger_part(absent, "frames only on the other side", line);
}

/* `node b.js against node a.js`, where it is known. */
static void add_title(const struct output *o, struct buf *out)
{
	enum { MOST_TARGET = 60 };
	struct str target[SIDES];
	for (unsigned i = 0; i < SIDES; i++) {
		const struct profile *p = o->c->side[i].profile;
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

static bool write_picture(const struct output *o, bool html, struct writer *out, struct err *e)
{
	const struct tree *t = o->c->pair;
	const struct comparison *c = &o->c->comparison;
	struct picture_setup setup;
	AUTO(layout) struct layout layout = { 0 };
	AUTO(legend) struct legend legend = { 0 };
	AUTO(buf) struct buf line = { 0 };
	AUTO(buf) struct buf title = { 0 };
	add_title(o, &title);
	AUTO(diff_widths) struct diff_widths w = diff_widths_of(t, c, o->r->diff.width_by);
	bool ok = picture_setup_init(&setup, &o->r->picture, PALETTE_KIND, buf_c_string(&title), e);
	if (ok && !w.total[0])
		ok = err_set(e, "nothing to draw: the side given to --width-by has no samples");
	if (ok) {
		struct layout_query query = { w.self, w.total,
					      picture_min_value(&setup, t, w.total[0]) };
		setup.style.count_name = o->count;
		layout_tree(t, &query, &layout);
		add_ledger_line(o, &layout, w.absent, &line);
		legend_of_diff(&legend, c);
		AUTO_FREE struct colour *colours =
			diff_colours(t, c, &layout, o->r->picture.negates);
		AUTO_FREE struct colour *outlines =
			diff_outlines(t, c, &layout, o->r->picture.negates);
		struct picture p = { .tree = t,
				     .layout = &layout,
				     .style = &setup.style,
				     .total = w.total[0],
				     .min_value = query.min_value,
				     .colours = colours,
				     .outlines = outlines,
				     .legend = &legend,
				     .ledger = buf_str(&line),
				     .attributes = setup.attributes,
				     .comparison = c,
				     .negates = o->r->picture.negates };
		(html ? sink_html : sink_svg)(&p, out);
	}
	picture_setup_fini(&setup);
	return ok;
}

/* 0 within noise, else how much it changed. */
static double real_change(const struct comparison *c, const uint64_t *values)
{
	return comparison_is_noise(c, values[BEFORE], values[AFTER])
		       ? 0
		       : fabs(comparison_change(c, values[BEFORE], values[AFTER]));
}

/*
 * First what changed by itself, the answer to "where"; then what changed by what it calls; then
 * what is within noise.
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

static bool write_report(const struct output *o, const struct output_file *file, struct writer *out,
			 struct err *e)
{
	bool json = file->format == FORMAT_JSON;
	struct report_style style;
	if (!screen_style(&style, file->path, NULL, e))
		return false;
	const struct comparison *c = &o->c->comparison;
	AUTO(functions) struct functions functions = { 0 };
	functions_of_tree(o->c->pair, &functions);
	if (functions.rows.n)
		qsort_r(functions.rows.p, functions.rows.n, sizeof(*functions.rows.p),
			compare_functions, (void *)c);
	struct diff_report report = {
		.pair = o->c->pair,
		.comparison = c,
		.functions = &functions,
		.limit = o->r->diff.limit,
		.side_text = { buf_str(&o->text[BEFORE]), buf_str(&o->text[AFTER]) },
		.count_name = o->count,
		.factor = json ? 1 : o->r->picture.factor,
		.fail_above = o->r->diff.fail_percent,
		.grown = &o->grown,
		.negates = o->r->picture.negates,
	};
	if (json)
		sink_diff_json(&report, out);
	else
		sink_diff_table(&report, &style, out);
	return true;
}

/* difffolded.pl -n: int(before * after's total / before's total). */
static void normalize(struct comparing *c)
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

static int write_output(struct output *o, struct comparing *c, const struct output_file *file,
			struct err *e)
{
	enum format format = file->format;
	bool is_picture = format == FORMAT_SVG || format == FORMAT_HTML;
	const struct text_list none = { 0 };
	AUTO(picture_path) struct picture_path path = { 0 };
	if (is_picture)
		path = picture_path_new(file->path, &none, "diff",
					format == FORMAT_HTML ? ".html" : ".svg");
	else
		path.path = mem_strdup(file->path ? file->path : "-");
	struct writer *out = writer_open(path.path, e);
	if (!out)
		return EXIT_FAILED;
	bool ok = true;
	switch (format) {
	case FORMAT_SVG:
	case FORMAT_HTML:
		ok = write_picture(o, format == FORMAT_HTML, out, e);
		break;
	case FORMAT_FOLDED:
		if (o->r->diff.normalizes)
			normalize(c);
		sink_folded(c->pair, out);
		break;
	case FORMAT_TABLE:
	case FORMAT_JSON:
	case FORMAT_BY_NAME:
		ok = write_report(o, file, out, e);
		break;
	}
	ok = ok && writer_commit(out, e);
	writer_free(out);
	if (ok && path.is_named)
		printf("%s\n", path.path);
	return ok ? EXIT_DONE : EXIT_FAILED;
}

/* --- --fail-above --- */

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

enum { ALL_FUNCTIONS, YOUR_CODE };

/* Functions are judged by their own time and, in scripts, also by what built-ins and libraries take for them. */
static bool find_grown(struct output *o, struct comparing *yours, const struct sides_wish *w,
		       struct err *e)
{
	if (o->r->diff.fail_percent < 0)
		return true;
	if (!comparing_your_code(yours, o->c, w, e))
		return false;
	const struct grown_view views[] = {
		[ALL_FUNCTIONS] = { o->c->pair, &o->c->comparison },
		[YOUR_CODE] = { yours->pair, &yours->comparison },
	};
	grown_find(views, yours->pair ? 2 : 1, o->r->diff.fail_percent, &o->grown);
	return true;
}

/* Names what grew by more than the limit; EXIT_GREW when something did. */
static int judge(const struct output *o)
{
	for (uint32_t i = 0; i < o->grown.rows.n; i++) {
		const struct grown *g = &o->grown.rows.p[i];
		AUTO(buf) struct buf name = { 0 };
		label_add_brief(&name, g->label);
		say("%s grew by %.2f %% of AFTER%s; the limit is --fail-above %s",
		    buf_c_string(&name), g->points,
		    g->view == YOUR_CODE ? " (with --your-code)" : "", o->r->diff.fail_above);
	}
	return o->grown.rows.n ? EXIT_GREW : EXIT_DONE;
}

static int worse(int a, int b)
{
	return a > b ? a : b;
}

static struct sides_wish sides_of(const struct request *r, const struct output_files *files)
{
	const struct diff_options *o = &r->diff;
	return (struct sides_wish){
		.files = &r->in.files,
		.times = &o->times,
		.query = &r->in.query,
		.source = source_options_of(&r->in),
		.scale = o->is_absolute	 ? SCALE_NONE
			 : o->normalizes ? SCALE_BY_TOTAL
					 : o->scale_by,
		.by_self = o->delta == 0,
		.is_folded = files->list.p[0].format == FORMAT_FOLDED,
		.quiet = r->in.common.quiet,
	};
}

static int diff(const struct request *r, const struct sides_wish *w, struct comparing *c,
		const struct output_files *files, struct err *e)
{
	AUTO(comparing) struct comparing yours = { 0 };
	AUTO(output) struct output o = { .r = r, .c = c };
	if (!find_grown(&o, &yours, w, e))
		return EXIT_FAILED;
	for (unsigned i = 0; i < SIDES; i++)
		comparing_describe(c, w, i, &o.text[i]);
	o.count = r->picture.count_name
			  ? r->picture.count_name
			  : picture_count_name(c->side[BEFORE].profile, &c->side[BEFORE].ledger,
					       &o.count_name);
	int code = EXIT_DONE;
	for (uint32_t i = 0; i < files->list.n && code == EXIT_DONE; i++)
		code = write_output(&o, c, &files->list.p[i], e);
	if (code == EXIT_FAILED)
		return code;
	for (unsigned i = 0; i < SIDES; i++) {
		const struct side *s = &c->side[i];
		if (!s->profile)
			continue;
		if (r->in.common.verbose) {
			say("%s:", s->name);
			say_ledger(s->profile, &s->ledger, s->tree);
		}
		code = worse(code, exit_code_of(s->profile, &s->ledger));
	}
	return code == EXIT_DONE ? judge(&o) : code;
}

static int run_diff(const struct command *self, char **words, size_t n)
{
	struct err e = { 0 };
	AUTO(request) struct request r = { 0 };
	AUTO(comparing) struct comparing c = { 0 };
	AUTO(output_files) struct output_files files = { 0 };
	if (!parse(&r, self, words, n, &e))
		return say_error(self, &e);
	if (r.in.common.help)
		return print_help(self);
	if (!check(&r, &e) || !parse_percent(r.diff.fail_above, &r.diff.fail_percent, &e) ||
	    !choose_outputs(&r, &files, &e) || !check_picture_options(&r, &e))
		return say_error(self, &e);
	int code = EXIT_FAILED;
	struct sides_wish sides = sides_of(&r, &files);
	if (comparing_read(&c, &sides, &e))
		code = diff(&r, &sides, &c, &files, &e);
	return e.kind ? say_error(self, &e) : code;
}

const struct command diff_command = {
	.name = "diff",
	.arguments = "[options] BEFORE AFTER",
	.summary = "compare two profiles: table, picture or folded stacks",
	.text = "Compares two profiles, or two time ranges of one. BEFORE is scaled so that\n"
		"unchanged code matches, so recordings may differ in length. Changes within\n"
		"sampling noise are grey in the picture and marked ~ in the table. Functions in\n"
		"edited code are matched by name and file, not by line.\n"
		"\n"
		"  plume diff before.plume after.plume\n"
		"  plume diff before.plume after.plume -o diff.svg -o diff.txt\n"
		"  plume diff --fail-above 5% base.plume pr.plume\n"
		"  plume diff --time 0,10 --time 10,20 perf.data -o diff.svg\n",
	.sets = diff_sets,
	.run = run_diff,
};
