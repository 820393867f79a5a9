/* Views without a command line: each kind of them, what they say, and why nothing is left. */
#include "folded_tree.h"
#include "tap.h"
#include "view/view.h"

#include <stdlib.h>
#include <unistd.h>

/* --- a profile with kinds, two events and times --- */

static frame_id add_frame(struct profile *p, const char *name, const char *module, uint8_t kind)
{
	struct frame f = { .name = profile_add_str(p, str_from(name)),
			   .module = profile_add_str(p, str_from(module)),
			   .kind = kind };
	return profile_add_frame(p, &f);
}

/* comm `web`: main;parse 3 samples, main;parse;read (kernel) 2, of cpu-clock in seconds 0 to 4; a page fault. */
static struct profile *recorded(unsigned columns)
{
	struct profile *p = profile_new(columns);
	str_id comm = profile_add_str(p, STR("web"));
	thread_id thread = profile_add_thread(p, (struct thread){ 7, 7, comm, STR_NONE });
	event_id clock = profile_add_event(
		p, (struct event){ .name = profile_add_str(p, STR("cpu-clock")) });
	event_id faults = profile_add_event(
		p, (struct event){ .name = profile_add_str(p, STR("page-faults")) });
	node_id main = profile_add_node(p, NODE_ROOT, add_frame(p, "main", "/srv/web", FRAME_USER));
	node_id parse = profile_add_node(p, main, add_frame(p, "parse", "/srv/web", FRAME_USER));
	node_id leaf = profile_add_node(
		p, parse, add_frame(p, "vfs_read", "[kernel.kallsyms]", FRAME_KERNEL));
	for (unsigned i = 0; i < 6; i++) {
		struct sample s = { .node = i < 3 || i == 5 ? parse : leaf,
				    .thread = thread,
				    .event = i < 5 ? clock : faults,
				    .cpu = -1,
				    .time_ns = 1000000000ull * (i < 5 ? i : 4),
				    .count = 1,
				    .period = 1 };
		profile_add_sample(p, &s);
		p->ledger.count[LEDGER_SAMPLES]++;
	}
	profile_seal(p);
	return p;
}

static struct profile *folded(const char *text, const struct view_request *r)
{
	return profile_of_folded(str_from(text), false, false, view_columns(r));
}

/* --- what comes of a request --- */

struct outcome {
	struct buf bytes;
	struct view_notes notes;
	struct err e;
	bool ok;
};

static void outcome_fini(struct outcome *o)
{
	buf_fini(&o->bytes);
	view_notes_fini(&o->notes);
}

/* A file that is written to as the command line does, and read back. */
struct file {
	char path[32];
	int fd;
	struct writer *out;
};

static struct file file_open(void)
{
	struct file f = { .path = "/tmp/plume-view-XXXXXX" };
	struct err e = { 0 };
	f.fd = mkstemp(f.path);
	f.out = writer_open(f.path, &e);
	return f;
}

static void file_end(struct file *f, struct outcome *o)
{
	struct err e = { 0 };
	writer_commit(f->out, &e);
	writer_free(f->out);
	struct reader *r = reader_open(f->path, &e);
	if (r && reader_fill_all(r, (size_t)1 << 30))
		buf_add(&o->bytes, reader_window(r));
	reader_free(r);
	unlink(f->path);
	close(f->fd);
}

/* Takes p and the request. */
static void show(struct outcome *o, struct profile *p, struct view_request *r)
{
	struct view_input in = { p, "web.plume" };
	outcome_fini(o);
	*o = (struct outcome){ 0 };
	struct view *v = view_request_settle(r, &o->e) ? view_new(&in, r, &o->notes, &o->e) : NULL;
	o->ok = v != NULL;
	if (v) {
		struct file f = file_open();
		view_write(v, f.out, &o->notes);
		file_end(&f, o);
	}
	view_free(v);
	profile_unref(p);
	view_request_fini(r);
}

static void compare(struct outcome *o, struct profile *before, struct profile *after,
		    struct view_request *r, enum diff_format format)
{
	struct view_input sides[SIDES] = { { before, "before.plume" }, { after, "after.plume" } };
	struct report_style style = { 0 };
	outcome_fini(o);
	*o = (struct outcome){ 0 };
	r->diff.format = format;
	struct view_diff *d =
		view_request_settle(r, &o->e) ? view_diff_new(sides, r, &o->notes, &o->e) : NULL;
	if (d) {
		struct file f = file_open();
		o->ok = view_diff_write(d, format, &style, f.out, &o->e);
		file_end(&f, o);
		view_diff_account(d, AFTER, &o->notes);
		view_diff_has_grown(d, &o->notes);
	}
	view_diff_free(d);
	profile_unref(before);
	profile_unref(after);
	view_request_fini(r);
}

