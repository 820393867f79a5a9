/* Firefox profiles of profiles that no text format has: marks, units, renamed threads. */
#include "written.h"

static frame_id named(struct profile *p, const char *name, const char *module)
{
	struct frame f = { .name = profile_add_str(p, str_from(name)),
			   .module = profile_add_str(p, str_from(module)) };
	return profile_add_frame(p, &f);
}

static thread_id thread_named(struct profile *p, int32_t pid, int32_t tid, const char *comm)
{
	return profile_add_thread(
		p, (struct thread){ pid, tid, profile_add_str(p, str_from(comm)), STR_NONE });
}

static event_id event_named(struct profile *p, const char *name, const char *unit)
{
	return profile_add_event(p, (struct event){ .name = profile_add_str(p, str_from(name)),
						    .unit = profile_add_str(p, str_from(unit)),
						    .counts_periods = true });
}

static void add(struct profile *p, struct sample s)
{
	s.cpu = -1;
	s.count = 1;
	p->ledger.count[LEDGER_SAMPLES]++;
	profile_add_sample(p, &s);
}

struct written {
	struct buf text, notes;
};

static void written_fini(struct written *w)
{
	buf_fini(&w->text);
	buf_fini(&w->notes);
}

static void write_firefox(struct profile *p, struct written *w)
{
	profile_seal(p);
	write_as(&firefox_sink, p, &w->text, &w->notes);
	profile_unref(p);
}

static void check_units(void)
{
	AUTO(written) struct written w = { 0 };
	struct profile *p = profile_new(firefox_sink.columns);
	node_id node = profile_add_node(p, NODE_ROOT, named(p, "f", "/bin/a"));
	static const char *const units[] = { "ns", "us", "s", "bytes", "cycles" };
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		add(p, (struct sample){ .node = node,
					.event = event_named(p, units[i], units[i]),
					.time_ns = 5000000,
					.period = 1500 });
	write_firefox(p, &w);
	tap_ok(holds(&w.text, "\"weightType\":\"tracing-ms\",\"weight\":[0.0015]"), "ns are ms");
	tap_ok(holds(&w.text, "\"weightType\":\"tracing-ms\",\"weight\":[1.5]"), "us are ms");
	tap_ok(holds(&w.text, "\"weightType\":\"tracing-ms\",\"weight\":[1500000]"), "s are ms");
	tap_ok(holds(&w.text, "\"weightType\":\"bytes\",\"weight\":[1500]"), "bytes are bytes");
	tap_ok(holds(&w.text, "\"weightType\":\"samples\",\"weight\":[1500]"), "others are counts");
	tap_ok(holds(&w.text, "\"initialVisibleThreads\":[0]"), "the first event is shown");
	tap_ok(holds(&w.notes, "event ns; those of us, s, bytes, cycles"), "others are named");
}

static void check_threads(void)
{
	AUTO(written) struct written w = { 0 };
	struct profile *p = profile_new(firefox_sink.columns);
	event_id event = event_named(p, "cycles", "samples");
	thread_id worker = thread_named(p, 10, 11, "worker"),
		  before = thread_named(p, 10, 10, "sh"), after = thread_named(p, 10, 10, "node");
	static const uint64_t times[] = { 9000000, 1000000, 4000000 };
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		add(p, (struct sample){ .thread = worker,
					.event = event,
					.time_ns = times[i],
					.period = i + 1 });
	add(p, (struct sample){ .thread = before, .event = event, .time_ns = 2000000 });
	add(p, (struct sample){ .thread = after, .event = event, .time_ns = 3000000 });
	add(p, (struct sample){ .thread = after, .event = event, .time_ns = 3500000 });
	write_firefox(p, &w);
	tap_ok(holds(&w.text, "\"time\":[0,3,8]"), "samples are in order, from the first on");
	tap_ok(holds(&w.text, "\"weight\":[2,3,1]"), "... with their weights");
	tap_ok(holds(&w.text, "\"name\":\"sh\",\"processName\":\"node\",\"pid\":\"10\",\"tid\":10,"
			      "\"isMainThread\":false"),
	       "a thread before it took another name is no main thread");
	tap_ok(holds(&w.text, "\"name\":\"node\",\"processName\":\"node\",\"pid\":\"10\",\"tid\":"
			      "\"10.1\",\"isMainThread\":true"),
	       "... and has another tid with more samples");
	tap_ok(holds(&w.text,
		     "\"name\":\"worker\",\"processName\":\"node\",\"pid\":\"10\",\"tid\":11,"
		     "\"isMainThread\":false"),
	       "the busiest thread is not the main one");
}

