#include "cmd/profile_options.h"

#include <sched.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define QUERY(field) offsetof(struct query, field)

static const struct option input_options[] = {
	{ "input", 0, OPTION_CHOICE, offsetof(struct input_options, format), "NAME",
	  "read the input as NAME: plume, pprof, speedscope, cpuprofile, trace, json-tree, "
	  "json-flat, csv, perf-script, folded or folded-diff; auto, the default, finds out by "
	  "content",
	  source_input_names },
	{ "threads", 'j', OPTION_NUMBER, offsetof(struct input_options, threads), "N",
	  "read files with N threads; the result is the same for any N (default: all cores)" },
};
const struct option_set input_option_set = { "Input", input_options, ARRAY_SIZE(input_options) };

static const struct option name_options[] = {
	{ "pid", 0, OPTION_FLAG, QUERY(show_pid), NULL, "root frame is comm-PID" },
	{ "tid", 0, OPTION_FLAG, QUERY(show_tid), NULL, "root frame is comm-PID/TID" },
	{ "kernel", 0, OPTION_FLAG, QUERY(mark_kernel), NULL, "mark kernel functions with _[k]" },
	{ "jit", 0, OPTION_FLAG, QUERY(mark_jit), NULL,
	  "mark functions of a just-in-time compiler with _[j]" },
};
const struct option_set name_option_set = { "Names", name_options, ARRAY_SIZE(name_options) };

static const struct option mark_options[] = {
	{ "all", 0, OPTION_FLAG, offsetof(struct mark_options, all), NULL,
	  "the same as --kernel --jit" },
	{ "addrs", 0, OPTION_FLAG, offsetof(struct mark_options, addresses), NULL,
	  "show the address of frames without a name: [libc.so.6 <7f3a...>]" },
};
const struct option_set mark_option_set = { NULL, mark_options, ARRAY_SIZE(mark_options) };

static const char *const weights[] = { "auto", "samples", "period", NULL };

static const struct option filter_options[] = {
	{ "where", 0, OPTION_LIST, QUERY(where), "KEY=VALUE[,VALUE]",
	  "only samples whose pid, tid, comm, cpu, event, container, module or kind is VALUE; "
	  "module and kind "
	  "are the leaf frame's; repeatable, all must hold; event=all shows all events" },
	{ "event-filter", 0, OPTION_LIST, QUERY(where), "EVENT", "the same as --where event=EVENT",
	  NULL, "event=" },
	{ "only", 0, OPTION_LIST, QUERY(only), "RE",
	  "only stacks whose folded text comm;root;...;leaf matches RE" },
	{ "without", 0, OPTION_LIST, QUERY(without), "RE",
	  "no stacks whose folded text matches RE" },
	{ "no-idle", 0, OPTION_FLAG, QUERY(no_idle), NULL,
	  "no stacks whose leaf is the kernel's idle loop" },
	{ "weight", 0, OPTION_CHOICE, QUERY(weight), "WHAT",
	  "count samples, or the period of each: samples, period or auto (the default: samples for "
	  "clocks and "
	  "cycles, periods for other events)",
	  weights },
};
const struct option_set filter_option_set = { "Selection", filter_options,
					      ARRAY_SIZE(filter_options) };

static const struct option time_options[] = {
	{ "time", 0, OPTION_TEXT, QUERY(time), "A,B",
	  "only samples from A to B, in seconds from the start (or 200ms, 1.5m, 1h; A, and ,B are "
	  "open); -5s "
	  "counts from the end, and alone means the last five seconds" },
};
const struct option_set time_option_set = { NULL, time_options, ARRAY_SIZE(time_options) };

