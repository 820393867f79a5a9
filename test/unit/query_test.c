/*
 * Selections, transforms and names, seen as folded text. In the stacks of the rows below a frame
 * may end in @k (kernel), @j (just-in-time), @i (inlined), @w (waker), @m (marked by the input) or
 * @u (no name; the text is its module).
 */
#include "query/query.h"
#include "sink/sink.h"
#include "tap.h"

#include <fcntl.h>
#include <unistd.h>

#define START_NS 5000000000000ull

struct row {
	const char *comm;
	int32_t pid, tid, cpu;
	const char *container, *event, *stack;
	uint32_t time_ms, period;
};

static const struct row rows[] = {
	{ "node", 10, 10, 0, "web", "cycles", "main;JS:*run@j;read@k", 0, 100 },
	{ "node", 10, 11, 1, "web", "cycles", "main;JS:~run@j", 1000, 200 },
	{ "postgres", 20, 20, 1, "db", "cycles", "main;exec;exec;sort", 2000, 300 },
	{ "swapper", 0, 0, 2, "", "cycles", "do_idle@k;intel_idle@k", 3000, 400 },
	{ "node", 10, 10, 0, "web", "faults", "main;alloc", 4000, 5 },
};

#define NODE_READ "node;main;JS:*run;read 1\n"
#define NODE_RUN  "node;main;JS:~run 1\n"
#define POSTGRES  "postgres;main;exec;exec;sort 1\n"
#define SWAPPER	  "swapper;do_idle;intel_idle 1\n"

static frame_id add_frame(struct profile *p, struct str text)
{
	struct frame f = { .module = profile_add_str(p, STR("/usr/bin/app")) };
	char mark = text.n > 2 && text.p[text.n - 2] == '@' ? text.p[text.n - 1] : 0;
	struct str name = str_first(text, text.n - (mark ? 2 : 0));
	f.kind = mark == 'k' || mark == 'm' ? FRAME_KERNEL : mark == 'j' ? FRAME_JIT : FRAME_USER;
	f.flags = mark == 'i'	? FRAME_INLINED
		  : mark == 'w' ? FRAME_WAKER
		  : mark == 'm' ? FRAME_MARKED
				: 0;
	if (mark == 'k')
		f.module = profile_add_str(p, STR("[kernel.kallsyms]"));
	if (mark == 'j' && str_starts(name, STR("JS:")))
		f.tier = name.p[3];
	if (mark == 'u') {
		f.kind = FRAME_UNKNOWN;
		f.module = profile_add_str(p, name);
		name = STR("");
	}
	f.name = profile_add_str(p, name);
	return profile_add_frame(p, &f);
}

static node_id add_stack(struct profile *p, struct str stack)
{
	node_id node = NODE_ROOT;
	while (stack.n) {
		ptrdiff_t end = str_find_char(stack, ';');
		size_t n = end < 0 ? stack.n : (size_t)end;
		node = profile_add_node(p, node, add_frame(p, str_first(stack, n)));
		stack = str_from_byte(stack, n + 1);
	}
	return node;
}

static void add_row(struct profile *p, const struct row *r)
{
	struct thread t = { r->pid, r->tid, profile_add_str(p, str_from(r->comm)),
			    profile_add_str(p, str_from(r->container)) };
	bool is_faults = strcmp(r->event, "faults") == 0;
	struct event e = { .name = profile_add_str(p, str_from(r->event)),
			   .counts_periods = is_faults };
	profile_add_sample(p, &(struct sample){
				      .node = add_stack(p, str_from(r->stack)),
				      .thread = r->comm[0] ? profile_add_thread(p, t) : THREAD_NONE,
				      .event = profile_add_event(p, e),
				      .cpu = r->cpu,
				      .time_ns = START_NS + r->time_ms * 1000000ull,
				      .count = 1,
				      .period = r->period,
			      });
}

static struct profile *profile_of(unsigned columns, const struct row *r, size_t n)
{
	struct profile *p = profile_new(columns);
	for (size_t i = 0; i < n; i++)
		add_row(p, &r[i]);
	profile_seal(p);
	return p;
}

