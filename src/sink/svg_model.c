/* The numbers behind the frames, exact, for the script in the picture: doc/formats/flame-svg.md. */
#include "sink/svg_int.h"

static void add_key(struct buf *out, const char *key)
{
	buf_addf(out, ",\n\"%s\":", key);
}

static void add_text(struct buf *out, const char *key, const char *value)
{
	add_key(out, key);
	xml_add_json_string(out, str_from(value));
}

static void add_real(struct buf *out, const char *key, double value)
{
	add_key(out, key);
	buf_addf(out, "%.15g", value);
}

static void add_bool(struct buf *out, const char *key, bool value)
{
	add_key(out, key);
	buf_add(out, value ? STR("true") : STR("false"));
}

/* Larger than a double can hold: so numbers are text. */
static void add_exact(struct buf *out, const char *key, uint64_t value)
{
	add_key(out, key);
	buf_add_char(out, '"');
	buf_add_u64(out, value);
	buf_add_char(out, '"');
}

typedef uint64_t column(const struct frames *f, const struct box *b);

static uint64_t box_depth(const struct frames *f, const struct box *b)
{
	(void)f;
	return b->depth;
}

static uint64_t box_start(const struct frames *f, const struct box *b)
{
	(void)f;
	return b->start;
}

static uint64_t box_value(const struct frames *f, const struct box *b)
{
	(void)f;
	return b->value;
}

static uint64_t box_self(const struct frames *f, const struct box *b)
{
	(void)f;
	return b->self;
}

static uint64_t before_total(const struct frames *f, const struct box *b)
{
	return f->p->tree->total[BEFORE][b->node];
}

static uint64_t before_self(const struct frames *f, const struct box *b)
{
	return f->p->tree->self[BEFORE][b->node];
}

static uint64_t after_total(const struct frames *f, const struct box *b)
{
	return f->p->tree->total[AFTER][b->node];
}

static uint64_t after_self(const struct frames *f, const struct box *b)
{
	return f->p->tree->self[AFTER][b->node];
}

static uint64_t is_noise(const struct frames *f, const struct box *b)
{
	return comparison_is_noise(f->p->comparison, before_total(f, b), after_total(f, b));
}

static uint64_t is_own_noise(const struct frames *f, const struct box *b)
{
	return comparison_is_noise(f->p->comparison, before_self(f, b), after_self(f, b));
}

static void add_column(struct buf *out, const char *key, const struct frames *f, column *of)
{
	const struct layout *l = f->p->layout;
	add_key(out, key);
	buf_add_char(out, '"');
	for (uint32_t i = 0; i < l->boxes.n; i++) {
		if (i)
			buf_add_char(out, ' ');
		buf_add_u64(out, of(f, &l->boxes.p[i]));
	}
	buf_add_char(out, '"');
}

static const char *tier_text(char tier)
{
	switch (tier) {
	case '~':
		return "interpreted";
	case '^':
		return "baseline";
	case '+':
		return "Maglev";
	case '*':
		return "optimized";
	default:
		return NULL;
	}
}

/* `optimized`, or all that a function was compiled to: `interpreted and optimized`. */
static void add_tiers(struct buf *note, const struct tree_label *l)
{
	for (size_t i = 0; l->tiers >> i; i++) {
		if (!(l->tiers >> i & 1))
			continue;
		bool is_first = !(l->tiers & ((1u << i) - 1)), is_last = !(l->tiers >> (i + 1));
		buf_addf(note, "%s%s",
			 is_first  ? (note->n ? ", " : "")
			 : is_last ? " and "
				   : ", ",
			 tier_text(TREE_TIERS[i]));
	}
}

/* A list of texts, one for each name. */
struct texts {
	struct buf text;
	bool has_any;
};

static void add_to(struct texts *list, struct str text)
{
	buf_add(&list->text, list->text.n ? STR(",") : STR(""));
	xml_add_json_string(&list->text, text);
	list->has_any |= text.n > 0;
}

/* What is known of a label beyond its name: `native, libc.so.6`. */
static void add_note(struct texts *notes, const struct tree_label *l)
{
	AUTO(buf) struct buf note = { 0 };
	if (l->module.n || l->kind != FRAME_USER)
		buf_add(&note, str_from(category_text(category_of_label(l))));
	add_tiers(&note, l);
	if (l->module.n && l->kind == FRAME_USER)
		buf_addf(&note, "%s%.*s", note.n ? ", " : "", STR_ARG(l->module));
	if (l->has_inlined)
		buf_addf(&note, "%s%s", note.n ? ", " : "",
			 l->flags & FRAME_INLINED ? "inlined" : "inlined in places");
	if (l->flags & FRAME_WAKER)
		buf_addf(&note, "%swaker", note.n ? ", " : "");
	add_to(notes, buf_str(&note));
}

/* What is drawn and said instead of a name: `parse lib/a.js:12`, `parse /srv/lib/a.js:12:3`. */
static void add_shown(struct texts *labels, struct texts *shown, const struct tree_label *l)
{
	AUTO(buf) struct buf brief = { 0 };
	if (l->place.n)
		label_add_brief(&brief, l);
	add_to(labels, buf_str(&brief));
	add_to(shown, str_eq(l->shown, tree_label_bare(l)) ? STR("") : l->shown);
}

