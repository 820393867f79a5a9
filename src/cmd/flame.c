#include "cmd/page_file.h"
#include "cmd/show.h"

/* The command line. */
struct request {
	struct profile_request in;
	struct picture_files files;
	const char *output;
};

static const struct option output_options[] = {
	{ "output", 'o', OPTION_FILE, offsetof(struct request, output), "FILE",
	  "write to FILE, .svg or .html (default: standard output; on a terminal, a file named "
	  "after the input)" },
};
static const struct option_set output_option_set = OPTION_SET("Output", output_options);

static const struct option_set *const flame_sets[] = {
	&output_option_set, &flame_format_option_set, &page_file_option_set, &picture_option_set,
	&flame_option_set,  &name_option_set,	      &address_option_set,   VIEW_SETS
};

static void request_fini(struct request *r)
{
	profile_request_fini(&r->in);
	picture_files_fini(&r->files);
}

static bool choose_format(struct request *r, const char *path, struct err *e)
{
	unsigned *format = &r->in.view.picture.format;
	struct str name = str_from(path);
	bool is_html = str_ends(name, STR(".html"));
	if (*format != PICTURE_BY_NAME)
		return true;
	*format = is_html ? PICTURE_HTML : PICTURE_SVG;
	if (!r->output || is_html || str_ends(name, STR(".svg")) || str_eq(name, STR("-")) ||
	    str_starts(name, STR("/dev/")))
		return true;
	return err_usage(e,
			 "-o %s: unknown extension; use a name ending in .svg or .html, or "
			 "--format svg or --format html",
			 path);
}

static int flame(struct request *r, const char *path, struct err *e)
{
	struct view_request *view = &r->in.view;
	if (!choose_format(r, path, e))
		return EXIT_FAILED;
	view->keeps_whole = view->picture.format == PICTURE_HTML;
	if ((view->keeps_whole && !page_file_suits(view, e)) ||
	    !picture_files_read(&r->files, &view->picture, e))
		return EXIT_FAILED;
	struct source_options source = source_options_of(&r->in);
	source.keep_names = view->compat;
	int code = show_files(&r->in, &source, path, e);
	if (!e->kind)
		picture_files_write(&r->files, e);
	return code;
}

static int run_flame(const struct command *self, char **words, size_t n)
{
	struct err e = { 0 };
	AUTO(request) struct request r = { 0 };
	view_request_init(&r.in.view, VIEW_PICTURE);
	if (!profile_request_parse(&r.in, self, words, n, &e))
		return say_error(self, &e);
	if (r.in.common.help)
		return print_help(self);
	bool is_html = r.in.view.picture.format == PICTURE_HTML;
	AUTO(picture_path)
	struct picture_path path =
		picture_path_new(r.output, &r.in.files, "flame", is_html ? ".html" : ".svg");
	int code = flame(&r, path.path, &e);
	if (e.kind)
		return say_error(self, &e);
	if (path.is_named)
		printf("%s\n", path.path);
	return code;
}

const struct command flame_command = {
	.name = "flame",
	.arguments = "[options] [FILE...]",
	.summary = "draw a flame graph from any profile, as .svg or .html",
	.text = "Draws any profile that 'plume fold' reads, as an SVG you can zoom and search,\n"
		"even offline. All options of flamegraph.pl work, with the same names and\n"
		"defaults.\n"
		"\n"
		"  plume flame perf.data -o out.svg\n"
		"  plume flame --no-idle --where comm=node perf.data -o node.svg\n"
		"  ssh build7 perf script | plume flame > build7.svg\n",
	.sets = flame_sets,
	.run = run_flame,
};
