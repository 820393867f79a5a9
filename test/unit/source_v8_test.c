/* V8 CPU profiles as samples. */
#include "rows_of.h"

#define FRAME(name, url, line, column)                                                             \
	"\"callFrame\":{\"functionName\":\"" name "\",\"url\":\"" url "\",\"lineNumber\":" #line   \
	",\"columnNumber\":" #column "}"
#define ROOT(children)                                                                             \
	"{\"id\":1," FRAME("(root)", "", -1, -1) ",\"hitCount\":0,\"children\":[" children "]}"
#define F    "{\"id\":2," FRAME("f", "file:///app/a.js", 9, 4) ",\"hitCount\":2,\"children\":[3]}"
#define LEAF "{\"id\":2," FRAME("f", "file:///app/a.js", 9, 4) ",\"hitCount\":2}"
#define G    "{\"id\":3," FRAME("", "file:///app/a.js", 0, 0) ",\"hitCount\":1}"

static uint64_t ledger_of(const struct profile *p, enum ledger_line line)
{
	return p->ledger.count[line];
}

static struct profile *check(const char *text, const char *want, const char *name)
{
	return check_rows(&cpuprofile_format, text, COLUMN_TIME, want, name);
}

static const struct frame *frame_named(const struct profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->frames.n; i++)
		if (str_eq(profile_str(p, p->frames.p[i].name), str_from(name)))
			return &p->frames.p[i];
	static const struct frame none = { 0 };
	return &none;
}

static void test_current_form(void)
{
	struct profile *p =
		check("{\"nodes\":[" ROOT("2") "," F "," G "],\"startTime\":1000,\"endTime\":1500,"
					       "\"samples\":[2,3,1],\"timeDeltas\":[10,100,50]}",
		      "cpu ;f /app/a.js:10:5 1 100000 @1010000\n"
		      "cpu ;f /app/a.js:10:5;(anonymous) /app/a.js:1:1 1 50000 @1110000\n"
		      "cpu  1 340000 @1160000\n",
		      "a sample lasts to the next one, the last to the end");
	const struct frame *f = frame_named(p, "f /app/a.js:10:5");
	tap_str_eq(profile_str(p, f->file), STR("/app/a.js"), "the file");
	tap_num_eq(f->line, 10, "the line, from 1");
	tap_num_eq(f->column, 5, "the column, from 1");
	tap_num_eq(f->kind, FRAME_JIT, "a function with a file is JavaScript");
	tap_num_eq(ledger_of(p, LEDGER_SAMPLES), 3, "samples are counted");
	tap_num_eq(ledger_of(p, LEDGER_FRAMES), 3, "frames are counted");
	tap_num_eq(ledger_of(p, LEDGER_NO_STACK), 1, "the root is no frame");
	tap_num_eq(ledger_of(p, LEDGER_BAD_RECORDS), 0, "nothing is wrong");
	tap_str_eq(profile_str(p, p->events.p[0].unit), STR("ns"), "the unit");
	tap_ok(p->events.p[0].counts_periods, "the weight is the time");
	profile_unref(p);
}

static void test_any_order(void)
{
	profile_unref(check("{\"timeDeltas\":[10,100],\"samples\":[2,3],\"endTime\":1500,"
			    "\"startTime\":1000,\"nodes\":[" G "," F "," ROOT("2") "]}",
			    "cpu ;f /app/a.js:10:5 1 100000 @1010000\n"
			    "cpu ;f /app/a.js:10:5;(anonymous) /app/a.js:1:1 1 390000 @1110000\n",
			    "keys and nodes in any order"));
}

static void test_late_samples(void)
{
	profile_unref(check(
		"{\"nodes\":[" ROOT("2,3") "," F "," G "],\"startTime\":0,\"endTime\":30,"
					   "\"samples\":[2,3,1,2],\"timeDeltas\":[10,10,-15,0]}",
		"cpu  1 0 @5000\n"
		"cpu ;f /app/a.js:10:5 1 5000 @5000\n"
		"cpu ;f /app/a.js:10:5 1 10000 @10000\n"
		"cpu ;(anonymous) /app/a.js:1:1 1 10000 @20000\n",
		"samples that come late are put where they belong, of equals the first first"));
}