static const struct option transform_options[] = {
	{ "hide", 0, OPTION_LIST, QUERY(hide), "RE",
	  "take frames whose name matches RE out of the stacks" },
	{ "root", 0, OPTION_LIST, QUERY(root), "RE",
	  "begin stacks at the first frame whose name matches RE; leave out stacks that have "
	  "none" },
	{ "skip-after", 0, OPTION_LIST, QUERY(skip_after), "FN",
	  "cut off the callers of function FN" },
	{ "merge-tiers", 0, OPTION_FLAG, QUERY(merge_tiers), NULL,
	  "show a JavaScript function as one, whichever V8 tier ran it" },
	{ "collapse-recursion", 0, OPTION_FLAG, QUERY(collapse_recursion), NULL,
	  "show a function that calls itself once" },
	{ "reverse", 0, OPTION_FLAG, QUERY(reverse), NULL,
	  "turn stacks around: the leaf becomes the root" },
};
const struct option_set transform_option_set = { "Transforms", transform_options,
						 ARRAY_SIZE(transform_options) };

struct source_options source_options_of(const struct input_options *input,
					const struct mark_options *marks)
{
	return (struct source_options){
		.format = input->format ? source_input_names[input->format] : NULL,
		.threads = input->threads,
		.keep_addresses = marks->addresses,
	};
}

void mark_options_apply(const struct mark_options *marks, struct query *q)
{
	q->mark_kernel |= marks->all;
	q->mark_jit |= marks->all;
}

bool knows_kinds(const struct profile *p)
{
	for (uint32_t i = 0; i < p->frames.n; i++)
		if (p->frames.p[i].module)
			return true;
	return false;
}

unsigned default_threads(void)
{
	cpu_set_t cpus;
	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		return (unsigned)CPU_COUNT(&cpus);
	return 1;
}

bool stdin_is_piped(void)
{
	struct stat status;
	return fstat(STDIN_FILENO, &status) == 0 &&
	       (S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode) || S_ISSOCK(status.st_mode));
}

/* One of several inputs gives nothing: the others are shown, and what was wrong is said. */
static void note_unreadable(struct profile *p, const struct err *e)
{
	p->ledger.count[LEDGER_INPUT_DAMAGED]++;
	if (!p->ledger.damage)
		p->ledger.damage = profile_add_str(p, str_from(e->text));
}

/* On a terminal, so that a long wait for a pipe is seen to be one. */
static bool show_progress(void *context, const struct profile *p)
{
	enum { FIRST_NS = 1000000000, NEXT_NS = 250000000 };
	uint64_t *next_ns = context;
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	uint64_t now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	if (!*next_ns)
		*next_ns = now + FIRST_NS;
	if (now < *next_ns)
		return true;
	AUTO(buf) struct buf samples = { 0 };
	buf_add_grouped(&samples, p->ledger.count[LEDGER_SAMPLES]);
	fprintf(stderr, "\r\033[Kplume: %s samples read", buf_c_string(&samples));
	*next_ns = now + NEXT_NS;
	return true;
}

static void hide_progress(void)
{
	fputs("\r\033[K", stderr);
}

struct profile *read_profiles(const struct text_list *files, const struct source_options *asked,
			      unsigned columns, struct err *e)
{
	struct profile *p = profile_new(columns);
	struct source_options shown = *asked;
	const struct source_options *options = &shown;
	uint64_t next_ns = 0;
	bool shows_progress = !asked->progress && isatty(STDERR_FILENO);
	if (shows_progress) {
		shown.progress = show_progress;
		shown.progress_context = &next_ns;
	}
	bool is_piped = files->n == 0 && stdin_is_piped(), has_read = false;
	if (files->n == 0 && !is_piped)
		say("no FILE given: reading ./perf.data");
	for (uint32_t i = 0; i < (files->n ? files->n : 1); i++) {
		const char *path = files->n ? files->p[i] : is_piped ? "-" : "perf.data";
		if (source_read(path, options, p, e))
			has_read = true;
		else if (e->kind == ERR_USAGE)
			break;
		else
			note_unreadable(p, e);
	}
	if (shows_progress && next_ns)
		hide_progress();
	if (!has_read || e->kind == ERR_USAGE) {
		profile_unref(p);
		return NULL;
	}
	*e = (struct err){ 0 };
	profile_seal(p);
	return p;
}

