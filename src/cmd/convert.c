#include "cmd/convert_live.h"
#include "cmd/screen.h"
#include "cmd/show.h"

/* The command line. */
struct request {
	struct profile_request in;
	const char *output, *format;
};

#define CONVERT(field) offsetof(struct request, field)

static const struct option output_options[] = {
	{ "output", 'o', OPTION_FILE, CONVERT(output), "FILE",
	  "write to FILE; its extension sets the format: .plume, .pb.gz, .speedscope.json, "
	  ".cpuprofile, .firefox.json, .json, .flat.json, .csv, .folded, .svg or .html; with .gz "
	  "added, compressed" },
	{ "format", 0, OPTION_TEXT, CONVERT(format), "NAME",
	  "write format NAME, whatever the extension: plume, pprof, speedscope, cpuprofile, "
	  "firefox, json, json-flat, csv or folded" },
};
static const struct option_set output_option_set = OPTION_SET("Output", output_options);

static const struct option_set *const convert_sets[] = { &output_option_set, &format_option_set,
							 VIEW_SETS };

static void request_fini(struct request *r)
{
	profile_request_fini(&r->in);
}

/* --- format --- */

static bool choose_format(struct request *r, struct err *e)
{
	AUTO(buf) struct buf known = { 0 };
	struct str path = str_from(r->output ? r->output : "-");
	const struct profile_format *f =
		r->format ? profile_format_named(r->format) : profile_format_of_path(path);
	r->in.view.format = f;
	profile_format_add_names(&known);
	if (!f && r->format)
		return err_usage(e, "--format %s: must be one of %s", r->format,
				 buf_c_string(&known));
	if (!f && !r->output)
		return err_usage(e,
				 "no output given: use -o FILE with an extension such as .plume or "
				 ".pb.gz, or --format with one of %s",
				 buf_c_string(&known));
	if (!f)
		return err_usage(e, "-o %s: unknown extension; use --format with one of %s",
				 r->output, buf_c_string(&known));
	if (str_ends(path, STR(".trace.json")) && !r->format)
		return err_usage(e,
				 "-o %s: plume cannot write trace events; name the file .json for "
				 "a tree of name, value and children",
				 r->output);
	return !goes_to_terminal(path.p) || profile_format_suits_terminal(f, e);
}

/* --- output --- */

static int convert_live(const struct request *r, const char *path, struct err *e)
{
	AUTO(live) struct live live = { .path = path };
	AUTO(view_notes) struct view_notes notes = { 0 };
	struct source_options source = source_options_of(&r->in);
	int code = EXIT_FAILED;
	source.progress = live_on_progress;
	source.progress_context = &live;
	live_outlive_interrupt();
	struct profile *p = read_profiles(&r->in.files, &source, COLUMNS_ALL, e);
	if (p && live_end(&live, p, e)) {
		view_account(&(struct view_input){ p, NULL }, &notes);
		say_view_notes(&r->in.common, &notes);
		code = exit_code_of(&notes);
	}
	profile_unref(p);
	return code;
}

static bool is_live(const struct request *r, const char *path)
{
	const struct text_list *files = &r->in.files;
	bool reads_pipe = files->n == 0 || (files->n == 1 && strcmp(files->p[0], "-") == 0);
	return r->in.view.format == &plume_sink && !str_ends(str_from(path), STR(".gz")) &&
	       reads_pipe && stdin_is_piped() && query_takes_everything(&r->in.view.query);
}

static int run_convert(const struct command *self, char **words, size_t n)
{
	struct err e = { 0 };
	AUTO(request) struct request r = { 0 };
	view_request_init(&r.in.view, VIEW_PROFILE);
	if (!profile_request_parse(&r.in, self, words, n, &e))
		return say_error(self, &e);
	if (r.in.common.help)
		return print_help(self);
	if (!r.format && r.output && path_is_picture(r.output)) /* passes its arguments on */
		return flame_command.run(&flame_command, words, n);
	if (!choose_format(&r, &e))
		return say_error(self, &e);
	const char *path = r.output ? r.output : "-";
	int code =
		is_live(&r, path) ? convert_live(&r, path, &e) : show_files(&r.in, NULL, path, &e);
	return e.kind ? say_error(self, &e) : code;
}

const struct command convert_command = {
	.name = "convert",
	.arguments = "[options] [FILE...] -o OUT",
	.summary = "convert any profile to another format",
	.text = "Reads any profile that fold reads and writes it for other tools, or as .plume,\n"
		"which keeps everything: times, threads, cpus, events, labels, source lines.\n"
		"\n"
		"  plume convert perf.data -o today.plume\n"
		"  plume convert --where comm=node today.plume -o node.pb.gz\n",
	.sets = convert_sets,
	.run = run_convert,
};
