/* Answers that views make: api/table, api/export. */
#include "api/api_int.h"

/* Fills the request's view with the options of the words that name them. */
static bool set_words(struct api_request *r, struct view_request *view, const struct option_set *set,
		      const char *const *words, struct err *e)
{
	const struct option_binding binding = { set, view };
	for (; *words; words++) {
		const char *value = request_text(r, *words);
		if (request_has(r, *words) && !options_set(&binding, 1, str_from(*words), value, e))
			return false;
	}
	return true;
}

/* The request's own selections and transforms, for a view of another kind. */
static void view_of(struct api_request *r, enum view_kind kind, struct view_request *view)
{
	view_request_init(view, kind);
	struct query *q = &view->query;
	*q = r->side.view.query; /* lists are the request's */
	view->names = r->side.view.names;
	q->by_kind = false;
	q->names = NAMES_FOLDED;
}

static bool write_view(const struct shown *s, const struct view_request *view, struct buf *out,
		       struct err *e)
{
	AUTO(view_notes) struct view_notes notes = { 0 };
	struct view_input in = { s->profile, NULL };
	struct view *v = view_new(&in, view, &notes, e);
	if (!v)
		return false;
	struct writer *w = writer_to_memory(out);
	if (view->kind == VIEW_PROFILE && view->format->is_gzip)
		writer_set_gzip(w);
	view_write(v, w, &notes);
	bool ok = writer_commit(w, e);
	writer_free(w);
	view_free(v);
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

/* --- api/export --- */

static bool find_format(const char *as, struct view_request *view, const char **ending, struct err *e)
{
	if (strcmp(as, "svg") == 0) {
		*ending = ".svg";
		return true;
	}
	view->format = profile_format_named(as);
	if (!view->format)
		return err_usage(e, "as=%s: there is no such format", as);
	*ending = view->format->endings[0];
	return true;
}

static bool export_view(struct api_request *r, const char *as, struct view_request *view,
			const char **ending, struct err *e)
{
	static const char *const words[] = { "each-sample", "all-threads", NULL };
	enum view_kind kind = strcmp(as, "svg") == 0	 ? VIEW_PICTURE
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
		err_usage(&e, "as is missing: name a format");
	if (!as || !export_view(r, as, &view, &ending, &e) || !write_view(s, &view, &answer->body, &e)) {
		answer_err(answer, &e);
		return;
	}
	answer->type = strcmp(as, "svg") == 0 ? "image/svg+xml" : "application/octet-stream";
	snprintf(answer->download, sizeof(answer->download), "profile%s", ending);
}

/* --- api/source --- */

void source_answer(struct api_request *r, struct api_answer *answer)
{
	(void)r;
	answer_error(answer, 404, "source text is not available");
}
