/* Selects both sides of a comparison, matches their names, pairs and scales them. */
#include "view/sides_int.h"

void comparing_fini(struct comparing *c)
{
	if (c->pair != c->side[BEFORE].tree)
		tree_free(c->pair);
	for (unsigned i = 0; i < SIDES; i++)
		tree_free(c->side[i].tree);
}

/* The request has no range, one for both sides, or one for each. Borrowed from it. */
static struct text_list times_of_side(const struct view_request *r, unsigned side)
{
	const struct text_list *times = &r->diff.times;
	if (times->n < SIDES)
		return *times;
	return (struct text_list){ .p = &times->p[side], .n = 1, .capacity = 1 };
}

static const char *name_of(const struct side *s)
{
	return s->in.file ? s->in.file : "standard input";
}

/* asked: the request's query, or one derived from it. */
static bool query_side(struct comparing *c, const struct view_request *r, const struct query *asked,
		       unsigned side, struct err *e)
{
	struct side *s = &c->side[side];
	struct query query = *asked; /* shares the request's lists */
	struct err why = { 0 };
	query.times = times_of_side(r, side);
	query.beside = c->side[!side].in.profile;
	s->tree = query_tree(s->in.profile, &query, &s->ledger, e);
	if (!s->tree || s->ledger.stacks)
		return s->tree != NULL;
	view_explain_nothing(s->in.profile, &query, &s->ledger, &why);
	return err_set(e, "%s: %s", name_of(s), why.text);
}

static bool add_up_side(struct comparing *c, const struct view_request *r, unsigned side,
			bool by_kind, struct view_notes *notes, struct err *e)
{
	struct side *s = &c->side[side];
	struct query query = r->query; /* shares the request's lists */
	query.by_kind = by_kind;
	query.names = by_kind && view_knows_kinds(s->in.profile) && r->diff.format != DIFF_FOLDED
			      ? NAMES_SHOWN
			      : NAMES_FOLDED;
	if (!query_side(c, r, &query, side, e))
		return false;
	notes_add_recording(notes, &s->in);
	notes_add_warnings(notes, s->in.profile, &query, &s->ledger);
	return true;
}

/* Folded stacks: their counts are taken as samples, even with decimals. */
static bool has_only_sums(const struct profile *p)
{
	return p->events.n && p->events.p[0].has_only_sums;
}

/* One file in which every line has both counts. */
static void take_both(struct comparing *c)
{
	const struct tree *t = c->pair = c->side[BEFORE].tree;
	for (unsigned i = 0; i < SIDES; i++) {
		c->comparison.total[i] = t->total[i][0];
		c->comparison.samples[i] = (double)t->total[i][0] / (double)tree_unit(t);
	}
}

static bool take_pair(struct comparing *c, struct err *e)
{
	for (unsigned i = 0; i < SIDES; i++) {
		if (c->side[i].tree->value_count > 1)
			return err_usage(e,
					 "%s has two counts per line already: give no other file",
					 name_of(&c->side[i]));
	}
	struct tree *before = tree_named_like(c->side[BEFORE].tree, c->side[AFTER].tree);
	c->pair = tree_pair(before ? before : c->side[BEFORE].tree, c->side[AFTER].tree);
	tree_free(before);
	for (unsigned i = 0; i < SIDES; i++) {
		const struct side *s = &c->side[i];
		c->comparison.total[i] = c->pair->total[i][0];
		c->comparison.samples[i] =
			has_only_sums(s->in.profile)
				? (double)c->comparison.total[i] / (double)tree_unit(c->pair)
				: (double)s->ledger.shown;
	}
	return true;
}

static struct str event_of(const struct side *s)
{
	event_id event = s->ledger.event;
	return event == INDEX_NONE || s->in.profile->events.p[event].has_only_sums
		       ? STR("")
		       : profile_str(s->in.profile, s->in.profile->events.p[event].name);
}

static void warn_events_differ(const struct comparing *c, struct view_notes *notes)
{
	struct str before = event_of(&c->side[BEFORE]), after = event_of(&c->side[AFTER]);
	if (before.n && after.n && !str_eq(before, after))
		notes_add(
			notes,
			"the events differ, %.*s before and %.*s after; --where event=NAME selects "
			"one",
			STR_ARG(before), STR_ARG(after));
}

