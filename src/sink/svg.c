/* Flame graphs as SVG; the file's layout is in doc/formats/flame-svg.md. */
#include "sink/svg_int.h"

/* --- measures --- */

static struct measures measures_of(const struct picture *p)
{
	const struct picture_style *s = p->style;
	struct measures m = {
		.width = s->width,
		.top = s->font_size * (s->subtitle ? 5 : 3),
		.details = s->font_size * 2 + 10,
		.legend = p->legend->entries.n ? PICTURE_LEGEND_ROW : 0,
		.unit = (double)tree_unit(p->tree),
	};
	m.rows = (p->layout->max_depth + 1) * s->frame_height;
	m.frames_end = m.rows + m.top + m.details; /* flamegraph.pl's height of the picture */
	m.height = m.frames_end + m.legend;
	m.px_per_value = (m.width - 2.0 * PICTURE_SIDE_PAD) / ((double)p->total / m.unit);
	return m;
}

double svg_x(const struct measures *m, uint64_t value)
{
	return PICTURE_SIDE_PAD + (double)value / m->unit * m->px_per_value;
}

/* --- numbers and attributes --- */

/* As Perl prints numbers: whole ones without a point. */
static void add_number(struct buf *out, double value)
{
	if (value >= 0 && value < 1e15 && value == (double)(uint64_t)value)
		buf_add_u64(out, (uint64_t)value);
	else
		buf_addf(out, "%.15g", value);
}

static void add_attribute(struct buf *out, const char *name, double value)
{
	buf_add_char(out, ' ');
	buf_add(out, str_from(name));
	buf_add(out, STR("=\""));
	add_number(out, value);
	buf_add_char(out, '"');
}

static void add_fixed_attribute(struct buf *out, struct str before, double value, unsigned decimals)
{
	buf_add(out, before);
	buf_add_fixed(out, value, decimals);
	buf_add_char(out, '"');
}

static void add_colour(struct buf *out, struct colour c)
{
	buf_add(out, STR("rgb("));
	buf_add_u64(out, c.r);
	buf_add_char(out, ',');
	buf_add_u64(out, c.g);
	buf_add_char(out, ',');
	buf_add_u64(out, c.b);
	buf_add_char(out, ')');
}

static void add_text_line(struct buf *out, const char *id, double x, double y, struct str text)
{
	buf_addf(out, "<text id=\"%s\"", id);
	add_attribute(out, "x", x);
	add_attribute(out, "y", y);
	buf_add_char(out, '>');
	xml_add(out, text);
	buf_add(out, STR("</text>\n"));
}

/* --- the head: style, title, ledger --- */

static void add_font(struct buf *out, const char *font)
{
	buf_add(out, STR("text{font-family:"));
	buf_add(out, str_from(font));
	buf_add(out, STR(",sans-serif;font-size:"));
}

static void add_style(struct buf *out, const struct picture *p)
{
	const struct picture_style *s = p->style;
	buf_add(out, STR("<style>\n"));
	add_font(out, s->font_type);
	add_number(out, s->font_size);
	buf_add(out, STR("px}\n#title{font-size:"));
	add_number(out, s->font_size + 5);
	buf_add(out, STR("px}\n"));
	buf_add(out, svg_css);
	buf_add(out, STR("</style>\n"));
}

static void add_gradient(struct buf *out, const struct backdrop *b)
{
	buf_add(out,
		STR("<defs><linearGradient id=\"backdrop\" y1=\"0\" y2=\"1\" x1=\"0\" x2=\"0\">"
		    "<stop stop-color=\""));
	add_colour(out, b->top);
	buf_add(out, STR("\" offset=\"5%\"/><stop stop-color=\""));
	add_colour(out, b->bottom);
	buf_add(out, STR("\" offset=\"95%\"/></linearGradient></defs>\n"));
}

/* "--" may not stand in a comment. */
static void add_notes(struct buf *out, const char *notes)
{
	if (!notes)
		return;
	AUTO(buf) struct buf text = { 0 };
	xml_add(&text, str_from(notes));
	buf_add(out, STR("<!-- NOTES: "));
	for (size_t i = 0; i < text.n; i++) {
		buf_add_char(out, text.p[i]);
		if (text.p[i] == '-')
			buf_add_char(out, ' ');
	}
	buf_add(out, STR(" -->\n"));
}