/* A pipe is written directly and keeps little text in memory. */
static void fold_tree(const struct tree *t, struct buf *out)
{
	int ends[2];
	char path[64];
	struct err e = { 0 };
	ssize_t n;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[1]);
	struct writer *w = writer_open(path, &e);
	sink_folded(t, w);
	writer_commit(w, &e);
	writer_free(w);
	close(ends[1]);
	while ((n = read(ends[0], buf_reserve(out, 65536), 65536)) > 0)
		out->n += (size_t)n;
	close(ends[0]);
}

static uint64_t reasons(const struct query_ledger *l)
{
	return l->by_where + l->by_time + l->by_text + l->idle + l->other_events +
	       l->not_under_root;
}

/*
 * The selected samples as a profile, shown as a tree, are what the tree of the selection is. With
 * --root and --reverse the tree also moves the thread, which is no frame of a profile.
 */
static void check_as_profile(const struct profile *p, const struct query *q, struct str want,
			     uint64_t shown, const char *what)
{
	struct err e = { 0 };
	struct query_ledger l, all;
	AUTO(buf) struct buf got = { 0 };
	struct query names = { .show_pid = q->show_pid,
			       .show_tid = q->show_tid,
			       .mark_kernel = q->mark_kernel,
			       .mark_jit = q->mark_jit,
			       .strip_hex = q->strip_hex,
			       .weight = q->weight,
			       .all_events = true };
	if (q->in_order || q->as_lines || q->marks_wakers || q->min_share > 0)
		return;
	struct profile *selected = query_profile((struct profile *)p, q, &l, &e);
	struct tree *t = selected ? query_tree(selected, &names, &all, &e) : NULL;
	tap_ok(t && l.shown == shown && l.samples_in == l.shown + reasons(&l),
	       "%s: as a profile, each sample is accounted for", what);
	if (t)
		fold_tree(t, &got);
	if (!q->root.n && !q->reverse)
		tap_str_eq(buf_str(&got), want, "%s: the same as a profile", what);
	tree_free(t);
	profile_unref(selected);
}

static struct query_ledger check(const struct profile *p, struct query *q, const char *want,
				 const char *what)
{
	struct err e = { 0 };
	struct query_ledger l;
	AUTO(buf) struct buf got = { 0 };
	struct tree *t = query_tree(p, q, &l, &e);
	if (t)
		fold_tree(t, &got);
	tap_str_eq(buf_str(&got), str_from(want), "%s %s", what, e.text);
	tap_ok(t && l.samples_in == l.shown + reasons(&l), "%s: each sample is accounted for",
	       what);
	if (t)
		check_as_profile(p, q, buf_str(&got), l.shown, what);
	tree_free(t);
	query_fini(q);
	return l;
}

static void check_refused(const struct profile *p, struct query *q, enum err_kind kind,
			  const char *text)
{
	struct err e = { 0 };
	struct query_ledger l;
	struct tree *t = query_tree(p, q, &l, &e);
	tap_ok(!t && e.kind == kind && strstr(e.text, text), "refused: %s", e.text);
	tree_free(t);
	query_fini(q);
}

static struct text_list list_of(const char *a, const char *b)
{
	struct text_list list = { 0 };
	text_list_add(&list, str_from(a));
	if (b)
		text_list_add(&list, str_from(b));
	return list;
}

static void check_where(const struct profile *p, const char *clause, uint64_t by_where,
			const char *want)
{
	struct query q = { .where = list_of(clause, NULL) };
	struct query_ledger l = check(p, &q, want, clause);
	tap_num_eq(l.by_where, by_where, "%s: the others are counted as not selected", clause);
}

