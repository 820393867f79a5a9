#include "cmd/record_loop.h"

#include "cmd/show.h"
#include "cmd/record_periods.h"
#include "cmd/record_screen.h"
#include "query/query.h"

#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- signals --- */

static volatile sig_atomic_t is_interrupted;
static uint64_t interrupted_ns;

/*
 * The first signal ends the recording, a second one ends plume, unless it is a repetition:
 * timeout(1) signals its child and then the child's process group.
 */
static void on_signal(int number)
{
	enum { SAME_NS = 500000000 };
	uint64_t now = clock_monotonic_ns();
	if (is_interrupted && now - interrupted_ns > SAME_NS) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	if (!is_interrupted)
		interrupted_ns = now;
	is_interrupted = 1;
}

/*
 * HUP stays ignored under nohup(1). INT is handled even if ignored: shells ignore it in background
 * jobs, and `kill -INT` should end the recording there, as it does with perf.
 */
static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal };
	is_interrupted = 0;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaddset(&action.sa_mask, signals[i]);
		if (signals[i] == SIGINT || !inherited_ignores(signals[i]))
			sigaction(signals[i], &action, NULL);
	}
}

/* --- one recording, or a series --- */

struct run {
	const struct record_plan *plan;
	struct recorder *recorder;
	struct profile *profile;
	struct record_screen *screen;
	uint64_t last_screen_ns;
	struct period_files *files; /* with --every; otherwise NULL */
	uint64_t period_end_ns;
};

static void run_fini(struct run *r)
{
	record_screen_free(r->screen);
	recorder_free(r->recorder);
	period_files_free(r->files);
	profile_unref(r->profile);
}

static uint64_t output_bytes(const struct run *r)
{
	const char *path = r->plan->outputs->growing.path;
	if (r->files)
		return period_files_bytes(r->files);
	return path ? file_bytes(path) : 0;
}

static void show(struct run *r, const char *state)
{
	enum { EVERY_NS = 250000000 };
	uint64_t now = clock_monotonic_ns();
	if (!r->screen || now - r->last_screen_ns < EVERY_NS)
		return;
	r->last_screen_ns = now;
	struct record_status s = recorder_status(r->recorder);
	struct record_progress progress = { .elapsed_ns = s.elapsed_ns,
					    .duration_ns = r->plan->duration_ns,
					    .samples = s.counts.samples,
					    .lost = s.counts.lost,
					    .on_cpu = s.busy_cpus,
					    .output_bytes = output_bytes(r),
					    .state = state };
	record_screen_update(r->screen, &progress, r->profile);
}

/* --- files --- */

static void append(struct run *r)
{
	if (r->files)
		period_files_append(r->files, r->profile);
	else
		record_outputs_append(r->plan->outputs, r->profile);
}

/* Stored as facts of the recording, so that they are in its file. */
static void keep_notes(struct profile *p)
{
	for (uint32_t i = 0; i < p->notes.n; i++)
		profile_add_fact(p, STR("note"), profile_str(p, p->notes.p[i]));
}

/* Samples do not tell: a program may sleep before the first and after the last. */
static void keep_length(const struct run *r)
{
	char text[24];
	snprintf(text, sizeof(text), "%llu", (unsigned long long)recorder_elapsed_ns(r->recorder));
	profile_add_fact(r->profile, STR("recorded_ns"), str_from(text));
}

static void end_period(struct run *r)
{
	struct profile *done = r->profile;
	uint64_t every_ns = r->plan->rotation->every_ns, now = clock_monotonic_ns();
	r->profile = profile_new(COLUMNS_ALL);
	recorder_set_profile(r->recorder, r->profile);
	keep_notes(done);
	period_files_end(r->files, done);
	profile_unref(done);
	malloc_trim(0); /* do not keep the memory of a busy minute all day */
	period_files_begin(r->files);
	/* If the period ended early, or naming took longer than a period, count periods from now on. */
	bool is_on_time = now >= r->period_end_ns && now - r->period_end_ns < every_ns;
	r->period_end_ns = (is_on_time ? r->period_end_ns : now) + every_ns;
}

static bool is_period_over(const struct run *r)
{
	return r->files &&
	       (clock_monotonic_ns() >= r->period_end_ns || period_files_is_large(r->files));
}

