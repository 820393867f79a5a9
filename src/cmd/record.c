#include "cmd/cmd.h"
#include "cmd/invoker.h"
#include "cmd/page_file.h"
#include "cmd/record.h"
#include "cmd/read_profiles.h"
#include "cmd/record_loop.h"

#include <malloc.h>
#include <sys/stat.h>

struct record_words {
	struct target_wish wish;
	struct text_list events, outputs;
	const char *format;
	bool has_call_graph, user_only, kernel_only, no_inherit, no_attach, shows_overhead;
	const char *rate, *period, *call_graph, *duration, *delay, *every, *keep, *folder,
		*max_size, *buffer;
};

/* The command line, and what follows from it. */
struct request {
	struct profile_request in;
	struct record_words words;
	char *const *command; /* after `--`; NULL if there is none */
	struct target_choice choice;
	struct record_events events;
	struct record_options options;
	struct rotation_options rotation;
	struct record_outputs outputs;
	uint64_t duration_ns;
	uint32_t rate_hz, period; /* period 0: use the rate */
	struct buf about_event, command_line;
	struct page_process page;
	bool is_live_page;
};

#define WORD(field) offsetof(struct request, words.field)

static const struct option target_options[] = {
	{ "pid", 'p', OPTION_LIST, WORD(wish.pids), "PID[,PID]",
	  "processes, with all their threads and children" },
	{ "tid", 't', OPTION_LIST, WORD(wish.tids), "TID[,TID]", "individual threads" },
	{ "comm", 0, OPTION_LIST, WORD(wish.comms), "NAME",
	  "processes named NAME, including those started later" },
	{ "cmdline", 0, OPTION_LIST, WORD(wish.cmdlines), "RE",
	  "processes whose command line matches RE, including those started later" },
	{ "uid", 'u', OPTION_LIST, WORD(wish.users), "USER",
	  "processes of a user, by name or number, including those started later" },
	{ "container", 0, OPTION_TEXT, WORD(wish.container), "NAME|ID",
	  "a docker, podman, containerd, cri-o, crun or runc container" },
	{ "service", 0, OPTION_TEXT, WORD(wish.service), "UNIT", "a systemd service" },
	{ "cgroup", 'G', OPTION_TEXT, WORD(wish.cgroup), "PATH", "everything in a cgroup" },
	{ "all-cpus", 'a', OPTION_FLAG, WORD(wish.is_everything), NULL, "the whole machine" },
	{ "no-inherit", 'i', OPTION_FLAG, WORD(no_inherit), NULL,
	  "exclude child processes and threads started later" },
};
static const struct option_set target_option_set = OPTION_SET("Target", target_options);

static const struct option event_options[] = {
	{ "freq", 'F', OPTION_TEXT, WORD(rate), "HZ",
	  "samples per second (default: 99, which avoids lockstep with timers)" },
	{ "event", 'e', OPTION_LIST, WORD(events), "EVENT[,EVENT]",
	  "event to sample: cycles, cpu-clock, page-faults, sched:sched_switch, "
	  "uprobe:FILE:FUNCTION, ... (default: cycles if the machine counts them, else cpu-clock); "
	  "repeatable; events are kept separate" },
	{ "count", 'c', OPTION_TEXT, WORD(period), "N",
	  "take a sample every N events, instead of -F" },
	{ "call-graph", 0, OPTION_TEXT, WORD(call_graph), "HOW",
	  "how to unwind stacks: auto (the default: unwind tables for code without frame pointers, "
	  "frame pointers elsewhere), fp, dwarf or none; auto,BYTES and dwarf,BYTES set how much "
	  "of each stack to copy" },
	{ "graph", 'g', OPTION_FLAG, WORD(has_call_graph), NULL,
	  "same as --call-graph auto, for perf users" },
	{ "user-only", 0, OPTION_FLAG, WORD(user_only), NULL, "user space only" },
	{ "kernel-only", 0, OPTION_FLAG, WORD(kernel_only), NULL, "kernel only" },
	{ "mmap-pages", 'm', OPTION_TEXT, WORD(buffer), "N|SIZE",
	  "buffer size per CPU, in pages, or in bytes with a suffix (16M) (default: depends on the "
	  "rate)" },
	{ "no-attach", 0, OPTION_FLAG, WORD(no_attach), NULL,
	  "do not ask JVMs for their symbol map" },
};
static const struct option_set event_option_set = OPTION_SET("Events", event_options);