static void check_keys(const struct profile *p)
{
	check_where(p, "pid=10", 2, NODE_READ NODE_RUN);
	check_where(p, "pid=20,0", 2, POSTGRES SWAPPER);
	check_where(p, "pid=x", 4, "");
	check_where(p, "tid=11", 3, NODE_RUN);
	check_where(p, "comm=postgres", 3, POSTGRES);
	check_where(p, "comm=post", 4, "");
	check_where(p, "cpu=1", 2, NODE_RUN POSTGRES);
	check_where(p, "container=db", 3, POSTGRES);
	check_where(p, "container=", 3, SWAPPER);
	check_where(p, "module=app", 2, NODE_RUN POSTGRES);
	check_where(p, "module=/usr/bin/app", 2, NODE_RUN POSTGRES);
	check_where(p, "module=[kernel.kallsyms]", 2, NODE_READ SWAPPER);
	check_where(p, "kind=kernel", 2, NODE_READ SWAPPER);
	check_where(p, "kind=jit,user", 2, NODE_RUN POSTGRES);
	struct query kind = { .where = list_of("kind=kernel,wrong", NULL) };
	check_refused(p, &kind, ERR_USAGE, "kind=wrong");
	struct query both = { .where = list_of("pid=10", "cpu=1") };
	check(p, &both, NODE_RUN, "two clauses must both hold");
}

static void check_wrong_keys(const struct profile *p)
{
	static const char *const wrong[] = { "uid=1", "pid", "=1", "", "Pid=1" };
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct query q = { .where = list_of(wrong[i], NULL) };
		check_refused(p, &q, ERR_USAGE, "must be KEY=VALUE");
	}
}

static void check_events(const struct profile *p)
{
	struct query first = { 0 }, faults = { .where = list_of("event=faults", NULL) };
	struct query all = { .where = list_of("event=all", NULL) },
		     none = { .where = list_of("event=x", NULL) };
	struct query_ledger l =
		check(p, &first, NODE_READ NODE_RUN POSTGRES SWAPPER, "the first event");
	tap_ok(l.other_events == 1 && l.event == 0 && !l.is_in_periods,
	       "the other event is counted");
	l = check(p, &faults, "node;main;alloc 5\n", "event=faults is in periods");
	tap_ok(l.other_events == 4 && l.event == 1 && l.is_in_periods, "the event shown is known");
	l = check(p, &all, NODE_READ NODE_RUN "node;main;alloc 1\n" POSTGRES SWAPPER, "event=all");
	tap_ok(!l.is_in_periods, "clocks and other events together count samples");
	tap_ok(l.event == INDEX_NONE && l.stacks == 5, "several events, five stacks");
	l = check(p, &none, "", "an event that is not there");
	tap_num_eq(l.other_events, 5, "all samples are of other events");
}

static void check_time(const struct profile *p, const char *time, const char *want)
{
	struct query q = { .times = list_of(time, NULL) };
	check(p, &q, want, time);
}

static void check_two_times(const struct profile *p, const char *a, const char *b, const char *want,
			    uint64_t by_time)
{
	AUTO(buf) struct buf what = { 0 };
	struct query q = { .times = list_of(a, b) };
	buf_addf(&what, "%s and %s", a, b);
	struct query_ledger l = check(p, &q, want, buf_c_string(&what));
	tap_num_eq(l.by_time, by_time, "%s: the others are counted", buf_c_string(&what));
}

static void check_ranges(const struct profile *p)
{
	struct err e = { 0 };
	AUTO(time_ranges) struct time_ranges r = { 0 };
	struct text_list times = list_of("2.5,", "1,2");
	text_list_add(&times, STR("1.5,2.5"));
	text_list_add(&times, STR("0.5,0.5"));
	text_list_add(&times, STR(",.1"));
	tap_ok(query_time_ranges(p, &times, &r, &e) && r.list.n == 2 &&
		       r.list.p[0].from_ns == START_NS &&
		       r.list.p[0].until_ns == START_NS + 100000000 &&
		       r.list.p[1].from_ns == START_NS + 1000000000 &&
		       r.list.p[1].until_ns == UINT64_MAX,
	       "ranges are sorted and merged, and empty ones are left out");
	text_list_fini(&times);
	check_two_times(p, "2,3", "0,1", NODE_READ POSTGRES, 2);
	check_two_times(p, "0,2.5", "1,3", NODE_READ NODE_RUN POSTGRES, 1);
	check_two_times(p, "0,3", "1,2", NODE_READ NODE_RUN POSTGRES, 1);
	check_two_times(p, "0.5,1", "2.5,2.6", "", 4);
	check_two_times(p, "1,1", "2,2", "", 4);
	struct query wrong = { .times = list_of("0,1", "x") };
	check_refused(p, &wrong, ERR_USAGE, "--time x: must be A,B in seconds");
}

