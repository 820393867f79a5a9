#include "cmd/record_output.h"

#include "cmd/invoker.h"
#include "cmd/page_file.h"
#include "cmd/screen.h"
#include "cmd/show.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

uint64_t file_bytes(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && status.st_size > 0 ? (uint64_t)status.st_size : 0;
}

/* --- the growing file --- */

bool growing_file_open(struct growing_file *g, const char *path, struct err *e)
{
	invoker_enter();
	g->out = writer_open_live(path, e);
	invoker_leave();
	if (!g->out)
		return false;
	g->path = mem_strdup(path);
	g->store = store_writer_new(g->out);
	return true;
}

bool growing_file_append(struct growing_file *g, const struct profile *p)
{
	store_writer_append(g->store, p);
	return writer_is_healthy(g->out);
}

bool growing_file_end(struct growing_file *g, const struct profile *p, struct err *e)
{
	store_writer_end(g->store, p);
	return writer_commit(g->out, e);
}

void growing_file_fini(struct growing_file *g)
{
	store_writer_free(g->store);
	writer_free(g->out);
	free(g->path);
	*g = (struct growing_file){ 0 };
}

/* --- all outputs --- */

static bool ends(const char *path, const char *ending)
{
	return str_ends(str_from(path), str_from(ending));
}

/* `node-12-20261115-213000.plume` */
static void add_default(struct record_outputs *o, const char *stem)
{
	AUTO(buf) struct buf path = { 0 };
	char when[32];
	time_t now = time(NULL);
	struct tm local;
	localtime_r(&now, &local);
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &local);
	buf_addf(&path, "%s-%s.plume", stem, when);
	text_list_add(&o->paths, buf_str(&path));
}

/* According to --format or the extension. */
static bool is_drawn(const struct record_outputs *o, const char *path)
{
	if (o->format)
		return strcmp(o->format, "svg") == 0 || strcmp(o->format, "html") == 0;
	return path_is_picture(path);
}

static bool is_page(const struct record_outputs *o, const char *path)
{
	return o->format ? strcmp(o->format, "html") == 0 : ends(path, ".html");
}

/* Reports what would otherwise only come up after the recording. */
static bool check_format(const struct record_outputs *o, const char *path, struct err *e)
{
	AUTO(buf) struct buf known = { 0 };
	const struct profile_format *format = profile_format_named(o->format);
	profile_format_add_names(&known);
	if (!format && !is_drawn(o, path))
		return err_usage(e,
				 "--format %s: must be one of %s, svg or html; for perf.data, use "
				 "-o FILE.data",
				 o->format, buf_c_string(&known));
	return !format || !goes_to_terminal(path) || profile_format_suits_terminal(format, e);
}

/* The writer's message, phrased like other errors about -o. */
static bool explain_output(const char *path, struct err *e)
{
	AUTO(buf) struct buf text = { 0 };
	struct str reason = str_from(e->text);
	const struct str parts[] = { str_from(path), STR(": "), STR("cannot write: ") };
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (str_starts(reason, parts[i]))
			reason = str_from_byte(reason, parts[i].n);
	buf_add(&text, reason);
	return err_set(e, "-o %s: %s", path, buf_c_string(&text));
}

static bool try_output(const char *path, struct err *e)
{
	if (strcmp(path, "-") == 0)
		return true;
	invoker_enter();
	bool is_possible = writer_can_open(path, e);
	invoker_leave();
	return is_possible || explain_output(path, e);
}

/* perf.data needs the processes that exist before the recording starts. */
static bool open_data(struct record_outputs *o, const char *path,
		      const struct perf_data_facts *facts, struct err *e)
{
	if (o->data)
		return err_usage(e, "-o %s: only one .data file can be written", path);
	invoker_enter();
	o->data = perf_data_writer_new(path, facts, e);
	invoker_leave();
	o->data_path = mem_strdup(path);
	return o->data || explain_output(path, e);
}

static bool check_one(struct record_outputs *o, const char *path,
		      const struct perf_data_facts *facts, struct err *e)
{
	if (!o->format && ends(path, ".data"))
		return open_data(o, path, facts, e);
	if (!o->format && strcmp(path, "-") == 0)
		return err_usage(e, "-o - needs --format, such as --format folded");
	if (!o->format && !path_is_picture(path) && !profile_format_of_path(str_from(path))) {
		AUTO(buf) struct buf endings = { 0 };
		profile_format_add_endings(&endings);
		return err_usage(e,
				 "-o %s: unknown extension; must be one of %s, .svg, .html, .data",
				 path, buf_c_string(&endings));
	}
	return (!o->format || check_format(o, path, e)) &&
	       (!is_page(o, path) || page_can_be_written(e)) && try_output(path, e);
}

