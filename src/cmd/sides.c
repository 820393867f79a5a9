#include "cmd/sides.h"

void comparing_fini(struct comparing *c)
{
	if (c->pair != c->side[BEFORE].tree)
		tree_free(c->pair);
	for (unsigned i = 0; i < SIDES; i++) {
		tree_free(c->side[i].tree);
		profile_unref(c->side[i].profile);
	}
}

static const char *time_of_side(const struct sides_wish *w, unsigned side)
{
	const struct text_list *times = w->times;
	return times->n ? times->p[times->n > 1 ? side : 0] : NULL;
}

static bool read_side(struct side *s, const struct sides_wish *w, unsigned side, struct err *e)
{
	struct query query = *w->query;
	const char *path = w->files->p[side < w->files->n ? side : 0];
	struct text_list file = { (char **)&path, 1, 1 };
	query.time = time_of_side(w, side);
	s->name = strcmp(path, "-") == 0 ? "standard input" : path;
	s->profile = read_profiles(&file, &w->source, query_columns(&query), e);
	return s->profile != NULL;
}

static bool query_side(struct comparing *c, const struct sides_wish *w, unsigned side, bool by_kind,
		       struct err *e)
{
	struct side *s = &c->side[side];
	struct query query = *w->query; /* its lists are w's */
	query.time = time_of_side(w, side);
	query.by_kind = by_kind;
	query.beside = c->side[!side].profile;
	query.names =
		by_kind && knows_kinds(s->profile) && !w->is_folded ? NAMES_SHOWN : NAMES_FOLDED;
	s->tree = query_tree(s->profile, &query, &s->ledger, e);
	if (s->tree && s->ledger.stacks == 0) {
		struct err why = { 0 };
		explain_nothing(s->profile, &query, &s->ledger, &why);
		err_set(e, "%s: %s", s->name, why.text);
	}
	if (!e->kind && !w->quiet) {
		struct text_list file = { (char **)&s->name, 1, 1 };
		say_recording(s->profile, &file);
		say_warnings(s->profile, &query, &s->ledger);
	}
	return s->tree && !e->kind;
}

/* Folded stacks: their counts are taken as samples, with decimals. */
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
					 c->side[i].name);
	}
	struct tree *before = tree_named_like(c->side[BEFORE].tree, c->side[AFTER].tree);
	c->pair = tree_pair(before ? before : c->side[BEFORE].tree, c->side[AFTER].tree);
	tree_free(before);
	for (unsigned i = 0; i < SIDES; i++) {
		const struct side *s = &c->side[i];
		c->comparison.total[i] = c->pair->total[i][0];
		c->comparison.samples[i] =
			has_only_sums(s->profile)
				? (double)c->comparison.total[i] / (double)tree_unit(c->pair)
				: (double)s->ledger.shown;
	}
	return true;
}

static struct str event_of(const struct side *s)
{
	event_id event = s->ledger.event;
	return event == INDEX_NONE || s->profile->events.p[event].has_only_sums
		       ? STR("")
		       : profile_str(s->profile, s->profile->events.p[event].name);
}

static void warn_events_differ(const struct comparing *c)
{
	struct str before = event_of(&c->side[BEFORE]), after = event_of(&c->side[AFTER]);
	if (before.n && after.n && !str_eq(before, after))
		say("the events differ, %.*s before and %.*s after; --where event=NAME selects one",
		    STR_ARG(before), STR_ARG(after));
}

/* BEFORE and AFTER, from two files or from two ranges of one. */
static bool read_two(struct comparing *c, const struct sides_wish *w, struct err *e)
{
	if (w->files->n == 1 && w->times->n < SIDES)
		return err_usage(
			e,
			"only one profile given (%s): give BEFORE and AFTER, or two --time ranges",
			w->files->p[0]);
	if (w->files->n == 1) { /* standard input can be read once */
		c->side[AFTER].name = c->side[BEFORE].name;
		c->side[AFTER].profile = profile_ref(c->side[BEFORE].profile);
	} else if (!read_side(&c->side[AFTER], w, AFTER, e)) {
		return false;
	}
	bool by_kind = knows_kinds(c->side[BEFORE].profile) && knows_kinds(c->side[AFTER].profile);
	for (unsigned i = 0; i < SIDES; i++)
		if (!query_side(c, w, i, by_kind, e))
			return false;
	if (!w->quiet)
		warn_events_differ(c);
	return take_pair(c, e);
}