/* --- the loop --- */

static bool is_over(const struct run *r)
{
	return is_interrupted || recorder_command_is_over(r->recorder) ||
	       (r->plan->duration_ns && recorder_elapsed_ns(r->recorder) >= r->plan->duration_ns);
}

static int step_ms(const struct run *r)
{
	enum { USUAL_MS = 50 };
	uint64_t elapsed = recorder_elapsed_ns(r->recorder);
	uint64_t left =
		r->plan->duration_ns > elapsed ? r->plan->duration_ns - elapsed : UINT64_MAX;
	return left < USUAL_MS * 1000000ull ? (int)(left / 1000000u) + 1 : USUAL_MS;
}

static void go_on(struct run *r)
{
	while (recorder_step(r->recorder, step_ms(r)) && !is_over(r)) {
		if (is_period_over(r)) {
			end_period(r);
		} else if (recorder_wants_flush(r->recorder)) {
			recorder_flush(r->recorder);
			append(r);
		}
		show(r, "recording");
	}
}

static bool start(struct run *r, struct err *e)
{
	const struct record_plan *plan = r->plan;
	r->profile = profile_new(COLUMNS_ALL);
	r->recorder = recorder_new(plan->options, r->profile, e);
	if (!r->recorder || (!plan->rotation && !record_outputs_open(plan->outputs, e)))
		return false;
	if (plan->rotation && !(r->files = period_files_new(plan->rotation, e)))
		return false;
	struct str remarks = recorder_remarks(r->recorder);
	while (remarks.n && !plan->is_quiet) {
		ptrdiff_t newline = str_find_char(remarks, '\n');
		struct str line = str_first(remarks, (size_t)newline);
		say("%.*s", STR_ARG(line));
		remarks = str_from_byte(remarks, line.n + 1);
	}
	if (plan->rotation)
		r->period_end_ns =
			clock_monotonic_ns() + plan->options->delay_ns + plan->rotation->every_ns;
	if (plan->on_begin)
		plan->on_begin(plan->context);
	return recorder_start(r->recorder, e);
}

/* --- messages at the end --- */

static void add_seconds(struct buf *out, uint64_t ns)
{
	buf_add_fixed(out, (double)ns / 1e9, 1);
	buf_add(out, STR(" s"));
}

/* Terminals would break lines in the middle of words. */
static void say_wrapped(struct str words)
{
	enum { SAID_BEFORE = sizeof("plume: ") - 1 };
	AUTO(buf) struct buf safe = { 0 }, text = { 0 };
	unsigned width = isatty(STDERR_FILENO) ? terminal_width(STDERR_FILENO, 80) : 0;
	fit_add_safe(&safe, words);
	buf_add_wrapped(&text, buf_str(&safe), SAID_BEFORE, width);
	fprintf(stderr, "plume: %s\n", buf_c_string(&text));
}

static void say_notes(const struct profile *p)
{
	enum { MOST_PATH = 200 };
	for (uint32_t i = 0; i < p->notes.n; i++) {
		AUTO(buf) struct buf text = { 0 };
		add_short_words(&text, profile_str(p, p->notes.p[i]), MOST_PATH);
		say_wrapped(buf_str(&text));
	}
}

static void say_summary(const struct run *r)
{
	enum { MOST_TITLE = 60 }; /* commands may be whole scripts */
	AUTO(buf) struct buf text = { 0 };
	struct record_status s = recorder_status(r->recorder);
	const uint64_t *count = r->profile->ledger.count;
	buf_add_grouped(&text, s.counts.samples);
	buf_add(&text, s.counts.samples == 1 ? STR(" sample of ") : STR(" samples of "));
	fit_add_start(&text, str_from(r->plan->title), MOST_TITLE, false);
	buf_add(&text, STR(" in "));
	add_seconds(&text, s.elapsed_ns);
	buf_addf(&text, " (%s)", r->plan->about_event);
	if (s.busy_cpus > 0) {
		buf_addf(&text, ", ");
		buf_add_fixed(&text, s.busy_cpus, 2);
		buf_addf(&text, " cpus busy");
	}
	if (!r->files && count[LEDGER_SAMPLES]) {
		buf_addf(&text, ", ");
		buf_add_percent(&text,
				count[LEDGER_SAMPLES] - count[LEDGER_UNROOTED] -
					count[LEDGER_TRUNCATED],
				count[LEDGER_SAMPLES]);
		buf_addf(&text, " of stacks complete, ");
		buf_add_percent(&text, count[LEDGER_UNKNOWN_FRAMES], count[LEDGER_FRAMES]);
		buf_addf(&text, " of frames unnamed");
	}
	buf_addf(&text, ", ");
	buf_add_grouped(&text, s.counts.lost);
	buf_addf(&text, " lost");
	say_wrapped(buf_str(&text));
}