static bool holds(const struct outcome *o, const char *part)
{
	return o->ok && str_find(buf_str(&o->bytes), str_from(part)) >= 0;
}

static bool warns(const struct outcome *o, const char *sentence)
{
	for (uint32_t i = 0; i < o->notes.warnings.n; i++)
		if (strcmp(o->notes.warnings.p[i], sentence) == 0)
			return true;
	return false;
}

static bool counts(const struct outcome *o, const char *key, const char *text)
{
	for (uint32_t i = 0; i < o->notes.ledger.n; i++)
		if (str_eq(o->notes.ledger.p[i].key, str_from(key)) &&
		    str_eq(o->notes.ledger.p[i].text, str_from(text)))
			return true;
	return false;
}

static void check_refused(const struct outcome *o, enum err_kind kind, const char *text)
{
	tap_ok(!o->ok && o->e.kind == kind && o->bytes.n == 0, "nothing is shown: %s", text);
	tap_str_eq(str_from(o->e.text), str_from(text), "it says: %s", text);
}

static struct view_request request_of(enum view_kind kind)
{
	struct view_request r;
	view_request_init(&r, kind);
	return r;
}

static struct profile *profile_for(const struct view_request *r)
{
	return recorded(view_columns(r));
}

/* --- each kind --- */

static void check_folded(void)
{
	AUTO(outcome) struct outcome o = { 0 };
	struct view_request r = request_of(VIEW_FOLDED);
	show(&o, profile_for(&r), &r);
	tap_str_eq(buf_str(&o.bytes), STR("web;main;parse 3\nweb;main;parse;vfs_read 2\n"),
		   "folded stacks");
	tap_ok(warns(&o, "2 events in the input (cpu-clock, page-faults): showing cpu-clock; "
			 "--where event=NAME selects another"),
	       "they say which event is shown");
	tap_ok(counts(&o, "5", "samples shown") && counts(&o, "1", "samples of other events") &&
		       counts(&o, "event", "cpu-clock") && !o.notes.is_damaged,
	       "the ledger counts every sample");
	r = request_of(VIEW_FOLDED);
	r.names = (struct name_options){ .all = true };
	show(&o, profile_for(&r), &r);
	tap_ok(holds(&o, "vfs_read_[k] 2\n"), "--all marks the kernel");
}

static void check_pictures(void)
{
	AUTO(outcome) struct outcome o = { 0 };
	struct view_request r = request_of(VIEW_PICTURE);
	show(&o, profile_for(&r), &r);
	tap_ok(holds(&o, "<svg") && holds(&o, "vfs_read") && holds(&o, "Flame Graph"), "an SVG");
	r = request_of(VIEW_PICTURE);
	r.picture.style.title = "What web does";
	show(&o, profile_for(&r), &r);
	tap_ok(holds(&o, "What web does"), "a picture with a title");
	r = request_of(VIEW_PICTURE);
	r.picture.total = 2;
	show(&o, profile_for(&r), &r);
	tap_ok(o.ok && warns(&o, "ignoring --total 2: it is less than the sum of all counts"),
	       "a total that is too small is said");
}

static void check_kept_colours(void)
{
	AUTO(outcome) struct outcome o = { 0 };
	AUTO(buf) struct buf text = { 0 };
	struct err e = { 0 };
	struct palette_map *kept = palette_map_new();
	struct view_request r = request_of(VIEW_PICTURE);
	palette_map_parse(kept, STR("parse->rgb(1,2,3)\n"), &e);
	r.picture.kept = kept;
	show(&o, profile_for(&r), &r);
	palette_map_print(kept, &text);
	tap_ok(holds(&o, "rgb(1,2,3)"), "a colour that the caller read is used");
	tap_ok(str_find(buf_str(&text), STR("main->rgb(")) >= 0, "new ones are handed back");
	palette_map_free(kept);
}

static void check_reports(void)
{
	AUTO(outcome) struct outcome o = { 0 };
	struct view_request r = request_of(VIEW_REPORT);
	show(&o, profile_for(&r), &r);
	tap_ok(holds(&o, "vfs_read") && holds(&o, "5 samples of cpu-clock"), "a report");
	r = request_of(VIEW_REPORT);
	r.report.is_json = true;
	show(&o, profile_for(&r), &r);
	tap_ok(holds(&o, "\"functions\""), "a report in JSON");
	r = request_of(VIEW_REPORT);
	r.report.by = GROUP_KIND;
	show(&o, profile_for(&r), &r);
	tap_ok(holds(&o, "kernel"), "a report by kind of code");
	r = request_of(VIEW_REPORT);
	r.report.callers = "vfs_rea";
	show(&o, profile_for(&r), &r);
	tap_ok(holds(&o, "parse") && warns(&o, "no function is named vfs_rea; using the one that "
					       "contains it: vfs_read"),
	       "callers of a function that was half named");
}