/* The widest child of the root on one side. */
static struct str first_name(const struct tree *t, unsigned side)
{
	uint32_t widest = 0;
	for (uint32_t i = 1; i < t->n; i = t->end[i])
		if (!widest || t->total[side][i] > t->total[side][widest])
			widest = i;
	return widest ? tree_label_of(t, widest)->name : STR("");
}

/* A program that was renamed has no path in common with itself. */
static void warn_if_disjoint(const struct tree *t)
{
	for (uint32_t i = 1; i < t->n; i = t->end[i])
		if (t->total[BEFORE][i] && t->total[AFTER][i])
			return;
	say("BEFORE and AFTER have no path in common (stacks start with %.*s and %.*s); --root "
	    "FUNCTION starts them at a function that both have",
	    STR_ARG(str_first(first_name(t, BEFORE), 60)),
	    STR_ARG(str_first(first_name(t, AFTER), 60)));
}

bool comparing_read(struct comparing *c, const struct sides_wish *w, struct err *e)
{
	struct side *before = &c->side[BEFORE];
	c->comparison.by_self = w->by_self;
	if (!read_side(before, w, BEFORE, e))
		return false;
	if (w->files->n == 1 && before->profile->is_differential) {
		if (!query_side(c, w, BEFORE, true, e))
			return false;
		take_both(c);
	} else if (!read_two(c, w, e)) {
		return false;
	}
	for (unsigned i = 0; i < SIDES; i++)
		if (c->pair != before->tree && !c->comparison.total[i])
			return err_set(e, "%s: nothing to compare: all counts are 0",
				       c->side[i].name);
	if (!c->comparison.total[BEFORE] && !c->comparison.total[AFTER])
		return err_set(e, "nothing to compare: all counts are 0");
	if (!w->quiet && c->comparison.total[BEFORE] && c->comparison.total[AFTER])
		warn_if_disjoint(c->pair);
	comparison_set_scale(&c->comparison, c->pair, w->scale);
	return true;
}

bool comparing_your_code(struct comparing *yours, const struct comparing *c,
			 const struct sides_wish *w, struct err *e)
{
	struct query query = *w->query; /* its lists are w's */
	struct sides_wish wish = *w;
	bool has_scripts = false;
	for (unsigned i = 0; i < SIDES; i++) {
		const struct profile *p = c->side[i].profile;
		if (w->query->your_code || !p || !knows_kinds(p))
			return true;
		has_scripts |= profile_has_scripts(p);
	}
	if (!has_scripts)
		return true;
	query.your_code = true;
	wish.query = &query;
	wish.is_folded = false;
	wish.quiet = true;
	yours->comparison.by_self = true;
	for (unsigned i = 0; i < SIDES; i++) {
		yours->side[i].name = c->side[i].name;
		yours->side[i].profile = profile_ref(c->side[i].profile);
	}
	for (unsigned i = 0; i < SIDES; i++)
		if (!query_side(yours, &wish, i, true, e))
			return false;
	if (!take_pair(yours, e))
		return false;
	comparison_set_scale(&yours->comparison, yours->pair, w->scale);
	return true;
}

void comparing_describe(const struct comparing *c, const struct sides_wish *w, unsigned i,
			struct buf *out)
{
	const struct side *s = c->side[AFTER].profile ? &c->side[i] : &c->side[BEFORE];
	struct str event = event_of(s);
	buf_add_counted(out, (uint64_t)c->comparison.samples[i], "sample", "samples");
	if (event.n) {
		buf_add(out, STR(" of "));
		buf_add(out, event);
	}
	buf_addf(out, ", %s", s->name);
	if (time_of_side(w, i))
		buf_addf(out, ", time %s", time_of_side(w, i));
}
