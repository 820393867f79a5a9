/*
 * The profile as it is built: everything stored once, sums that do not overflow, parts that merge
 * to the whole.
 */
#include "model/model.h"
#include "random.h"
#include "tap.h"

static frame_id add_frame(struct profile *p, struct str name)
{
	return profile_add_frame(p, &(struct frame){ .name = profile_add_str(p, name) });
}

static event_id add_event(struct profile *p, struct str name, uint8_t decimals)
{
	struct event e = { .name = profile_add_str(p, name), .decimals = decimals };
	return profile_add_event(p, e);
}

static void check_new(void)
{
	struct profile *p = profile_new(0);
	tap_ok(p->strings.n == 1 && profile_str(p, STR_NONE).n == 0, "string 0 is the empty one");
	tap_num_eq(profile_add_str(p, STR("")), STR_NONE, "the empty string is interned as 0");
	tap_ok(p->threads.n == 1 && p->threads.p[THREAD_NONE].pid == PID_UNKNOWN,
	       "thread 0 is not known");
	tap_num_eq(p->nodes.n, 1, "the empty stack is there");
	tap_num_eq(p->samples.n, 0, "no samples are");
	struct profile *same = profile_ref(p);
	profile_unref(p);
	tap_ok(same->strings.n == 1, "a profile lives as long as somebody holds it");
	profile_seal(same);
	tap_ok(same->is_sealed && !same->string_map.slots, "sealing gives building memory back");
	profile_unref(same);
	profile_unref(NULL);
}

static void check_strings(void)
{
	struct profile *p = profile_new(0);
	bool ok = true;
	char text[16] = "";
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 20000; i++) {
			int n = snprintf(text, sizeof(text), "s%u", i);
			ok &= profile_add_str(p, (struct str){ text, (size_t)n }) == i + 1;
		}
	tap_ok(ok && p->strings.n == 20001, "strings get their ids in order, each one once");
	str_id a = profile_add_str(p, STR("a\0b")), b = profile_add_str(p, STR("a\0c"));
	tap_ok(a != b && a != profile_add_str(p, STR("a")), "strings are told apart behind a NUL");
	memset(text, 'x', sizeof(text));
	tap_str_eq(profile_str(p, 20000), STR("s19999"), "a string is a copy");
	profile_unref(p);
}

static void check_records(void)
{
	struct profile *p = profile_new(0);
	str_id name = profile_add_str(p, STR("f"));
	struct frame variants[] = {
		{ .name = name },
		{ .name = name, .module = name },
		{ .name = name, .file = name },
		{ .name = name, .line = 1 },
		{ .name = name, .column = 1 },
		{ .name = name, .kind = FRAME_JIT },
		{ .name = name, .tier = '*' },
		{ .name = name, .flags = FRAME_INLINED },
	};
	bool ok = true;
	for (uint32_t i = 0; i < 2 * ARRAY_SIZE(variants); i++)
		ok &= profile_add_frame(p, &variants[i % ARRAY_SIZE(variants)]) ==
		      i % ARRAY_SIZE(variants);
	tap_ok(ok && p->frames.n == ARRAY_SIZE(variants),
	       "frames that differ in one field are different");
	thread_id t = profile_add_thread(p, (struct thread){ 1, 2, name, STR_NONE });
	tap_num_eq(profile_add_thread(p, (struct thread){ 1, 2, name, STR_NONE }), t,
		   "a thread once");
	tap_ok(profile_add_thread(p, (struct thread){ 1, 3, name, STR_NONE }) != t,
	       "threads by tid");
	tap_ok(profile_add_thread(p, (struct thread){ 1, 2, name, name }) != t,
	       "threads by container");
	event_id e = profile_add_event(p, (struct event){ .name = name, .counts_periods = true });
	tap_num_eq(profile_add_event(p, (struct event){ .name = name }), e,
		   "events are told apart by name");
	tap_ok(p->events.p[e].counts_periods, "the first one added of a name decides the rest");
	profile_unref(p);
}