static const struct option time_options[] = {
	{ "duration", 'd', OPTION_TEXT, WORD(duration), "TIME",
	  "how long to record, in seconds or with ms, s, m, h; ends a recorded command with "
	  "SIGTERM "
	  "(default: until the target exits, or Ctrl-C)" },
	{ "delay", 'D', OPTION_TEXT, WORD(delay), "TIME", "wait TIME before recording" },
};
static const struct option_set record_time_option_set = OPTION_SET("Timing", time_options);

static const struct option output_options[] = {
	{ "output", 'o', OPTION_LIST, WORD(outputs), "FILE",
	  "write to FILE; its extension sets the format: .plume (the default, named after target "
	  "and time), .data (perf.data), .svg, .html, .folded, .pb.gz, or any other format that "
	  "'plume convert' writes; repeatable" },
	{ "format", 0, OPTION_TEXT, WORD(format), "NAME",
	  "write format NAME, whatever the extension" },
	{ "overhead", 0, OPTION_FLAG, WORD(shows_overhead), NULL,
	  "report the overhead of recording" },
	{ "every", 0, OPTION_TEXT, WORD(every), "TIME",
	  "record continuously, one .plume file per TIME" },
	{ "keep", 0, OPTION_TEXT, WORD(keep), "TIME",
	  "with --every: delete files older than TIME (default: 24h)" },
	{ "dir", 0, OPTION_FILE, WORD(folder), "DIR",
	  "with --every: directory for the files (default: .)" },
	{ "max-size", 0, OPTION_TEXT, WORD(max_size), "BYTES",
	  "with --every: limit on the total size of all files, such as 500M or 2G" },
};
static const struct option_set output_option_set = OPTION_SET("Output", output_options);

static const struct option_set *const record_sets[] = {
	&target_option_set,	 &event_option_set,
	&record_time_option_set, &output_option_set,
	&page_file_option_set,	 &finding_option_set,
	&frame_option_set,	 &page_option_set,
	&common_option_set,	 NULL
};

static void request_fini(struct request *r)
{
	profile_request_fini(&r->in);
	target_wish_fini(&r->words.wish);
	text_list_fini(&r->words.events);
	text_list_fini(&r->words.outputs);
	target_choice_fini(&r->choice);
	record_events_fini(&r->events);
	record_outputs_fini(&r->outputs);
	buf_fini(&r->about_event);
	buf_fini(&r->command_line);
	page_process_fini(&r->page);
}

/* --- arguments --- */

static bool parse_time(const char *option, const char *text, uint64_t *ns, struct err *e)
{
	double seconds;
	if (!text)
		return true;
	if (!str_to_seconds(str_from(text), &seconds))
		return err_usage(e, "--%s %s: must be a time such as 30, 500ms, 10m or 24h", option,
				 text);
	*ns = (uint64_t)(seconds * 1e9);
	return true;
}

static bool parse_count(char letter, const char *text, uint32_t *n, struct err *e)
{
	uint64_t number;
	if (!text)
		return true;
	if (!str_to_u64(str_from(text), &number) || number > UINT32_MAX)
		return err_usage(e, "-%c %s: must be a whole number", letter, text);
	*n = (uint32_t)number;
	return number || err_usage(e, "-%c %s: must be greater than 0", letter, text);
}

/* `500M`, `2G`, `1000000`. */
static bool parse_size(const char *option, const char *text, uint64_t *bytes, struct err *e)
{
	static const char units[] = "KMGT";
	struct str number = str_from(text);
	unsigned shift = 0;
	const char *unit = number.n ? strchr(units, number.p[number.n - 1]) : NULL;
	if (unit && *unit) {
		shift = 10 * (unsigned)(unit - units + 1);
		number.n--;
	}
	if (!str_to_u64(number, bytes) || *bytes > UINT64_MAX >> shift || !*bytes)
		return err_usage(e, "--%s %s: must be a number, or a size such as 500M or 2G",
				 option, text);
	*bytes <<= shift;
	return true;
}