static void check_formats(void)
{
	AUTO(outcome) struct outcome o = { 0 };
	for (size_t i = 0; profile_formats[i]; i++) {
		struct view_request r = request_of(VIEW_PROFILE);
		r.format = profile_formats[i];
		show(&o, profile_for(&r), &r);
		tap_ok(o.ok && o.bytes.n > 0, "the profile as %s", r.format->name);
		bool has_one = r.format->write_tree != NULL;
		AUTO(buf) struct buf sentence = { 0 };
		buf_addf(&sentence,
			 "%s hold one event: cpu-clock was written (--where event=NAME chooses "
			 "another)",
			 r.format->title);
		tap_ok(warns(&o, buf_c_string(&sentence)) == has_one,
		       "%s: says so iff it holds one event", r.format->name);
	}
}

static void check_diffs(void)
{
	static const struct {
		enum diff_format format;
		const char *part;
	} formats[] = { { DIFF_TABLE, "no differences in 4 functions" },
			{ DIFF_FOLDED, "web;main;parse 3 3" },
			{ DIFF_SVG, "<svg" },
			{ DIFF_JSON, "\"functions\"" } };
	AUTO(outcome) struct outcome o = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		struct view_request r = request_of(VIEW_DIFF);
		compare(&o, profile_for(&r), profile_for(&r), &r, formats[i].format);
		tap_ok(holds(&o, formats[i].part), "a diff with %s", formats[i].part);
	}
	tap_ok(counts(&o, "5", "samples shown"), "a side has its ledger");
	struct view_request r = request_of(VIEW_DIFF);
	text_list_add(&r.diff.times, STR("0,2"));
	text_list_add(&r.diff.times, STR("2,"));
	compare(&o, recorded(view_columns(&r)), NULL, &r, DIFF_TABLE);
	tap_ok(holds(&o, "time 0,2"), "two times of one profile");
	r = request_of(VIEW_DIFF);
	r.diff.fail_above = "5%";
	compare(&o, folded("a;b 900\na;c 100\n", &r), folded("a;b 500\na;c 500\n", &r), &r,
		DIFF_TABLE);
	tap_ok(warns(&o, "c grew by 40.00 % of AFTER; the limit is --fail-above 5%"),
	       "what grew is named");
}

static void check_account(void)
{
	AUTO(outcome) struct outcome o = { 0 };
	struct profile *p = recorded(0);
	p->ledger.count[LEDGER_BAD_LINES] = 2;
	view_account(&(struct view_input){ p, NULL }, &o.notes);
	tap_ok(counts(&o, "6", "samples shown") && counts(&o, "2", "lines not understood"),
	       "the account of all samples counts all events");
	tap_ok(o.notes.is_damaged && o.notes.warnings.n > 0, "damage is said");
	profile_unref(p);
}

/* --- why nothing is left --- */

static void check_left(void (*narrow)(struct query *q), const char *text)
{
	static const enum view_kind kinds[] = { VIEW_FOLDED, VIEW_PICTURE, VIEW_REPORT };
	AUTO(outcome) struct outcome o = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct view_request r = request_of(kinds[i]);
		narrow(&r.query);
		show(&o, profile_for(&r), &r);
		check_refused(&o, ERR_FAILED, text);
	}
}

static void by_comm(struct query *q)
{
	text_list_add(&q->where, STR("comm=db"));
}

static void by_pid(struct query *q)
{
	text_list_add(&q->where, STR("pid=8"));
}

static void by_cpu(struct query *q)
{
	text_list_add(&q->where, STR("cpu=1"));
}

static void by_time(struct query *q)
{
	text_list_add(&q->where, STR("event=all"));
	text_list_add(&q->times, STR("9,"));
}

static void by_text(struct query *q)
{
	text_list_add(&q->only, STR("nowhere"));
}

static void by_root(struct query *q)
{
	text_list_add(&q->root, STR("nowhere"));
}

