#include "cmd/read_profiles.h"

#include "cmd/busy.h"

#include <errno.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- options --- */

static const struct option input_options[] = {
	{ "input", 0, OPTION_CHOICE, offsetof(struct profile_request, input.format), "NAME",
	  source_input_help, source_input_names },
	{ "threads", 'j', OPTION_NUMBER, offsetof(struct profile_request, input.threads), "N",
	  "read files with N threads (default: all cores); the result is the same for any N" },
};
const struct option_set input_option_set = OPTION_SET("Input", input_options);

static const struct option address_options[] = {
	{ "addrs", 0, OPTION_FLAG, offsetof(struct profile_request, input.keeps_addresses), NULL,
	  "show the addresses of unnamed frames: [libc.so.6 <7f3a...>]" },
};
const struct option_set address_option_set = OPTION_SET(NULL, address_options);

#define FINDING(field) offsetof(struct profile_request, finding.field)

static const struct option finding_options[] = {
	{ "symfs", 0, OPTION_FILE, FINDING(symfs), "DIR",
	  "look for programs, libraries, maps and debug files under DIR, a copy of the recorded "
	  "machine's files" },
	{ "container-root", 0, OPTION_FILE, FINDING(container_root), "DIR",
	  "like --symfs, but for a container's files; tried before the host's" },
	{ "map", 0, OPTION_LIST, FINDING(maps), "FILE|DIR|PID=FILE",
	  "name code compiled at run time (JavaScript, Java, ...) from copies of perf-PID.map and "
	  "jit-PID.dump: a file, a directory of them, or the map of one process; repeatable" },
	{ "debuginfod", 0, OPTION_FLAG, FINDING(asks_debuginfod), NULL,
	  "fetch missing debug files from the servers in DEBUGINFOD_URLS" },
	{ "source-maps", 0, OPTION_FLAG, FINDING(source_maps), NULL,
	  "show the original source of TypeScript and bundled JavaScript, using source maps in or "
	  "next to the scripts" },
};
const struct option_set finding_option_set = OPTION_SET("Finding names", finding_options);

void profile_request_fini(struct profile_request *r)
{
	view_request_fini(&r->view);
	text_list_fini(&r->files);
	text_list_fini(&r->finding.maps);
}

/* One per core. */
static unsigned default_threads(void)
{
	cpu_set_t cpus;
	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		return (unsigned)CPU_COUNT(&cpus);
	return 1;
}

/* Without this check a typo would leave frames unnamed, and nobody would know why. */
static bool check_folder(const char *option, const char *path, struct err *e)
{
	struct stat status;
	if (!path)
		return true;
	if (stat(path, &status) != 0)
		return err_set(e, "--%s %s: %s", option, path, strerror(errno));
	return S_ISDIR(status.st_mode) || err_set(e, "--%s %s: not a folder", option, path);
}

/* `4711=/tmp/a.map` is for process 4711; `a=b.map` is a file. */
static const char *map_path(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	return digits && text[digits] == '=' ? text + digits + 1 : text;
}

static bool check_finding(const struct finding_options *o, struct err *e)
{
	for (uint32_t i = 0; i < o->maps.n; i++)
		if (access(map_path(o->maps.p[i]), R_OK) != 0)
			return err_set(e, "--map %s: %s", o->maps.p[i], strerror(errno));
	return check_folder("symfs", o->symfs, e) &&
	       check_folder("container-root", o->container_root, e);
}

bool profile_request_parse(struct profile_request *r, const struct command *self, char **words,
			   size_t n, struct err *e)
{
	enum { MOST_SETS = 20 };
	struct option_binding bindings[MOST_SETS];
	size_t sets = 0;
	for (; self->sets[sets] && sets < MOST_SETS; sets++)
		bindings[sets] = (struct option_binding){ self->sets[sets],
							  self->sets[sets] == &common_option_set
								  ? (void *)&r->common
								  : r };
	r->input.threads = default_threads();
	if (!options_parse(words, n, bindings, sets, &r->files, e))
		return false;
	if (r->finding.asks_debuginfod && !getenv("DEBUGINFOD_URLS") && !r->common.quiet)
		say("--debuginfod has no effect: DEBUGINFOD_URLS is not set");
	return r->common.help ||
	       (view_request_settle(&r->view, e) && check_finding(&r->finding, e));
}

