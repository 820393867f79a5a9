/* Chrome trace events as samples. */
#include "rows_of.h"

static struct profile *check(const char *text, const char *want, const char *name)
{
	return check_rows(&trace_format, text, COLUMN_TIME | COLUMN_PID | COLUMN_TID, want, name);
}

static uint64_t ledger_of(const struct profile *p, enum ledger_line line)
{
	return p->ledger.count[line];
}

/* An event of thread 2 of process 1. */
#define EVENT(phase, name, ts, ...)                                                                \
	"{\"ph\":\"" phase "\",\"name\":\"" name "\",\"pid\":1,\"tid\":2,\"ts\":" #ts __VA_ARGS__  \
	"}"
#define DUR(us) ",\"dur\":" #us

static void test_nesting(void)
{
	static const char nested[] = "trace ;a 1 10000 @10000\n"
				     "trace ;a;b 1 5000 @20000\n"
				     "trace ;a;b;c 1 5000 @25000\n"
				     "trace ;a 1 30000 @30000\n";
	profile_unref(check("[" EVENT("X", "a", 10, DUR(50)) "," EVENT(
				    "X", "b", 20, DUR(10)) "," EVENT("X", "c", 25, DUR(5)) "]",
			    nested, "X inside X"));
	profile_unref(check("[" EVENT("X", "c", 25, DUR(5)) "," EVENT(
				    "X", "b", 20, DUR(10)) "," EVENT("X", "a", 10, DUR(50)) "]",
			    nested, "the inner ones first"));
	profile_unref(check(
		"[" EVENT("B", "a", 10) "," EVENT("B", "b", 20) "," EVENT("B", "c", 25) "," EVENT(
			"E", "c", 30) "," EVENT("E", "b", 30) "," EVENT("E", "a", 60) "]",
		nested, "B and E"));
	profile_unref(check(
		"[" EVENT("E", "", 60) "," EVENT("E", "", 30) "," EVENT("B", "c", 25) "," EVENT(
			"E", "", 30) "," EVENT("B", "b", 20) "," EVENT("B", "a", 10) "]",
		nested, "in any order, ends without names"));
	profile_unref(check("[" EVENT("B", "b", 20) "," EVENT("E", "b", 30) "," EVENT(
				    "X", "a", 10, DUR(50)) "," EVENT("X", "c", 25, DUR(5)) "]",
			    nested, "X and B mixed"));
	profile_unref(check("[" EVENT("B", "b", 10) "," EVENT("E", "b", 15) "," EVENT("X", "a", 10,
										      DUR(10)) "]",
			    "trace ;a;b 1 5000 @10000\ntrace ;a 1 5000 @15000\n",
			    "at the same time the longer one is outside"));
	profile_unref(check("[" EVENT("B", "a", 1) "," EVENT("E", "a", 5) "," EVENT(
				    "B", "b", 5) "," EVENT("E", "b", 9) "]",
			    "trace ;a 1 4000 @1000\ntrace ;b 1 4000 @5000\n",
			    "one ends when the next begins"));
	profile_unref(check("[" EVENT("X", "a", 1.5, DUR(2.25)) "]", "trace ;a 1 2250 @1500\n",
			    "fractions of us are ns"));
	profile_unref(check("[" EVENT("X", "a", 1, DUR(0)) "," EVENT("X", "b", 1, DUR(4)) "," EVENT(
				    "X", "c", 3, DUR(0)) "]",
			    "trace ;b;a 1 0 @1000\ntrace ;b 1 2000 @1000\ntrace ;b;c 1 0 @3000\n"
			    "trace ;b 1 2000 @3000\n",
			    "calls without a length are there"));
}

