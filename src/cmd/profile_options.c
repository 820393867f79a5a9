#include "cmd/profile_options.h"

#include <errno.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#define QUERY(field) offsetof(struct query, field)

static const struct option input_options[] = {
	{ "input", 0, OPTION_CHOICE, offsetof(struct input_options, format), "NAME",
	  source_input_help, source_input_names },
	{ "threads", 'j', OPTION_NUMBER, offsetof(struct input_options, threads), "N",
	  "read files with N threads (default: all cores); the result is the same for any N" },
};
const struct option_set input_option_set = { "Input", input_options, ARRAY_SIZE(input_options) };

static const struct option name_options[] = {
	{ "pid", 0, OPTION_FLAG, QUERY(show_pid), NULL, "make comm-PID the root frame" },
	{ "tid", 0, OPTION_FLAG, QUERY(show_tid), NULL, "make comm-PID/TID the root frame" },
	{ "kernel", 0, OPTION_FLAG, QUERY(mark_kernel), NULL, "mark kernel functions with _[k]" },
	{ "jit", 0, OPTION_FLAG, QUERY(mark_jit), NULL,
	  "mark functions compiled at run time with _[j]" },
};
const struct option_set name_option_set = { "Names", name_options, ARRAY_SIZE(name_options) };

static const struct option mark_options[] = {
	{ "all", 0, OPTION_FLAG, offsetof(struct mark_options, all), NULL,
	  "same as --kernel --jit" },
	{ "addrs", 0, OPTION_FLAG, offsetof(struct mark_options, addresses), NULL,
	  "show the addresses of unnamed frames: [libc.so.6 <7f3a...>]" },
};
const struct option_set mark_option_set = { NULL, mark_options, ARRAY_SIZE(mark_options) };

#define NAMING(field) offsetof(struct naming_options, field)

static const struct option naming_options[] = {
	{ "symfs", 0, OPTION_FILE, NAMING(symfs), "DIR",
	  "look for programs, libraries, maps and debug files under DIR, a copy of the recorded "
	  "machine's files" },
	{ "container-root", 0, OPTION_FILE, NAMING(container_root), "DIR",
	  "like --symfs, but for a container's files; tried before the host's" },
	{ "map", 0, OPTION_LIST, NAMING(maps), "FILE|DIR|PID=FILE",
	  "name code compiled at run time (JavaScript, Java, ...) from copies of perf-PID.map and "
	  "jit-PID.dump: a file, a directory of them, or the map of one process; repeatable" },
	{ "debuginfod", 0, OPTION_FLAG, NAMING(asks_debuginfod), NULL,
	  "fetch missing debug files from the servers in DEBUGINFOD_URLS" },
	{ "source-maps", 0, OPTION_FLAG, NAMING(source_maps), NULL,
	  "show the original source of TypeScript and bundled JavaScript, using source maps in or "
	  "next to the scripts" },
	{ "inline", 0, OPTION_FLAG, NAMING(inlines), NULL,
	  "show inlined functions, marked with _[i] (the default)" },
	{ "no-inline", 0, OPTION_FLAG, NAMING(no_inlines), NULL,
	  "do not look up inlined functions, and remove those in the input" },
	{ "srcline", 0, OPTION_FLAG, NAMING(shows_lines), NULL,
	  "tell frames apart by source line: main file.c:12" },
	{ "context", 0, OPTION_FLAG, NAMING(shows_context), NULL,
	  "like --srcline, in FlameGraph's format: main:file.c:12" },
};
const struct option_set naming_option_set = { "Finding names", naming_options,
					      ARRAY_SIZE(naming_options) };

static const char *const weights[] = { "auto", "samples", "period", NULL };