static void check_times(const struct profile *p, const struct profile *without_times)
{
	static const char *const wrong[] = { "x1", "1,x",   "",	   ",",	   "-",
					     "5q", "1,2,3", "--5", "1 ,2", "1e99," };
	check_time(p, "1,3", NODE_RUN POSTGRES);
	check_time(p, "1s,2500ms", NODE_RUN POSTGRES);
	check_time(p, "1.5,", POSTGRES SWAPPER);
	check_time(p, ",1", NODE_READ);
	check_time(p, "0,", NODE_READ NODE_RUN POSTGRES SWAPPER);
	check_time(p, "-2s,", POSTGRES SWAPPER);
	check_time(p, "-3s,-1s", NODE_RUN POSTGRES);
	check_time(p, "-1h,", NODE_READ NODE_RUN POSTGRES SWAPPER);
	check_time(p, "1000000us,.05m", NODE_RUN POSTGRES);
	check_time(p, "10,20", "");
	check_ranges(p);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct query q = { .times = list_of(wrong[i], NULL) };
		check_refused(p, &q, ERR_USAGE, "must be A,B in seconds");
	}
	struct query q = { .times = list_of("1,2", NULL) };
	check_refused(without_times, &q, ERR_FAILED, "have no timestamps");
}

static void check_expressions(const struct profile *p)
{
	struct query only = { .only = list_of("^postgres;", NULL) },
		     both = { .only = list_of("main", "run;re") };
	struct query without = { .without = list_of("idle$", "JS") },
		     mixed = { .only = list_of("main", NULL) };
	mixed.without = list_of("JS:~", NULL);
	struct query_ledger l = check(p, &only, POSTGRES, "--only on the whole stack");
	tap_num_eq(l.by_text, 3, "--only counts the others");
	check(p, &both, NODE_READ, "--only twice must hold twice");
	check(p, &without, POSTGRES, "--without twice takes out both");
	check(p, &mixed, NODE_READ POSTGRES, "--only and --without");
	struct query idle = { .no_idle = true }, bad = { .only = list_of("(", NULL) };
	l = check(p, &idle, NODE_READ NODE_RUN POSTGRES, "no idle loops");
	tap_num_eq(l.idle, 1, "the idle sample is counted");
	check_refused(p, &bad, ERR_USAGE, "invalid regular expression");
	struct query bad_hide = { .hide = list_of("(", NULL) },
		     bad_root = { .root = list_of("[", NULL) };
	check_refused(p, &bad_hide, ERR_USAGE, "invalid regular expression");
	check_refused(p, &bad_root, ERR_USAGE, "invalid regular expression");
}

static void check_only(const struct profile *p, const char *only, const char *want)
{
	struct query q = { .only = list_of(only, NULL) };
	check(p, &q, want, only);
}