static void test_faults(void)
{
	struct profile *p = check("[" EVENT("E", "x", 1) "," EVENT("B", "a", 10) "," EVENT(
					  "E", "x", 15) "," EVENT("E", "a", 20) "]",
				  "trace ;a 1 10000 @10000\n", "an end without a beginning");
	tap_num_eq(ledger_of(p, LEDGER_BAD_RECORDS), 2, "... is counted");
	tap_str_eq(profile_str(p, p->ledger.first_bad_text), STR("'x' ends but never began"),
		   "... and said");
	profile_unref(p);
	p = check("[" EVENT("B", "a", 10) "," EVENT("B", "b", 20) "," EVENT("i", "z", 50) "]",
		  "trace ;a 1 10000 @10000\ntrace ;a;b 1 30000 @20000\n",
		  "a beginning without an end lasts to the end of the trace");
	tap_num_eq(ledger_of(p, LEDGER_UNCLOSED), 2, "... is counted");
	tap_num_eq(ledger_of(p, LEDGER_BAD_RECORDS), 0, "... and no contradiction");
	profile_unref(p);
	p = check("[" EVENT("B", "a", 10) "," EVENT("B", "b", 20) "," EVENT("E", "a", 30) "]",
		  "trace ;a 1 10000 @10000\ntrace ;a;b 1 10000 @20000\n",
		  "an end by name ends what is inside");
	tap_num_eq(ledger_of(p, LEDGER_UNCLOSED), 1, "... which is counted");
	profile_unref(p);
	p = check("[" EVENT("X", "a", 10, DUR(10)) "," EVENT("X", "b", 15, DUR(10)) "]",
		  "trace ;a 1 5000 @10000\ntrace ;a;b 1 5000 @15000\n",
		  "what would outlive its caller is cut");
	tap_num_eq(ledger_of(p, LEDGER_BAD_RECORDS), 1, "... and counted");
	profile_unref(p);
	p = check("[" EVENT("X", "a", 10, DUR(10)) "," EVENT("X", "b", 15, DUR(5.5)) "]",
		  "trace ;a 1 5000 @10000\ntrace ;a;b 1 5000 @15000\n",
		  "not when times are rounded");
	tap_num_eq(ledger_of(p, LEDGER_BAD_RECORDS), 0, "... that is no contradiction");
	profile_unref(p);
	p = check("[1,{},{\"ph\":\"X\"},{\"name\":\"x\"}," EVENT("X", "a", 1, DUR(-3)) "," EVENT(
			  "C", "n", 1) "," EVENT("b", "n", 1) "," EVENT("s", "n", 1) "]",
		  "trace ;a 1 0 @1000\n", "events that are none");
	tap_num_eq(ledger_of(p, LEDGER_BAD_RECORDS), 3, "... are counted");
	tap_num_eq(ledger_of(p, LEDGER_NEGATIVE), 1, "... a negative length, too");
	tap_num_eq(ledger_of(p, LEDGER_OTHER_RECORDS), 3, "... and what is no call");
	profile_unref(p);
}

static void test_threads(void)
{
	struct profile *p = check(
		"[" EVENT("X", "a", 1,
			  DUR(1)) ",{\"ph\":\"X\",\"name\":\"b\",\"pid\":\"1\",\"tid\":3,"
				  "\"ts\":1,\"dur\":1},{\"ph\":\"X\",\"name\":\"c\",\"pid\":"
				  "\"gpu\",\"tid\":\"lane\","
				  "\"ts\":1,\"dur\":1},{\"ph\":\"M\",\"name\":\"process_name\","
				  "\"pid\":1,"
				  "\"args\":{\"name\":\"app\"}},{\"args\":{\"name\":\"main\"},"
				  "\"ph\":\"M\","
				  "\"name\":\"thread_name\",\"pid\":1,\"tid\":2}]",
		"trace main;a 1 1000 @1000\ntrace app;b 1 1000 @1000\ntrace lane;c 1 1000 @1000\n",
		"names of threads and processes");
	const struct thread *t = &p->threads.p[p->samples.thread[1]];
	tap_ok(t->pid == 1 && t->tid == 3, "numbers as texts are numbers");
	t = &p->threads.p[p->samples.thread[2]];
	tap_ok(t->pid == PID_UNKNOWN && t->tid == PID_UNKNOWN, "other texts are no numbers");
	profile_unref(p);
}

/* A profile in chunks; `id` as it comes. */
#define PROFILE(id, start)                                                                         \
	"{\"args\":{\"data\":{\"startTime\":" #start "}},\"id\":" id                               \
	",\"name\":\"Profile\",\"ph\":\"P\",\"pid\":1,\"tid\":2,\"ts\":" #start "}"
#define CHUNK(id, nodes, samples, deltas)                                                          \
	"{\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[" nodes "],\"samples\":[" samples         \
	"]},\"timeDeltas\":[" deltas "],\"lines\":[1]}},\"id\":" id                                \
	",\"name\":\"ProfileChunk\",\"ph\":\"P\",\"pid\":1,\"tid\":9,\"ts\":1}"
#define ROOT "{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"scriptId\":0}}"
#define F                                                                                          \
	"{\"id\":2,\"parent\":1,\"callFrame\":{\"functionName\":\"f\",\"url\":\"a.js\","           \
	"\"scriptId\":3,\"lineNumber\":4,\"columnNumber\":0}}"
#define G                                                                                          \
	"{\"id\":3,\"parent\":2,\"callFrame\":{\"functionName\":\"g\",\"url\":\"a.js\","           \
	"\"scriptId\":3}}"