static void check_nodes(void)
{
	struct profile *p = profile_new(0);
	frame_id f = add_frame(p, STR("f")), g = add_frame(p, STR("g"));
	node_id a = profile_add_node(p, NODE_ROOT, f), b = profile_add_node(p, a, g);
	tap_num_eq(profile_add_node(p, NODE_ROOT, f), a, "the same child is the same node");
	tap_num_eq(profile_add_node(p, a, g), b, "the same grandchild is the same node");
	tap_ok(profile_add_node(p, NODE_ROOT, g) != b, "one frame under two callers is two nodes");
	tap_ok(profile_add_node(p, a, f) != a, "recursion is another node");
	tap_ok(p->nodes.p[b].parent == a && p->nodes.p[b].frame == g,
	       "a node knows caller and frame");
	tap_num_eq(p->nodes.n, 5, "five nodes with the root");
	profile_unref(p);
}

static void add_three(struct profile *p)
{
	event_id e = add_event(p, STR("cycles"), 0);
	node_id node = profile_add_node(p, NODE_ROOT, add_frame(p, STR("f")));
	for (uint32_t i = 0; i < 3; i++)
		profile_add_sample(p, &(struct sample){ .node = node,
							.event = e,
							.cpu = (int32_t)i,
							.time_ns = 100 + i,
							.count = 1,
							.period = 10 });
}

static void check_rows(void)
{
	struct profile *sums = profile_new(COLUMN_PID), *times = profile_new(COLUMN_TIME);
	struct profile *cpus = profile_new(COLUMN_CPU);
	add_three(sums);
	add_three(times);
	add_three(cpus);
	tap_ok(sums->samples.n == 1 && !sums->samples.time_ns && !sums->samples.cpu,
	       "equal stacks share a row");
	tap_ok(sums->samples.count[0] == 3 && sums->samples.period[0] == 30, "a row is a sum");
	tap_ok(times->samples.n == 3 && times->samples.time_ns[2] == 102,
	       "with times each sample has a row");
	tap_ok(!times->samples.cpu, "times alone keep no cpu");
	tap_ok(cpus->samples.n == 3 && cpus->samples.cpu[2] == 2 && !cpus->samples.time_ns,
	       "with cpus each sample has a row");
	event_id other = add_event(sums, STR("faults"), 0);
	profile_add_sample(sums, &(struct sample){ .node = 1, .event = other, .count = 1 });
	profile_add_sample(sums, &(struct sample){ .node = 0, .event = 0, .count = 1 });
	tap_num_eq(sums->samples.n, 3, "rows are told apart by event and by stack");
	profile_unref(sums);
	profile_unref(times);
	profile_unref(cpus);
}

/* So many that some have the same hash. */
static void check_many_rows(void)
{
	enum { ROWS = 200000 };
	struct profile *p = profile_new(0);
	for (uint32_t i = 0; i < ROWS; i++)
		profile_add_sample(p, &(struct sample){ .node = 1, .thread = i, .count = 1 });
	tap_num_eq(p->samples.n, ROWS, "rows are told apart by thread");
	profile_add_sample(
		p, &(struct sample){ .node = 9, .thread = 1 << 20, .event = 0, .count = 1 });
	profile_add_sample(p, &(struct sample){ .node = 9, .thread = 0, .event = 1, .count = 1 });
	profile_add_sample(
		p, &(struct sample){ .node = 9, .thread = 0, .event = 1 + 4096, .count = 1 });
	tap_num_eq(p->samples.n, ROWS + 3, "threads and events with one hash are told apart");
	profile_unref(p);
}

static void check_saturation(void)
{
	struct profile *p = profile_new(0);
	add_event(p, STR("cycles"), 0);
	profile_add_sample(p, &(struct sample){ .count = 1, .period = UINT64_MAX - 5 });
	profile_add_sample(p, &(struct sample){ .count = 1, .period = 5 });
	tap_ok(p->samples.period[0] == UINT64_MAX && !p->ledger.count[LEDGER_OVERFLOWS],
	       "the largest sum that fits is no overflow");
	profile_add_sample(p, &(struct sample){ .count = UINT64_MAX, .period = 1 });
	tap_ok(p->samples.period[0] == UINT64_MAX && p->samples.count[0] == UINT64_MAX,
	       "sums are held");
	tap_num_eq(p->ledger.count[LEDGER_OVERFLOWS], 2, "each one held is counted");
	tap_ok(ledger_line_is_damage(LEDGER_OVERFLOWS), "and is damage");
	profile_unref(p);
}