/* A bare number counts pages; the kernel requires a power of two. */
static bool parse_buffer(struct request *r, struct err *e)
{
	enum { PAGE_BYTES = 4096, MAX_PAGES = 1 << 20 };
	const char *text = r->words.buffer;
	uint64_t size, pages = 1;
	if (!text)
		return true;
	if (!parse_size("mmap-pages", text, &size, e))
		return false;
	if (!is_digit(text[strlen(text) - 1]))
		size /= PAGE_BYTES;
	while (pages < size && pages < MAX_PAGES)
		pages *= 2;
	r->options.buffer_pages = (uint32_t)pages;
	return true;
}

static bool parse_call_graph(struct request *r, struct err *e)
{
	static const char *const names[] = { "auto", "fp", "dwarf", "none" };
	const char *text = r->words.call_graph;
	uint64_t bytes = 0;
	if (!text)
		return true;
	size_t n = strcspn(text, ",");
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == n && strncmp(names[i], text, n) == 0) {
			r->options.call_graph = i;
			if (!text[n])
				return true;
			/* The kernel's limits: a multiple of 8, below 64 KB. */
			if (str_to_u64(str_from(text + n + 1), &bytes) && bytes >= 8 &&
			    bytes < UINT16_MAX && bytes % 8 == 0 && i != CALL_GRAPH_FP) {
				r->options.stack_bytes = (uint32_t)bytes;
				return true;
			}
		}
	return err_usage(e,
			 "--call-graph %s: must be auto[,BYTES], dwarf[,BYTES], fp or none; BYTES "
			 "is a multiple of 8 up to 65528",
			 text);
}

/* Arguments after `--` belong to the command, including its options. */
static size_t split_command(struct request *r, char **words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(words[i], "--") == 0) {
			r->command = i + 1 < n ? words + i + 1 : NULL;
			return i;
		}
	return n;
}

static bool has_target(const struct target_wish *w)
{
	return w->pids.n || w->tids.n || w->comms.n || w->cmdlines.n || w->users.n || w->cgroup ||
	       w->container || w->service || w->is_everything;
}

static bool check_words(const struct request *r, struct err *e)
{
	const struct record_words *w = &r->words;
	if (r->in.files.n && r->command && r->command != r->in.files.p)
		return err_usage(e, "unexpected argument '%s': the command to run goes after --",
				 r->in.files.p[0]);
	if (!has_target(&w->wish) && !r->command)
		return err_usage(e, "nothing to record: give -p PID, --container NAME, --service "
				    "UNIT, --comm NAME, -a for the whole machine, or -- COMMAND");
	if (w->rate && w->period)
		return err_usage(e, "-F and -c cannot be combined");
	if (w->user_only && w->kernel_only)
		return err_usage(e, "--user-only and --kernel-only cannot be combined");
	if (!w->every && (w->keep || w->folder || w->max_size))
		return err_usage(e, "--keep, --dir and --max-size need --every");
	if (w->every && w->outputs.n)
		return err_usage(e, "--every and -o cannot be combined; use --dir DIR");
	const char *twice = text_list_find_twice(&w->outputs);
	return !twice || err_usage(e, "-o %s: given twice", twice);
}

static bool parse_words(struct request *r, const struct command *self, char **words, size_t n,
			struct err *e)
{
	size_t own_words = split_command(r, words, n);
	if (!profile_request_parse(&r->in, self, words, own_words, e))
		return false;
	if (r->in.common.help)
		return true;
	if (!r->command && r->in.files.n) { /* `plume record ./program` */
		vec_push(&r->in.files, NULL);
		r->in.files.n--;
		r->command = r->in.files.p;
	}
	if (!check_words(r, e) || !parse_count('F', r->words.rate, &r->rate_hz, e) ||
	    !parse_count('c', r->words.period, &r->period, e) || !parse_call_graph(r, e) ||
	    !parse_buffer(r, e) || !parse_time("duration", r->words.duration, &r->duration_ns, e) ||
	    !parse_time("delay", r->words.delay, &r->options.delay_ns, e))
		return false;
	return !r->words.duration || r->duration_ns ||
	       err_usage(e, "-d %s: must be greater than 0", r->words.duration);
}

/* --- derived settings --- */

static void add_words(struct buf *out, char *const *words, size_t n)
{
	for (size_t i = 0; i < n && words[i]; i++)
		buf_addf(out, "%s%s", out->n ? " " : "", words[i]);
}