static void add_head(struct buf *out, const struct picture *p, const struct measures *m)
{
	const struct picture_style *s = p->style;
	buf_add(out, STR("<svg id=\"plume\" version=\"1.1\""));
	add_attribute(out, "width", m->width);
	add_attribute(out, "height", m->height);
	buf_add(out, STR(" viewBox=\"0 0 "));
	add_number(out, m->width);
	buf_add_char(out, ' ');
	add_number(out, m->height);
	buf_add(out, STR("\" xmlns=\"http://www.w3.org/2000/svg\""
			 " xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n"));
	add_notes(out, s->notes);
	add_gradient(out, &s->backdrop);
	add_style(out, p);
	buf_add(out, STR("<rect id=\"background\" x=\"0\" y=\"0\""));
	add_attribute(out, "width", m->width);
	add_attribute(out, "height", m->height);
	buf_add(out, STR(" fill=\"url(#backdrop)\"/>\n"));
	add_text_line(out, "title", PICTURE_SIDE_PAD, s->font_size * 1.5, str_from(s->title));
	add_text_line(out, "ledger", PICTURE_SIDE_PAD, s->font_size * 2.65, p->ledger);
	if (s->subtitle)
		add_text_line(out, "subtitle", PICTURE_SIDE_PAD, s->font_size * 4.1,
			      str_from(s->subtitle));
}

/* --- frames --- */

/* flamegraph.pl rounds to whole counts. */
static double shown_count(const struct frames *f, uint64_t value)
{
	return (double)value / f->m.unit * f->p->style->factor;
}

static void add_count(struct buf *out, const struct frames *f, uint64_t value)
{
	if (f->m.unit == 1 && f->p->style->factor == 1) {
		buf_add_grouped(out, value);
		return;
	}
	AUTO(buf) struct buf digits = { 0 };
	buf_add_fixed(&digits, shown_count(f, value), 0);
	for (size_t i = 0; i < digits.n; i++) {
		if (i && (digits.n - i) % 3 == 0)
			buf_add_char(out, ',');
		buf_add_char(out, digits.p[i]);
	}
}

/* Percent of the whole, of the count as it is shown. */
static double percent_of(const struct frames *f, double count)
{
	return 100 * count / ((double)f->p->total / f->m.unit * f->p->style->factor);
}

static double rounded_count(const struct frames *f, uint64_t value)
{
	double count = shown_count(f, value);
	return f->m.unit == 1 && f->p->style->factor == 1 ? count : __builtin_rint(count);
}

/* The frame's own change, as flamegraph.pl prints it: `; +1.23%`. */
static void add_own_delta(struct buf *out, const struct frames *f, const struct box *b)
{
	double delta = svg_own_delta(f->p->tree, b->node);
	if (f->p->negates && delta != 0)
		delta = -delta;
	buf_add(out, STR("; "));
	if (delta > 0)
		buf_add_char(out, '+');
	buf_addf(out, "%.2f%%", percent_of(f, delta / f->m.unit));
}

static void add_title(struct buf *out, const struct frames *f, const struct box *b)
{
	const struct tree_label *label = tree_label_of(f->p->tree, b->node);
	xml_add(out, b->node ? label->shown : STR("all"));
	buf_add(out, STR(" ("));
	add_count(out, f, b->value);
	buf_add_char(out, ' ');
	xml_add(out, str_from(f->p->style->count_name));
	if (b->node == 0) {
		buf_add(out, STR(", 100%"));
	} else {
		buf_add(out, STR(", "));
		buf_add_fixed(out, percent_of(f, rounded_count(f, b->value)), 2);
		buf_add_char(out, '%');
		if (f->p->shows_own_delta)
			add_own_delta(out, f, b);
	}
	if (f->p->count_ns > 0) {
		buf_add(out, STR(", "));
		buf_add_span(out, (double)b->value / f->m.unit * f->p->count_ns);
	}
	buf_add_char(out, ')');
}

