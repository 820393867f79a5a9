#include "cmd/busy.h"
#include "cmd/picture_options.h"
#include "cmd/screen.h"

#include <unistd.h>

struct flame_options {
	const char *output;
	unsigned format; /* index into formats */
	unsigned palette;
	bool by_hash, by_chance, keeps_palette, is_chart, compat;
	const char *total;
};

#define FLAME(field) offsetof(struct flame_options, field)

enum format { FORMAT_BY_NAME, FORMAT_SVG, FORMAT_HTML };
static const char *const formats[] = { "auto", "svg", "html", NULL };

static const struct option output_options[] = {
	{ "output", 'o', OPTION_FILE, FLAME(output), "FILE",
	  "write to FILE, .svg or .html (default: standard output; on a terminal, a file named "
	  "after the input)" },
	{ "format", 0, OPTION_CHOICE, FLAME(format), "NAME",
	  "svg or html (default: auto, from FILE's extension)", formats },
	{ "compat", 0, OPTION_FLAG, FLAME(compat), NULL,
	  "draw what flamegraph.pl draws from folded stacks, bugs included" },
};
static const struct option_set output_option_set = { "Output", output_options,
						     ARRAY_SIZE(output_options) };

static const struct option flame_options[] = {
	{ "colors", 0, OPTION_CHOICE, FLAME(palette), "PALETTE",
	  "kind (whose code it is), tier (V8's compilers), hot, mem, io, wakeup, chain, java, js, "
	  "perl, python, rust, red, green, blue, aqua, yellow, purple or orange (default: auto, "
	  "which is kind if the profile has kinds, else hot)",
	  palette_names },
	{ "hash", 0, OPTION_FLAG, FLAME(by_hash), NULL,
	  "choose shades by a hash of the name's first and last letters" },
	{ "random", 0, OPTION_FLAG, FLAME(by_chance), NULL, "choose random shades" },
	{ "cp", 0, OPTION_FLAG, FLAME(keeps_palette), NULL,
	  "keep colours consistent across pictures, using ./palette.map" },
	{ "flamechart", 0, OPTION_FLAG, FLAME(is_chart), NULL,
	  "keep stacks in time order, or in input order, and do not merge identical ones" },
	{ "total", 0, OPTION_TEXT, FLAME(total), "N",
	  "count that the full width represents (default: the sum of all counts)" },
};
static const struct option_set flame_option_set = { NULL, flame_options,
						    ARRAY_SIZE(flame_options) };

static const struct option_set *const flame_sets[] = {
	&output_option_set,    &picture_option_set, &flame_option_set,	&name_option_set,
	&mark_option_set,      &naming_option_set,  &filter_option_set, &time_option_set,
	&transform_option_set, &input_option_set,   &common_option_set, NULL
};

/* Everything the command line says. */
struct request {
	struct profile_request in;
	struct flame_options flame;
	struct picture_options picture;
};

static void request_fini(struct request *r)
{
	profile_request_fini(&r->in);
}

static bool parse(struct request *r, const struct command *self, char **words, size_t n,
		  struct err *e)
{
	const struct option_binding own[] = { { &output_option_set, &r->flame },
					      { &picture_option_set, &r->picture },
					      { &flame_option_set, &r->flame },
					      { 0 } };
	struct query *q = &r->in.query;
	picture_options_defaults(&r->picture);
	if (!profile_request_parse(&r->in, self, words, n, own, e))
		return false;
	q->by_kind = true;
	q->in_order = r->flame.is_chart;
	q->marks_wakers = r->flame.palette == PALETTE_CHAIN;
	q->as_lines = r->flame.compat && !r->flame.is_chart;
	q->ends_first_part = r->flame.compat;
	return true;
}

/* --- what is drawn --- */

static struct painter painter_of(const struct flame_options *o, const struct profile *profile)
{
	struct painter p = { .palette = o->palette, .by_marks_only = o->compat };
	if (o->palette == PALETTE_AUTO)
		p.palette = knows_kinds(profile) && !o->compat ? PALETTE_KIND : PALETTE_HOT;
	p.shade_by = o->by_hash ? SHADE_BY_HASH : o->by_chance ? SHADE_BY_CHANCE : SHADE_BY_NAME;
	p.chance = clock_realtime_ns() * 0x9E3779B97F4A7C15ull;
	return p;
}