static bool choose_target(struct request *r, struct err *e)
{
	struct target_choice *c = &r->choice;
	if (has_target(&r->words.wish)) {
		r->words.wish.with_children = !r->words.no_inherit;
		bool is_chosen = target_choose(&r->words.wish, c, e);
		if (c->remark && !r->in.common.quiet)
			say("%s", c->remark);
		return is_chosen;
	}
	AUTO(buf) struct buf title = { 0 };
	struct str name = str_basename(str_from(r->command[0]));
	add_words(&title, r->command, SIZE_MAX);
	c->title = mem_strdup(buf_c_string(&title));
	c->file_stem = mem_strdup(name.n ? name.p : "command");
	return true;
}

static bool choose_events(struct request *r, struct err *e)
{
	AUTO(buf) struct buf why = { 0 };
	struct record_event_wish wish = { .rate_hz = r->rate_hz,
					  .period = r->period,
					  .user_only = r->words.user_only,
					  .kernel_only = r->words.kernel_only,
					  .pids = &r->choice.pids };
	if (!r->words.events.n)
		record_events_default(&wish, &r->events, &why);
	for (uint32_t i = 0; i < r->words.events.n; i++)
		if (!record_events_parse(r->words.events.p[i], &wish, &r->events, e))
			return false;
	const struct record_event *first = &r->events.list.p[0];
	buf_addf(&r->about_event, "%s", first->name);
	if (first->attr.freq)
		buf_addf(&r->about_event, ", %llu Hz", (unsigned long long)first->attr.sample_freq);
	else if (first->attr.sample_period > 1)
		buf_addf(&r->about_event, ", every %llu",
			 (unsigned long long)first->attr.sample_period);
	if (r->events.list.n > 1)
		buf_addf(&r->about_event, " and %u more", r->events.list.n - 1);
	if (why.n && !r->in.common.quiet && r->in.common.verbose)
		say("%s", buf_c_string(&why));
	return true;
}

static bool choose_rotation(struct request *r, struct err *e)
{
	const struct record_words *w = &r->words;
	const uint64_t least_bytes = 256 << 10;
	const uint64_t least_ns = 1000000000, day_ns = 24 * 3600 * 1000000000ull;
	r->rotation = (struct rotation_options){ .folder = w->folder ? w->folder : ".",
						 .stem = r->choice.file_stem,
						 .keep_ns = day_ns };
	if (!w->every)
		return true;
	if (!parse_time("every", w->every, &r->rotation.every_ns, e) ||
	    !parse_time("keep", w->keep, &r->rotation.keep_ns, e) ||
	    (w->max_size && !parse_size("max-size", w->max_size, &r->rotation.max_bytes, e)))
		return false;
	if (r->rotation.max_bytes && r->rotation.max_bytes < least_bytes)
		return err_usage(e, "--max-size %s: must be at least 256K", w->max_size);
	if (r->rotation.every_ns < least_ns)
		return err_usage(e, "--every %s: must be at least 1s", w->every);
	if (r->rotation.keep_ns < r->rotation.every_ns)
		return err_usage(e, "--keep %s is shorter than --every %s",
				 w->keep ? w->keep : "24h (the default)", w->every);
	return true;
}

static bool check_outputs(struct request *r, struct err *e)
{
	struct perf_data_facts facts = { .command = buf_c_string(&r->command_line),
					 .wall_ns = clock_realtime_ns(),
					 .monotonic_ns = clock_monotonic_ns() };
	for (uint32_t i = 0; i < r->words.outputs.n; i++)
		text_list_add(&r->outputs.paths, str_from(r->words.outputs.p[i]));
	r->outputs.format = r->words.format;
	r->outputs.names = r->in.view.names;
	r->outputs.with_source = r->in.page.with_source;
	if (!r->words.every && !record_outputs_check(&r->outputs, r->choice.file_stem, &facts, e))
		return false;
	r->options.data = r->outputs.data;
	/* Keep all line information: whoever asks for it later has no other source. */
	r->options.names.wants_lines |= r->words.every || record_outputs_keep_lines(&r->outputs);
	return true;
}

static void set_options(struct request *r)
{
	struct record_options *o = &r->options;
	struct source_options source = source_options_of(&r->in);
	o->names = source.names;
	o->events = &r->events;
	o->wish = &r->words.wish;
	o->choice = &r->choice;
	o->user_only = r->words.user_only;
	o->kernel_only = r->words.kernel_only;
	o->no_inherit = r->words.no_inherit;
	o->no_attach = r->words.no_attach;
	o->source_maps = r->in.finding.source_maps;
	o->command = r->command;
	o->caller = invoker_user();
	o->is_command_timer = r->command && has_target(&r->words.wish);
	o->command_line = buf_c_string(&r->command_line);
}

