/* Answers made by views: api/table, api/export. */
#include "api/api_int.h"

/* Sets options of the view from the parameters that name them. */
static bool set_words(struct api_request *r, struct view_request *view,
		      const struct option_set *set, const char *const *words, struct err *e)
{
	const struct option_binding binding = { set, view };
	for (; *words; words++) {
		const char *value = request_text(r, *words);
		if (request_has(r, *words) && !options_set(&binding, 1, str_from(*words), value, e))
			return false;
	}
	return true;
}

/* The request's selections and transforms, for a view of another kind. */
static void view_of(struct api_request *r, enum view_kind kind, struct view_request *view)
{
	view_request_init(view, kind);
	struct query *q = &view->query;
	*q = r->side.view.query; /* lists are borrowed from the request */
	view->names = r->side.view.names;
	q->by_kind = false;
	q->names = NAMES_FOLDED;
}

static bool write_view(const struct shown *s, const struct view_request *view, struct buf *out,
		       struct err *e)
{
	AUTO(view_notes) struct view_notes notes = { 0 };
	struct profile *p = view_wants_lines(view) ? profile_ref(s->profile)
						   : profile_without_lines(s->profile);
	struct view_input in = { p, shown_name(s) };
	struct view *v = view_new(&in, view, &notes, e);
	if (!v) {
		profile_unref(p);
		return false;
	}
	struct writer *w = writer_to_memory(out);
	if (view->kind == VIEW_PROFILE && view->format->is_gzip)
		writer_set_gzip(w);
	view_write(v, w, &notes);
	bool ok = writer_commit(w, e);
	writer_free(w);
	view_free(v);
	profile_unref(p);
	return ok;
}

void table_answer(struct api_request *r, struct api_answer *answer)
{
	static const char *const words[] = { "by",   "limit", "callers", "callees",
					     "sort", "lines", NULL };
	struct err e = { 0 };
	struct view_request view;
	const struct shown *s = files_shown(r->api, &r->side.files, answer);
	if (!s)
		return;
	view_of(r, VIEW_REPORT, &view);
	bool ok = set_words(r, &view, &report_option_set, words, &e);
	view.report.is_json = true;
	ok = ok && view_request_settle(&view, &e) && write_view(s, &view, &answer->body, &e);
	if (!ok)
		answer_err(answer, &e);
}

/* On a command line, sides differ only in files and times. */
static bool set_sides(struct api_request *r, struct view_request *view, struct err *e)
{
	static const char *const formats[] = { "limit", NULL };
	static const char *const words[] = { "delta", "width-by", NULL };
	const struct text_list *before = &r->base.view.query.times,
			       *after = &r->side.view.query.times;
	const char *scale = request_text(r, "scale");
	const struct option_binding diff = { &diff_option_set, view };
	if (!str_eq(buf_str(&r->base.words), buf_str(&r->side.words)))
		return err_usage(e, "format=json: the two sides may differ only in file and time");
	if (before->n > 1 || after->n > 1)
		return err_usage(e, "format=json: each side takes only one range");
	if (before->n || after->n) {
		text_list_add(&view->diff.times, before->n ? str_from(before->p[0]) : STR("0,"));
		text_list_add(&view->diff.times, after->n ? str_from(after->p[0]) : STR("0,"));
	}
	return set_words(r, view, &diff_format_option_set, formats, e) &&
	       set_words(r, view, &diff_option_set, words, e) &&
	       (!scale || options_set(&diff, 1, STR("scale-by"), scale, e)) &&
	       view_request_settle(view, e);
}

void diff_json(struct api_request *r, struct api_answer *answer)
{
	struct err e = { 0 };
	struct view_request view;
	AUTO(view_notes) struct view_notes notes = { 0 };
	const struct shown *before = files_shown(r->api, &r->base.files, answer);
	const struct shown *after = before ? files_shown(r->api, &r->side.files, answer) : NULL;
	if (!after)
		return;
	view_of(r, VIEW_DIFF, &view);
	view.query.times = (struct text_list){ 0 };
	const struct view_input sides[] = { { before->profile, shown_name(before) },
					    { before == after ? NULL : after->profile,
					      shown_name(after) } };
	struct view_diff *d =
		set_sides(r, &view, &e) ? view_diff_new(sides, &view, &notes, &e) : NULL;
	struct writer *w = writer_to_memory(&answer->body);
	if (!d || !view_diff_write(d, DIFF_JSON, NULL, w, &e) || !writer_commit(w, &e))
		answer_err(answer, &e);
	writer_free(w);
	view_diff_free(d);
	text_list_fini(&view.diff.times);
}

/* --- api/export --- */

static bool find_format(const char *as, struct view_request *view, const char **ending,
			struct err *e)
{
	if (strcmp(as, "svg") == 0) {
		*ending = ".svg";
		return true;
	}
	view->format = profile_format_named(as);
	if (!view->format)
		return err_usage(e, "as=%s: unknown format", as);
	*ending = view->format->endings[0];
	return true;
}

static bool export_view(struct api_request *r, const char *as, struct view_request *view,
			const char **ending, struct err *e)
{
	static const char *const words[] = { "each-sample", "all-threads", NULL };
	enum view_kind kind = strcmp(as, "svg") == 0	  ? VIEW_PICTURE
			      : strcmp(as, "folded") == 0 ? VIEW_FOLDED
							  : VIEW_PROFILE;
	view_of(r, kind, view);
	return find_format(as, view, ending, e) &&
	       set_words(r, view, &format_option_set, words, e) && view_request_settle(view, e);
}

void export_answer(struct api_request *r, struct api_answer *answer)
{
	struct err e = { 0 };
	struct view_request view;
	const char *ending, *as = request_text(r, "as");
	const struct shown *s = files_shown(r->api, &r->side.files, answer);
	if (!s)
		return;
	if (!as)
		err_usage(&e, "the parameter 'as' is missing: name a format");
	if (!as || !export_view(r, as, &view, &ending, &e) ||
	    !write_view(s, &view, &answer->body, &e)) {
		answer_err(answer, &e);
		return;
	}
	answer->type = strcmp(as, "svg") == 0 ? "image/svg+xml" : "application/octet-stream";
	snprintf(answer->download, sizeof(answer->download), "profile%s", ending);
}