/* The largest change of a stack's own count: full red or blue. */
static double largest_delta(const struct tree *t)
{
	double largest = (double)tree_unit(t);
	for (uint32_t i = 0; i < t->n; i++) {
		double delta = (double)t->self[1][i] - (double)t->self[0][i];
		delta = delta < 0 ? -delta : delta;
		largest = delta > largest ? delta : largest;
	}
	return largest;
}

struct colouring {
	const struct tree *t;
	struct painter painter;
	struct palette_map *kept; /* NULL without --cp */
	double largest_delta;
	bool negates;
};

static struct colour own_delta_colour(const struct colouring *c, const struct box *b)
{
	double delta =
		b->node ? (double)c->t->self[1][b->node] - (double)c->t->self[0][b->node] : 0;
	return paint_delta(c->negates ? -delta : delta, c->largest_delta);
}

static struct colour colour_of(struct colouring *c, const struct box *b)
{
	const struct tree_label *label = tree_label_of(c->t, b->node);
	struct str name = b->node ? label->name : STR("");
	struct colour colour;
	if (paint_separator(name, &colour))
		return colour;
	if (c->t->value_count > 1)
		return own_delta_colour(c, b);
	if (c->kept && palette_map_get(c->kept, name, &colour))
		return colour;
	colour = paint_label(&c->painter, label, b->node == 0);
	if (c->kept)
		palette_map_add(c->kept, name, colour);
	return colour;
}

static struct colour *colours_of(struct colouring *c, const struct layout *l)
{
	struct colour *colours = mem_alloc(l->boxes.n, sizeof(*colours));
	for (uint32_t i = 0; i < l->boxes.n; i++)
		colours[i] = colour_of(c, &l->boxes.p[i]);
	return colours;
}

static const char PALETTE_PATH[] = "palette.map";

/* NULL and e when the file there is not a palette: it is then not touched. */
static struct palette_map *read_palette(struct err *e)
{
	struct palette_map *m = palette_map_new();
	if (access(PALETTE_PATH, F_OK) != 0)
		return m;
	AUTO(buf) struct buf text = { 0 };
	struct err why = { 0 };
	if (read_text_file(PALETTE_PATH, &text, e)) {
		if (palette_map_parse(m, buf_str(&text), &why))
			return m;
		err_set(e, "--cp: ./%s is not a palette file, so it was left alone: %s",
			PALETTE_PATH, why.text);
	}
	palette_map_free(m);
	return NULL;
}

static bool write_palette(const struct palette_map *m, struct err *e)
{
	AUTO(buf) struct buf text = { 0 };
	struct writer *out = writer_open(PALETTE_PATH, e);
	if (!out)
		return false;
	palette_map_print(m, &text);
	writer_add(out, buf_str(&text));
	bool ok = writer_commit(out, e);
	writer_free(out);
	return ok;
}

/* --total: a wider scale than the sum. */
static bool total_of(const struct request *r, const struct tree *t, uint64_t *total, struct err *e)
{
	uint64_t sum = t->total[t->value_count - 1][0];
	const char *text = r->flame.total;
	char *end;
	*total = sum;
	if (!text)
		return true;
	double value = strtod(text, &end);
	if (!(is_digit(text[0]) || text[0] == '.') || *end || !(value >= 0 && value < 1e18))
		return err_usage(e, "--total %s: must be a number", text);
	value *= (double)tree_unit(t);
	if (value >= (double)sum && value < 1.8e19)
		*total = (uint64_t)value;
	else if (value > 0 && !r->in.common.quiet)
		say("ignoring --total %s: it is less than the sum of all counts", text);
	return true;
}

/* --- writing --- */

static bool is_html(const struct request *r, const char *path, struct err *e, bool *html)
{
	bool has_svg = str_ends(str_from(path), STR(".svg"));
	*html = str_ends(str_from(path), STR(".html"));
	if (r->flame.format != FORMAT_BY_NAME)
		*html = r->flame.format == FORMAT_HTML;
	else if (r->flame.output && !has_svg && !*html && strcmp(path, "-") != 0 &&
		 !str_starts(str_from(path), STR("/dev/")))
		return err_usage(e,
				 "-o %s: unknown extension; use a name ending in .svg or .html, or "
				 "--format svg or --format html",
				 path);
	return true;
}