static void test_times(void)
{
	struct profile *p;
	profile_unref(check("{\"nodes\":[" ROOT("2") "," LEAF "],\"samples\":[2,2,2],"
						     "\"timeDeltas\":[10,20,40]}",
			    "cpu ;f /app/a.js:10:5 1 20000 @10000\n"
			    "cpu ;f /app/a.js:10:5 1 40000 @30000\n"
			    "cpu ;f /app/a.js:10:5 1 30000 @70000\n",
			    "without an end the last is as long as the others"));
	profile_unref(check("{\"nodes\":[" ROOT("2") "," LEAF "],\"startTime\":100,\"endTime\":300,"
						     "\"samples\":[2,2]}",
			    "cpu ;f /app/a.js:10:5 1 100000 @100000\n"
			    "cpu ;f /app/a.js:10:5 1 100000 @200000\n",
			    "without times samples stand at equal distances"));
	p = check("{\"nodes\":[" ROOT("2") "," LEAF "],\"samples\":[2,2]}",
		  "samples ;f /app/a.js:10:5 1 1 @0\nsamples ;f /app/a.js:10:5 1 1 @0\n",
		  "without any time samples are counted");
	tap_num_eq(ledger_of(p, LEDGER_NO_TIME), 2, "... and have none");
	profile_unref(p);
	p = check("{\"nodes\":[" ROOT("2") "," LEAF "],\"startTime\":0,\"endTime\":30,"
					   "\"samples\":[2,2,2],\"timeDeltas\":[0,10]}",
		  "cpu ;f /app/a.js:10:5 1 10000 @0\n"
		  "cpu ;f /app/a.js:10:5 1 10000 @10000\n"
		  "cpu ;f /app/a.js:10:5 1 10000 @0\n",
		  "a sample without a time lasts as long as the others");
	tap_num_eq(ledger_of(p, LEDGER_NO_TIME), 1, "... and is counted");
	tap_num_eq(ledger_of(p, LEDGER_BAD_RECORDS), 1, "... as a contradiction");
	profile_unref(p);
	profile_unref(check("{\"nodes\":[" ROOT("2") "," LEAF
						     "],\"startTime\":0.5,\"endTime\":30.25,"
						     "\"samples\":[2],\"timeDeltas\":[0.125]}",
			    "cpu ;f /app/a.js:10:5 1 29625 @625\n", "fractions of us are ns"));
	profile_unref(check("{\"nodes\":[" ROOT("2") "," LEAF "],\"samples\":[2,2],"
						     "\"timeDeltas\":[0,9223372036854775807]}",
			    "cpu ;f /app/a.js:10:5 1 9223372036854775807 @0\n"
			    "cpu ;f /app/a.js:10:5 1 0 @9223372036854775807\n",
			    "times that do not fit are held"));
}

static void test_hits(void)
{
	struct profile *p = check("{\"nodes\":[" ROOT("2") "," F "," G "]}",
				  "samples ;f /app/a.js:10:5 2 2 @0\n"
				  "samples ;f /app/a.js:10:5;(anonymous) /app/a.js:1:1 1 1 @0\n",
				  "without samples hits are counted");
	tap_ok(p->events.p[0].has_only_sums, "... as sums");
	tap_num_eq(ledger_of(p, LEDGER_SAMPLES), 3, "... in the ledger, too");
	profile_unref(p);
}

static void test_old_form(void)
{
	static const char text[] =
		"{\"head\":{\"functionName\":\"(root)\",\"url\":\"\",\"lineNumber\":0,\"id\":1,"
		"\"children\":[{\"children\":[{\"functionName\":\"g\",\"url\":\"a.js\",\"id\":3,"
		"\"lineNumber\":7,\"columnNumber\":2,\"children\":[]}],\"functionName\":\"f\","
		"\"url\":\"a.js\",\"lineNumber\":3,\"id\":2}]},"
		"\"startTime\":1.5,\"endTime\":1.500050,\"samples\":[2,3],"
		"\"timestamps\":[1500010,1500030]}";
	static const char text_times_first[] =
		"{\"startTime\":1.5,\"endTime\":1.6,\"head\":{\"functionName\":\"f\",\"id\":1},"
		"\"samples\":[1],\"timestamps\":[1500000]}";
	profile_unref(check(text,
			    "cpu ;f a.js:3 1 20000 @1500010000\n"
			    "cpu ;f a.js:3;g a.js:7:2 1 20000 @1500030000\n",
			    "the old form: nested, lines from 1, the whole in seconds"));
	profile_unref(check(text_times_first, "cpu ;f 1 100000000 @1500000000\n",
			    "the old form with its times in front"));
}

