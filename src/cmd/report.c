#include "cmd/screen.h"
#include "cmd/show.h"

#include <sys/ioctl.h>
#include <unistd.h>

/* The command line. */
struct request {
	struct profile_request in;
	const char *output;
	bool follows;
};

static const struct option output_options[] = {
	{ "follow", 'f', OPTION_FLAG, offsetof(struct request, follows), NULL,
	  "follow a .plume file while it is being written, refreshing the screen every second" },
	{ "output", 'o', OPTION_FILE, offsetof(struct request, output), "FILE",
	  "write to FILE instead of standard output" },
};
static const struct option_set output_option_set = OPTION_SET(NULL, output_options);

static const struct option_set *const report_sets[] = { &report_option_set, &output_option_set,
							&name_option_set, &address_option_set,
							VIEW_SETS };

static void request_fini(struct request *r)
{
	profile_request_fini(&r->in);
}

/* The number of lines on the terminal, or `otherwise` if it does not say. */
static uint32_t terminal_lines(uint32_t least, uint32_t otherwise)
{
	struct winsize size;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_row)
		return otherwise;
	/* One line is for the prompt. */
	return size.ws_row > least ? size.ws_row - 1u : least;
}

static bool set_screen(struct request *r, struct err *e)
{
	enum { MIN_LINES = 12 };
	struct report_options *o = &r->in.view.report;
	if (!o->has_lines && goes_to_terminal(r->output))
		o->lines = terminal_lines(MIN_LINES, o->lines);
	return screen_style(&o->style, r->output, o->width_text, e);
}

/* Redraws the screen each second; a file or a pipe gets only the last report. */
static int report_followed(const struct request *r, struct err *e)
{
	struct followed *f = source_follow(r->in.files.p[0], view_columns(&r->in.view),
					   r->in.view.query.show_place, e);
	bool redraws = f && r->in.view.report.style.columns && isatty(STDOUT_FILENO),
	     goes_on = f != NULL;
	bool tells_wait = !redraws && !r->in.common.quiet;
	uint32_t shown_rows = 0;
	int code = EXIT_FAILED;
	while (goes_on) {
		goes_on = followed_poll(f, e);
		struct profile *p = followed_profile(f);
		if (e->kind)
			break;
		if ((redraws && p->samples.n > shown_rows) || !goes_on) {
			shown_rows = p->samples.n;
			if (redraws)
				print_out(STR("\033[H\033[J"));
			code = show_profile(&r->in, p, r->output, e);
		} else if (redraws && !shown_rows) {
			print_out(STR("\033[H\033[Jno samples yet"));
		}
		if (goes_on && tells_wait)
			say("%s: still being written; waiting for its end", r->in.files.p[0]);
		tells_wait = false;
		if (goes_on)
			sleep(1);
	}
	followed_free(f);
	return code;
}

static int run_report(const struct command *self, char **words, size_t n)
{
	struct err e = { 0 };
	AUTO(request) struct request r = { .output = "-" };
	view_request_init(&r.in.view, VIEW_REPORT);
	if (!profile_request_parse(&r.in, self, words, n, &e))
		return say_error(self, &e);
	if (r.in.common.help)
		return print_help(self);
	if (r.follows && !profile_request_file(&r.in))
		err_usage(&e, "--follow needs exactly one .plume file");
	if (e.kind || !set_screen(&r, &e))
		return say_error(self, &e);
	int code = r.follows ? report_followed(&r, &e) : show_files(&r.in, NULL, r.output, &e);
	return e.kind ? say_error(self, &e) : code;
}

const struct command report_command = {
	.name = "report",
	.arguments = "[options] [FILE...]",
	.summary = "print the hottest functions and paths",
	.text = "Prints a one-screen summary: what was sampled, what is missing, the hottest\n"
		"functions, and the hottest paths as a tree. FILE is any profile that 'plume\n"
		"fold' reads. Without FILE, reads standard input if it is a pipe, otherwise\n"
		"./perf.data.\n"
		"\n"
		"  plume report\n"
		"  plume report --callers malloc --callees malloc perf.data\n"
		"  plume report --by thread --no-idle perf.data\n",
	.sets = report_sets,
	.run = run_report,
};