static void say_overhead(const struct run *r)
{
	struct rusage own;
	AUTO(buf) struct buf text = { 0 };
	struct record_status s = recorder_status(r->recorder);
	getrusage(RUSAGE_SELF, &own);
	double user = (double)own.ru_utime.tv_sec + (double)own.ru_utime.tv_usec / 1e6;
	double system = (double)own.ru_stime.tv_sec + (double)own.ru_stime.tv_usec / 1e6;
	double elapsed = (double)s.elapsed_ns / 1e9;
	buf_addf(&text, "overhead: %.2f s of CPU time (%.2f s user, %.2f s system)", user + system,
		 user, system);
	if (elapsed > 0)
		buf_addf(&text, ", %.2f %% of one cpu", (user + system) / elapsed * 100);
	if (s.counts.samples)
		buf_addf(&text, ", %.0f us per sample",
			 (user + system) * 1e6 / (double)s.counts.samples);
	buf_addf(&text, "; peak memory %ld MB", own.ru_maxrss / 1024);
	say("%s", buf_c_string(&text));
}

/* Returns true and says so if CPU time has no samples: the profile records it as well. */
static bool say_unseen(const struct run *r)
{
	AUTO(diagnosis) struct diagnosis d = { 0 };
	struct unnamed_rows none = { 0 };
	struct charged c;
	if (!charged_of(r->profile, &c) || !c.is_missing)
		return false;
	diagnose_recording(r->profile, &none, &d);
	for (uint32_t i = 0; i < d.findings.n; i++) {
		const struct finding *f = &d.findings.p[i];
		AUTO(buf) struct buf text = { 0 };
		if (strcmp(f->key, "charged") != 0)
			continue;
		buf_addf(&text, "%.*s: %.*s; %.*s", STR_ARG(f->what), STR_ARG(f->why),
			 STR_ARG(f->fix));
		say_wrapped(buf_str(&text));
	}
	return true;
}

/* Whether the single requested process was stopped: by SIGSTOP, Ctrl-Z or a debugger. */
static bool is_stopped(const struct target_choice *c)
{
	struct process_status s;
	bool is_one = c->pids.n == 1 && !c->tids.n && !c->cgroup && !c->is_by_property;
	return is_one && process_stat_read("", c->pids.p[0], &s) &&
	       (s.state == 'T' || s.state == 't');
}

/* Reports processes that exited before plume could read their /proc entry. */
static void say_undecided(const struct run *r)
{
	AUTO(buf) struct buf count = { 0 };
	struct record_status s = recorder_status(r->recorder);
	buf_add_grouped(&count, s.undecided);
	if (s.undecided)
		say("%s %s left out: the process exited before plume could check whether it "
		    "matches; -a records everything",
		    buf_c_string(&count), s.undecided == 1 ? "sample" : "samples");
}

/* Explains an empty result. */
static void say_why_nothing(const struct run *r)
{
	enum { SHORT_NS = 200000000 };
	struct record_status s = recorder_status(r->recorder);
	struct charged c;
	if (say_unseen(r) || s.counts.samples)
		return;
	if (s.counts.lost)
		say("no samples: all were lost because the buffers were full; lower -F or raise "
		    "-m");
	else if (s.elapsed_ns < SHORT_NS && r->plan->options->events->list.p[0].samples_time)
		say("no samples: it exited too quickly to be sampled; try -F 4999");
	else if (r->plan->options->events->list.p[0].samples_time &&
		 is_stopped(r->plan->options->choice))
		say("no samples: process %d is stopped; kill -CONT %d resumes it",
		    r->plan->options->choice->pids.p[0], r->plan->options->choice->pids.p[0]);
	else if (r->plan->options->choice->remark)
		say("no samples: no matching process ran");
	else if (is_user_only(r->profile) && charged_of(r->profile, &c) && c.kernel_ns)
		say("no samples: the target spent its CPU time in the kernel, which was not "
		    "sampled (see plume doctor)");
	else if (r->plan->options->events->list.p[0].samples_time)
		say("no samples: the target used no CPU time; a longer -d may help");
	else
		say("no samples: the event did not happen");
}