static void test_contradictions(void)
{
	struct profile *p =
		check("{\"nodes\":[{\"id\":1,\"children\":[2]," FRAME(
			      "a", "", 0,
			      0) "},{\"id\":2,\"children\":[1]," FRAME("b", "", 0,
								       0) "}],\"samples\":[1,2],"
									  "\"timeDeltas\":[0,1],"
									  "\"endTime\":2}",
		      "cpu ;b;a 1 1000 @0\ncpu ;b 1 1000 @1000\n", "a cycle is cut");
	tap_num_eq(ledger_of(p, LEDGER_BAD_RECORDS), 1, "... and counted");
	tap_str_eq(profile_str(p, p->ledger.first_bad_text), STR("node 1 is its own ancestor"),
		   "... and said");
	profile_unref(p);
	p = check("{\"nodes\":[{\"id\":1,\"children\":[1]," FRAME(
			  "a", "", 0, 0) "}],\"samples\":[1],\"timeDeltas\":[0],\"endTime\":2}",
		  "cpu ;a 1 2000 @0\n", "a node inside itself");
	tap_num_eq(ledger_of(p, LEDGER_BAD_RECORDS), 1, "... is counted");
	profile_unref(p);
	p = check("{\"nodes\":[" ROOT("2,3") "," F "," G "],\"samples\":[3],\"timeDeltas\":[0],"
					     "\"endTime\":1}",
		  "cpu ;(anonymous) /app/a.js:1:1 1 1000 @0\n", "of two parents the first");
	tap_str_eq(profile_str(p, p->ledger.first_bad_text), STR("node 3 has two parents"),
		   "... and said");
	profile_unref(p);
	p = check("{\"nodes\":[" ROOT("2") "," LEAF "," LEAF "],\"samples\":[2,7,-1,2],"
					   "\"timeDeltas\":[0,1,1,1],\"endTime\":4}",
		  "cpu ;f /app/a.js:10:5 1 1000 @0\ncpu ;f /app/a.js:10:5 1 1000 @3000\n",
		  "samples of nodes that are not there take their time with them");
	tap_num_eq(ledger_of(p, LEDGER_BAD_RECORDS), 3, "one id twice and two samples");
	profile_unref(p);
	p = check("{\"nodes\":[7,{\"id\":2,\"parent\":9," FRAME(
			  "a", "", 0, 0) "}],\"samples\":[2],\"timeDeltas\":[0],\"endTime\":1}",
		  "cpu ;a 1 1000 @0\n", "a node that is none, and a parent that is not there");
	tap_num_eq(ledger_of(p, LEDGER_BAD_RECORDS), 2, "... are counted");
	profile_unref(p);
}

static void test_kinds(void)
{
	static const struct {
		const char *name, *url, *script;
		enum frame_kind kind;
	} cases[] = {
		{ "f", "file:///a.js", "1", FRAME_JIT },
		{ "f", "node:fs", "0", FRAME_JIT },
		{ "f", "", "5", FRAME_JIT }, /* eval */
		{ "now", "", "0", FRAME_BUILTIN },
		{ "wasm-function[1]", "wasm://wasm/1", "3", FRAME_WASM },
		{ "(garbage collector)", "", "0", FRAME_GC },
		{ "(program)", "", "0", FRAME_USER },
		{ "(idle)", "", "0", FRAME_USER },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(buf) struct buf text = { 0 };
		buf_addf(&text,
			 "{\"nodes\":[{\"id\":1,\"hitCount\":1,\"callFrame\":{\"functionName\":"
			 "\"%s\",\"url\":\"%s\",\"scriptId\":\"%s\"}}]}",
			 cases[i].name, cases[i].url, cases[i].script);
		struct profile *p = profile_of_text(&cpuprofile_format, buf_str(&text), 0, 0);
		tap_num_eq(p->frames.p[0].kind, cases[i].kind, "%s '%s' is %s", cases[i].name,
			   cases[i].url, frame_kind_name(cases[i].kind));
		profile_unref(p);
	}
}

