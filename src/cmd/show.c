#include "cmd/show.h"

#include "cmd/busy.h"
#include "cmd/page_file.h"
#include "cmd/screen.h"

void say_view_notes(const struct common_options *o, const struct view_notes *notes)
{
	for (uint32_t i = 0; !o->quiet && i < notes->warnings.n; i++)
		say("%s", notes->warnings.p[i]);
	for (uint32_t i = 0; o->verbose && i < notes->ledger.n; i++) {
		AUTO(buf) struct buf text = { 0 };
		const struct ledger_row *row = &notes->ledger.p[i];
		fit_add_safe(&text, row->text);
		fprintf(stderr, "%16.*s  %s\n", STR_ARG(row->key), buf_c_string(&text));
	}
}

int exit_code_of(const struct view_notes *notes)
{
	return notes->is_damaged ? EXIT_DAMAGED : EXIT_DONE;
}

static bool write_view(const struct profile_request *r, struct view *v, const char *path,
		       struct view_notes *notes, struct err *e)
{
	const struct view_request *q = &r->view;
	bool is_picture = q->kind == VIEW_PICTURE;
	struct writer *out = writer_open(path, e);
	if (!out)
		return false;
	if (q->kind == VIEW_PROFILE && profile_format_is_gzip(q->format, str_from(path)))
		writer_set_gzip(out);
	struct busy *busy = busy_begin(is_picture ? "drawing" : "writing", is_picture ? NULL : path,
				       r->common.quiet || goes_to_terminal(path));
	view_write(v, out, notes);
	bool ok = writer_commit(out, e);
	busy_end(busy);
	writer_free(out);
	return ok;
}

/* --- pages --- */

static bool is_page(const struct view_request *r)
{
	return r->kind == VIEW_PICTURE && r->picture.format == PICTURE_HTML;
}

/* The page shows the profile under its file's name, or else under the page's own. */
static char *page_name(const struct profile_request *r, const char *path)
{
	const char *file = profile_request_file(r);
	struct str name = str_basename(str_from(file ? file : path));
	if (!file && str_ends(name, STR(".html")))
		name.n -= strlen(".html");
	AUTO(buf) struct buf text = { 0 };
	buf_add(&text, str_eq(name, STR("-")) ? STR("profile") : name);
	return mem_strdup(buf_c_string(&text));
}

static bool write_page(const struct profile_request *r, struct profile *p, const char *path,
		       struct err *e)
{
	AUTO_FREE char *name = page_name(r, path);
	struct busy *busy = busy_begin("writing", path, r->common.quiet || goes_to_terminal(path));
	bool ok = page_file_write(&(struct page_file_plan){ .view = &r->view,
							    .profile = p,
							    .name = name,
							    .with_source = r->page.with_source },
				  path, e);
	busy_end(busy);
	return ok;
}

/* --- any view --- */

int show_profile(const struct profile_request *r, struct profile *p, const char *path,
		 struct err *e)
{
	AUTO(view_notes) struct view_notes notes = { 0 };
	/* A page holds the whole profile; the view accounts for its samples and says why it would be empty. */
	struct profile *seen = view_profile(&r->view, p);
	struct view_input in = { seen, profile_request_file(r) };
	bool selects = r->view.kind == VIEW_PROFILE;
	struct busy *busy = busy_begin(selects ? "selecting samples" : "adding up stacks", NULL,
				       r->common.quiet);
	struct view *v = view_new(&in, &r->view, &notes, e);
	busy_end(busy);
	bool ok = v && (is_page(&r->view) ? write_page(r, p, path, e)
					  : write_view(r, v, path, &notes, e));
	if (ok && is_page(&r->view))
		view_tell(v, &notes);
	if (ok || !v) /* if it could not be written, print only the reason */
		say_view_notes(&r->common, &notes);
	view_free(v);
	profile_unref(seen);
	return ok ? exit_code_of(&notes) : EXIT_FAILED;
}

int show_files(const struct profile_request *r, const struct source_options *source,
	       const char *path, struct err *e)
{
	struct source_options usual = source_options_of(r);
	struct profile *p =
		read_profiles(&r->files, source ? source : &usual, view_columns(&r->view), e);
	int code = p ? show_profile(r, p, path, e) : EXIT_FAILED;
	profile_unref(p);
	return code;
}
