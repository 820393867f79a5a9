/* api/tree: the tree of a selection, as columns in preorder. */
#include "api/api_int.h"

enum label_flag { LABEL_INLINED = 1, LABEL_PROCESS = 2, LABEL_RECURSIVE = 4, LABEL_FOLDED = 8 };

static unsigned flags_of(const struct tree_label *l)
{
	return (l->flags & FRAME_INLINED ? LABEL_INLINED : 0) |
	       (l->is_process ? LABEL_PROCESS : 0) | (l->is_recursive ? LABEL_RECURSIVE : 0) |
	       (l->flags & FRAME_FOLDED ? LABEL_FOLDED : 0);
}

static void add_texts(struct json_out *j, const struct tree *t, const char *key, size_t offset)
{
	json_out_open(j, key, '[');
	for (uint32_t i = 0; i < t->labels.n; i++)
		json_out_string(j, NULL,
				*(const struct str *)((const char *)&t->labels.p[i] + offset));
	json_out_close(j, ']');
}

void add_labels(struct json_out *j, const struct tree *t)
{
	json_out_open(j, "labels", '{');
	add_texts(j, t, "name", offsetof(struct tree_label, name));
	add_texts(j, t, "function", offsetof(struct tree_label, function));
	add_texts(j, t, "place", offsetof(struct tree_label, place));
	add_texts(j, t, "module", offsetof(struct tree_label, module));
	json_out_open(j, "kind", '[');
	for (uint32_t i = 0; i < t->labels.n; i++)
		json_out_string(j, NULL, str_from(frame_kind_name(t->labels.p[i].kind)));
	json_out_close(j, ']');
	json_out_open(j, "category", '[');
	for (uint32_t i = 0; i < t->labels.n; i++)
		json_out_u64(j, NULL, category_of_label(&t->labels.p[i]));
	json_out_close(j, ']');
	json_out_open(j, "tiers", '[');
	for (uint32_t i = 0; i < t->labels.n; i++)
		json_out_u64(j, NULL, t->labels.p[i].tiers);
	json_out_close(j, ']');
	json_out_open(j, "flags", '[');
	for (uint32_t i = 0; i < t->labels.n; i++)
		json_out_u64(j, NULL, flags_of(&t->labels.p[i]));
	json_out_close(j, ']');
	json_out_close(j, '}');
}

static struct str unit_of(const struct profile *p, const struct query_ledger *l)
{
	if (!l->is_in_periods)
		return STR("samples");
	return l->event < p->events.n ? profile_str(p, p->events.p[l->event].unit) : STR("events");
}

uint64_t ns_of_unit(const struct profile *p, const struct query_ledger *l)
{
	if (str_eq(unit_of(p, l), STR("ns")))
		return 1;
	if (l->event == INDEX_NONE || l->event >= p->events.n || l->is_in_periods ||
	    !event_samples_time(profile_str(p, p->events.p[l->event].name)))
		return 0;
	struct str rate = recording_brief_of(p, l->event).rate; /* `99 Hz` */
	uint64_t hz;
	return str_to_u64(str_take_word(&rate), &hz) && hz ? 1000000000 / hz : 0;
}

void add_unit(struct json_out *j, const struct profile *p, const struct query_ledger *l,
	      const struct tree *t)
{
	json_out_open(j, "unit", '{');
	json_out_string(j, "name", unit_of(p, l));
	json_out_u64(j, "decimals", t->decimals);
	json_out_u64(j, "ns", ns_of_unit(p, l));
	json_out_close(j, '}');
}

void add_counts(struct json_out *j, const struct query_ledger *l)
{
	json_out_open(j, "samples", '{');
	json_out_u64(j, "in", l->samples_in);
	json_out_u64(j, "shown", l->shown);
	json_out_u64(j, "by_time", l->by_time);
	json_out_u64(j, "by_where", l->by_where);
	json_out_u64(j, "by_text", l->by_text);
	json_out_u64(j, "idle", l->idle);
	json_out_u64(j, "other_events", l->other_events);
	json_out_u64(j, "not_under_root", l->not_under_root);
	json_out_close(j, '}');
}

/* The columns of a tree, without nodes that are too small. */
struct kept {
	uint32_t n, *label, *depth;
	uint64_t *self[TREE_MAX_VALUES], *start;
	uint32_t left_out;
};

static void kept_fini(struct kept *k)
{
	free(k->label);
	free(k->depth);
	free(k->self[0]);
	free(k->self[1]);
	free(k->start);
}

