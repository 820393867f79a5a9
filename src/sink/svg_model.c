/* The numbers behind the frames, exact, for the script in the picture: doc/formats/flame-svg.md. */
#include "sink/svg_int.h"

/* Each member of the model begins a line. */
static void add_text(struct json_out *j, const char *key, const char *value)
{
	json_out_line(j);
	json_out_string(j, key, str_from(value));
}

static void add_real(struct json_out *j, const char *key, double value)
{
	json_out_line(j);
	json_out_real(j, key, value);
}

static void add_bool(struct json_out *j, const char *key, bool value)
{
	json_out_line(j);
	json_out_bool(j, key, value);
}

/* Larger than a double can hold: so numbers are text. */
static void add_exact(struct json_out *j, const char *key, uint64_t value)
{
	json_out_line(j);
	buf_addf(json_out_value(j, key), "\"%llu\"", (unsigned long long)value);
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

static uint64_t box_name(const struct frames *f, const struct box *b)
{
	return f->name_of[f->p->tree->label[b->node]];
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

static void add_column(struct json_out *j, const char *key, const struct frames *f, column *of)
{
	const struct layout *l = f->p->layout;
	json_out_line(j);
	struct buf *out = json_out_value(j, key);
	for (uint32_t i = 0; i < l->boxes.n; i++) {
		buf_add_char(out, i ? ' ' : '"');
		buf_add_u64(out, of(f, &l->boxes.p[i]));
	}
	buf_add(out, l->boxes.n ? STR("\"") : STR("\"\""));
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
struct name_texts {
	struct json_out out;
	bool has_any;
};

static void add_to(struct name_texts *list, struct str text)
{
	json_out_string(&list->out, NULL, text);
	list->has_any |= text.n > 0;
}

/* What is known of a label beyond its name: `native, libc.so.6`. */
static void add_note(struct name_texts *notes, const struct tree_label *l)
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
static void add_shown(struct name_texts *labels, struct name_texts *shown,
		      const struct tree_label *l)
{
	AUTO(buf) struct buf brief = { 0 };
	if (l->place.n)
		label_add_brief(&brief, l);
	add_to(labels, buf_str(&brief));
	add_to(shown, str_eq(l->shown, tree_label_bare(l)) ? STR("") : l->shown);
}

/* The members of the model that hold a value for each name. */
struct names {
	struct name_texts notes, labels, shown;
	struct buf categories;
	bool has_categories;
};

/* The kind of code that a name is, as a number. Whose code it is, is known of a module or a compiler's output. */
static void add_category(struct names *n, const struct tree_label *l)
{
	enum category c = category_of_label(l);
	buf_addf(&n->categories, "%s%d", n->categories.n ? " " : "", c);
	n->has_categories |= category_is_yours(c) && (l->module.n || l->kind != FRAME_USER);
}

static void add_categories(struct json_out *j, const struct names *n)
{
	json_out_line(j);
	json_out_open(j, "categories", '[');
	for (enum category c = 0; c < CATEGORY_COUNT; c++)
		json_out_string(j, NULL, str_from(category_name(c)));
	json_out_close(j, ']');
	json_out_line(j);
	json_out_string(j, "category", buf_str(&n->categories));
}

static void add_list(struct json_out *j, const char *key, const struct name_texts *list)
{
	json_out_line(j);
	json_out_open(j, key, '[');
	buf_add(&j->text, buf_str(&list->out.text));
	json_out_close(j, ']');
}

static void add_names(struct json_out *j, struct frames *f, struct names *names)
{
	const struct layout *l = f->p->layout;
	const struct tree *t = f->p->tree;
	uint32_t n = 0;
	json_out_line(j);
	json_out_open(j, "names", '[');
	for (uint32_t i = 0; i < l->boxes.n; i++) {
		uint32_t id = t->label[l->boxes.p[i].node];
		if (f->name_of[id] != INDEX_NONE)
			continue;
		f->name_of[id] = n++;
		json_out_line(j);
		json_out_string(j, NULL, tree_label_bare(&t->labels.p[id]));
		add_note(&names->notes, &t->labels.p[id]);
		add_shown(&names->labels, &names->shown, &t->labels.p[id]);
		add_category(names, &t->labels.p[id]);
	}
	json_out_close(j, ']');
}

/* Names that frames in the picture have, and what is known of each. */
static void add_name_columns(struct json_out *j, struct frames *f)
{
	struct names names = { .notes.out.strings = JSON_SHOWN,
			       .labels.out.strings = JSON_SHOWN,
			       .shown.out.strings = JSON_SHOWN };
	add_names(j, f, &names);
	add_list(j, "notes", &names.notes);
	if (names.has_categories)
		add_categories(j, &names);
	if (names.labels.has_any)
		add_list(j, "labels", &names.labels);
	if (names.shown.has_any)
		add_list(j, "shown", &names.shown);
	add_column(j, "name", f, box_name);
	buf_fini(&names.notes.out.text);
	buf_fini(&names.labels.out.text);
	buf_fini(&names.shown.out.text);
	buf_fini(&names.categories);
}

static void add_comparison(struct json_out *j, const struct frames *f)
{
	const struct comparison *c = f->p->comparison;
	if (!c)
		return;
	add_bool(j, "absolute", c->scaled_by == SCALE_NONE);
	add_real(j, "scale", c->scale);
	add_exact(j, "before_total", c->total[BEFORE]);
	add_exact(j, "after_total", c->total[AFTER]);
	add_column(j, "before", f, before_total);
	add_column(j, "before_self", f, before_self);
	add_column(j, "after", f, after_total);
	add_column(j, "after_self", f, after_self);
	add_column(j, "noise", f, is_noise);
	add_column(j, "own_noise", f, is_own_noise);
}

static void add_style(struct json_out *j, const struct frames *f)
{
	const struct picture_style *s = f->p->style;
	add_bool(j, "fluid", s->is_fluid);
	add_bool(j, "inverted", s->is_inverted);
	add_real(j, "frame_height", s->frame_height);
	add_real(j, "font_size", s->font_size);
	add_real(j, "font_width", s->font_width);
	add_real(j, "pad", PICTURE_SIDE_PAD);
	add_real(j, "top", f->m.top);
	add_real(j, "bottom", f->m.details + f->m.legend);
	add_text(j, "count_name", s->count_name);
	add_text(j, "name_type", s->name_type);
	add_real(j, "factor", s->factor);
}

void svg_add_model(struct buf *out, struct frames *f)
{
	const struct picture *p = f->p;
	AUTO_FREE uint32_t *name_of = index_none_alloc(p->tree->labels.n);
	struct json_out j = { .strings = JSON_SHOWN };
	f->name_of = name_of;
	json_out_open(&j, NULL, '{');
	json_out_u64(&j, "version", 1);
	add_text(&j, "kind", p->comparison ? "diff" : "flame");
	add_style(&j, f);
	add_real(&j, "decimals", p->tree->decimals);
	add_exact(&j, "total", p->total);
	if (p->count_ns > 0)
		add_real(&j, "count_ns", p->count_ns);
	json_out_line(&j);
	json_out_open(&j, "narrow", '{');
	json_out_u64(&j, "frames", p->layout->narrow);
	json_out_real(&j, "min", p->min_value);
	json_out_close(&j, '}');
	add_name_columns(&j, f);
	add_column(&j, "depth", f, box_depth);
	add_column(&j, "start", f, box_start);
	add_column(&j, "value", f, box_value);
	add_column(&j, "self", f, box_self);
	add_comparison(&j, f);
	json_out_close(&j, '}');
	buf_add(out, STR("<metadata id=\"model\">"));
	buf_add(out, buf_str(&j.text));
	buf_add(out, STR("</metadata>\n"));
	buf_fini(&j.text);
}
