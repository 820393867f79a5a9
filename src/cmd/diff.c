#include "cmd/page_file.h"
#include "cmd/screen.h"
#include "cmd/show.h"

/* A function grew by more than --fail-above. */
enum { EXIT_GREW = 4 };

struct output_file {
	const char *path; /* NULL: standard output */
	enum diff_format format;
};

/* The command line. */
struct request {
	struct profile_request in;
	struct picture_files files;
	struct text_list outputs;	 /* empty: standard output */
	VEC(struct output_file) written; /* derived from it */
};

static const struct option output_options[] = {
	{ "output", 'o', OPTION_LIST, offsetof(struct request, outputs), "FILE",
	  "write to FILE: .svg, .html, .folded, .txt (the table) or .json; repeatable" },
};
static const struct option_set output_option_set = OPTION_SET("Output", output_options);

static const struct option_set *const diff_sets[] = {
	&output_option_set,	 &page_file_option_set,
	&diff_format_option_set, &diff_option_set,
	&picture_option_set,	 &name_option_set,
	&address_option_set,	 &finding_option_set,
	&frame_option_set,	 &filter_option_set,
	&transform_option_set,	 &input_option_set,
	&common_option_set,	 NULL
};

static void request_fini(struct request *r)
{
	profile_request_fini(&r->in);
	picture_files_fini(&r->files);
	text_list_fini(&r->outputs);
	vec_fini(&r->written);
}

/* --- output --- */

/* The extension selects the format; without one, the table. path: NULL for standard output. */
static bool choose_format(const struct request *r, const char *path, enum diff_format *format,
			  struct err *e)
{
	static const struct {
		const char *ending;
		enum diff_format format;
	} endings[] = { { ".svg", DIFF_SVG },
			{ ".html", DIFF_HTML },
			{ ".folded", DIFF_FOLDED },
			{ ".txt", DIFF_TABLE },
			{ ".json", DIFF_JSON } };
	*format = r->in.view.diff.is_json ? DIFF_JSON : r->in.view.diff.format;
	if (*format != DIFF_BY_NAME)
		return true;
	for (size_t i = 0; path && i < ARRAY_SIZE(endings); i++)
		if (str_ends(str_from(path), str_from(endings[i].ending))) {
			*format = endings[i].format;
			return true;
		}
	if (path && strcmp(path, "-") != 0 && !str_starts(str_from(path), STR("/dev/")))
		return err_usage(e,
				 "-o %s: unknown extension; name the file .svg, .html, .folded, "
				 ".txt or .json, or use --format svg, html, folded, table or json",
				 path);
	*format = DIFF_TABLE;
	return true;
}

/* Folded stacks name functions differently, so they cannot be combined with other outputs. */
static bool choose_outputs(struct request *r, struct err *e)
{
	const struct text_list *paths = &r->outputs;
	bool has_folded = false;
	const char *twice = text_list_find_twice(paths);
	if (twice)
		return err_usage(e, "-o %s: given twice", twice);
	if (paths->n > 1 && (r->in.view.diff.is_json || r->in.view.diff.format != DIFF_BY_NAME))
		return err_usage(e, "--format and --json work with one -o only; with several, each "
				    "FILE's extension sets its format");
	for (uint32_t i = 0; i < (paths->n ? paths->n : 1); i++) {
		struct output_file file = { .path = paths->n ? paths->p[i] : NULL };
		if (!choose_format(r, file.path, &file.format, e))
			return false;
		has_folded |= file.format == DIFF_FOLDED;
		vec_push(&r->written, file);
	}
	if (has_folded && r->written.n > 1)
		return err_usage(e, "folded output cannot be combined with other outputs; write it "
				    "in a separate run");
	return true;
}

/* Both sides. */
struct compared {
	struct profile *whole[SIDES]; /* for pages; AFTER: NULL if there is one file */
	struct profile *seen[SIDES];  /* for comparing: functions are not told apart by line */
	struct view_diff *diff;
};

static const char *page_name(const struct request *r, unsigned side)
{
	const char *path = r->in.files.p[side];
	const char *slash = strrchr(path, '/');
	return strcmp(path, "-") == 0 ? "standard input" : slash ? slash + 1 : path;
}

static bool write_page(const struct request *r, const struct compared *c, const char *path,
		       struct err *e)
{
	unsigned after = c->whole[AFTER] ? AFTER : BEFORE;
	struct page_file_plan plan = { .view = &r->in.view,
				       .profile = c->whole[after],
				       .name = page_name(r, after),
				       .with_source = r->in.page.with_source };
	if (after == AFTER) {
		plan.before = c->whole[BEFORE];
		plan.before_name = page_name(r, BEFORE);
	}
	return page_file_write(&plan, path, e);
}

static bool write_text(const struct output_file *file, const char *path, struct view_diff *d,
		       struct err *e)
{
	struct report_style style;
	struct writer *out = writer_open(path, e);
	if (!out)
		return false;
	bool ok = screen_style(&style, file->path, NULL, e) &&
		  view_diff_write(d, file->format, &style, out, e) && writer_commit(out, e);
	writer_free(out);
	return ok;
}

static bool write_output(const struct request *r, const struct compared *c,
			 const struct output_file *file, struct err *e)
{
	const struct text_list none = { 0 };
	AUTO(picture_path) struct picture_path path = { 0 };
	if (file->format == DIFF_SVG || file->format == DIFF_HTML)
		path = picture_path_new(file->path, &none, "diff",
					file->format == DIFF_HTML ? ".html" : ".svg");
	else
		path.path = mem_strdup(file->path ? file->path : "-");
	bool ok = file->format == DIFF_HTML ? write_page(r, c, path.path, e)
					    : write_text(file, path.path, c->diff, e);
	if (ok && path.is_named)
		printf("%s\n", path.path);
	return ok;
}

