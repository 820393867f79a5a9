/* The options shared by all views, and checks of a request as a whole. */
#include "view/view_int.h"

#define QUERY(field) offsetof(struct view_request, query.field)
#define NAMES(field) offsetof(struct view_request, names.field)

static const struct option name_options[] = {
	{ "pid", 0, OPTION_FLAG, QUERY(show_pid), NULL, "make comm-PID the root frame" },
	{ "tid", 0, OPTION_FLAG, QUERY(show_tid), NULL, "make comm-PID/TID the root frame" },
	{ "kernel", 0, OPTION_FLAG, QUERY(mark_kernel), NULL, "mark kernel functions with _[k]" },
	{ "jit", 0, OPTION_FLAG, QUERY(mark_jit), NULL,
	  "mark functions compiled at run time with _[j]" },
	{ "all", 0, OPTION_FLAG, NAMES(all), NULL, "same as --kernel --jit" },
};
const struct option_set name_option_set = OPTION_SET("Names", name_options);

static const struct option frame_options[] = {
	{ "inline", 0, OPTION_FLAG, NAMES(inlines), NULL,
	  "show inlined functions, marked with _[i] (the default)" },
	{ "no-inline", 0, OPTION_FLAG, QUERY(no_inlines), NULL,
	  "do not look up inlined functions, and remove those in the input" },
	{ "srcline", 0, OPTION_FLAG, NAMES(shows_lines), NULL,
	  "tell frames apart by source line: main file.c:12" },
	{ "context", 0, OPTION_FLAG, NAMES(shows_context), NULL,
	  "like --srcline, in FlameGraph's format: main:file.c:12" },
};
const struct option_set frame_option_set = OPTION_SET(NULL, frame_options);

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
const struct option_set filter_option_set = OPTION_SET("Selection", filter_options);

static const struct option time_options[] = {
	{ "time", 0, OPTION_LIST, QUERY(times), "A,B",
	  "keep only samples from A to B, in seconds from the start or with a unit (200ms, 1.5m, "
	  "1h); A "
	  "or B may be omitted; the comma is required; negative times count from the end, and -5s "
	  "alone is the last five seconds; repeatable, to keep several ranges" },
};
const struct option_set time_option_set = OPTION_SET(NULL, time_options);