struct source_options source_options_of(const struct profile_request *r)
{
	const struct finding_options *finding = &r->finding;
	return (struct source_options){
		.format = r->input.format ? source_input_names[r->input.format] : NULL,
		.threads = r->input.threads,
		.keep_addresses = r->input.keeps_addresses,
		.source_maps = finding->source_maps,
		.needs_lines = r->view.query.show_place != PLACE_HIDDEN,
		.is_quiet = r->common.quiet,
		.names = { .symfs = finding->symfs,
			   .container_root = finding->container_root,
			   .maps = (const char *const *)finding->maps.p,
			   .map_count = finding->maps.n,
			   .asks_debuginfod = finding->asks_debuginfod,
			   .wants_inlines = !r->view.query.no_inlines,
			   .wants_lines = view_wants_lines(&r->view) },
	};
}

const char *profile_request_file(const struct profile_request *r)
{
	return r->files.n == 1 && strcmp(r->files.p[0], "-") != 0 ? r->files.p[0] : NULL;
}

/* --- reading --- */

bool stdin_is_piped(void)
{
	struct stat status;
	return fstat(STDIN_FILENO, &status) == 0 &&
	       (S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode) || S_ISSOCK(status.st_mode));
}

/* If one of several inputs is unreadable, notes the error and still shows the others. */
static void note_unreadable(struct profile *p, const struct err *e)
{
	p->ledger.count[LEDGER_INPUT_DAMAGED]++;
	if (!p->ledger.damage)
		p->ledger.damage = profile_add_str(p, str_from(e->text));
}

static bool count_samples(void *context, const struct profile *p)
{
	struct progress *counted = context;
	atomic_store(&counted->samples, p->ledger.count[LEDGER_SAMPLES]);
	return true;
}

bool read_profile(const char *path, const struct source_options *options, struct profile *p,
		  struct err *e)
{
	struct source_options shown = *options;
	struct busy *busy = busy_begin("reading", strcmp(path, "-") == 0 ? "standard input" : path,
				       options->is_quiet || options->progress);
	if (busy) {
		shown.progress = count_samples;
		shown.progress_context = shown.counted = busy_progress(busy);
	}
	bool ok = source_read(path, &shown, p, e);
	busy_end(busy);
	return ok;
}

const char *default_input(void)
{
	if (stdin_is_piped())
		return "-";
	say("no FILE given; reading ./perf.data");
	return "perf.data";
}

/* A file with one line per function would show that line as if the time was spent there. */
static bool check_lines(const char *path, const struct source_options *options,
			const struct profile *p, struct err *e)
{
	return !options->needs_lines || !profile_fact(p, source_lines_key).n ||
	       err_set(e,
		       "%s: written by an older plume, with one line per function: open it without "
		       "--srcline and --context, record again, or read the perf.data that it was "
		       "made from",
		       path);
}

struct profile *read_profiles(const struct text_list *files, const struct source_options *options,
			      unsigned columns, struct err *e)
{
	struct profile *p = profile_new(columns);
	struct source_options each = *options;
	bool has_read = false, has_lines = true;
	each.is_one_of_many = files->n > 1;
	for (uint32_t i = 0; has_lines && i < (files->n ? files->n : 1); i++) {
		const char *path = files->n ? files->p[i] : default_input();
		if (read_profile(path, &each, p, e))
			has_read = has_lines = check_lines(path, options, p, e);
		else if (e->kind == ERR_USAGE)
			break;
		else
			note_unreadable(p, e);
	}
	bool is_empty = !p->samples.n && !p->ledger.count[LEDGER_SAMPLES] && !options->compat;
	if (has_read && is_empty && !e->kind)
		err_set(e, "no stacks found: none of the %u files has samples", files->n);
	if (!has_read || !has_lines || is_empty || e->kind == ERR_USAGE) {
		profile_unref(p);
		return NULL;
	}
	*e = (struct err){ 0 };
	if (options->source_maps)
		p = source_find_originals(p, &options->names);
	profile_seal(p);
	return p;
}