/* --- both sides --- */

static const char *side_file(const struct request *r, unsigned side)
{
	const char *path = r->in.files.p[side];
	return strcmp(path, "-") == 0 ? NULL : path;
}

/* A single file is BEFORE only. */
static bool read_sides(const struct request *r, struct compared *c, struct err *e)
{
	struct source_options source = source_options_of(&r->in);
	for (uint32_t i = 0; i < r->in.files.n; i++) {
		struct text_list file = { &r->in.files.p[i], 1, 1 };
		c->whole[i] = read_profiles(&file, &source, view_columns(&r->in.view), e);
		if (!c->whole[i])
			return false;
		c->seen[i] = view_profile(&r->in.view, c->whole[i]);
	}
	return true;
}

/* Prints ledgers if the user wants them; returns the exit code. */
static int say_sides(const struct request *r, const struct view_diff *d)
{
	int code = EXIT_DONE;
	for (unsigned i = 0; i < SIDES; i++) {
		AUTO(view_notes) struct view_notes notes = { 0 };
		const char *file = side_file(r, i < r->in.files.n ? i : BEFORE);
		view_diff_account(d, i, &notes);
		if (r->in.common.verbose && notes.ledger.n)
			say("%s:", file ? file : "standard input");
		say_view_notes(&r->in.common, &notes);
		if (notes.is_damaged)
			code = EXIT_DAMAGED;
	}
	return code;
}

static int say_grown(const struct view_diff *d)
{
	AUTO(view_notes) struct view_notes notes = { 0 };
	const struct common_options loud = { 0 }; /* -q does not hide the reason for failing */
	bool has_grown = view_diff_has_grown(d, &notes);
	say_view_notes(&loud, &notes);
	return has_grown ? EXIT_GREW : EXIT_DONE;
}

static int compare(const struct request *r, struct compared *c, struct err *e)
{
	AUTO(view_notes) struct view_notes notes = { 0 };
	struct view_input sides[SIDES] = { 0 };
	for (uint32_t i = 0; i < r->in.files.n; i++)
		sides[i] = (struct view_input){ c->seen[i], side_file(r, i) };
	c->diff = view_diff_new(sides, &r->in.view, &notes, e);
	bool ok = c->diff != NULL;
	say_view_notes(&r->in.common, &notes);
	for (uint32_t i = 0; ok && i < r->written.n; i++)
		ok = write_output(r, c, &r->written.p[i], e);
	int code = ok ? say_sides(r, c->diff) : EXIT_FAILED;
	if (code == EXIT_DONE)
		code = say_grown(c->diff);
	view_diff_free(c->diff);
	return code;
}

static bool prepare_output(struct request *r, const struct output_file *file, struct err *e)
{
	struct view_request *view = &r->in.view;
	if (file->format == DIFF_HTML) {
		view->keeps_whole = true;
		return page_file_suits(view, e);
	}
	return file->format != DIFF_SVG || r->files.attributes ||
	       picture_files_read(&r->files, &view->picture, e);
}

static int diff(struct request *r, struct err *e)
{
	struct compared c = { 0 };
	int code = EXIT_FAILED;
	bool ok = true;
	for (uint32_t i = 0; ok && i < r->written.n; i++)
		ok = prepare_output(r, &r->written.p[i], e);
	r->in.view.diff.format = r->written.p[0].format;
	if (ok && read_sides(r, &c, e))
		code = compare(r, &c, e);
	for (unsigned i = 0; i < SIDES; i++) {
		profile_unref(c.whole[i]);
		profile_unref(c.seen[i]);
	}
	return code;
}

static int run_diff(const struct command *self, char **words, size_t n)
{
	struct err e = { 0 };
	AUTO(request) struct request r = { 0 };
	view_request_init(&r.in.view, VIEW_DIFF);
	if (!profile_request_parse(&r.in, self, words, n, &e))
		return say_error(self, &e);
	if (r.in.common.help)
		return print_help(self);
	if (r.in.files.n == 0 || r.in.files.n > SIDES)
		err_usage(&e, "diff needs two profiles: plume diff BEFORE AFTER; or two time "
			      "ranges of one: plume diff --time A,B --time C,D FILE");
	if (e.kind || !choose_outputs(&r, &e))
		return say_error(self, &e);
	int code = diff(&r, &e);
	return e.kind ? say_error(self, &e) : code;
}

const struct command diff_command = {
	.name = "diff",
	.arguments = "[options] BEFORE AFTER",
	.summary = "compare two profiles: table, picture or folded stacks",
	.text = "Compares two profiles, or two time ranges of one. BEFORE is scaled so that\n"
		"unchanged code matches, so recordings may differ in length. Changes within\n"
		"sampling noise are grey in the picture and marked ~ in the table. Functions in\n"
		"edited code are matched by name and file, not by line.\n"
		"\n"
		"  plume diff before.plume after.plume\n"
		"  plume diff before.plume after.plume -o diff.svg -o diff.txt\n"
		"  plume diff --fail-above 5% base.plume pr.plume\n"
		"  plume diff --time 0,10 --time 10,20 perf.data -o diff.svg\n",
	.sets = diff_sets,
	.run = run_diff,
};