/* BEFORE and AFTER from two profiles, or from two time ranges of one. */
static bool add_up_two(struct comparing *c, const struct view_request *r, struct view_notes *notes,
		       struct err *e)
{
	struct side *side = c->side;
	if (!side[AFTER].in.profile && r->diff.times.n < SIDES)
		return err_usage(
			e,
			"only one profile given (%s): give BEFORE and AFTER, or two --time ranges",
			name_of(&side[BEFORE]));
	if (!side[AFTER].in.profile)
		side[AFTER].in = side[BEFORE].in;
	bool by_kind = view_knows_kinds(side[BEFORE].in.profile) &&
		       view_knows_kinds(side[AFTER].in.profile);
	for (unsigned i = 0; i < SIDES; i++)
		if (!add_up_side(c, r, i, by_kind, notes, e))
			return false;
	warn_events_differ(c, notes);
	return take_pair(c, e);
}

/* The root's widest child on one side. */
static struct str first_name(const struct tree *t, unsigned side)
{
	uint32_t widest = 0;
	for (uint32_t i = 1; i < t->n; i = t->end[i])
		if (!widest || t->total[side][i] > t->total[side][widest])
			widest = i;
	return widest ? tree_label_of(t, widest)->name : STR("");
}

/* A program that was renamed shares no paths with its old self. */
static void warn_if_disjoint(const struct tree *t, struct view_notes *notes)
{
	for (uint32_t i = 1; i < t->n; i = t->end[i])
		if (t->total[BEFORE][i] && t->total[AFTER][i])
			return;
	notes_add(
		notes,
		"BEFORE and AFTER have no path in common (stacks start with %.*s and %.*s); --root "
		"FUNCTION starts them at a function that both have",
		STR_ARG(str_first(first_name(t, BEFORE), 60)),
		STR_ARG(str_first(first_name(t, AFTER), 60)));
}

static enum diff_scale scale_of(const struct diff_options *o)
{
	return o->is_absolute ? SCALE_NONE : o->normalizes ? SCALE_BY_TOTAL : o->scale_by;
}

bool comparing_add_up(struct comparing *c, const struct view_input *sides,
		      const struct view_request *r, struct view_notes *notes, struct err *e)
{
	const uint64_t *total = c->comparison.total;
	c->comparison.by_self = r->diff.delta == 0;
	for (unsigned i = 0; i < SIDES; i++)
		c->side[i].in = sides[i];
	if (!sides[AFTER].profile && sides[BEFORE].profile->is_differential) {
		if (!add_up_side(c, r, BEFORE, true, notes, e))
			return false;
		take_both(c);
	} else if (!add_up_two(c, r, notes, e)) {
		return false;
	}
	for (unsigned i = 0; i < SIDES; i++)
		if (c->pair != c->side[BEFORE].tree && !total[i])
			return err_set(e, "%s: nothing to compare: all counts are 0",
				       name_of(&c->side[i]));
	if (!total[BEFORE] && !total[AFTER])
		return err_set(e, "nothing to compare: all counts are 0");
	if (total[BEFORE] && total[AFTER])
		warn_if_disjoint(c->pair, notes);
	comparison_set_scale(&c->comparison, c->pair, scale_of(&r->diff));
	return true;
}

bool comparing_your_code(struct comparing *yours, const struct comparing *c,
			 const struct view_request *r, struct err *e)
{
	struct query query = r->query; /* shares the request's lists */
	bool has_scripts = false;
	for (unsigned i = 0; i < SIDES; i++) {
		struct profile *p = c->side[i].in.profile;
		if (r->query.your_code || !p || !view_knows_kinds(p))
			return true;
		has_scripts |= profile_has_scripts(p);
		yours->side[i].in = c->side[i].in;
	}
	if (!has_scripts)
		return true;
	query.your_code = query.by_kind = true;
	query.names = NAMES_SHOWN;
	yours->comparison.by_self = true;
	for (unsigned i = 0; i < SIDES; i++)
		if (!query_side(yours, r, &query, i, e))
			return false;
	if (!take_pair(yours, e))
		return false;
	comparison_set_scale(&yours->comparison, yours->pair, scale_of(&r->diff));
	return true;
}

void comparing_describe(const struct comparing *c, const struct view_request *r, unsigned i,
			struct buf *out)
{
	const struct side *s = &c->side[c->side[AFTER].in.profile ? i : BEFORE];
	struct str event = event_of(s);
	buf_add_counted(out, (uint64_t)c->comparison.samples[i], "sample", "samples");
	if (event.n) {
		buf_add(out, STR(" of "));
		buf_add(out, event);
	}
	buf_addf(out, ", %s", name_of(s));
	const struct text_list times = times_of_side(r, i);
	if (times.n)
		buf_addf(out, ", time %s", times.p[0]);
}
