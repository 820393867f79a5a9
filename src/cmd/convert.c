#include "cmd/busy.h"
#include "cmd/convert_live.h"
#include "cmd/profile_options.h"
#include "cmd/screen.h"
#include "sink/sink.h"

#include <unistd.h>

struct convert_options {
	const char *output;
	const char *format;
	struct profile_format_options sink;
};

#define CONVERT(field) offsetof(struct convert_options, field)

static const struct option output_options[] = {
	{ "output", 'o', OPTION_FILE, CONVERT(output), "FILE",
	  "write to FILE; its extension sets the format: .plume, .pb.gz, .speedscope.json, "
	  ".cpuprofile, .firefox.json, .json, .flat.json, .csv, .folded, .svg or .html; with .gz "
	  "added, compressed" },
	{ "format", 0, OPTION_TEXT, CONVERT(format), "NAME",
	  "write format NAME, whatever the extension: plume, pprof, speedscope, cpuprofile, "
	  "firefox, json, json-flat, csv or folded" },
	{ "each-sample", 0, OPTION_FLAG, CONVERT(sink.each_sample), NULL,
	  "write each sample with its time, in a format that usually holds sums (pprof)" },
	{ "all-threads", 0, OPTION_FLAG, CONVERT(sink.all_threads), NULL,
	  "write all threads as one timeline, with threads as root frames (speedscope)" },
};
static const struct option_set output_option_set = { "Output", output_options,
						     ARRAY_SIZE(output_options) };

static const struct option_set *const convert_sets[] = { &output_option_set,	&naming_option_set,
							 &filter_option_set,	&time_option_set,
							 &transform_option_set, &input_option_set,
							 &common_option_set,	NULL };

/* Everything the command line says. */
struct request {
	struct profile_request in;
	struct convert_options convert;
};

static void request_fini(struct request *r)
{
	profile_request_fini(&r->in);
}

/* --- which format --- */

static void add_formats(struct buf *out)
{
	for (size_t i = 0; profile_formats[i]; i++)
		buf_addf(out, "%s%s", i ? ", " : "", profile_formats[i]->name);
}

/* How the profile is to be written. */
struct target {
	const struct profile_format *format;
	const char *path;
	bool is_gzip;
};

static bool choose_target(const struct convert_options *o, struct target *t, struct err *e)
{
	AUTO(buf) struct buf known = { 0 };
	struct str path = str_from(o->output ? o->output : "-");
	bool has_gz = str_ends(path, STR(".gz"));
	t->path = path.p;
	t->format = o->format ? profile_format_named(o->format) : profile_format_of_path(path);
	t->is_gzip = has_gz;
	add_formats(&known);
	if (!t->format && o->format)
		return err_usage(e, "--format %s: must be one of %s", o->format,
				 buf_c_string(&known));
	if (!t->format && !o->output)
		return err_usage(e,
				 "no output given: use -o FILE with an extension such as .plume or "
				 ".pb.gz, or --format with one of %s",
				 buf_c_string(&known));
	if (!t->format)
		return err_usage(e, "-o %s: unknown extension; use --format with one of %s",
				 o->output, buf_c_string(&known));
	if (str_ends(path, STR(".trace.json")) && !o->format)
		return err_usage(e,
				 "-o %s: plume cannot write trace events; name the file .json for "
				 "a tree of name, value and children",
				 o->output);
	/* A format that is always compressed is so unless an ending of its own says otherwise. */
	t->is_gzip |= t->format->is_gzip && !str_ends(path, str_from(t->format->endings[0]));
	if (strcmp(t->path, "-") == 0 && isatty(STDOUT_FILENO) &&
	    (t->is_gzip || t->format == &plume_sink))
		return err_usage(e, "%s cannot be written to a terminal: use -o FILE or a pipe",
				 t->format->title);
	return true;
}

/* --- writing --- */

static void say_notes(struct str notes)
{
	while (notes.n) {
		ptrdiff_t newline = str_find_char(notes, '\n');
		struct str line = str_first(notes, newline < 0 ? notes.n : (size_t)newline);
		say("%.*s", STR_ARG(line));
		notes = str_from_byte(notes, line.n + 1);
	}
}