static void check_decimals(void)
{
	struct profile *p = profile_new(0), *q = profile_new(0);
	event_id e = add_event(p, STR("ms"), 0), other = add_event(p, STR("other"), 0);
	profile_add_sample(p, &(struct sample){ .event = e, .count = 1, .period = 7 });
	profile_add_sample(p, &(struct sample){ .event = other, .count = 1, .period = 7 });
	profile_set_decimals(p, e, 2);
	tap_num_eq(p->samples.period[0], 700, "two decimals make 7 to 7.00");
	tap_num_eq(p->samples.period[1], 7, "other events stay as they are");
	tap_num_eq(p->samples.count[0], 1, "counts have no decimals");
	profile_set_decimals(p, e, 1);
	tap_ok(p->events.p[e].decimals == 2 && p->samples.period[0] == 700,
	       "decimals never become fewer");
	event_id three = add_event(q, STR("ms"), 3);
	profile_add_sample(q, &(struct sample){ .event = three, .count = 1, .period = 1 });
	profile_merge(p, q);
	tap_ok(p->events.p[e].decimals == 3 && p->samples.period[0] == 7001,
	       "merging 7.00 and 0.001");
	profile_merge(q, p);
	tap_num_eq(q->samples.period[0], 7002, "merging into the finer one");
	profile_set_decimals(p, e, 19);
	tap_ok(p->samples.period[0] == UINT64_MAX && p->ledger.count[LEDGER_OVERFLOWS] == 1,
	       "a weight too large for its decimals is held and counted");
	profile_unref(p);
	profile_unref(q);
}

/* --- merging --- */

/* What a reader does with one sample of an input that is the same for all who read it. */
static void read_sample(struct profile *p, uint32_t seed)
{
	char text[32];
	uint64_t saved = random_state;
	random_state = 0x9E3779B97F4A7C15ull * (seed + 1);
	node_id node = NODE_ROOT;
	for (uint32_t depth = random_below(8); depth; depth--) {
		int n = snprintf(text, sizeof(text), "f%u", random_below(40));
		struct frame f = { .name = profile_add_str(p, (struct str){ text, (size_t)n }) };
		f.module = profile_add_str(p, random_below(2) ? STR("libc.so") : STR("app"));
		f.kind = (uint8_t)random_below(3);
		node = profile_add_node(p, node, profile_add_frame(p, &f));
	}
	int n = snprintf(text, sizeof(text), "comm %u", random_below(5));
	struct thread t = { .pid = (int32_t)random_below(9), .tid = (int32_t)random_below(9) };
	t.comm = profile_add_str(p, (struct str){ text, (size_t)n });
	thread_id thread = profile_add_thread(p, t);
	event_id event = add_event(p, random_below(3) ? STR("cycles") : STR("faults"), 0);
	profile_add_sample(p, &(struct sample){ node, thread, event, (int32_t)random_below(4), seed,
						1, random_below(1000) });
	p->ledger.count[LEDGER_SAMPLES]++;
	random_state = saved;
}

#define SAME_VEC(a, b)                                                                             \
	((a).n == (b).n && ((a).n == 0 || !memcmp((a).p, (b).p, (a).n * sizeof(*(a).p))))

static bool same_column(const void *a, const void *b, uint32_t n, size_t size)
{
	return a && b ? memcmp(a, b, n * size) == 0 : a == b || n == 0;
}

static bool same_samples(const struct samples *a, const struct samples *b)
{
	return a->n == b->n && same_column(a->node, b->node, a->n, sizeof(*a->node)) &&
	       same_column(a->thread, b->thread, a->n, sizeof(*a->thread)) &&
	       same_column(a->event, b->event, a->n, sizeof(*a->event)) &&
	       same_column(a->count, b->count, a->n, sizeof(*a->count)) &&
	       same_column(a->period, b->period, a->n, sizeof(*a->period)) &&
	       same_column(a->time_ns, b->time_ns, a->n, sizeof(*a->time_ns)) &&
	       same_column(a->cpu, b->cpu, a->n, sizeof(*a->cpu));
}