static void add_event_list(const struct profile *p, struct buf *out)
{
	uint32_t n = p->events.n < 8 ? p->events.n : 8;
	for (uint32_t i = 0; i < n; i++) {
		struct str name = profile_str(p, p->events.p[i].name);
		buf_addf(out, "%s%.*s", i ? ", " : "", STR_ARG(name.n ? name : STR("(no name)")));
	}
	if (n < p->events.n)
		buf_addf(out, " and %u more", p->events.n - n);
}

static void warn_events(const struct profile *p, const struct query *q,
			const struct query_ledger *l)
{
	if (!l->other_events || l->event == INDEX_NONE)
		return;
	for (uint32_t i = 0; i < q->where.n; i++)
		if (str_starts(str_from(q->where.p[i]), STR("event=")))
			return;
	AUTO(buf) struct buf events = { 0 };
	add_event_list(p, &events);
	say("%u events in the input (%s); showing %.*s, choose with --where event=NAME",
	    p->events.n, buf_c_string(&events),
	    STR_ARG(profile_str(p, p->events.p[l->event].name)));
}

static void warn_damage(const struct profile *p, enum ledger_line line)
{
	const struct ledger *l = &p->ledger;
	AUTO(buf) struct buf text = { 0 };
	if (line == LEDGER_INPUT_DAMAGED) {
		buf_addf(&text, "%.*s", STR_ARG(profile_str(p, l->damage)));
		if (l->count[line] > 1)
			buf_addf(&text, "; %s: %llu", ledger_line_name(line),
				 (unsigned long long)l->count[line]);
		say("%s", buf_c_string(&text));
		return;
	}
	buf_addf(&text, "%s: ", ledger_line_name(line));
	buf_add_grouped(&text, l->count[line]);
	if (line == LEDGER_BAD_LINES || line == LEDGER_BAD_RECORDS)
		buf_addf(&text, ", the first in %.*s at byte %llu: '%.*s'",
			 STR_ARG(profile_str(p, l->first_bad_input)),
			 (unsigned long long)l->first_bad_offset,
			 STR_ARG(profile_str(p, l->first_bad_text)));
	say("%s", buf_c_string(&text));
}

int exit_code_of(const struct profile *p, const struct query_ledger *l)
{
	for (enum ledger_line line = 0; line < LEDGER_LINES; line++)
		if (p->ledger.count[line] && ledger_line_is_damage(line))
			return EXIT_DAMAGED;
	return l->overflows ? EXIT_DAMAGED : EXIT_DONE;
}

void say_warnings(const struct profile *p, const struct query *q, const struct query_ledger *l)
{
	warn_events(p, q, l);
	for (uint32_t i = 0; i < p->notes.n; i++)
		say("%.*s", STR_ARG(profile_str(p, p->notes.p[i])));
	if (l->samples_in == 0 && l->stacks == 0)
		say("no stacks found");
	if (p->ledger.count[LEDGER_OTHER_EVENTS])
		say("samples of other events left out: %llu; --event-filter chooses the event",
		    (unsigned long long)p->ledger.count[LEDGER_OTHER_EVENTS]);
	if (l->gave_up)
		say("an expression took too long on %llu names and was taken as not matching",
		    (unsigned long long)l->gave_up);
	for (enum ledger_line line = 0; line < LEDGER_LINES; line++)
		if (p->ledger.count[line] && ledger_line_is_damage(line))
			warn_damage(p, line);
	if (l->overflows && !p->ledger.count[LEDGER_OVERFLOWS])
		say("%s: %llu", ledger_line_name(LEDGER_OVERFLOWS),
		    (unsigned long long)l->overflows);
}

static void say_count(const char *what, uint64_t n)
{
	AUTO(buf) struct buf text = { 0 };
	if (!n)
		return;
	buf_add_grouped(&text, n);
	fprintf(stderr, "%16s  %s\n", buf_c_string(&text), what);
}