/* A node whose descendants are dropped takes their weight as its self value. */
static void keep(const struct tree *t, double least, struct kept *k)
{
	uint64_t all = t->total[0][0] + (t->value_count > 1 ? t->total[1][0] : 0);
	k->label = mem_alloc(t->n, sizeof(*k->label));
	k->depth = mem_alloc(t->n, sizeof(*k->depth));
	k->start = mem_zalloc(t->n, sizeof(*k->start));
	for (unsigned v = 0; v < t->value_count; v++)
		k->self[v] = mem_alloc(t->n, sizeof(**k->self));
	for (uint32_t i = 0; i < t->n;) {
		uint64_t total = t->total[0][i] + (t->value_count > 1 ? t->total[1][i] : 0);
		bool is_small = (double)total < least * (double)all;
		k->label[k->n] = t->label[i];
		k->depth[k->n] = t->depth[i];
		if (t->start)
			k->start[k->n] = t->start[i];
		for (unsigned v = 0; v < t->value_count; v++)
			k->self[v][k->n] = is_small ? t->total[v][i] : t->self[v][i];
		k->n++;
		k->left_out += is_small ? t->end[i] - i - 1 : 0;
		i = is_small ? t->end[i] : i + 1;
	}
}

static void add_header(struct columns *c, const struct prepared_side *side, const struct tree *t,
		       const struct query_ledger *l)
{
	struct json_out *j = &c->header;
	json_out_u64(j, "values", t->value_count);
	json_out_open(j, "total", '[');
	for (unsigned v = 0; v < t->value_count; v++)
		json_out_u64(j, NULL, t->total[v][0]);
	json_out_close(j, ']');
	add_unit(j, side->shown->profile, l, t);
	add_counts(j, l);
}

static void add_empty(struct json_out *j, const struct profile *p, const struct side_request *side,
		      const struct query_ledger *l)
{
	struct err e = { 0 };
	if (!l->shown)
		view_explain_nothing(p, &side->view.query, l, &e);
	json_out_string(j, "empty", str_from(e.text));
}

/* labels_id: 0 if only this answer uses the labels. */
static void write_tree(struct api_request *r, const struct prepared_side *side,
		       const struct tree *t, const struct query_ledger *l, uint64_t labels_id,
		       struct api_answer *answer)
{
	struct columns c;
	AUTO(kept) struct kept kept = { 0 };
	struct err e = { 0 };
	double least;
	if (!request_number(r, "least", 0, 1, 0, &least, &e)) {
		answer_err(answer, &e);
		return;
	}
	keep(t, least, &kept);
	columns_begin(&c, answer, r->wants_json);
	json_out_u64(&c.header, "n", kept.n);
	add_header(&c, side, t, l);
	json_out_u64(&c.header, "left_out", kept.left_out);
	add_empty(&c.header, side->shown->profile, &r->side, l);
	char id[24];
	snprintf(id, sizeof(id), "%llu", (unsigned long long)labels_id);
	const char *known = request_text(r, "labels");
	json_out_string(&c.header, "labels_id", str_from(labels_id ? id : ""));
	if (!labels_id || !known || strcmp(known, id) != 0)
		add_labels(&c.header, t);
	columns_add_u32(&c, "label", kept.label, kept.n);
	columns_add_u32(&c, "depth", kept.depth, kept.n);
	columns_add_u64(&c, t->value_count > 1 ? "self0" : "self", kept.self[0], kept.n);
	if (t->value_count > 1)
		columns_add_u64(&c, "self1", kept.self[1], kept.n);
	if (t->start)
		columns_add_u64(&c, "start", kept.start, kept.n);
	columns_end(&c);
}

/* The callers or callees of a function. Returns NULL if no function has this name. */
static struct tree *calls_of(const struct tree *t, const char *name, bool is_callers)
{
	AUTO_FREE bool *is_wanted = mem_zalloc(t->labels.n, sizeof(*is_wanted));
	bool is_any = false;
	for (uint32_t i = 0; i < t->labels.n; i++) {
		is_wanted[i] = str_eq(t->labels.p[i].name, str_from(name));
		is_any |= is_wanted[i];
	}
	if (!is_any)
		return NULL;
	return is_callers ? tree_callers(t, is_wanted, str_from(name))
			  : tree_callees(t, is_wanted, str_from(name));
}

static void write_calls(struct api_request *r, const struct prepared_side *side,
			const struct tree *t, const struct query_ledger *l,
			struct api_answer *answer)
{
	const char *callers = request_text(r, "callers"), *callees = request_text(r, "callees");
	struct tree *calls = calls_of(t, callers ? callers : callees, callers != NULL);
	if (calls)
		write_tree(r, side, calls, l, 0, answer);
	else
		answer_error(answer, 404, "no function with this name in the selection");
	tree_free(calls);
}

void tree_answer(struct api_request *r, struct api_answer *answer)
{
	AUTO(prepared_side) struct prepared_side side = { 0 };
	const char *view = request_text(r, "view");
	struct query_ledger ledger;
	r->side.view.query.in_order = view && strcmp(view, "time") == 0;
	r->side.view.query.by_thread = r->side.view.query.in_order;
	if (!side_prepare(r, &r->side, &side, answer))
		return;
	struct tree *t = side_tree(&side, &ledger);
	if (request_text(r, "callers") || request_text(r, "callees"))
		write_calls(r, &side, t, &ledger, answer);
	else
		write_tree(r, &side, t, &ledger, side.cached->id, answer);
	tree_free(t);
}

/* --- api/diff --- */

