/* A view of one profile: turns the request into a query, runs it, and writes the result. */
#include "view/view_int.h"

bool view_knows_kinds(const struct profile *p)
{
	for (uint32_t i = 0; i < p->frames.n; i++)
		if (p->frames.p[i].module)
			return true;
	return false;
}

/* The query for this profile: how functions are named depends on what is known about them. */
static struct query query_of(const struct view_request *r, const struct profile *p)
{
	struct query q = r->query;
	bool has_kinds = view_knows_kinds(p);
	if (r->kind == VIEW_PICTURE) {
		q.names = has_kinds && !r->compat ? NAMES_SHOWN : NAMES_FOLDED;
		q.split_tiers |= r->picture.palette == PALETTE_TIER;
		/* In a differential picture the largest change anywhere determines the colours. */
		q.min_share = p->is_differential ? 0 : picture_min_share(&r->picture);
	} else if (r->kind == VIEW_REPORT) {
		q.by_kind = has_kinds;
		q.names = has_kinds && !q.split_tiers ? NAMES_SHOWN : NAMES_FOLDED;
	}
	return q;
}

static bool add_up(struct view *v, struct err *e)
{
	const struct view_request *r = v->request;
	struct profile *p = v->in.profile;
	if (r->kind == VIEW_REPORT && p->is_differential)
		return err_set(
			e, "the input has two counts per line, before and after; use plume diff");
	if (r->kind == VIEW_PROFILE)
		v->selected = query_profile(p, &v->query, &v->ledger, e);
	else
		v->tree = query_tree(p, &v->query, &v->ledger, e);
	if (!v->selected && !v->tree)
		return false;
	/* For empty input stackcollapse-perf.pl prints nothing and succeeds. */
	if (v->ledger.stacks == 0 && !(r->kind == VIEW_FOLDED && r->compat))
		return view_explain_nothing(p, &r->query, &v->ledger, e);
	bool has_width =
		r->kind == VIEW_FOLDED || !v->tree || v->tree->total[v->tree->value_count - 1][0];
	return has_width || err_set(e, "nothing to %s: all counts are 0",
				    r->kind == VIEW_REPORT ? "report" : "draw");
}

struct view *view_new(const struct view_input *in, const struct view_request *r,
		      struct view_notes *notes, struct err *e)
{
	struct view *v = mem_zalloc(1, sizeof(*v));
	v->in = *in;
	v->request = r;
	v->query = query_of(r, in->profile);
	if (add_up(v, e) &&
	    (r->kind != VIEW_REPORT || (v->report = making_new(v, notes, e)) != NULL))
		return v;
	view_free(v);
	return NULL;
}

void view_free(struct view *v)
{
	if (!v)
		return;
	making_free(v->report);
	tree_free(v->tree);
	profile_unref(v->selected);
	free(v);
}

/* A tree has one unit, so it covers one event; notes name the others. */
static void write_tree(const struct profile_format *format, const struct profile *p,
		       struct writer *out, struct view_notes *notes)
{
	struct query_ledger ledger;
	struct err e = { 0 };
	struct query q = { .by_kind = format->by_kind };
	struct tree *tree = query_tree(p, &q, &ledger, &e);
	if (tree)
		format->write_tree(tree, p, &ledger, out);
	if (tree && ledger.other_events && !p->is_differential)
		notes_add(
			notes,
			"%s hold one event: %.*s was written (--where event=NAME chooses another)",
			format->title, STR_ARG(profile_str(p, p->events.p[ledger.event].name)));
	if (!tree)
		notes_add(notes, "%s", e.text);
	tree_free(tree);
}

static void write_profile(const struct view *v, struct writer *out, struct view_notes *notes)
{
	AUTO(buf) struct buf lines = { 0 };
	const struct profile_format *format = v->request->format;
	struct profile *p = format->keeps_starts ? profile_ref(v->selected)
						 : profile_without_starts(v->selected);
	if (format->write_tree)
		write_tree(format, p, out, notes);
	else
		format->write(p, &v->request->format_options, out, &lines);
	notes_add_lines(notes, buf_str(&lines));
	profile_unref(p);
}

void view_write(struct view *v, struct writer *out, struct view_notes *notes)
{
	switch (v->request->kind) {
	case VIEW_FOLDED:
		sink_folded(v->tree, out);
		break;
	case VIEW_PICTURE:
		write_picture(v, out, notes);
		break;
	case VIEW_REPORT:
		making_write(v->report, out);
		break;
	case VIEW_PROFILE:
		write_profile(v, out, notes);
		break;
	case VIEW_DIFF: /* view_diff_write */
		break;
	}
	view_tell(v, notes);
}

void view_tell(const struct view *v, struct view_notes *notes)
{
	if (v->request->kind != VIEW_REPORT) /* which has its own */
		notes_add_recording(notes, &v->in);
	notes_add_warnings(notes, v->in.profile, &v->request->query, &v->ledger);
	notes_add_ledger(notes, v->in.profile, &v->ledger, v->tree);
}