static bool write_profile(const struct request *r, const struct target *t, struct profile *p,
			  struct err *e)
{
	AUTO(buf) struct buf notes = { 0 };
	struct writer *out = writer_open(t->path, e);
	if (!out)
		return false;
	if (t->is_gzip)
		writer_set_gzip(out);
	struct busy *busy =
		busy_begin("writing", t->path, r->in.common.quiet || goes_to_terminal(t->path));
	struct profile *written =
		t->format->keeps_starts ? profile_ref(p) : profile_without_starts(p);
	t->format->write(written, &r->convert.sink, out, &notes);
	profile_unref(written);
	bool ok = writer_commit(out, e);
	busy_end(busy);
	writer_free(out);
	if (ok && !r->in.common.quiet)
		say_notes(buf_str(&notes));
	return ok;
}

static int convert_live(struct request *r, const struct target *t, struct err *e)
{
	AUTO(live) struct live live = { .path = t->path };
	struct query_ledger ledger;
	struct source_options source = source_options_of(&r->in);
	int code = EXIT_FAILED;
	source.names.wants_lines |= t->format->keeps_lines;
	source.progress = live_on_progress;
	source.progress_context = &live;
	live_outlive_interrupt();
	struct profile *p = read_profiles(&r->in.files, &source, COLUMNS_ALL, e);
	if (p && live_end(&live, p, e)) {
		profile_unref(query_profile(p, &r->in.query, &ledger, e));
		code = say_outcome(&r->in, p, &ledger, NULL);
	}
	profile_unref(p);
	return code;
}

static bool is_live(const struct request *r, const struct target *t)
{
	bool reads_pipe =
		r->in.files.n == 0 || (r->in.files.n == 1 && strcmp(r->in.files.p[0], "-") == 0);
	return !r->in.profile && t->format == &plume_sink && !t->is_gzip && reads_pipe &&
	       stdin_is_piped() && query_takes_everything(&r->in.query);
}

static int convert(struct request *r, const struct target *t, struct err *e)
{
	struct query_ledger ledger;
	int code = EXIT_FAILED;
	struct source_options source = source_options_of(&r->in);
	source.names.wants_lines |= t->format->keeps_lines;
	unsigned columns =
		r->convert.sink.each_sample ? t->format->columns_of_each : t->format->columns;
	struct profile *p =
		request_profile(&r->in, &source, columns | query_columns(&r->in.query), e);
	if (!p)
		return code;
	struct busy *busy = busy_begin("selecting samples", NULL, r->in.common.quiet);
	struct profile *selected = query_profile(p, &r->in.query, &ledger, e);
	busy_end(busy);
	if (selected && ledger.stacks == 0)
		explain_nothing(p, &r->in.query, &ledger, e);
	if (selected && !e->kind && write_profile(r, t, selected, e))
		code = say_outcome(&r->in, p, &ledger, NULL);
	profile_unref(selected);
	profile_unref(p);
	return code;
}

/* A picture is flame's work: the words are handed on. */
static bool is_picture(const struct convert_options *o)
{
	struct str path = str_from(o->output ? o->output : "");
	return !o->format && (str_ends(path, STR(".svg")) || str_ends(path, STR(".html")));
}

static int run(const struct command *self, char **words, size_t n, struct profile *at_hand)
{
	struct err e = { 0 };
	struct target target;
	AUTO(request) struct request r = { .in.profile = at_hand };
	const struct option_binding own[] = { { &output_option_set, &r.convert }, { 0 } };
	r.in.query.all_events = true;
	if (!profile_request_parse(&r.in, self, words, n, own, &e))
		return say_error(self, &e);
	if (r.in.common.help)
		return print_help(self);
	if (is_picture(&r.convert))
		return at_hand ? flame_profile(at_hand, words, n)
			       : flame_command.run(&flame_command, words, n);
	if (!choose_target(&r.convert, &target, &e))
		return say_error(self, &e);
	int code = is_live(&r, &target) ? convert_live(&r, &target, &e) : convert(&r, &target, &e);
	return e.kind ? say_error(self, &e) : code;
}

static int run_convert(const struct command *self, char **words, size_t n)
{
	return run(self, words, n, NULL);
}

int convert_profile(struct profile *p, char **words, size_t n)
{
	return run(&convert_command, words, n, p);
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