/* on_begin of struct record_plan. */
static void show_live(void *context)
{
	struct request *r = context;
	const char *growing = r->outputs.growing.path;
	if (r->is_live_page)
		page_process_show(&r->page, growing ? growing : r->rotation.folder,
				  growing != NULL);
}

/* Call it before there are threads and events, which the page's process must not inherit. */
static bool begin_page(struct request *r, const struct page_options *live, struct err *e)
{
	static const struct source_options usual = { .threads = 2 };
	r->is_live_page = live != NULL;
	if (live)
		r->in.page = *live;
	if (!live && !r->in.page.opens) {
		if (r->in.page.port || r->in.page.listen)
			return err_usage(e, "--port and --listen need --open, or plume scope");
		return true;
	}
	return page_process_begin(&r->page, &r->in.page, &usual, r->in.common.quiet, e);
}

/* The page of a recording that has ended. */
static void show_recorded(struct request *r, int code)
{
	const char *path = record_outputs_for_report(&r->outputs);
	if (!r->page.pid || (r->is_live_page && code == EXIT_FAILED && !r->command))
		return;
	if (!r->is_live_page && !r->words.every && !path)
		say("--open: no profile to show; add -o FILE.plume");
	else if (!r->is_live_page)
		page_process_show(&r->page, r->words.every ? r->rotation.folder : path, false);
	if (r->is_live_page || path || r->words.every)
		page_process_wait(&r->page, r->in.common.quiet);
}

static int record(struct request *r, struct err *e)
{
	struct record_plan plan = { .options = &r->options,
				    .title = r->choice.title,
				    .about_event = buf_c_string(&r->about_event),
				    .duration_ns = r->duration_ns,
				    .duration = r->words.duration,
				    .outputs = &r->outputs,
				    .rotation = r->words.every ? &r->rotation : NULL,
				    .on_begin = show_live,
				    .context = r,
				    .is_quiet = r->in.common.quiet,
				    .is_verbose = r->in.common.verbose,
				    .shows_overhead = r->words.shows_overhead };
	int code = record_run(&plan, e);
	if (!e->kind)
		show_recorded(r, code);
	return code;
}

int record_words(const struct command *self, char **words, size_t n,
		 const struct page_options *live)
{
	enum { USUAL_HZ = 99 };
	struct err e = { 0 };
	AUTO(request) struct request r = { .rate_hz = USUAL_HZ };
	if (!parse_words(&r, self, words, n, &e))
		return say_error(self, &e);
	if (r.in.common.help)
		return print_help(self);
	/* A recording contains other people's paths and names, so only its owner may read it. */
	umask(077);
	/* Buffers come and go for hours: return freed memory to the system. */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, 16 << 20);
	mallopt(M_TOP_PAD, 1 << 20);
	buf_addf(&r.command_line, "plume record");
	add_words(&r.command_line, words, n);
	set_options(&r);
	int code = EXIT_FAILED;
	if (choose_target(&r, &e) && choose_events(&r, &e) && choose_rotation(&r, &e) &&
	    check_outputs(&r, &e) && begin_page(&r, live, &e))
		code = record(&r, &e);
	return e.kind ? say_error(self, &e) : code;
}

static int run_record(const struct command *self, char **words, size_t n)
{
	return record_words(self, words, n, NULL);
}

const struct command record_command = {
	.name = "record",
	.arguments = "[options] [-- COMMAND [ARGS]]",
	.summary = "record a process, a container, a command or the whole machine",
	.text = "Samples running programs, including those in containers, and writes a profile\n"
		"or a picture. Ctrl-C stops recording early; everything recorded so far is still\n"
		"written. With -p, a command after -- sets the duration, as with perf record.\n"
		"\n"
		"  plume record -p 1234 -d 30 -o web.svg\n"
		"  plume record --container web -d 30 -o web.svg\n"
		"  plume record -o build.plume -- make -j8\n"
		"  plume record -a --every 60s --keep 24h --dir /var/lib/plume\n",
	.sets = record_sets,
	.run = run_record,
};