static const struct option filter_options[] = {
	{ "where", 0, OPTION_LIST, QUERY(where), "KEY=VALUE[,VALUE]",
	  "keep only samples whose pid, tid, comm, cpu, event, container, module or kind is VALUE; "
	  "module and kind are those of the leaf frame; repeatable, all must match; event=all "
	  "shows all events" },
	{ "event-filter", 0, OPTION_LIST, QUERY(where), "EVENT", "same as --where event=EVENT",
	  NULL, "event=" },
	{ "only", 0, OPTION_LIST, QUERY(only), "RE",
	  "keep only stacks whose folded text comm;root;...;leaf matches RE" },
	{ "without", 0, OPTION_LIST, QUERY(without), "RE",
	  "leave out stacks whose folded text matches RE" },
	{ "no-idle", 0, OPTION_FLAG, QUERY(no_idle), NULL,
	  "leave out stacks that end in the kernel's idle loop" },
	{ "weight", 0, OPTION_CHOICE, QUERY(weight), "WHAT",
	  "what to count: samples, period (the period of each sample) or auto (the default: "
	  "samples for clocks and cycles, periods for other events)",
	  weights },
};
const struct option_set filter_option_set = { "Selection", filter_options,
					      ARRAY_SIZE(filter_options) };

static const struct option time_options[] = {
	{ "time", 0, OPTION_TEXT, QUERY(time), "A,B",
	  "keep only samples from A to B, in seconds from the start or with a unit (200ms, 1.5m, "
	  "1h); A "
	  "or B may be omitted; the comma is required; negative times count from the end, and -5s "
	  "alone is the last five seconds" },
};
const struct option_set time_option_set = { NULL, time_options, ARRAY_SIZE(time_options) };

static const struct option transform_options[] = {
	{ "hide", 0, OPTION_LIST, QUERY(hide), "RE",
	  "remove frames whose name matches RE from the stacks" },
	{ "root", 0, OPTION_LIST, QUERY(root), "RE",
	  "start stacks at the first frame whose name matches RE; leave out stacks with no such "
	  "frame" },
	{ "your-code", 0, OPTION_FLAG, QUERY(your_code), NULL,
	  "show only functions of the program and its packages; charge time in built-in functions, "
	  "libraries and the kernel to the function that called them" },
	{ "skip-after", 0, OPTION_LIST, QUERY(skip_after), "FN",
	  "cut off the callers of function FN" },
	{ "merge-tiers", 0, OPTION_FLAG, QUERY(merge_tiers), NULL,
	  "show a JavaScript function once, whichever of V8's tiers ran it (the default in "
	  "pictures, reports and diffs)" },
	{ "split-tiers", 0, OPTION_FLAG, QUERY(split_tiers), NULL,
	  "show each V8 tier of a function, and each inlined copy, separately" },
	{ "collapse-recursion", 0, OPTION_FLAG, QUERY(collapse_recursion), NULL,
	  "merge direct recursion into one frame" },
	{ "reverse", 0, OPTION_FLAG, QUERY(reverse), NULL,
	  "reverse stacks: the leaf becomes the root" },
};
const struct option_set transform_option_set = { "Transforms", transform_options,
						 ARRAY_SIZE(transform_options) };

/* --- the request --- */

/* Where the values of each set go. */
static const struct {
	const struct option_set *set;
	size_t offset;
} shared_sets[] = {
	{ &name_option_set, offsetof(struct profile_request, query) },
	{ &mark_option_set, offsetof(struct profile_request, marks) },
	{ &naming_option_set, offsetof(struct profile_request, naming) },
	{ &filter_option_set, offsetof(struct profile_request, query) },
	{ &time_option_set, offsetof(struct profile_request, query) },
	{ &transform_option_set, offsetof(struct profile_request, query) },
	{ &input_option_set, offsetof(struct profile_request, input) },
	{ &common_option_set, offsetof(struct profile_request, common) },
};

void profile_request_fini(struct profile_request *r)
{
	query_fini(&r->query);
	text_list_fini(&r->files);
	text_list_fini(&r->naming.maps);
}