static const struct option transform_options[] = {
	{ "hide", 0, OPTION_LIST, QUERY(hide), "RE",
	  "remove frames whose name matches RE from the stacks" },
	{ "root", 0, OPTION_LIST, QUERY(root), "RE",
	  "start stacks at the first frame whose name matches RE; leave out stacks with no such "
	  "frame" },
	{ "your-code", 0, OPTION_FLAG, QUERY(your_code), NULL,
	  "show only functions of the program and its packages; charge time in built-in functions, "
	  "libraries and the kernel to the function that called them" },
	{ "charge", 0, OPTION_LIST, QUERY(charge), "CATEGORY[,CATEGORY]",
	  "remove frames of these categories and charge their time to the function that called "
	  "them: app, dependency, runtime, builtin, regexp, gc, native, kernel, unknown" },
	{ "fold", 0, OPTION_LIST, QUERY(fold), "CATEGORY[,CATEGORY]",
	  "merge each run of frames of these categories into one, named after the first function "
	  "called, or [runtime] and the like if no caller is left" },
	{ "preset", 0, OPTION_CHOICE, offsetof(struct view_request, preset), "NAME",
	  "a first look at a kind of program: node, java, python, go, native (C, C++, Rust), or "
	  "program (without packages); each stands for one --fold",
	  preset_names },
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
const struct option_set transform_option_set = OPTION_SET("Transforms", transform_options);

static const struct option format_options[] = {
	{ "each-sample", 0, OPTION_FLAG, offsetof(struct view_request, format_options.each_sample),
	  NULL, "write each sample with its time, in a format that usually holds sums (pprof)" },
	{ "all-threads", 0, OPTION_FLAG, offsetof(struct view_request, format_options.all_threads),
	  NULL, "write all threads as one timeline, with threads as root frames (speedscope)" },
};
const struct option_set format_option_set = OPTION_SET(NULL, format_options);

/* --- the request --- */

void view_request_init(struct view_request *r, enum view_kind kind)
{
	*r = (struct view_request){
		.kind = kind,
		.picture = { .style = { .font_type = "Verdana",
					.font_size = 12,
					.font_width = 0.59,
					.name_type = "Function:",
					.factor = 1 },
			     .height = "16",
			     .min_width = "0.1" },
		.report = { .by = GROUP_KEYS },
		.diff = { .limit = 30, .fail_percent = -1 },
	};
}

void view_request_fini(struct view_request *r)
{
	query_fini(&r->query);
	text_list_fini(&r->diff.times);
}

static bool settle_names(struct query *q, const struct name_options *names, struct err *e)
{
	q->mark_kernel |= names->all;
	q->mark_jit |= names->all;
	q->show_place = names->shows_context ? PLACE_BEHIND_COLON
			: names->shows_lines ? PLACE_BEHIND_BLANK
					     : PLACE_HIDDEN;
	return !(names->inlines && q->no_inlines) ||
	       err_usage(e, "--inline and --no-inline cannot be combined");
}

/* Adds the preset's words to the query, as if the user had typed them. */
static bool settle_preset(struct view_request *r, struct err *e)
{
	const struct option_binding binding = { &transform_option_set, r };
	const struct preset_word *words = presets[r->preset].words;
	bool ok = true;
	r->preset = 0;
	for (unsigned i = 0; ok && i < PRESET_MOST_WORDS && words[i].option; i++)
		ok = options_set(&binding, 1, str_from(words[i].option), words[i].value, e);
	return ok;
}

bool view_request_settle(struct view_request *r, struct err *e)
{
	struct query *q = &r->query;
	if (!settle_names(q, &r->names, e) || !settle_preset(r, e))
		return false;
	switch (r->kind) {
	case VIEW_FOLDED:
		break;
	case VIEW_PICTURE:
		q->by_kind = true;
		q->in_order = r->picture.is_chart;
		q->marks_wakers = r->picture.palette == PALETTE_CHAIN;
		q->as_lines = r->compat && !r->picture.is_chart;
		q->ends_first_part = r->compat;
		return picture_options_settle(&r->picture, e);
	case VIEW_REPORT:
		q->keeps_rows = true;
		q->all_events = r->report.by == GROUP_EVENT;
		return report_options_settle(&r->report, e);
	case VIEW_PROFILE:
		q->all_events = true;
		break;
	case VIEW_DIFF:
		q->by_kind = true;
		return diff_options_settle(&r->diff, e) && picture_options_settle(&r->picture, e);
	}
	return true;
}

unsigned view_columns(const struct view_request *r)
{
	struct query q = r->query;
	unsigned own = r->keeps_whole ? COLUMNS_ALL : 0;
	if (r->kind == VIEW_DIFF)
		q.times = r->diff.times;
	else if (r->kind == VIEW_REPORT)
		own |= REPORT_COLUMNS;
	else if (r->kind == VIEW_PROFILE)
		own |= r->format_options.each_sample ? r->format->columns_of_each
						     : r->format->columns;
	return own | query_columns(&q);
}

bool view_wants_lines(const struct view_request *r)
{
	return r->keeps_whole || r->query.show_place != PLACE_HIDDEN ||
	       (r->kind == VIEW_PROFILE && r->format->keeps_lines);
}

struct profile *view_profile(const struct view_request *r, struct profile *p)
{
	bool has_spare_lines = r->keeps_whole && r->query.show_place == PLACE_HIDDEN;
	return has_spare_lines ? profile_without_lines(p) : profile_ref(p);
}