static bool write_picture(const struct picture *p, const char *path, bool html, struct err *e)
{
	struct writer *out = writer_open(path, e);
	if (!out)
		return false;
	if (html)
		sink_html(p, out);
	else
		sink_svg(p, out);
	bool ok = writer_commit(out, e);
	writer_free(out);
	return ok;
}

struct drawing {
	const struct request *r;
	const struct profile *profile;
	const struct tree *tree;
	struct query_ledger ledger;
	struct picture_setup setup;
	struct buf title;
	const char *path;
	bool html;
};

static void make_legend(struct legend *legend, const struct painter *p, const struct tree *t,
			const struct layout *l)
{
	AUTO_FREE bool *is_shown = mem_zalloc(t->labels.n, sizeof(*is_shown));
	for (uint32_t i = 0; i < l->boxes.n; i++)
		is_shown[t->label[l->boxes.p[i].node]] = true;
	legend_of_labels(legend, p, t, is_shown);
}

/* What a count stands for, where it is a length of time. */
static double count_ns(const struct drawing *d)
{
	const struct query_ledger *l = &d->ledger;
	if (l->event == INDEX_NONE || d->r->flame.compat || d->tree->value_count > 1)
		return 0;
	double each = sample_each_ns(d->profile, l->event);
	return each > 0 && l->is_in_periods ? 1 : each;
}

static bool draw(struct drawing *d, struct err *e)
{
	const struct flame_options *o = &d->r->flame;
	const struct tree *t = d->tree;
	AUTO(buf) struct buf line = { 0 };
	AUTO(buf) struct buf count_name = { 0 };
	AUTO(layout) struct layout layout = { 0 };
	AUTO(legend) struct legend legend = { 0 };
	uint64_t total;
	unsigned side = t->value_count - 1;
	struct colouring c = { .t = t,
			       .painter = painter_of(o, d->profile),
			       .negates = d->r->picture.negates };
	if (!total_of(d->r, t, &total, e) || (o->keeps_palette && !(c.kept = read_palette(e))))
		return false;
	struct picture_style *style = &d->setup.style;
	if (!style->count_name)
		style->count_name = picture_count_name(d->profile, &d->ledger, &count_name);
	if (!d->r->picture.backdrop)
		backdrop_parse(NULL, c.painter.palette, &style->backdrop, e);
	c.largest_delta = t->value_count > 1 ? largest_delta(t) : 0;
	struct layout_query query = { .self = t->self[side],
				      .total = t->total[side],
				      .min_value = picture_min_value(&d->setup, t, total) };
	layout_tree(t, &query, &layout);
	layout.boxes.p[0].value = total;
	layout.boxes.p[0].self = total - layout.total; /* --total: what no stack stands for */
	picture_ledger(d->profile, &d->ledger, t, &layout, &line);
	if (t->value_count == 1)
		make_legend(&legend, &c.painter, t, &layout);
	AUTO_FREE struct colour *colours = colours_of(&c, &layout);
	struct picture p = {
		.tree = t,
		.layout = &layout,
		.style = style,
		.total = total,
		.min_value = query.min_value,
		.count_ns = count_ns(d),
		.colours = colours,
		.legend = &legend,
		.ledger = buf_str(&line),
		.attributes = d->setup.attributes,
		.shows_own_delta = t->value_count > 1,
		.negates = d->r->picture.negates,
		.cuts_names = o->compat || !knows_kinds(d->profile),
	};
	struct busy *busy =
		busy_begin("drawing", NULL, d->r->in.common.quiet || goes_to_terminal(d->path));
	bool ok = write_picture(&p, d->path, d->html, e);
	busy_end(busy);
	ok = ok && (!c.kept || write_palette(c.kept, e));
	palette_map_free(c.kept);
	return ok;
}