static void check_nothing_left(void)
{
#define KNOWN "; events: cpu-clock, page-faults; comms: web"
	check_left(by_comm, "no stacks left: 6 samples were read, 5 left out by --where, 1 of "
			    "other events" KNOWN);
	check_left(by_pid, "no stacks left: 6 samples were read, 5 left out by --where, 1 of other "
			   "events" KNOWN);
	check_left(by_cpu,
		   "no stacks left: 6 samples were read, 5 left out by --where, 1 of other events; "
		   "the input "
		   "has no cpus: use perf record --sample-cpu, and perf script -F +cpu" KNOWN);
	check_left(by_time, "--time 9,: no samples in this range; the profile covers 4.00 s");
	check_left(by_text, "no stacks left: 6 samples were read, 5 left out by --only or "
			    "--without, 1 of other events" KNOWN);
	check_left(by_root, "no stacks left: 6 samples were read, 1 of other events, 5 without a "
			    "frame that matches --root" KNOWN);
}

static void check_no_counts(void)
{
	AUTO(outcome) struct outcome o = { 0 };
	struct view_request r = request_of(VIEW_PICTURE);
	show(&o, folded("a;b 0\n", &r), &r);
	check_refused(&o, ERR_FAILED, "nothing to draw: all counts are 0");
	r = request_of(VIEW_REPORT);
	show(&o, folded("a;b 0\n", &r), &r);
	check_refused(&o, ERR_FAILED, "nothing to report: all counts are 0");
	r = request_of(VIEW_REPORT);
	show(&o, profile_of_folded(STR("a;b 1 2\n"), true, false, 0), &r);
	check_refused(&o, ERR_FAILED,
		      "the input has two counts per line, before and after; use plume diff");
	r = request_of(VIEW_REPORT);
	r.report.callees = "xyzzy";
	show(&o, profile_for(&r), &r);
	check_refused(&o, ERR_FAILED, "no function is named xyzzy or anything similar");
	r = request_of(VIEW_FOLDED);
	r.compat = true;
	text_list_add(&r.query.only, STR("nowhere"));
	show(&o, profile_for(&r), &r);
	tap_ok(o.ok && o.bytes.n == 0, "--compat prints nothing of nothing, as the script does");
}

static void check_no_sides(void)
{
	AUTO(outcome) struct outcome o = { 0 };
	struct view_request r = request_of(VIEW_DIFF);
	compare(&o, folded("a 1\n", &r), NULL, &r, DIFF_TABLE);
	check_refused(&o, ERR_USAGE,
		      "only one profile given (before.plume): give BEFORE and AFTER, "
		      "or two --time ranges");
	r = request_of(VIEW_DIFF);
	compare(&o, folded("a 1\n", &r), folded("a 0\n", &r), &r, DIFF_TABLE);
	check_refused(&o, ERR_FAILED, "after.plume: nothing to compare: all counts are 0");
	r = request_of(VIEW_DIFF);
	by_text(&r.query);
	compare(&o, folded("a 1\n", &r), folded("nowhere 1\n", &r), &r, DIFF_TABLE);
	check_refused(&o, ERR_FAILED,
		      "before.plume: no stacks left: 1 sample was read, 1 left out "
		      "by --only or --without; events: samples");
	r = request_of(VIEW_DIFF);
	r.diff.width_by = WIDTH_BEFORE;
	compare(&o, profile_of_folded(STR("a 0 1\n"), true, false, 0), NULL, &r, DIFF_SVG);
	check_refused(&o, ERR_FAILED,
		      "nothing to draw: the side given to --width-by has no samples");
}

/* --- requests --- */

static const struct option_set *const sets[] = {
	&name_option_set,	  &frame_option_set,	 &filter_option_set,
	&time_option_set,	  &transform_option_set, &picture_option_set,
	&flame_format_option_set, &flame_option_set,	 &report_option_set,
};

static size_t bind_all(struct view_request *r, struct option_binding *bindings)
{
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		bindings[i] = (struct option_binding){ sets[i], r };
	return ARRAY_SIZE(sets);
}

static const char *const pairs[][2] = {
	{ "where", "comm=web" }, { "event-filter", "cpu-clock" },
	{ "no-idle", NULL },	 { "weight", "period" },
	{ "time", "0,3" },	 { "hide", "libc.*" },
	{ "your-code", NULL },	 { "all", NULL },
	{ "fold", "gc,kernel" }, { "preset", "node" },
	{ "srcline", NULL },	 { "title", "A & B" },
	{ "width", "800" },	 { "factor", "2.5" },
	{ "colors", "java" },	 { "total", "12" },
	{ "callers", "parse" },	 { "limit", "7" },
	{ "lines", "30" },
};