/* Each stack is judged once, and plain text once per frame: neither may be seen. */
static void check_plain_text(void)
{
	static const struct row same[] = {
		{ "web", 1, 1, 0, "", "cycles", "main;a.b", 0, 1 },
		{ "db", 2, 2, 0, "", "cycles", "main;a.b", 0, 1 },
		{ "db", 2, 2, 0, "", "cycles", "main;a.b;web", 1, 1 },
		{ "db", 2, 3, 0, "", "cycles", "main;axb", 2, 1 },
		{ "db", 2, 3, 0, "", "cycles", "main;axb", 3, 1 },
	};
#define WEB  "web;main;a.b 1\n"
#define DB   "db;main;a.b 1\n"
#define BOTH "db;main;a.b;web 1\n"
#define AXB  "db;main;axb 2\n"
	struct profile *p = profile_of(COLUMN_TIME, same, ARRAY_SIZE(same));
	check_only(p, "web", BOTH WEB);
	check_only(p, "w[e]b", BOTH WEB);
	check_only(p, "^web", WEB);
	check_only(p, "main", DB BOTH AXB WEB);
	check_only(p, "a.b", DB BOTH AXB WEB);
	check_only(p, "a\\.b", DB BOTH WEB);
	check_only(p, "a\\.b\\;", BOTH);
	check_only(p, "main;a", DB BOTH AXB WEB);
	check_only(p, "in;axb", AXB);
	check_only(p, "mainaxb", "");
	check_only(p, "\\w\\W\\w", DB BOTH AXB WEB);
	struct query q = { .only = list_of("db", "main"), .without = list_of("axb", "b;web") };
	check(p, &q, DB, "plain text and expressions together");
	profile_unref(p);
}

static void check_gave_up(void)
{
	char stack[3000];
	memset(stack, 'a', sizeof(stack) - 2);
	memcpy(stack + sizeof(stack) - 2, "!", 2);
	struct row r = { "c", 1, 1, 0, "", "cycles", stack, 0, 1 };
	struct profile *p = profile_of(0, &r, 1);
	struct query q = { .only = list_of("(a+)+$", NULL) };
	struct query_ledger l = check(p, &q, "", "an expression that takes too long is no match");
	tap_ok(l.gave_up == 1 && l.by_text == 1, "and is counted");
	profile_unref(p);
}

static void check_weights(const struct profile *p)
{
	struct query samples = { .where = list_of("event=faults", NULL),
				 .weight = QUERY_WEIGHT_SAMPLES };
	struct query periods = { .where = list_of("kind=kernel", NULL),
				 .weight = QUERY_WEIGHT_PERIOD };
	struct query_ledger l = check(p, &samples, "node;main;alloc 1\n", "--weight samples");
	tap_ok(!l.is_in_periods, "samples are not periods");
	l = check(p, &periods, "node;main;JS:*run;read 100\nswapper;do_idle;intel_idle 400\n",
		  "--weight period");
	tap_ok(l.is_in_periods && l.shown == 2, "periods are weights, samples are still counted");
}

static void check_transforms(const struct profile *p)
{
	struct query hide = { .hide = list_of("^exec$", "idle") },
		     root = { .root = list_of("^JS", NULL) };
	struct query skip = { .skip_after = list_of("exec", "JS:*run") },
		     tiers = { .merge_tiers = true };
	struct query collapse = { .collapse_recursion = true }, reverse = { .reverse = true };
	check(p, &hide, NODE_READ NODE_RUN "postgres;main;sort 1\nswapper 1\n", "--hide");
	struct query_ledger l = check(p, &root, "JS:*run;read 1\nJS:~run 1\n", "--root");
	tap_num_eq(l.not_under_root, 2, "--root counts the others");
	check(p, &skip, "node;JS:*run;read 1\n" NODE_RUN "postgres;exec;sort 1\n" SWAPPER,
	      "--skip-after");
	check(p, &tiers, "node;main;JS:run 1\nnode;main;JS:run;read 1\n" POSTGRES SWAPPER,
	      "--merge-tiers");
	check(p, &collapse, NODE_READ NODE_RUN "postgres;main;exec;sort 1\n" SWAPPER,
	      "--collapse-recursion");
	check(p, &reverse,
	      "JS:~run;main;node 1\nintel_idle;do_idle;swapper 1\n"
	      "read;JS:*run;main;node 1\nsort;exec;exec;main;postgres 1\n",
	      "--reverse");
	struct query all = { .root = list_of("^main$", NULL),
			     .hide = list_of("^main$", NULL),
			     .merge_tiers = true,
			     .collapse_recursion = true,
			     .reverse = true };
	check(p, &all, "JS:run 1\nread;JS:run 1\nsort;exec 1\n", "all transforms at once");
}

