#include "cmd/doctor_living.h"
#include "cmd/read_profiles.h"
#include "cmd/screen.h"

#include <poll.h>

struct doctor_options {
	struct text_list pids;
	const char *output, *width_text;
	uint32_t limit;
	bool is_json;
};

/* The command line. */
struct request {
	struct profile_request in;
	struct doctor_options doctor;
	struct report_style style;
};

#define DOCTOR(field) offsetof(struct request, doctor.field)

static const struct option target_options[] = {
	{ "pid", 'p', OPTION_LIST, DOCTOR(pids), "PID",
	  "say what a recording of process PID will show; separate PIDs with commas, or repeat the "
	  "option" },
};
static const struct option_set target_option_set = OPTION_SET("Processes", target_options);

static const struct option output_options[] = {
	{ "json", 0, OPTION_FLAG, DOCTOR(is_json), NULL, "print JSON" },
	{ "limit", 0, OPTION_NUMBER, DOCTOR(limit), "N",
	  "show N files with unnamed frames, or N mapped files (default: 8; 0: all)" },
	{ "width", 0, OPTION_TEXT, DOCTOR(width_text), "N",
	  "wrap lines at N columns (default: the terminal's width; 0, no wrapping, for files and "
	  "pipes)" },
	{ "output", 'o', OPTION_FILE, DOCTOR(output), "FILE",
	  "write to FILE instead of standard output" },
};
static const struct option_set output_option_set = OPTION_SET("Output", output_options);

static const struct option_set *const doctor_sets[] = { &target_option_set,
							&output_option_set,
							&finding_option_set,
							&frame_option_set,
							&input_option_set,
							&common_option_set,
							NULL };

static void request_fini(struct request *r)
{
	profile_request_fini(&r->in);
	text_list_fini(&r->doctor.pids);
}

/* One report per file or process, and the memory behind their texts. */
struct examination {
	VEC(struct doctor_report) reports;
	VEC(struct process_facts) processes;
	VEC(struct profile *) profiles;
	struct arena text;
	bool has_unreadable, has_damaged;
};

static void examination_fini(struct examination *x)
{
	for (uint32_t i = 0; i < x->reports.n; i++)
		doctor_report_fini(&x->reports.p[i]);
	for (uint32_t i = 0; i < x->profiles.n; i++)
		profile_unref(x->profiles.p[i]);
	for (uint32_t i = 0; i < x->processes.n; i++)
		process_facts_fini(&x->processes.p[i]);
	vec_fini(&x->processes);
	vec_fini(&x->reports);
	vec_fini(&x->profiles);
	arena_fini(&x->text);
}

/* A file without samples may still say why it has none. */
static bool says_something(const struct profile *p)
{
	return p->events.n || p->facts.n || p->ledger.count[LEDGER_LOST];
}

static void examine(struct examination *x, const struct request *r, const char *path)
{
	struct err e = { 0 };
	struct source_options source = source_options_of(&r->in);
	struct profile *p = profile_new(REPORT_COLUMNS);
	struct doctor_report report = {
		.file = strcmp(path, "-") == 0 ? STR("standard input") : str_from(path),
		.limit = r->doctor.limit,
		.is_verbose = r->in.common.verbose,
	};
	bool has_read = read_profile(path, &source, p, &e);
	if (has_read && source.source_maps)
		p = source_find_originals(p, &source.names);
	profile_seal(p);
	vec_push(&x->profiles, p);
	x->has_unreadable |= !has_read;
	x->has_damaged |= ledger_is_damaged(&p->ledger);
	report.error = arena_copy(&x->text, str_from(e.text));
	if (has_read || says_something(p)) {
		report.profile = p;
		recording_of(p, &report.recording);
		unnamed_rows_of(p, &report.unnamed);
		diagnose(p, &report.recording, &report.unnamed, &report.diagnosis);
	}
	vec_push(&x->reports, report);
}

/* --- machine and processes --- */

static struct doctor_report new_report(const struct request *r)
{
	return (struct doctor_report){ .limit = r->doctor.limit,
				       .is_verbose = r->in.common.verbose };
}

static void examine_machine(struct examination *x, const struct request *r,
			    const struct permission *permission)
{
	struct source_options source = source_options_of(&r->in);
	struct kernel_name_trouble names = { 0 };
	struct kernel_id running = { 0 };
	struct err walker = { 0 };
	struct doctor_report report = new_report(r);
	source.names.is_of_this_machine = true;
	struct kernel_symbols *kernel = kernel_symbols_new(&running, &source.names);
	kernel_symbols_explain(kernel, &names.why, &names.fix);
	recorder_tries_walker(&walker);
	doctor_tell_machine(permission, &names, &walker, &report);
	kernel_symbols_free(kernel);
	buf_fini(&names.why);
	buf_fini(&names.fix);
	vec_push(&x->reports, report);
}