static void fill_by_words(struct view_request *r)
{
	struct option_binding bindings[ARRAY_SIZE(sets)];
	AUTO(text_list) struct text_list files = { 0 };
	AUTO(text_list) struct text_list names = { 0 };
	char *words[2 * ARRAY_SIZE(pairs)];
	struct err e = { 0 };
	size_t n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		AUTO(buf) struct buf name = { 0 };
		buf_addf(&name, "--%s", pairs[i][0]);
		text_list_add(&names, buf_str(&name));
		words[n++] = names.p[i];
		if (pairs[i][1])
			words[n++] = (char *)pairs[i][1];
	}
	tap_ok(options_parse(words, n, bindings, bind_all(r, bindings), &files, &e),
	       "words fill a request %s", e.text);
}

static void fill_by_pairs(struct view_request *r)
{
	struct option_binding bindings[ARRAY_SIZE(sets)];
	struct err e = { 0 };
	size_t n = bind_all(r, bindings);
	bool ok = true;
	for (size_t i = 0; ok && i < ARRAY_SIZE(pairs); i++)
		ok = options_set(bindings, n, str_from(pairs[i][0]), pairs[i][1], &e);
	tap_ok(ok, "the parameters of a URL fill a request %s", e.text);
}

static bool lists_equal(struct text_list *a, struct text_list *b)
{
	bool is_equal = a->n == b->n;
	for (uint32_t i = 0; is_equal && i < a->n; i++)
		is_equal = strcmp(a->p[i], b->p[i]) == 0;
	text_list_fini(a);
	text_list_fini(b);
	*a = *b = (struct text_list){ 0 };
	return is_equal;
}

static void check_same_request(void)
{
	struct view_request *r = mem_zalloc(2, sizeof(*r)); /* with its padding */
	struct err e = { 0 };
	for (unsigned i = 0; i < 2; i++) {
		struct view_request fresh = request_of(VIEW_PICTURE);
		memcpy(&r[i], &fresh, sizeof(fresh));
	}
	memcpy(&r[1], &r[0], sizeof(*r));
	fill_by_words(&r[0]);
	fill_by_pairs(&r[1]);
	tap_ok(view_request_settle(&r[0], &e) && view_request_settle(&r[1], &e), "both are good %s",
	       e.text);
	tap_ok(lists_equal(&r[0].query.where, &r[1].query.where) &&
		       lists_equal(&r[0].query.times, &r[1].query.times) &&
		       r[0].query.fold.n == 2 && lists_equal(&r[0].query.fold, &r[1].query.fold) &&
		       lists_equal(&r[0].query.hide, &r[1].query.hide),
	       "their lists are equal");
	tap_ok(memcmp(&r[0], &r[1], sizeof(*r)) == 0, "words and pairs make the same request");
	view_request_fini(&r[0]);
	view_request_fini(&r[1]);
	free(r);
}

static void check_wrong_requests(void)
{
	static const struct {
		enum view_kind kind;
		const struct option_set *set;
		const char *name, *value, *text;
	} wrong[] = {
		{ VIEW_PICTURE, &picture_option_set, "width", "1",
		  "--width 1: must be a whole number of pixels from 40 to 1000000" },
		{ VIEW_DIFF, &picture_option_set, "encoding", "latin1",
		  "--encoding latin1: must be UTF-8" },
		{ VIEW_REPORT, &report_option_set, "limit", "many",
		  "--limit many: must be 0 or a whole number from 1 to 4294967295" },
		{ VIEW_REPORT, &report_option_set, "width", "10",
		  "--width 10: must be 0 or a whole number from 60 to 10000" },
		{ VIEW_REPORT, &report_option_set, "callers", "",
		  "--callers and --callees need a function's name" },
		{ VIEW_DIFF, &diff_option_set, "fail-above", "101",
		  "--fail-above 101: must be a percentage from 0 to 100, such as 5%" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct view_request r = request_of(wrong[i].kind);
		struct option_binding b = { wrong[i].set, &r };
		struct err e = { 0 };
		bool ok = options_set(&b, 1, str_from(wrong[i].name), wrong[i].value, &e) &&
			  view_request_settle(&r, &e);
		tap_ok(!ok && e.kind == ERR_USAGE, "--%s %s is refused", wrong[i].name,
		       wrong[i].value);
		tap_str_eq(str_from(e.text), str_from(wrong[i].text), "it says: %s", wrong[i].text);
		view_request_fini(&r);
	}
}

int main(void)
{
	check_folded();
	check_pictures();
	check_kept_colours();
	check_reports();
	check_formats();
	check_diffs();
	check_account();
	check_nothing_left();
	check_no_counts();
	check_no_sides();
	check_same_request();
	check_wrong_requests();
	return tap_done();
}
