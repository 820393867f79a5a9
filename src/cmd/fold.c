#include "cmd/show.h"

/* The command line. */
struct request {
	struct profile_request in;
	const char *output;
	struct text_list
		compat_where; /* what --compat takes out of the query but still points to */
};

static const struct option output_options[] = {
	{ "output", 'o', OPTION_FILE, offsetof(struct request, output), "FILE",
	  "write to FILE instead of standard output" },
	{ "compat", 0, OPTION_FLAG, offsetof(struct request, in.view.compat), NULL,
	  "print what stackcollapse-perf.pl prints, bugs included" },
};
static const struct option_set output_option_set = OPTION_SET("Output", output_options);

static const struct option_set *const fold_sets[] = { &output_option_set, &name_option_set,
						      &address_option_set, VIEW_SETS };

static void request_fini(struct request *r)
{
	profile_request_fini(&r->in);
	text_list_fini(&r->compat_where);
}

/* Points out that another command makes pictures. */
static bool check_output_name(const char *path, struct err *e)
{
	static const char *const others[] = { ".svg",	".html", ".plume", ".data",
					      ".pb.gz", ".json", ".csv",   ".cpuprofile" };
	enum { PICTURES = 2 };
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (str_ends(str_from(path), str_from(others[i])))
			return err_usage(e, "-o %s: fold writes folded stacks; %s", path,
					 i < PICTURES ? "use plume flame for a picture, with the "
							"same options"
						      : "name the file .folded or .txt");
	return true;
}

/* stackcollapse-perf.pl has only its own options; its marks and pids are part of the names it makes. */
static bool check_compat(struct request *r, struct source_options *source, struct err *e)
{
	struct query *q = &r->in.view.query;
	const char *event = NULL;
	for (uint32_t i = 0; i < q->where.n; i++) {
		if (!str_starts(str_from(q->where.p[i]), STR("event=")))
			return err_usage(e,
					 "--compat cannot be combined with --where %s, only with "
					 "--event-filter",
					 q->where.p[i]);
		event = q->where.p[i] + strlen("event=");
	}
	if (r->in.input.format || q->times.n)
		return err_usage(e, "--compat cannot be combined with --input or --time");
	if (r->in.view.names.inlines || q->no_inlines || q->show_place)
		return err_usage(e,
				 "--compat cannot be combined with --inline, --no-inline, "
				 "--srcline or --context: perf script has already looked up names");
	*source = (struct source_options){
		.threads = source->threads,
		.compat = true,
		.keep_addresses = r->in.input.keeps_addresses,
		.compat_pid = q->show_pid,
		.compat_tid = q->show_tid,
		.compat_kernel = q->mark_kernel,
		.compat_jit = q->mark_jit,
		.compat_event = event,
	};
	q->show_pid = q->show_tid = q->mark_kernel = q->mark_jit = false;
	r->compat_where = q->where;
	q->where = (struct text_list){ 0 };
	return true;
}

static int run_fold(const struct command *self, char **words, size_t n)
{
	struct err e = { 0 };
	AUTO(request) struct request r = { .output = "-" };
	view_request_init(&r.in.view, VIEW_FOLDED);
	if (!profile_request_parse(&r.in, self, words, n, &e))
		return say_error(self, &e);
	if (r.in.common.help)
		return print_help(self);
	struct source_options source = source_options_of(&r.in);
	if (!check_output_name(r.output, &e) ||
	    (r.in.view.compat && !check_compat(&r, &source, &e)))
		return say_error(self, &e);
	int code = show_files(&r.in, &source, r.output, &e);
	return e.kind ? say_error(self, &e) : code;
}

const struct command fold_command = {
	.name = "fold",
	.arguments = "[options] [FILE...]",
	.summary = "convert any profile to folded stacks",
	.text = "Prints one line for each distinct stack: root;caller;leaf COUNT. Reads\n"
		"perf.data, perf script text, folded stacks, .plume, pprof, speedscope,\n"
		".cpuprofile, Chrome traces, JSON trees and CSV, plain or compressed with gzip or\n"
		"zstd. Without FILE, reads standard input if it is a pipe, otherwise\n"
		"./perf.data.\n"
		"\n"
		"  plume fold perf.data > out.folded\n"
		"  plume fold --where comm=node --no-idle perf.data -o node.folded\n"
		"  ssh build7 perf script | plume fold > build7.folded\n",
	.sets = fold_sets,
	.run = run_fold,
};