/* The name as flamegraph.pl cuts it: its end goes. */
static void add_start(struct buf *out, struct str name, size_t chars)
{
	size_t length = name.n > chars ? utf8_count(str_first(name, chars * 4 + 4)) : name.n;
	if (chars < length) {
		xml_add(out, str_first(name, utf8_bytes_of(name, chars - 2)));
		buf_add(out, STR(".."));
	} else {
		xml_add(out, name);
	}
}

/* What a frame is labelled with; empty where it has no room for a name. */
static void add_label_text(struct buf *out, const struct frames *f, const struct box *b,
			   double room)
{
	const struct picture_style *s = f->p->style;
	const struct tree_label *label = tree_label_of(f->p->tree, b->node);
	if (b->node && !f->p->cuts_names) {
		AUTO(buf) struct buf text = { 0 };
		svg_fit_label(&text, label, s, room);
		xml_add(out, buf_str(&text));
		return;
	}
	double fits = room / (s->font_size * s->font_width);
	size_t chars = fits < 1e9 ? (size_t)fits : (size_t)1e9;
	if (chars >= 3)
		add_start(out, b->node ? label->shown : STR("all"), chars);
}

static void add_label(struct buf *out, const struct frames *f, const struct box *b, double room)
{
	const struct picture_style *s = f->p->style;
	AUTO(buf) struct buf text = { 0 };
	if (s->frame_height < s->font_size)
		return;
	add_label_text(&text, f, b, room);
	if (!text.n)
		return;
	buf_add(out, colour_is_dark(f->p->colours[b - f->p->layout->boxes.p])
			     ? STR("<text class=\"light\" x=\"")
			     : STR("<text x=\""));
	buf_add_fixed(out, svg_x(&f->m, b->start) + 3, 2);
	buf_add_char(out, '"');
	add_attribute(out, "y", 3 + (f->y1 + f->y2) / 2);
	buf_add_char(out, '>');
	buf_add(out, buf_str(&text));
	buf_add(out, STR("</text>"));
}

static void add_outline(struct buf *out, struct colour c)
{
	if (!c.r && !c.g && !c.b)
		return;
	buf_add(out, STR(" stroke=\""));
	add_colour(out, c);
	buf_add_char(out, '"');
}

static void add_rectangle(struct buf *out, const struct frames *f, const struct box *b)
{
	double x1 = svg_x(&f->m, b->start), x2 = svg_x(&f->m, b->start + b->value);
	/* The width is the difference of what is printed, so that frames meet. */
	uint64_t tenths = fixed_units(x2, 1) - fixed_units(x1, 1);
	add_fixed_attribute(out, STR("<rect x=\""), x1, 1);
	add_attribute(out, "y", f->y1);
	add_fixed_attribute(out, STR(" width=\""), (double)tenths / 10, 1);
	add_fixed_attribute(out, STR(" height=\""), f->y2 - f->y1, 1);
	buf_add(out, STR(" fill=\""));
	add_colour(out, f->p->colours[b - f->p->layout->boxes.p]);
	buf_add_char(out, '"');
	if (f->p->outlines)
		add_outline(out, f->p->outlines[b - f->p->layout->boxes.p]);
	buf_add(out, STR(" rx=\"2\" ry=\"2\"/>"));
}

static void add_text_attribute(struct buf *out, const char *name, struct str value)
{
	if (!value.n)
		return;
	buf_addf(out, " %s=\"", name);
	xml_add(out, value);
	buf_add_char(out, '"');
}

/* Returns what closes the element. */
static struct str open_group(struct buf *out, const struct attributes *a)
{
	if (!a) {
		buf_add(out, STR("<g>"));
		return STR("</g>\n");
	}
	bool is_link = a->value[ATTRIBUTE_HREF].n > 0;
	buf_add(out, is_link ? STR("<a") : STR("<g"));
	if (is_link) {
		struct str target = a->value[ATTRIBUTE_TARGET];
		add_text_attribute(out, "xlink:href", a->value[ATTRIBUTE_HREF]);
		add_text_attribute(out, "target", target.n ? target : STR("_top"));
		buf_add_char(out, ' ');
		buf_add(out, a->value[ATTRIBUTE_A_EXTRA]);
	}
	add_text_attribute(out, "id", a->value[ATTRIBUTE_ID]);
	add_text_attribute(out, "class", a->value[ATTRIBUTE_CLASS]);
	buf_add_char(out, ' ');
	buf_add(out, a->value[ATTRIBUTE_G_EXTRA]);
	buf_add_char(out, '>');
	return is_link ? STR("</a>\n") : STR("</g>\n");
}