static bool choose(struct api_request *r, const char *name, const char *const *words,
		   unsigned *value, struct err *e)
{
	const char *text = request_text(r, name);
	*value = 0;
	if (!text)
		return true;
	for (; words[*value]; ++*value)
		if (strcmp(words[*value], text) == 0)
			return true;
	return err_usage(e, "%s=%s: unknown value", name, text);
}

static const char *const scale_words[] = { "rest", "total", "none", NULL };
static const char *const delta_words[] = { "self", "total", NULL };

static uint8_t *noise_of(const struct comparison *c, const struct tree *t, bool by_self)
{
	uint8_t *noise = mem_alloc(t->n, sizeof(*noise));
	struct comparison one = *c;
	one.by_self = by_self;
	for (uint32_t i = 0; i < t->n; i++)
		noise[i] = comparison_is_noise(c, comparison_value(&one, t, BEFORE, i),
					       comparison_value(&one, t, AFTER, i));
	return noise;
}

struct diff_sides {
	struct prepared_side side[SIDES];
	struct tree *tree[SIDES], *pair;
	struct query_ledger ledger[SIDES];
	struct comparison comparison;
};

static void diff_sides_fini(struct diff_sides *d)
{
	for (unsigned i = 0; i < SIDES; i++) {
		prepared_side_fini(&d->side[i]);
		tree_free(d->tree[i]);
	}
	tree_free(d->pair);
}

/* Names that depend on both sides. */
static bool set_beside(struct api_request *r, struct api_answer *answer)
{
	struct side_request *sides[SIDES] = { &r->base, &r->side };
	const struct shown *shown[SIDES];
	for (unsigned i = 0; i < SIDES; i++)
		if (!(shown[i] = files_shown(r->api, &sides[i]->files, answer)))
			return false;
	for (unsigned i = 0; i < SIDES && shown[BEFORE] != shown[AFTER]; i++) {
		sides[i]->view.query.beside = shown[!i]->profile;
		buf_addf(&sides[i]->words, "beside %.*s\n", STR_ARG(buf_str(&shown[!i]->key)));
	}
	return true;
}

static bool add_side(struct api_request *r, struct diff_sides *d, unsigned i,
		     struct api_answer *answer)
{
	struct side_request *side = i == BEFORE ? &r->base : &r->side;
	if (!side_prepare(r, side, &d->side[i], answer))
		return false;
	d->tree[i] = side_tree(&d->side[i], &d->ledger[i]);
	d->comparison.total[i] = d->tree[i]->total[0][0];
	d->comparison.samples[i] = (double)d->ledger[i].shown;
	return true;
}

/* Matches functions of edited code by name and place. */
static void pair_up(struct diff_sides *d)
{
	bool is_same = d->side[BEFORE].shown == d->side[AFTER].shown;
	struct tree *like = is_same ? NULL : tree_named_like(d->tree[BEFORE], d->tree[AFTER]);
	d->pair = tree_pair(like ? like : d->tree[BEFORE], d->tree[AFTER]);
	tree_free(like);
}

static void write_diff(struct api_request *r, const struct diff_sides *d, struct api_answer *answer)
{
	struct columns c;
	const struct tree *t = d->pair;
	AUTO_FREE uint8_t *noise = noise_of(&d->comparison, t, false);
	AUTO_FREE uint8_t *own_noise = noise_of(&d->comparison, t, true);
	columns_begin(&c, answer, r->wants_json);
	json_out_u64(&c.header, "n", t->n);
	add_header(&c, &d->side[AFTER], t, &d->ledger[AFTER]);
	json_out_real(&c.header, "scale", d->comparison.scale);
	json_out_string(&c.header, "scaled_by", str_from(scale_words[d->comparison.scaled_by]));
	add_empty(&c.header, d->side[AFTER].shown->profile, &r->side, &d->ledger[AFTER]);
	json_out_string(&c.header, "labels_id", STR(""));
	add_labels(&c.header, t);
	columns_add_u32(&c, "label", t->label, t->n);
	columns_add_u32(&c, "depth", t->depth, t->n);
	columns_add_u64(&c, "self0", t->self[BEFORE], t->n);
	columns_add_u64(&c, "self1", t->self[AFTER], t->n);
	columns_add_u8(&c, "noise", noise, t->n);
	columns_add_u8(&c, "own_noise", own_noise, t->n);
	columns_end(&c);
}

void diff_answer(struct api_request *r, struct api_answer *answer)
{
	AUTO(diff_sides) struct diff_sides d = { 0 };
	struct err e = { 0 };
	unsigned scale, delta;
	if (!choose(r, "scale", scale_words, &scale, &e) ||
	    !choose(r, "delta", delta_words, &delta, &e)) {
		answer_err(answer, &e);
		return;
	}
	if (r->wants_json) {
		diff_json(r, answer);
		return;
	}
	if (!set_beside(r, answer) || !add_side(r, &d, BEFORE, answer) ||
	    !add_side(r, &d, AFTER, answer))
		return;
	pair_up(&d);
	d.comparison.by_self = delta == 0;
	comparison_set_scale(&d.comparison, d.pair, (enum diff_scale)scale);
	write_diff(r, &d, answer);
}