void say_ledger(const struct profile *p, const struct query_ledger *l, const struct tree *tree)
{
	for (enum ledger_line line = 0; line < LEDGER_LINES; line++)
		say_count(ledger_line_name(line), p->ledger.count[line]);
	say_count("samples left out by --where", l->by_where);
	say_count("samples left out by --time", l->by_time);
	say_count("samples left out by --only and --without", l->by_text);
	say_count("samples left out as idle", l->idle);
	say_count("samples of other events", l->other_events);
	say_count("samples without a frame for --root", l->not_under_root);
	say_count("samples shown", l->shown);
	say_count("stacks shown", l->stacks);
	if (tree)
		say_count(l->is_in_periods ? "weight shown (sum of periods)"
					   : "weight shown (samples)",
			  tree->total[tree->value_count - 1][0] / tree_unit(tree));
	if (l->event != INDEX_NONE && l->event < p->events.n)
		fprintf(stderr, "%16s  %.*s\n", "event",
			STR_ARG(profile_str(p, p->events.p[l->event].name)));
}

/* Values that a key has in this profile, so that a typo is seen. */
static void add_known_comms(const struct profile *p, struct buf *out)
{
	unsigned shown = 0;
	for (uint32_t i = 1; i < p->threads.n && shown < 8; i++) {
		struct str comm = profile_str(p, p->threads.p[i].comm);
		if (out->n && str_find(buf_str(out), comm) >= 0)
			continue;
		buf_addf(out, "%s%.*s", shown++ ? ", " : "", STR_ARG(comm));
	}
}

static bool asks_for(const struct query *q, struct str key)
{
	for (uint32_t i = 0; i < q->where.n; i++)
		if (str_starts(str_from(q->where.p[i]), key))
			return true;
	return false;
}

static bool has_cpus(const struct profile *p)
{
	for (uint32_t i = 0; p->samples.cpu && i < p->samples.n; i++)
		if (p->samples.cpu[i] >= 0)
			return true;
	return false;
}

static bool has_pids(const struct profile *p)
{
	for (uint32_t i = 0; i < p->threads.n; i++)
		if (p->threads.p[i].pid != PID_UNKNOWN)
			return true;
	return false;
}

void explain_nothing(const struct profile *p, const struct query *q, const struct query_ledger *l,
		     struct err *e)
{
	AUTO(buf) struct buf text = { 0 };
	AUTO(buf) struct buf known = { 0 };
	buf_addf(&text, "no stacks left: ");
	buf_add_grouped(&text, l->samples_in);
	buf_addf(&text, " samples were read");
	if (l->by_where)
		buf_addf(&text, ", %llu left out by --where", (unsigned long long)l->by_where);
	if (l->by_time)
		buf_addf(&text, ", %llu by --time %s", (unsigned long long)l->by_time, q->time);
	if (l->by_text)
		buf_addf(&text, ", %llu by --only or --without", (unsigned long long)l->by_text);
	if (l->idle)
		buf_addf(&text, ", %llu as idle", (unsigned long long)l->idle);
	if (l->other_events)
		buf_addf(&text, ", %llu are of other events", (unsigned long long)l->other_events);
	if (l->not_under_root)
		buf_addf(&text, ", %llu have no frame for --root",
			 (unsigned long long)l->not_under_root);
	if (asks_for(q, STR("pid=")) && !has_pids(p))
		buf_addf(&text, "; the input has no pids (perf script prints them with -F +pid)");
	if (asks_for(q, STR("cpu=")) && !has_cpus(p))
		buf_addf(&text, "; the input has no cpus (perf record --sample-cpu keeps them, "
				"perf script prints "
				"them with -F +cpu)");
	add_event_list(p, &known);
	if (known.n)
		buf_addf(&text, "; events: %s", buf_c_string(&known));
	known.n = 0;
	add_known_comms(p, &known);
	if (known.n)
		buf_addf(&text, "; comms: %s", buf_c_string(&known));
	err_set(e, "%s", buf_c_string(&text));
}