static bool same_events(const struct profile *a, const struct profile *b)
{
	bool ok = a->events.n == b->events.n;
	for (uint32_t i = 0; ok && i < a->events.n; i++)
		ok = a->events.p[i].name == b->events.p[i].name &&
		     a->events.p[i].decimals == b->events.p[i].decimals;
	return ok;
}

static bool same_profile(const struct profile *a, const struct profile *b)
{
	bool ok = a->strings.n == b->strings.n;
	for (uint32_t i = 0; ok && i < a->strings.n; i++)
		ok = str_eq(a->strings.p[i], b->strings.p[i]);
	return ok && SAME_VEC(a->frames, b->frames) && SAME_VEC(a->nodes, b->nodes) &&
	       SAME_VEC(a->threads, b->threads) && same_events(a, b) &&
	       same_samples(&a->samples, &b->samples) &&
	       !memcmp(a->ledger.count, b->ledger.count, sizeof(a->ledger.count));
}

static void check_merge(unsigned columns, uint32_t samples, const char *what)
{
	struct profile *whole = profile_new(columns), *merged = profile_new(columns);
	uint32_t first = random_below(1 << 20), at = 0;
	uint32_t cuts[3] = { random_below(samples + 1), 0, samples };
	cuts[1] = cuts[0] + random_below(samples - cuts[0] + 1);
	for (uint32_t i = 0; i < samples; i++)
		read_sample(whole, first + i);
	for (unsigned part = 0; part < 3; part++) {
		struct profile *p = profile_new(columns);
		for (; at < cuts[part]; at++)
			read_sample(p, first + at);
		profile_seal(p);
		profile_merge(merged, p);
		profile_unref(p);
	}
	tap_ok(same_profile(whole, merged), "%s: three parts of %u samples give the whole", what,
	       samples);
	profile_unref(whole);
	profile_unref(merged);
}

static void check_merged_ledger(void)
{
	struct profile *p = profile_new(0), *a = profile_new(0), *b = profile_new(0);
	a->ledger.damage = profile_add_str(a, STR("first"));
	b->ledger.damage = profile_add_str(b, STR("second"));
	b->ledger.first_bad_text = profile_add_str(b, STR("bad"));
	b->ledger.first_bad_offset = 99;
	b->is_differential = true;
	profile_merge(p, a);
	profile_merge(p, b);
	tap_str_eq(profile_str(p, p->ledger.damage), STR("first"), "the first damage is kept");
	tap_str_eq(profile_str(p, p->ledger.first_bad_text), STR("bad"),
		   "the first bad line is kept");
	tap_num_eq(p->ledger.first_bad_offset, 99, "with its place");
	tap_ok(p->is_differential, "what is merged with a difference is one");
	profile_unref(p);
	profile_unref(a);
	profile_unref(b);
}

static label_set add_labels(struct profile *p, const char *text, int64_t number)
{
	struct label a = { .key = profile_add_str(p, STR("request")),
			   .text = profile_add_str(p, str_from(text)) };
	struct label b = { .key = profile_add_str(p, STR("bytes")),
			   .number = number,
			   .unit = profile_add_str(p, STR("bytes")),
			   .is_number = true };
	return profile_add_label(p, profile_add_label(p, LABELS_NONE, a), b);
}

static void add_labelled(struct profile *p, label_set labels)
{
	struct event e = { .name = profile_add_str(p, STR("alloc")) };
	profile_add_sample(p, &(struct sample){ .event = profile_add_event(p, e),
						.cpu = -1,
						.labels = labels,
						.count = 1,
						.period = 1 });
}

static void check_labels(void)
{
	struct profile *p = profile_new(COLUMN_LABELS), *q = profile_new(COLUMN_LABELS);
	label_set home = add_labels(p, "GET /", 64), other = add_labels(p, "GET /", 65);
	tap_ok(home != LABELS_NONE && home != other, "sets with other labels are others");
	tap_num_eq(add_labels(p, "GET /", 64), home, "equal sets are one");
	add_labelled(p, home);
	add_labelled(p, other);
	add_labelled(p, home);
	tap_num_eq(p->samples.n, 2, "rows that differ in their labels are two");
	add_labelled(q, add_labels(q, "POST /", -1));
	profile_merge(q, p);
	tap_num_eq(q->samples.n, 3, "labels are kept apart when profiles are merged");
	const struct label_link *link = &q->label_sets.p[q->samples.labels[2]];
	tap_num_eq((uint64_t)q->labels.p[link->label].number, 65, "and say what they said");
	tap_str_eq(profile_str(q, q->labels.p[q->label_sets.p[link->rest].label].text),
		   STR("GET /"), "all of them");
	profile_unref(p);
	profile_unref(q);
}