/* The kind of code that a name is, as a number. Whose code it is, is known of a module or a compiler's output. */
static void add_category(struct texts *categories, const struct tree_label *l)
{
	enum category c = category_of_label(l);
	buf_addf(&categories->text, "%s%d", categories->text.n ? " " : "", c);
	categories->has_any |= category_is_yours(c) && (l->module.n || l->kind != FRAME_USER);
}

static void add_categories(struct buf *out, const struct texts *categories)
{
	if (!categories->has_any)
		return;
	add_key(out, "categories");
	for (enum category c = 0; c < CATEGORY_COUNT; c++)
		buf_addf(out, "%c\"%s\"", c ? ',' : '[', category_name(c));
	buf_add(out, STR("]"));
	add_key(out, "category");
	buf_addf(out, "\"%.*s\"", STR_ARG(buf_str(&categories->text)));
}

static void add_list(struct buf *out, const char *key, const struct texts *list)
{
	add_key(out, key);
	buf_add_char(out, '[');
	buf_add(out, buf_str(&list->text));
	buf_add_char(out, ']');
}

/* Names that frames in the picture have; *index: by label, its place among them. */
static void add_names(struct buf *out, const struct frames *f, uint32_t *index)
{
	const struct layout *l = f->p->layout;
	const struct tree *t = f->p->tree;
	struct texts notes = { 0 }, labels = { 0 }, shown = { 0 }, categories = { 0 };
	uint32_t n = 0;
	memset(index, 0xff, t->labels.n * sizeof(*index));
	add_key(out, "names");
	buf_add_char(out, '[');
	for (uint32_t i = 0; i < l->boxes.n; i++) {
		uint32_t id = t->label[l->boxes.p[i].node];
		if (index[id] != INDEX_NONE)
			continue;
		index[id] = n;
		buf_add(out, n++ ? STR(",\n") : STR("\n"));
		xml_add_json_string(out, tree_label_bare(&t->labels.p[id]));
		add_note(&notes, &t->labels.p[id]);
		add_shown(&labels, &shown, &t->labels.p[id]);
		add_category(&categories, &t->labels.p[id]);
	}
	buf_add_char(out, ']');
	add_list(out, "notes", &notes);
	add_categories(out, &categories);
	if (labels.has_any)
		add_list(out, "labels", &labels);
	if (shown.has_any)
		add_list(out, "shown", &shown);
	add_key(out, "name");
	buf_add_char(out, '"');
	for (uint32_t i = 0; i < l->boxes.n; i++) {
		if (i)
			buf_add_char(out, ' ');
		buf_add_u64(out, index[t->label[l->boxes.p[i].node]]);
	}
	buf_add_char(out, '"');
	buf_fini(&notes.text);
	buf_fini(&labels.text);
	buf_fini(&shown.text);
	buf_fini(&categories.text);
}

static void add_comparison(struct buf *out, const struct frames *f)
{
	const struct comparison *c = f->p->comparison;
	if (!c)
		return;
	add_bool(out, "absolute", c->scaled_by == SCALE_NONE);
	add_real(out, "scale", c->scale);
	add_exact(out, "before_total", c->total[BEFORE]);
	add_exact(out, "after_total", c->total[AFTER]);
	add_column(out, "before", f, before_total);
	add_column(out, "before_self", f, before_self);
	add_column(out, "after", f, after_total);
	add_column(out, "after_self", f, after_self);
	add_column(out, "noise", f, is_noise);
	add_column(out, "own_noise", f, is_own_noise);
}

void svg_add_model(struct buf *out, const struct frames *f)
{
	const struct picture *p = f->p;
	const struct picture_style *s = p->style;
	AUTO_FREE uint32_t *index = mem_alloc(p->tree->labels.n, sizeof(*index));
	buf_add(out, STR("<metadata id=\"model\">{\"version\":1"));
	add_text(out, "kind", p->comparison ? "diff" : "flame");
	add_bool(out, "fluid", s->is_fluid);
	add_bool(out, "inverted", s->is_inverted);
	add_real(out, "frame_height", s->frame_height);
	add_real(out, "font_size", s->font_size);
	add_real(out, "font_width", s->font_width);
	add_real(out, "pad", PICTURE_SIDE_PAD);
	add_real(out, "top", f->m.top);
	add_real(out, "bottom", f->m.details + f->m.legend);
	add_text(out, "count_name", s->count_name);
	add_text(out, "name_type", s->name_type);
	add_real(out, "factor", s->factor);
	add_real(out, "decimals", p->tree->decimals);
	add_exact(out, "total", p->total);
	if (p->count_ns > 0)
		add_real(out, "count_ns", p->count_ns);
	add_key(out, "narrow");
	buf_addf(out, "{\"frames\":%u,\"min\":%.15g}", p->layout->narrow, p->min_value);
	add_names(out, f, index);
	add_column(out, "depth", f, box_depth);
	add_column(out, "start", f, box_start);
	add_column(out, "value", f, box_value);
	add_column(out, "self", f, box_self);
	add_comparison(out, f);
	buf_add(out, STR("}</metadata>\n"));
}