#define ENGINE "v8::run;Builtins_JSEntry;"
#define FOLDED "node;[runtime];JS:handle;"

static void check_fold(const struct profile *p, const char *fold, const char *want)
{
	struct query q = { .fold = list_of(fold, NULL) };
	struct query_ledger l = check(p, &q, want, fold);
	tap_num_eq(l.shown, l.samples_in, "%s: no sample is left out", fold);
}

static void check_charge(const struct profile *p, const char *charge, const char *want)
{
	struct query q = { .charge = list_of(charge, NULL) };
	struct query_ledger l = check(p, &q, want, charge);
	tap_num_eq(l.shown, l.samples_in, "%s: no sample is left out", charge);
}

static void check_categories(void)
{
	static const struct row odd[] = {
		{ "node", 1, 1, 0, "", "cycles", ENGINE "JS:handle;Builtins_Sort;v8::x;sys@k;irq@k",
		  0, 1 },
		{ "node", 1, 1, 0, "", "cycles",
		  ENGINE "JS:handle;Builtins_Sort;JS:less;Builtins_Call_x", 0, 1 },
		{ "node", 1, 1, 0, "", "cycles",
		  ENGINE "JS:handle;Builtins_New;v8::internal::Heap::Scavenge;v8::y", 0, 1 },
		{ "node", 1, 1, 0, "", "cycles", ENGINE "JS:handle;Builtins_CEntry_x;v8::z", 0, 1 },
		{ "node", 1, 1, 0, "", "cycles", "v8::run;idle@k", 0, 1 },
		{ "node", 1, 1, 0, "", "cycles", "", 0, 1 },
	};
	struct profile *p = profile_of(COLUMN_ORDER, odd, ARRAY_SIZE(odd));
	check_fold(p, "runtime,builtin,gc,kernel",
		   "node 1\n"
		   "node;[runtime];JS:handle;Builtins_Sort;JS:less 1\n" FOLDED
		   "Builtins_Sort;[kernel] 1\n" FOLDED "[garbage collection] 1\n" FOLDED "v8::z 1\n"
		   "node;[runtime];[kernel] 1\n");
	check_fold(p, "kernel",
		   "node 1\n"
		   "node;" ENGINE "JS:handle;Builtins_CEntry_x;v8::z 1\n"
		   "node;" ENGINE "JS:handle;Builtins_New;v8::internal::Heap::Scavenge;v8::y 1\n"
		   "node;" ENGINE "JS:handle;Builtins_Sort;JS:less;Builtins_Call_x 1\n"
		   "node;" ENGINE "JS:handle;Builtins_Sort;v8::x;[kernel] 1\n"
		   "node;v8::run;[kernel] 1\n");
	check_charge(p, "runtime,builtin,kernel",
		     "node;JS:handle 2\n"
		     "node;JS:handle;JS:less 1\n"
		     "node;JS:handle;v8::internal::Heap::Scavenge 1\n"
		     "node;[no stack] 1\n"
		     "node;[runtime] 1\n");
	struct query both = { .charge = list_of("builtin", "kernel"),
			      .fold = list_of("runtime", NULL) };
	check(p, &both,
	      "node;[no stack] 1\n"
	      "node;[runtime] 1\n"
	      "node;[runtime];JS:handle;JS:less 1\n"
	      "node;[runtime];JS:handle;v8::internal::Heap::Scavenge;v8::y 1\n"
	      "node;[runtime];JS:handle;v8::x 1\n"
	      "node;[runtime];JS:handle;v8::z 1\n",
	      "--charge comes before --fold");
	struct query yours = { .your_code = true },
		     same = { .charge = list_of("runtime,builtin,regexp,gc,native,kernel,unknown",
						NULL) };
	static const char left[] = "node;JS:handle 3\nnode;JS:handle;JS:less 1\n"
				   "node;[no stack] 1\nnode;[runtime] 1\n";
	check(p, &yours, left, "--your-code");
	check(p, &same, left, "--charge of all others is --your-code");
	static const char *const wrong[] = { "", "runtim", "runtime,", "process", "runtime, gc" };
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct query fold = { .fold = list_of(wrong[i], NULL) };
		check_refused(p, &fold, ERR_USAGE, "must be one or more of app");
	}
	profile_unref(p);
}