static void test_profiles(void)
{
	struct profile *p = check(
		"{\"traceEvents\":[" EVENT("X", "t", 1000, DUR(5)) "," PROFILE(
			"\"0x1\"",
			1000) "," CHUNK("\"0x1\"", ROOT "," F, "2,2",
					"10,20") "," CHUNK("\"0x1\"", G, "3",
							   "30") ",{\"args\":{\"data\":{"
								 "\"endTime\":1100}},\"id\":"
								 "\"0x1\",\"name\":"
								 "\"ProfileChunk\",\"ph\":\"P\","
								 "\"pid\":1,\"tid\":9,\"ts\":2}]}",
		"cpu ;f a.js:5:1 1 20000 @1010000\ncpu ;f a.js:5:1 1 30000 @1030000\n"
		"cpu ;f a.js:5:1;g a.js 1 40000 @1060000\ntrace ;t 1 5000 @1000000\n",
		"a profile in chunks comes first");
	tap_num_eq((uint64_t)p->threads.p[p->samples.thread[0]].tid, 2,
		   "it is of the thread that began it");
	tap_num_eq(ledger_of(p, LEDGER_SAMPLES), 4, "samples and calls are counted");
	profile_unref(p);
	profile_unref(check(
		"[" PROFILE("1", 1000) "," PROFILE("2", 1000) "," CHUNK(
			"2", ROOT "," F, "2",
			"10") "," CHUNK("1", ROOT "," F, "2,1",
					"10,10") "," PROFILE("{}", 2000) "," CHUNK("{}", ROOT "," F,
										   "2", "1") "]",
		"cpu ;f a.js:5:1 1 10000 @1010000\ncpu  1 10000 @1020000\n"
		"cpu-2 ;f a.js:5:1 1 0 @1010000\ncpu ;f a.js:5:1 1 0 @2001000\n",
		"two profiles of a thread at once are two events, one after the other one"));
}

static void test_ends(void)
{
	static const struct {
		const char *text;
		bool is_damaged;
	} cases[] = {
		{ "[" EVENT("X", "a", 1, DUR(2)) "]", false },
		{ "[" EVENT("X", "a", 1, DUR(2)) "\n", false },
		{ "[" EVENT("X", "a", 1, DUR(2)) ",\n", false },
		{ "[" EVENT("X", "a", 1, DUR(2)) ",]", false },
		{ "[" EVENT("X", "a", 1, DUR(2)) ",{}]", false },
		{ "[" EVENT("X", "a", 1, DUR(2)) ",{", true },
		{ "[" EVENT("X", "a", 1, DUR(2)) ",{\"ph\":\"X\",\"args\":[1", true },
		{ "[" EVENT("X", "a", 1, DUR(2)) " x", true },
		{ "[" EVENT("X", "a", 1, DUR(2)) "] x", true },
		{ "{\"traceEvents\":[" EVENT("X", "a", 1, DUR(2)) "", true },
		{ "{\"traceEvents\":[" EVENT("X", "a", 1, DUR(2)) ",]}", false },
		{ "{\"traceEvents\":[" EVENT("X", "a", 1, DUR(2)) "]", true },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile *p = check(cases[i].text, "trace ;a 1 2000 @1000\n",
					  "the event before the end is there");
		tap_num_eq(ledger_of(p, LEDGER_INPUT_DAMAGED), cases[i].is_damaged,
			   "an end %zu: damage or none", i);
		profile_unref(p);
	}
}

/* Between two events of an array. */
static bool is_between(struct str text)
{
	while (text.n && (text.p[text.n - 1] == ',' || text.p[text.n - 1] == '\n'))
		text.n--;
	return text.n == 1 || str_ends(text, STR("}\n")) || str_ends(text, STR("}}")) ||
	       str_ends(text, STR("5}"));
}

static bool is_never(struct str text)
{
	(void)text;
	return false;
}

static void test_cuts(void)
{
	check_cuts(&trace_format,
		   STR("[" EVENT("X", "a", 10, DUR(5)) ",\n" EVENT("B", "b", 15) ",\n" EVENT(
			   "E", "b", 25) ",\n]"),
		   is_between, "an array");
	check_cuts(&trace_format,
		   STR("{\"traceEvents\":[" PROFILE("1", 1000) "," CHUNK("1", ROOT "," F, "2",
									 "10") "]}"),
		   is_never, "an object");
}

int main(void)
{
	test_cuts();
	test_nesting();
	test_faults();
	test_threads();
	test_profiles();
	test_ends();
	return tap_done();
}