bool record_outputs_check(struct record_outputs *o, const char *stem,
			  const struct perf_data_facts *facts, struct err *e)
{
	if (!o->paths.n)
		add_default(o, stem);
	for (uint32_t i = 0; i < o->paths.n; i++)
		if (!check_one(o, o->paths.p[i], facts, e))
			return false;
	return true;
}

static const struct profile_format *format_of(const struct record_outputs *o, const char *path)
{
	return o->format ? profile_format_named(o->format) : profile_format_of_path(str_from(path));
}

bool record_outputs_keep_lines(const struct record_outputs *o)
{
	for (uint32_t i = 0; i < o->paths.n; i++) {
		const struct profile_format *f = format_of(o, o->paths.p[i]);
		if ((f && f->keeps_lines) || is_page(o, o->paths.p[i]))
			return true;
	}
	return o->names.shows_lines || o->names.shows_context;
}

/* Does not remove links or pipes, which are the user's own. */
static void remove_file(const char *path, bool only_empty)
{
	struct stat status;
	invoker_enter();
	if (lstat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	    (!only_empty || !status.st_size))
		unlink(path);
	invoker_leave();
}

bool record_outputs_open(struct record_outputs *o, struct err *e)
{
	for (uint32_t i = 0; i < o->paths.n && !o->format; i++)
		if (ends(o->paths.p[i], ".plume")) {
			if (!growing_file_open(&o->growing, o->paths.p[i], e))
				return false;
			writer_flush(o->growing.out); /* from now on it is readable */
			return true;
		}
	return true;
}

void record_outputs_discard(struct record_outputs *o)
{
	if (o->data_path)
		remove_file(o->data_path, false);
	if (o->growing.path)
		remove_file(o->growing.path, false);
}

bool record_outputs_append(struct record_outputs *o, const struct profile *p)
{
	bool ok = true;
	if (o->growing.path)
		ok = growing_file_append(&o->growing, p);
	if (o->data)
		ok &= perf_data_writer_flush(o->data);
	return ok;
}

static void say_written(const char *path)
{
	AUTO(buf) struct buf size = { 0 };
	buf_add_grouped(&size, (file_bytes(path) + 999) / 1000);
	if (strcmp(path, "-") != 0)
		say("wrote %s (%s kB)", path, buf_c_string(&size));
}

static int write_other(const struct record_outputs *o, struct profile *p, const char *path,
		       const char *title)
{
	struct err e = { 0 };
	struct profile_request r = { .common.quiet = true, .page.with_source = o->with_source };
	struct view_request *view = &r.view;
	bool draws = is_drawn(o, path);
	view_request_init(view, draws ? VIEW_PICTURE : VIEW_PROFILE);
	view->names = o->names;
	view->picture.style.title = title;
	view->keeps_whole = is_page(o, path);
	view->picture.format = view->keeps_whole ? PICTURE_HTML : PICTURE_SVG;
	view->format = format_of(o, path);
	int code = EXIT_FAILED;
	invoker_enter();
	struct profile *shown = NULL;
	if (view_request_settle(view, &e)) {
		shown = view_wants_lines(view) ? profile_ref(p) : profile_without_lines(p);
		code = show_profile(&r, shown, path, &e);
	}
	profile_unref(shown);
	invoker_leave();
	return e.kind ? say_error(&record_command, &e) : code;
}

static int end_one(struct record_outputs *o, struct profile *p, const char *path, const char *title)
{
	struct err e = { 0 };
	bool ok = true;
	if (o->growing.path && strcmp(path, o->growing.path) == 0)
		ok = growing_file_end(&o->growing, p, &e);
	else if (o->data_path && strcmp(path, o->data_path) == 0)
		ok = perf_data_writer_end(o->data, &e);
	else
		return write_other(o, p, path, title);
	if (!ok) {
		say("%s", e.text);
		remove_file(path, true); /* there was no room for any of it */
	}
	return ok ? EXIT_DONE : EXIT_FAILED;
}

int record_outputs_end(struct record_outputs *o, struct profile *p, const char *title,
		       bool is_quiet)
{
	int worst = EXIT_DONE;
	for (uint32_t i = 0; i < o->paths.n; i++) {
		int code = end_one(o, p, o->paths.p[i], title);
		if (code == EXIT_DONE && !is_quiet)
			say_written(o->paths.p[i]);
		if (code != EXIT_DONE && worst != EXIT_FAILED)
			worst = code;
	}
	return worst;
}

const char *record_outputs_for_report(const struct record_outputs *o)
{
	return o->growing.path ? o->growing.path : o->data_path;
}

void record_outputs_fini(struct record_outputs *o)
{
	growing_file_fini(&o->growing);
	perf_data_writer_free(o->data);
	free(o->data_path);
	text_list_fini(&o->paths);
}