static void check_preset_for(const char *stack, const char *want)
{
	const struct row r[] = { { "a", 1, 1, 0, "", "cycles", stack, 0, 1 },
				 { "b", 2, 2, 0, "", "cycles", stack, 0, 1 },
				 { "c", 3, 3, 0, "", "cycles", "v8::run", 0, 1 } };
	struct profile *p = profile_of(0, r, ARRAY_SIZE(r));
	tap_str_eq(str_from(preset_for(p)->name), str_from(want), "the preset for %s", stack);
	profile_unref(p);
}

static void check_presets(void)
{
	uint32_t n = 0;
	bool ok = true;
	for (; presets[n].name; n++)
		ok &= preset_names[n] && strcmp(presets[n].name, preset_names[n]) == 0;
	tap_ok(ok && !preset_names[n] && !presets[0].words[0].option,
	       "presets have their names, and the first does nothing");
	check_preset_for("main;JS:*run@j;read@k", "node");
	check_preset_for("py::f:/srv/a.py@j", "python");
	check_preset_for("runtime.goexit;runtime.main;main.main", "go");
	check_preset_for("main;work", "native");
	check_preset_for("idle@k", "none");
}

/* A thread's name is no frame of the recursion, and no frame that --skip-after cuts off. */
static void check_comm_like_a_frame(void)
{
	static const struct row r = { "main", 1, 1, 0, "", "cycles", "main;main;work", 0, 1 };
	struct profile *p = profile_of(0, &r, 1);
	struct query collapse = { .collapse_recursion = true },
		     skip = { .skip_after = list_of("work", NULL) };
	check(p, &collapse, "main;main;work 1\n", "the comm is not part of the recursion");
	check(p, &skip, "main;work 1\n", "the comm is not cut off");
	profile_unref(p);
}

static void check_names(void)
{
	static const struct row odd[] = {
		{ "my comm 1", 7, PID_UNKNOWN, 0, "", "cycles", "a;k@k;j@j;i@i;w@w;m@m", 0, 1 },
		{ "my comm 1", 7, PID_UNKNOWN, 0, "", "cycles", "/lib/libc.so@u;[vdso]@u;/@u", 0,
		  1 },
		{ "a,b", PID_UNKNOWN, 1, 0, "", "cycles", "x\ny", 0, 1 },
		{ "", 0, 0, 0, "", "cycles", "", 0, 1 },
	};
	struct profile *p = profile_of(0, odd, ARRAY_SIZE(odd));
	struct query plain = { 0 },
		     marks = { .mark_kernel = true, .mark_jit = true, .show_pid = true };
	struct query tid = { .show_tid = true, .hide = list_of(".", NULL) };
	check(p, &plain,
	      "[no stack] 1\na,b;x y 1\nmy_comm_1;[libc.so];[vdso];[unknown] 1\n"
	      "my_comm_1;a;k;j;i_[i];w_[w];m_[k] 1\n",
	      "names without marks");
	check(p, &marks,
	      "[no stack] 1\na,b-?;x y 1\nmy_comm_1-7;[libc.so];[vdso];[unknown] 1\n"
	      "my_comm_1-7;a;k_[k];j_[j];i_[i];w_[w];m_[k] 1\n",
	      "marks and process ids");
	check(p, &tid, "[no stack] 1\na,b-?/1 1\nmy_comm_1-7/? 2\n", "thread ids, where known");
	struct query comma = { .where = list_of("comm=a\\,b", NULL) };
	check(p, &comma, "a,b;x y 1\n", "an escaped comma in a value");
	struct query shown = { .where = list_of("comm=my_comm_1", NULL),
			       .root = list_of("^[km]$", NULL) };
	shown.mark_kernel = true;
	check(p, &shown, "k_[k];j;i_[i];w_[w];m_[k] 1\n",
	      "a comm as it is shown, a name without its mark");
	profile_unref(p);
}