/* Without this message it would seem to have exited by itself. */
static void say_ended_command(const struct run *r)
{
	struct record_status s = recorder_status(r->recorder);
	if (!s.was_command_ended)
		return;
	const char *name = r->plan->options->command[0];
	if (r->plan->duration_ns && s.elapsed_ns >= r->plan->duration_ns)
		say("%s was still running after -d %s; plume sent it SIGTERM", name,
		    r->plan->duration);
	else
		say("%s was still running; plume sent it SIGTERM", name);
}

/* Quotes a word for the shell. */
static void add_shell_word(struct buf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./-+:@%,=";
	if (word[strspn(word, plain)] == 0) {
		buf_addf(out, "%s%s", word[0] == '-' ? "./" : "", word);
		return;
	}
	buf_add_char(out, '\'');
	for (; *word; word++)
		buf_addf(out, *word == '\'' ? "'\\'%c" : "%c", *word);
	buf_add_char(out, '\'');
}

/* For interactive use: a log has no use for it. */
static void say_next(const struct run *r)
{
	AUTO(buf) struct buf text = { 0 };
	const char *path = record_outputs_for_report(r->plan->outputs);
	if (r->plan->is_quiet || !path || !isatty(STDERR_FILENO) ||
	    !r->profile->ledger.count[LEDGER_SAMPLES])
		return;
	add_shell_word(&text, path);
	say("next: plume report %s", buf_c_string(&text));
}

/* What happened to every sample. */
static void say_all(const struct run *r)
{
	AUTO(view_notes) struct view_notes notes = { 0 };
	const struct common_options counts_only = { .quiet = true, .verbose = true };
	view_account(&(struct view_input){ r->profile, NULL }, &notes);
	say_view_notes(&counts_only, &notes);
}

static int exit_code_of_command(const struct run *r)
{
	struct record_status s = recorder_status(r->recorder);
	if (!r->plan->options->command || r->plan->options->is_command_timer || !s.is_command_over)
		return EXIT_DONE;
	return WIFEXITED(s.command_status) ? WEXITSTATUS(s.command_status)
					   : EXIT_BY_SIGNAL + WTERMSIG(s.command_status);
}

static int end(struct run *r)
{
	const struct record_plan *plan = r->plan;
	int code = EXIT_DONE;
	recorder_end(r->recorder);
	record_screen_free(r->screen);
	r->screen = NULL;
	if (!plan->is_quiet) {
		say_summary(r);
		say_ended_command(r);
		say_why_nothing(r);
		say_undecided(r);
		if (!r->files)
			say_notes(r->profile);
	}
	keep_notes(r->profile);
	if (!r->files)
		keep_length(r);
	if (r->files) {
		period_files_end(r->files, r->profile);
		if (!plan->is_quiet)
			period_files_say_summary(r->files);
	} else {
		profile_seal(r->profile);
		code = record_outputs_end(plan->outputs, r->profile, plan->title, plan->is_quiet);
		if (code == EXIT_DONE)
			say_next(r);
	}
	if (plan->is_verbose && !r->files)
		say_all(r);
	if (plan->shows_overhead)
		say_overhead(r);
	return code != EXIT_DONE ? code : exit_code_of_command(r);
}

/* A command that writes to the terminal has it to itself. */
static bool shares_terminal(const struct record_options *o)
{
	return o->command && !o->is_command_timer && isatty(STDOUT_FILENO);
}

int record_run(const struct record_plan *plan, struct err *e)
{
	AUTO(run) struct run r = { .plan = plan };
	catch_signals();
	if (!start(&r, e)) {
		record_outputs_discard(plan->outputs);
		return EXIT_FAILED;
	}
	if (!plan->is_quiet && !shares_terminal(plan->options))
		r.screen = record_screen_new(STDERR_FILENO, plan->title);
	go_on(&r);
	return end(&r);
}