static void check_remarks(void)
{
	struct profile *p = profile_new(0), *q = profile_new(0);
	profile_add_fact(p, STR("host"), STR("a"));
	profile_add_fact(p, STR("host"), STR("a"));
	profile_add_fact(p, STR("host"), STR("b"));
	tap_num_eq(p->facts.n, 2, "a fact is there once");
	tap_str_eq(profile_fact(p, STR("host")), STR("a"), "the first of a key is found");
	tap_str_eq(profile_fact(p, STR("rate")), STR(""), "what is not known is empty");
	profile_add_module(p, (struct module){ profile_add_str(p, STR("/bin/a")),
					       profile_add_str(p, STR("ab12")) });
	profile_add_mark(p, (struct mark){ .time_ns = 7, .kind = profile_add_str(p, STR("gc")) });
	profile_add_note(p, STR("read as it was"));
	profile_add_str(q, STR("so that ids differ"));
	profile_merge(q, p);
	tap_ok(q->facts.n == 2 && q->modules.n == 1 && q->marks.n == 1 && q->notes.n == 1,
	       "facts, modules, marks and notes are merged");
	tap_str_eq(profile_str(q, q->modules.p[0].build_id), STR("ab12"), "with their build id");
	tap_str_eq(profile_str(q, q->marks.p[0].kind), STR("gc"), "and their kind");
	profile_unref(p);
	profile_unref(q);
}

static void check_event_names(void)
{
	static const struct {
		struct str name;
		bool samples_time;
	} cases[] = {
		{ STR("cycles"), true },
		{ STR("cycles:u"), true },
		{ STR("cycles:ppp"), true },
		{ STR("cpu-cycles"), true },
		{ STR("cpu-clock"), true },
		{ STR("cpu-clock:pppH"), true },
		{ STR("task-clock"), true },
		{ STR("ref-cycles"), true },
		{ STR("bus-cycles"), true },
		{ STR("cpu_core/cycles/"), true },
		{ STR("cpu_core/cycles:u/P"), true },
		{ STR("cpu_atom/cycles,period=100/"), true },
		{ STR("cpu/cpu-cycles/ppp"), true },
		{ STR("cpu/cycles-t/"), true },
		{ STR("instructions"), false },
		{ STR("cache-misses"), false },
		{ STR("page-faults"), false },
		{ STR("sched:sched_switch"), false },
		{ STR("stalled-cycles-frontend"), false },
		{ STR("cyclesx"), false },
		{ STR("cycle"), false },
		{ STR(""), false },
		{ STR("cpu/instructions/"), false },
		{ STR("probe:cycles"), false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		tap_ok(event_samples_time(cases[i].name) == cases[i].samples_time,
		       "%.*s samples %s", STR_ARG(cases[i].name),
		       cases[i].samples_time ? "time" : "something else");
}

static void check_names(void)
{
	bool ok = true;
	for (unsigned i = 0; i < FRAME_KIND_COUNT; i++)
		ok &= frame_kind_name(i) && frame_kind_name(i)[0];
	for (unsigned i = 0; i < LEDGER_LINES; i++)
		ok &= ledger_line_name(i) && ledger_line_name(i)[0];
	tap_ok(ok, "each kind of frame and each line of the ledger has a name");
	tap_ok(!ledger_line_is_damage(LEDGER_SAMPLES), "samples are no damage");
}

int main(void)
{
	check_new();
	check_strings();
	check_records();
	check_nodes();
	check_rows();
	check_many_rows();
	check_saturation();
	check_decimals();
	for (uint32_t samples = 0; samples < 2000; samples = samples * 2 + 1) {
		check_merge(0, samples, "sums");
		check_merge(COLUMN_TIME | COLUMN_CPU, samples, "times and cpus");
	}
	check_merged_ledger();
	check_labels();
	check_remarks();
	check_event_names();
	check_names();
	return tap_done();
}