static void check_separator_in_name(void)
{
	struct profile *p = profile_new(0);
	struct query q = { 0 };
	struct frame f = { .name = profile_add_str(p, STR("operator;\n()")) };
	profile_add_event(p, (struct event){ .name = profile_add_str(p, STR("cycles")) });
	profile_add_sample(p, &(struct sample){ .node = profile_add_node(p, NODE_ROOT,
									 profile_add_frame(p, &f)),
						.count = 2 });
	profile_seal(p);
	check(p, &q, "operator: () 2\n", "no ';' and no newline in a name");
	profile_unref(p);
}

static void check_values(void)
{
	struct profile *p = profile_new(0);
	struct query q = { 0 };
	node_id node = add_stack(p, STR("a;b"));
	for (uint32_t i = 0; i < 2; i++)
		profile_add_event(p, (struct event){ .name = profile_add_str(p, i ? STR("after")
										  : STR("before")),
						     .counts_periods = true,
						     .decimals = 2 });
	profile_add_sample(p,
			   &(struct sample){ .node = node, .event = 0, .count = 1, .period = 125 });
	profile_add_sample(
		p, &(struct sample){ .node = node, .event = 1, .count = 1, .period = 3000 });
	profile_add_sample(
		p, &(struct sample){ .node = node - 1, .event = 1, .count = 1, .period = 5 });
	p->is_differential = true;
	profile_seal(p);
	check(p, &q, "a 0 0.05\na;b 1.25 30\n", "before and after, with decimals");
	profile_unref(p);
}

/* Where the input had only sums, they are shown whatever weight is asked for. */
static void check_only_sums(void)
{
	struct profile *p = profile_new(0);
	struct query q = { .weight = QUERY_WEIGHT_SAMPLES };
	profile_add_event(
		p, (struct event){ .name = profile_add_str(p, STR("us")), .has_only_sums = true });
	profile_add_sample(
		p, &(struct sample){ .node = add_stack(p, STR("a")), .count = 1, .period = 42 });
	profile_seal(p);
	struct query_ledger l = check(p, &q, "a 42\n", "sums are the only weight there is");
	tap_ok(l.is_in_periods, "and are no samples");
	profile_unref(p);
}

static void check_columns(void)
{
	struct query none = { 0 }, time = { .times = list_of("1,", NULL) },
		     pid = { .show_pid = true }, tid = { .show_tid = true };
	struct query where = { .where = list_of("cpu=1", "pid=1") };
	tap_num_eq(query_columns(&none), 0, "no columns for no questions");
	tap_num_eq(query_columns(&time), COLUMN_TIME, "the time for --time");
	tap_num_eq(query_columns(&pid), COLUMN_PID, "the pid for --pid");
	tap_num_eq(query_columns(&tid), COLUMN_PID | COLUMN_TID, "both ids for --tid");
	tap_num_eq(query_columns(&where), COLUMN_CPU | COLUMN_PID, "what the clauses need");
	query_fini(&time);
	query_fini(&where);
}

int main(void)
{
	struct profile *p = profile_of(COLUMN_TIME | COLUMN_CPU, rows, ARRAY_SIZE(rows));
	struct profile *sums = profile_of(0, rows, ARRAY_SIZE(rows));
	check_keys(p);
	check_wrong_keys(p);
	check_events(p);
	check_times(p, sums);
	check_expressions(p);
	check_plain_text();
	check_gave_up();
	check_weights(p);
	check_transforms(p);
	check_categories();
	check_presets();
	check_comm_like_a_frame();
	check_names();
	check_separator_in_name();
	check_values();
	check_only_sums();
	check_columns();
	profile_unref(p);
	profile_unref(sums);
	return tap_done();
}
