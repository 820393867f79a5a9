/* Prepares a flame graph for the sink: its colours, legend and title. */
#include "view/view_int.h"

static struct painter painter_of(const struct view_request *r, const struct profile *profile)
{
	const struct picture_options *o = &r->picture;
	struct painter p = { .palette = o->palette, .by_marks_only = r->compat };
	if (o->palette == PALETTE_AUTO)
		p.palette = view_knows_kinds(profile) && !r->compat ? PALETTE_KIND : PALETTE_HOT;
	p.shade_by = o->by_hash ? SHADE_BY_HASH : o->by_chance ? SHADE_BY_CHANCE : SHADE_BY_NAME;
	p.chance = clock_realtime_ns() * 0x9E3779B97F4A7C15ull;
	return p;
}

/* The largest change of a stack's self count: full red or blue. */
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
	struct palette_map *kept; /* NULL if colours are not kept */
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

/* --total: a scale wider than the sum. */
static uint64_t total_of(const struct picture_options *o, const struct tree *t,
			 struct view_notes *notes)
{
	uint64_t sum = t->total[t->value_count - 1][0];
	double value = o->total * (double)tree_unit(t);
	if (value >= (double)sum && value < 1.8e19)
		return (uint64_t)value;
	if (value > 0)
		notes_add(notes, "ignoring --total %.15g: it is less than the sum of all counts",
			  o->total);
	return sum;
}

static void make_legend(struct legend *legend, const struct painter *p, const struct tree *t,
			const struct layout *l)
{
	AUTO_FREE bool *is_shown = mem_zalloc(t->labels.n, sizeof(*is_shown));
	for (uint32_t i = 0; i < l->boxes.n; i++)
		is_shown[t->label[l->boxes.p[i].node]] = true;
	legend_of_labels(legend, p, t, is_shown);
}

/* What a count stands for, if it is a duration. */
static double count_ns(const struct view *v)
{
	const struct query_ledger *l = &v->ledger;
	if (l->event == INDEX_NONE || v->request->compat || v->tree->value_count > 1)
		return 0;
	double each = sample_each_ns(v->in.profile, l->event);
	return each > 0 && l->is_in_periods ? 1 : each;
}

/* What was recorded, if known; other kinds of pictures are named in the title. */
static void add_title(const struct view *v, struct buf *out)
{
	enum { MOST_TITLE = 100 };
	const struct picture_options *o = &v->request->picture;
	struct str target = recording_brief_of(v->in.profile, INDEX_NONE).target;
	bool is_usual = !o->is_chart && !o->style.is_inverted,
	     has_target = target.n && !v->request->compat;
	if (!has_target || !is_usual)
		buf_addf(out, "%s%s",
			 o->is_chart		? "Flame Chart"
			 : o->style.is_inverted ? "Icicle Graph"
						: "Flame Graph",
			 has_target ? ": " : "");
	if (has_target)
		fit_add_start(out, target, MOST_TITLE, true);
}

void write_picture(struct view *v, struct writer *out, struct view_notes *notes)
{
	const struct picture_options *o = &v->request->picture;
	const struct tree *t = v->tree;
	const struct profile *profile = v->in.profile;
	AUTO(buf) struct buf line = { 0 };
	AUTO(buf) struct buf count_name = { 0 };
	AUTO(buf) struct buf title = { 0 };
	AUTO(layout) struct layout layout = { 0 };
	AUTO(legend) struct legend legend = { 0 };
	unsigned side = t->value_count - 1;
	uint64_t total = total_of(o, t, notes);
	struct colouring c = { .t = t,
			       .painter = painter_of(v->request, profile),
			       .kept = o->kept,
			       .largest_delta = side ? largest_delta(t) : 0,
			       .negates = o->negates };
	add_title(v, &title);
	struct picture_style style =
		picture_style_of(o, c.painter.palette, buf_c_string(&title),
				 picture_count_name(profile, &v->ledger, &count_name));
	struct layout_query query = { .self = t->self[side],
				      .total = t->total[side],
				      .min_value = picture_min_value(o, t, total) };
	layout_tree(t, &query, &layout);
	layout.boxes.p[0].value = total;
	layout.boxes.p[0].self = total - layout.total; /* --total: the part that no stack covers */
	picture_ledger(profile, &v->ledger, t, &layout, &line);
	if (!side)
		make_legend(&legend, &c.painter, t, &layout);
	AUTO_FREE struct colour *colours = colours_of(&c, &layout);
	struct picture p = {
		.tree = t,
		.layout = &layout,
		.style = &style,
		.total = total,
		.min_value = query.min_value,
		.count_ns = count_ns(v),
		.colours = colours,
		.legend = &legend,
		.ledger = buf_str(&line),
		.attributes = o->attributes,
		.shows_own_delta = side > 0,
		.negates = o->negates,
		.cuts_names = v->request->compat || !view_knows_kinds(profile),
	};
	sink_svg(&p, out);
}