/* Stacks whose counts are all zero have no width. */
static void explain_no_width(const struct tree *t, struct err *e)
{
	if (!e->kind && t->total[t->value_count - 1][0] == 0)
		err_set(e, "nothing to draw: all counts are 0");
}

/* What was recorded, where that is known; pictures of another kind say so. */
static void set_title(struct drawing *d, const struct profile *p)
{
	enum { MOST_TITLE = 100 };
	struct str target = recording_brief_of(p, INDEX_NONE).target;
	const char *asked = d->r->picture.title;
	if ((asked && *asked) || !target.n || d->r->flame.compat)
		return;
	if (d->r->flame.is_chart || d->r->picture.is_inverted)
		buf_addf(&d->title, "%s: ", d->setup.style.title);
	fit_add_start(&d->title, target, MOST_TITLE, true);
	d->setup.style.title = buf_c_string(&d->title);
}

static int flame(const struct request *r, struct drawing *d, struct err *e)
{
	struct source_options source = source_options_of(&r->in);
	source.keep_names = r->flame.compat;
	int code = EXIT_FAILED;
	struct profile *p = request_profile(&r->in, &source, query_columns(&r->in.query), e);
	if (!p)
		return code;
	struct query query = r->in.query; /* its lists are r's */
	if (knows_kinds(p) && !r->flame.compat)
		query.names = NAMES_SHOWN;
	query.split_tiers |= r->flame.palette == PALETTE_TIER;
	if (!p->is_differential) /* there, the largest change of all sets the colours */
		query.min_share = picture_min_share(&d->setup);
	struct busy *busy = busy_begin("adding up stacks", NULL, r->in.common.quiet);
	struct tree *tree = query_tree(p, &query, &d->ledger, e);
	busy_end(busy);
	if (tree && d->ledger.stacks == 0)
		explain_nothing(p, &r->in.query, &d->ledger, e);
	if (tree)
		explain_no_width(tree, e);
	d->profile = p;
	d->tree = tree;
	set_title(d, p);
	if (tree && !e->kind && draw(d, e))
		code = say_outcome(&r->in, p, &d->ledger, tree);
	tree_free(tree);
	profile_unref(p);
	return code;
}

static const char *default_title(const struct request *r)
{
	return r->flame.is_chart	? "Flame Chart"
	       : r->picture.is_inverted ? "Icicle Graph"
					: "Flame Graph";
}

static int run(const struct command *self, char **words, size_t n, struct profile *at_hand)
{
	struct err e = { 0 };
	AUTO(request) struct request r = { .in.profile = at_hand };
	if (!parse(&r, self, words, n, &e))
		return say_error(self, &e);
	if (r.in.common.help)
		return print_help(self);
	AUTO(picture_path)
	struct picture_path path =
		picture_path_new(r.flame.output, &r.in.files, "flame",
				 r.flame.format == FORMAT_HTML ? ".html" : ".svg");
	struct drawing d = { .r = &r, .path = path.path };
	int code = EXIT_FAILED;
	if (is_html(&r, path.path, &e, &d.html) &&
	    picture_setup_init(&d.setup, &r.picture, r.flame.palette, default_title(&r), &e))
		code = flame(&r, &d, &e);
	picture_setup_fini(&d.setup);
	buf_fini(&d.title);
	if (e.kind)
		return say_error(self, &e);
	if (path.is_named && code != EXIT_FAILED)
		printf("%s\n", path.path);
	return code;
}

static int run_flame(const struct command *self, char **words, size_t n)
{
	return run(self, words, n, NULL);
}

int flame_profile(struct profile *p, char **words, size_t n)
{
	return run(&flame_command, words, n, p);
}

const struct command flame_command = {
	.name = "flame",
	.arguments = "[options] [FILE...]",
	.summary = "draw a flame graph from any profile, as .svg or .html",
	.text = "Draws any profile that 'plume fold' reads, as an SVG you can zoom and search,\n"
		"even offline. All options of flamegraph.pl work, with the same names and\n"
		"defaults.\n"
		"\n"
		"  plume flame perf.data -o out.svg\n"
		"  plume flame --no-idle --where comm=node perf.data -o node.svg\n"
		"  ssh build7 perf script | plume flame > build7.svg\n",
	.sets = flame_sets,
	.run = run_flame,
};