static void test_own_keys(void)
{
	struct profile *p = check(
		"{\"nodes\":[{\"id\":1,\"children\":[2,4]," FRAME(
			"(root)", "", -1,
			-1) "},{\"id\":2,\"children\":[3],\"plume\":{\"thread\":true,\"pid\":7,"
			    "\"tid\":8}," FRAME("node", "", -1,
						-1) "},{\"id\":3,\"plume\":{\"kind\":\"kernel\","
						    "\"name\":\"vfs_read\",\"module\":\"[kernel]\","
						    "\"inlined\":true}," FRAME(
							    "x", "file:///k.c", 4,
							    -1) "},{\"id\":4,\"plume\":{\"gap\":"
								"true}," FRAME("(idle)", "", -1,
									       -1) "}],"
										   "\"startTime\":"
										   "0,\"endTime\":"
										   "8,"
										   "\"samples\":[3,"
										   "4,3],"
										   "\"timeDeltas\":"
										   "[0,2,2],"
										   "\"plume\":{"
										   "\"event\":"
										   "\"cycles\","
										   "\"unit\":"
										   "\"samples\","
										   "\"weight\":"
										   "\"samples\","
										   "\"length\":"
										   "\"count\","
										   "\"lengthNs\":"
										   "2000,"
										   "\"periods\":["
										   "55,0,66]}}",
		"cycles node;vfs_read 1 55 @0\ncycles node;vfs_read 2 66 @4000\n",
		"what plume wrote");
	const struct frame *f = frame_named(p, "vfs_read");
	tap_num_eq(f->kind, FRAME_KERNEL, "its kind");
	tap_num_eq(f->flags, FRAME_INLINED, "its flag");
	tap_num_eq(f->line, 5, "its line");
	tap_str_eq(profile_str(p, f->module), STR("[kernel]"), "its module");
	tap_ok(!p->events.p[0].counts_periods, "its weight");
	profile_unref(p);
}

static void test_depth(void)
{
	enum { DEEP = MAX_STACK_FRAMES + 5 };
	AUTO(buf) struct buf text = { 0 };
	buf_addf(&text, "{\"nodes\":[");
	for (uint32_t i = 1; i <= DEEP; i++)
		buf_addf(&text,
			 "%s{\"id\":%u,\"callFrame\":{\"functionName\":\"f\"},\"parent\":%u}",
			 i > 1 ? "," : "", i, i - 1 ? i - 1 : DEEP + 1);
	buf_addf(&text, "],\"samples\":[%u],\"timeDeltas\":[0],\"endTime\":1}", DEEP);
	struct profile *p = profile_of_text(&cpuprofile_format, buf_str(&text), 0, 0);
	tap_num_eq(ledger_of(p, LEDGER_CUT_STACKS), 1, "a stack beyond the limit is cut");
	tap_num_eq(ledger_of(p, LEDGER_FRAMES), MAX_STACK_FRAMES, "... to the limit");
	profile_unref(p);
	text.n = 0;
	buf_addf(&text, "{\"head\":");
	for (uint32_t i = 1; i <= 300000; i++)
		buf_addf(&text, "{\"id\":%u,\"functionName\":\"f\",\"children\":[", i);
	for (uint32_t i = 1; i <= 300000; i++)
		buf_addf(&text, "]}");
	buf_addf(&text, ",\"samples\":[300000],\"timestamps\":[1],\"endTime\":1}");
	p = profile_of_text(&cpuprofile_format, buf_str(&text), 0, 0);
	tap_num_eq(ledger_of(p, LEDGER_FRAMES), 300000, "300,000 nodes inside each other");
	profile_unref(p);
}

static bool is_never(struct str text)
{
	(void)text;
	return false;
}

static void test_cuts(void)
{
	check_cuts(&cpuprofile_format,
		   STR("{\"nodes\":[" ROOT(
			   "2") "," F "," G
				"],\"startTime\":0,\"endTime\":30.5,\"samples\":[2,3,1,2],"
				"\"timeDeltas\":[10,10,-15,0]}"),
		   is_never, "a profile");
}

int main(void)
{
	test_cuts();
	test_current_form();
	test_any_order();
	test_late_samples();
	test_times();
	test_hits();
	test_old_form();
	test_contradictions();
	test_kinds();
	test_own_keys();
	test_depth();
	return tap_done();
}