static void check_marks(void)
{
	AUTO(written) struct written w = { 0 };
	struct profile *p = profile_new(firefox_sink.columns);
	thread_id thread = thread_named(p, 1, 1, "node");
	add(p, (struct sample){ .thread = thread,
				.event = event_named(p, "x", "samples"),
				.time_ns = 3000000 });
	struct mark m = { .time_ns = 2000000,
			  .duration_ns = 500000,
			  .thread = thread,
			  .kind = profile_add_str(p, STR("gc")),
			  .text = profile_add_str(p, STR("scavenge")) };
	profile_add_mark(p, m);
	m = (struct mark){ .time_ns = 4000000, .kind = profile_add_str(p, STR("exit")) };
	profile_add_mark(p, m);
	profile_add_fact(p, STR("command"), STR("node app.js"));
	write_firefox(p, &w);
	tap_ok(holds(&w.text, "\"startTime\":[0,2],\"endTime\":[0.5,null],\"phase\":[1,0],"
			      "\"category\":[6,0]"),
	       "marks have times and phases");
	tap_ok(holds(&w.text, "{\"type\":\"mark\",\"text\":\"scavenge\"}"), "... and texts");
	tap_ok(holds(&w.text, "\"time\":[1]"), "time begins with the first mark");
	tap_ok(holds(&w.text, "\"product\":\"node app.js\""), "the product is the command");
}

static void check_inlines(void)
{
	AUTO(written) struct written w = { 0 };
	struct profile *p = profile_new(firefox_sink.columns);
	frame_id outer = named(p, "outer", "/bin/a");
	struct frame f = p->frames.p[outer];
	f.flags = FRAME_INLINED;
	f.name = profile_add_str(p, STR("inner"));
	f.file = profile_add_str(p, STR("a.c"));
	f.line = 7;
	frame_id inner = profile_add_frame(p, &f);
	node_id node = profile_add_node(p, NODE_ROOT, outer);
	node = profile_add_node(p, node, inner);
	node = profile_add_node(p, node, inner);
	add(p, (struct sample){ .node = node, .event = event_named(p, "x", "samples") });
	p->ledger.count[LEDGER_NO_TIME] = 1;
	write_firefox(p, &w);
	tap_ok(holds(&w.text, "\"inlineDepth\":[0,1,2]"), "depth of inlined frames");
	tap_ok(holds(&w.text, "\"nativeSymbol\":[0,0,0]"), "... in one symbol");
	tap_ok(holds(&w.text, "\"line\":[null,7,7]"), "... with their lines");
	tap_ok(holds(&w.text, "\"prefix\":[null,0,1]"), "... below each other");
	tap_ok(holds(&w.notes, "no timestamps: samples are placed 1 ms apart"),
	       "no times, which is said");
}

/* A profile without a single sample is still one that opens. */
static void check_nothing(void)
{
	AUTO(written) struct written w = { 0 };
	write_firefox(profile_new(firefox_sink.columns), &w);
	tap_ok(holds(&w.text, "\"threads\":[{\"name\":\"all\""), "nothing at all is one thread");
}

int main(void)
{
	check_units();
	check_threads();
	check_marks();
	check_inlines();
	check_nothing();
	return tap_done();
}