static void add_frame(struct buf *out, struct frames *f, const struct box *b)
{
	const struct picture_style *s = f->p->style;
	const struct attributes *a = name_attributes_of(
		f->p->attributes, b->node ? tree_label_of(f->p->tree, b->node)->name : STR(""));
	if (s->is_inverted) {
		f->y1 = f->m.top + b->depth * s->frame_height;
		f->y2 = f->m.top + (b->depth + 1) * s->frame_height - PICTURE_FRAME_GAP;
	} else {
		f->y1 = f->m.frames_end - f->m.details - (b->depth + 1) * s->frame_height +
			PICTURE_FRAME_GAP;
		f->y2 = f->m.frames_end - f->m.details - b->depth * s->frame_height;
	}
	struct str end = open_group(out, a);
	buf_add(out, STR("<title>"));
	if (a && a->value[ATTRIBUTE_TITLE].n)
		xml_add(out, a->value[ATTRIBUTE_TITLE]);
	else if (f->p->comparison)
		svg_add_diff_title(out, f, b);
	else
		add_title(out, f, b);
	buf_add(out, STR("</title>"));
	add_rectangle(out, f, b);
	add_label(out, f, b, svg_x(&f->m, b->start + b->value) - svg_x(&f->m, b->start));
	buf_add(out, end);
}

/* --- legend --- */

static void add_legend(struct buf *out, const struct picture *p, const struct measures *m)
{
	const struct picture_style *s = p->style;
	double x = PICTURE_SIDE_PAD, y = m->frames_end + 4;
	buf_add(out, STR("<g id=\"legend\">\n"));
	for (uint32_t i = 0; i < p->legend->entries.n; i++) {
		const struct legend_entry *entry = &p->legend->entries.p[i];
		struct str text = str_from(entry->text);
		buf_add(out, STR("<g><rect"));
		add_attribute(out, "x", x);
		add_attribute(out, "y", y - 10);
		buf_add(out, STR(" width=\"12\" height=\"12\" rx=\"2\" fill=\""));
		add_colour(out, entry->colour);
		buf_add_char(out, '"');
		add_outline(out, entry->outline);
		buf_add(out, STR("/><text"));
		add_attribute(out, "x", x + 17);
		add_attribute(out, "y", y);
		buf_add_char(out, '>');
		xml_add(out, text);
		buf_add(out, STR("</text></g>\n"));
		x += 17 + __builtin_ceil((double)text.n * s->font_size * s->font_width) + 16;
	}
	buf_add(out, STR("</g>\n"));
}

/* --- the whole --- */

static void flush(struct buf *text, struct writer *out)
{
	writer_add(out, buf_str(text));
	text->n = 0;
}

static void write_svg(const struct picture *p, struct writer *out)
{
	enum { FLUSH_BYTES = 64 << 10 };
	AUTO(buf) struct buf text = { 0 };
	struct frames f = { .p = p, .m = measures_of(p) };
	add_head(&text, p, &f.m);
	buf_add(&text, STR("<g id=\"frames\">\n"));
	for (uint32_t i = 0; i < p->layout->boxes.n && writer_is_healthy(out); i++) {
		add_frame(&text, &f, &p->layout->boxes.p[i]);
		if (text.n > FLUSH_BYTES)
			flush(&text, out);
	}
	buf_add(&text, STR("</g>\n"));
	add_text_line(&text, "details", PICTURE_SIDE_PAD, f.m.frames_end - f.m.details / 2,
		      STR(" "));
	if (p->legend->entries.n)
		add_legend(&text, p, &f.m);
	flush(&text, out);
	svg_add_model(&text, &f);
	buf_add(&text, STR("<script><![CDATA[\n"));
	buf_add(&text, svg_script);
	buf_add(&text, STR("]]></script>\n</svg>\n"));
	flush(&text, out);
}

void sink_svg(const struct picture *p, struct writer *out)
{
	writer_add(out, STR("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"));
	write_svg(p, out);
}