/* Looks again one second after a map was first seen, to tell whether it grows. */
static void watch_map(struct code_map *m)
{
	enum { WATCH_MS = 1000 };
	uint64_t passed_ms = (clock_monotonic_ns() - m->seen_ns) / 1000000;
	if (m->fd >= 0 && passed_ms < WATCH_MS)
		poll(NULL, 0, (int)(WATCH_MS - passed_ms));
	code_map_watch(m);
}

/* Looks at all of them once before waiting for the first. */
static void tell_processes(struct examination *x, const struct request *r,
			   const struct permission *permission)
{
	for (uint32_t i = 0; i < x->processes.n; i++) {
		struct doctor_report report = new_report(r);
		struct javascript_facts js;
		javascript_facts_read(&x->processes.p[i], &js);
		watch_map(&x->processes.p[i].map);
		doctor_tell_process(&x->processes.p[i], &js, permission, &report);
		vec_push(&x->reports, report);
	}
}

static void examine_process(struct examination *x, const struct request *r, int32_t pid)
{
	struct err e = { 0 };
	struct process_facts facts;
	struct source_options source = source_options_of(&r->in);
	if (process_facts_read(pid, &source.names, &facts, &e)) {
		vec_push(&x->processes, facts);
		return;
	}
	process_facts_fini(&facts);
	struct doctor_report report = new_report(r);
	report.subject = DOCTOR_PROCESS;
	report.pid = pid;
	report.error = arena_copy(&x->text, str_from(e.text));
	x->has_unreadable = true;
	vec_push(&x->reports, report);
}

/* Returns false if a process does not exist; e says which. */
static bool examine_living(struct examination *x, struct request *r, struct err *e)
{
	struct permission permission;
	struct target_wish wish = { .pids = r->doctor.pids };
	struct target_choice choice = { 0 };
	bool is_chosen = !r->doctor.pids.n || target_choose(&wish, &choice, e);
	if (is_chosen) {
		permission_find(&permission);
		examine_machine(x, r, &permission);
	}
	for (uint32_t i = 0; is_chosen && i < choice.pids.n; i++)
		examine_process(x, r, choice.pids.p[i]);
	if (is_chosen)
		tell_processes(x, r, &permission);
	target_choice_fini(&choice);
	return is_chosen;
}

/* --- output --- */

static bool write_reports(const struct examination *x, const struct request *r, struct err *e)
{
	struct writer *out = writer_open(r->doctor.output ? r->doctor.output : "-", e);
	if (!out)
		return false;
	if (r->doctor.is_json)
		sink_doctor_json(x->reports.p, x->reports.n, out);
	bool is_first = true;
	for (uint32_t i = 0; i < x->reports.n && !r->doctor.is_json; i++) {
		if (x->reports.p[i].error.n && !x->reports.p[i].profile) {
			say("%.*s", STR_ARG(x->reports.p[i].error));
			continue;
		}
		if (!is_first)
			writer_add(out, STR("\n"));
		sink_doctor_text(&x->reports.p[i], &r->style, out);
		is_first = false;
	}
	bool ok = writer_commit(out, e);
	writer_free(out);
	return ok;
}

static int run_doctor(const struct command *self, char **words, size_t n)
{
	struct err e = { 0 };
	AUTO(request) struct request r = { .doctor.limit = 8 };
	AUTO(examination) struct examination x = { 0 };
	if (!profile_request_parse(&r.in, self, words, n, &e))
		return say_error(self, &e);
	if (r.in.common.help)
		return print_help(self);
	if (!screen_style(&r.style, r.doctor.output, r.doctor.width_text, &e))
		return say_error(self, &e);
	if ((r.doctor.pids.n || !r.in.files.n) && !examine_living(&x, &r, &e))
		return say_error(self, &e);
	for (uint32_t i = 0; i < r.in.files.n; i++)
		examine(&x, &r, r.in.files.p[i]);
	if (!write_reports(&x, &r, &e))
		return say_error(self, &e);
	return x.has_unreadable ? EXIT_FAILED : x.has_damaged ? EXIT_DAMAGED : EXIT_DONE;
}

const struct command doctor_command = {
	.name = "doctor",
	.arguments = "[options] [FILE...]",
	.summary = "check a recording, a process or the machine for problems",
	.text = "Reports where and how each FILE was recorded, what was lost or cut, which\n"
		"frames have no name and why, and how to fix these problems. FILE is any profile\n"
		"that 'plume fold' reads. Without FILE, reports what can be recorded on this\n"
		"machine; with -p, what a recording of that process will show and what will be\n"
		"missing.\n"
		"\n"
		"  plume doctor\n"
		"  plume doctor -p 4711\n"
		"  plume doctor perf.data\n"
		"  plume doctor --symfs ./sysroot --map ./maps perf.data\n",
	.sets = doctor_sets,
	.run = run_doctor,
};