static void *target_of(struct profile_request *r, const struct option_binding *own,
		       const struct option_set *set)
{
	for (; own->set; own++)
		if (own->set == set)
			return own->target;
	for (size_t i = 0; i < ARRAY_SIZE(shared_sets); i++)
		if (shared_sets[i].set == set)
			return (char *)r + shared_sets[i].offset;
	return NULL;
}

/* One per core. */
static unsigned default_threads(void)
{
	cpu_set_t cpus;
	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		return (unsigned)CPU_COUNT(&cpus);
	return 1;
}

/* A typing error there would leave frames without names, and nobody would know why. */
static bool check_folder(const char *option, const char *path, struct err *e)
{
	struct stat status;
	if (!path)
		return true;
	if (stat(path, &status) != 0)
		return err_set(e, "--%s %s: %s", option, path, strerror(errno));
	return S_ISDIR(status.st_mode) || err_set(e, "--%s %s: not a folder", option, path);
}

/* `4711=/tmp/a.map` is of process 4711; `a=b.map` is a file. */
static const char *map_path(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	return digits && text[digits] == '=' ? text + digits + 1 : text;
}

static bool check_naming(const struct naming_options *o, struct err *e)
{
	if (o->inlines && o->no_inlines)
		return err_usage(e, "--inline and --no-inline cannot be combined");
	for (uint32_t i = 0; i < o->maps.n; i++)
		if (access(map_path(o->maps.p[i]), R_OK) != 0)
			return err_set(e, "--map %s: %s", o->maps.p[i], strerror(errno));
	return check_folder("symfs", o->symfs, e) &&
	       check_folder("container-root", o->container_root, e);
}

bool profile_request_parse(struct profile_request *r, const struct command *self, char **words,
			   size_t n, const struct option_binding *own, struct err *e)
{
	enum { MOST_SETS = 16 };
	struct option_binding bindings[MOST_SETS];
	size_t sets = 0;
	for (; self->sets[sets] && sets < MOST_SETS; sets++)
		bindings[sets] = (struct option_binding){ self->sets[sets],
							  target_of(r, own, self->sets[sets]) };
	r->input.threads = default_threads();
	if (!options_parse(words, n, bindings, sets, &r->files, e))
		return false;
	r->query.mark_kernel |= r->marks.all;
	r->query.mark_jit |= r->marks.all;
	r->query.no_inlines = r->naming.no_inlines;
	r->query.show_place = r->naming.shows_context ? PLACE_BEHIND_COLON
			      : r->naming.shows_lines ? PLACE_BEHIND_BLANK
						      : PLACE_HIDDEN;
	if (r->naming.asks_debuginfod && !getenv("DEBUGINFOD_URLS") && !r->common.quiet)
		say("--debuginfod has no effect: DEBUGINFOD_URLS is not set");
	return r->common.help || check_naming(&r->naming, e);
}

struct source_options source_options_of(const struct profile_request *r)
{
	const struct naming_options *naming = &r->naming;
	return (struct source_options){
		.format = r->input.format ? source_input_names[r->input.format] : NULL,
		.threads = r->input.threads,
		.keep_addresses = r->marks.addresses,
		.source_maps = r->naming.source_maps,
		.needs_lines = r->query.show_place != PLACE_HIDDEN,
		.is_quiet = r->common.quiet,
		.names = { .symfs = naming->symfs,
			   .container_root = naming->container_root,
			   .maps = (const char *const *)naming->maps.p,
			   .map_count = naming->maps.n,
			   .asks_debuginfod = naming->asks_debuginfod,
			   .wants_inlines = !naming->no_inlines,
			   .wants_lines = r->query.show_place != PLACE_HIDDEN },
	};
}

bool knows_kinds(const struct profile *p)
{
	for (uint32_t i = 0; i < p->frames.n; i++)
		if (p->frames.p[i].module)
			return true;
	return false;
}
