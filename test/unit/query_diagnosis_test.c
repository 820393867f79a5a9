/* What a profile lacks: findings, their marks, frames without a name by file, and what a selection leaves of them. */
#include "query/query.h"
#include "tap.h"

static frame_id add_frame(struct profile *p, const char *name, const char *module, unsigned kind)
{
	struct frame f = { .name = profile_add_str(p, str_from(name)),
			   .module = profile_add_str(p, str_from(module)),
			   .kind = (uint8_t)kind };
	return profile_add_frame(p, &f);
}

static void add_sample(struct profile *p, node_id node, uint64_t count)
{
	struct event clock = { .name = profile_add_str(p, STR("cpu-clock")) };
	struct sample s = { .node = node,
			    .event = profile_add_event(p, clock),
			    .count = count,
			    .period = count,
			    .time_ns = 1000000000ull * (p->samples.n + 1),
			    .cpu = -1 };
	profile_add_sample(p, &s);
	p->ledger.count[LEDGER_SAMPLES] += count;
}

/* main; main;[libfoo]; main;[libfoo];[kernel]: 100 samples each. */
static struct profile *recorded(void)
{
	struct profile *p = profile_new(COLUMN_TIME);
	node_id top = profile_add_node(p, NODE_ROOT, add_frame(p, "main", "/bin/a", FRAME_USER));
	node_id foo = profile_add_node(p, top, add_frame(p, "", "/lib/libfoo.so", FRAME_UNKNOWN));
	node_id kernel =
		profile_add_node(p, foo, add_frame(p, "", "[kernel.kallsyms]", FRAME_KERNEL));
	add_sample(p, top, 100);
	add_sample(p, foo, 100);
	add_sample(p, kernel, 100);
	p->ledger.count[LEDGER_FRAMES] = 600;
	p->ledger.count[LEDGER_UNKNOWN_FRAMES] = 300;
	profile_add_fact(p, STR("event"), STR("cpu-clock, 99 Hz"));
	return p;
}

static void add_reason(struct profile *p, const char *module, const char *reason, uint64_t frames)
{
	profile_add_unnamed(p, (struct unnamed){ profile_add_str(p, str_from(module)),
						 profile_add_str(p, str_from(reason)),
						 profile_add_str(p, STR("buy another")), frames });
}

/* The finding of a key, or NULL. */
static const struct finding *found(const struct diagnosis *d, const char *key)
{
	for (uint32_t i = 0; i < d->findings.n; i++)
		if (strcmp(d->findings.p[i].key, key) == 0)
			return &d->findings.p[i];
	return NULL;
}

static void examine(const struct profile *p, struct diagnosis *d)
{
	AUTO(recording) struct recording r = { 0 };
	AUTO(unnamed_rows) struct unnamed_rows u = { 0 };
	recording_of(p, &r);
	unnamed_rows_of(p, &u);
	diagnose(p, &r, &u, d);
}

static void check_mark(enum ledger_line line, uint64_t count, const char *key,
		       enum finding_mark want, const char *name)
{
	struct profile *p = recorded();
	AUTO(diagnosis) struct diagnosis d = { 0 };
	p->ledger.count[line] = count;
	examine(p, &d);
	const struct finding *f = found(&d, key);
	tap_ok(f && f->mark == want, "%s", name);
	profile_unref(p);
}

static void check_marks(void)
{
	check_mark(LEDGER_LOST, 0, "lost", FINDING_OK, "nothing lost is well");
	check_mark(LEDGER_LOST, 1, "lost", FINDING_WARN, "one lost sample is a warning");
	check_mark(LEDGER_LOST, 100, "lost", FINDING_BAD, "a quarter lost is bad");
	check_mark(LEDGER_THROTTLED, 1, "throttled", FINDING_WARN, "throttling is a warning");
	check_mark(LEDGER_TRUNCATED, 1, "truncated", FINDING_OK, "one cut stack in 300 is well");
	check_mark(LEDGER_TRUNCATED, 10, "truncated", FINDING_WARN, "ten are a warning");
	check_mark(LEDGER_TRUNCATED, 100, "truncated", FINDING_BAD, "a third is bad");
	check_mark(LEDGER_UNROOTED, 10, "unrooted", FINDING_OK, "3 % without a root are well");
	check_mark(LEDGER_UNROOTED, 50, "unrooted", FINDING_WARN, "17 % are a warning");
	check_mark(LEDGER_UNROOTED, 150, "unrooted", FINDING_BAD, "half is bad");
	check_mark(LEDGER_NO_INLINES, 3, "inlines", FINDING_WARN, "no inlines are a warning");
	check_mark(LEDGER_BAD_LINES, 3, "damage", FINDING_BAD, "damage is bad");
	check_mark(LEDGER_SAMPLES, 300, "damage", FINDING_OK, "without it, the file is complete");
}

static void check_order(void)
{
	struct profile *p = recorded();
	AUTO(diagnosis) struct diagnosis d = { 0 };
	p->ledger.count[LEDGER_LOST] = 1;
	profile_add_note(p, STR("read as perf.data"));
	examine(p, &d);
	bool is_sorted = d.findings.n > 3;
	for (uint32_t i = 1; i < d.findings.n; i++)
		is_sorted &= d.findings.p[i].mark >= d.findings.p[i - 1].mark;
	tap_ok(is_sorted, "the worst comes first");
	const struct finding *lost = found(&d, "lost");
	tap_ok(lost && lost->count == 1 && lost->total == 301 && lost->fix.n,
	       "a finding says how much of how much, and what to do");
	tap_ok(found(&d, "note") != NULL, "notes are there");
	profile_unref(p);
}

/* Text does not say what was lost: that must not read as if nothing was. */
static void check_not_known(void)
{
	struct profile *p = recorded();
	AUTO(diagnosis) struct diagnosis d = { 0 };
	p->facts.n = 0;
	examine(p, &d);
	tap_ok(!found(&d, "lost") && !found(&d, "unrooted") && found(&d, "recording"),
	       "what is not known is not called well");
	profile_unref(p);
}

static void check_no_callers(void)
{
	struct profile *p = profile_new(COLUMN_TIME);
	frame_id inlined = add_frame(p, "inner", "/bin/a", FRAME_USER);
	p->frames.p[inlined].flags = FRAME_INLINED;
	node_id top = profile_add_node(p, NODE_ROOT, add_frame(p, "main", "/bin/a", FRAME_USER));
	AUTO(diagnosis) struct diagnosis d = { 0 };
	add_sample(p, profile_add_node(p, top, inlined), 5);
	p->ledger.count[LEDGER_UNROOTED] = 5;
	examine(p, &d);
	const struct finding *f = found(&d, "stacks");
	tap_ok(f && f->mark == FINDING_BAD, "functions alone are no stacks, inlined ones or not");
	tap_ok(!found(&d, "unrooted"), "... and that is said once");
	profile_unref(p);
}

static void check_events(void)
{
	struct profile *p = recorded();
	AUTO(recording) struct recording r = { 0 };
	AUTO(diagnosis) struct diagnosis d = { 0 };
	profile_add_fact(p, STR("event"), STR("cycles, 4000 Hz"));
	profile_add_fact(p, STR("event"), STR("dummy:HG, 1 Hz"));
	recording_of(p, &r);
	tap_num_eq(r.events.n, 2, "events without samples are known by their facts, dummies aside");
	tap_str_eq(r.events.p[0].about, STR("99 Hz"), "the rate is the event's");
	tap_num_eq(r.events.p[0].samples, 300, "its samples are counted");
	examine(p, &d);
	const struct finding *f = found(&d, "events");
	tap_ok(f && f->mark == FINDING_WARN && str_starts(f->what, STR("cycles")),
	       "an event without samples is a warning");
	profile_unref(p);
}

static void check_unnamed(void)
{
	struct profile *p = recorded();
	AUTO(unnamed_rows) struct unnamed_rows u = { 0 };
	unnamed_rows_of(p, &u);
	tap_ok(u.rows.n == 2 && !u.has_reasons, "without reasons, files are known by the stacks");
	tap_ok(str_eq(u.rows.p[0].module, STR("/lib/libfoo.so")) && u.rows.p[0].frames == 200 &&
		       u.rows.p[1].frames == 100,
	       "... and their frames, the kernel's as well");
	unnamed_rows_fini(&u);
	add_reason(p, "[kernel.kallsyms]", "it hides", 100);
	add_reason(p, "/lib/libfoo.so", "it is stripped: no names", 150);
	add_reason(p, "/lib/libfoo.so", "it is stripped: no names", 50);
	unnamed_rows_of(p, &u);
	tap_ok(u.rows.n == 2 && u.rows.p[0].frames == 200, "equal rows are one, the largest first");
	AUTO(buf) struct buf text = { 0 };
	unnamed_row_add_brief(&text, &u.rows.p[0]);
	tap_str_eq(buf_str(&text), STR("libfoo.so (it is stripped: no names)"),
		   "a row in a few words");
	profile_unref(p);
}

static void check_brief(const char *module, const char *reason, const char *want, const char *name)
{
	struct unnamed_row row = { .module = str_from(module), .reason = str_from(reason) };
	AUTO(buf) struct buf text = { 0 };
	unnamed_row_add_brief(&text, &row);
	tap_str_eq(buf_str(&text), str_from(want), "%s", name);
}

static void check_briefs(void)
{
	check_brief("/tmp/x/repl", "/tmp/x/repl: Permission denied",
		    "repl (/tmp/x/repl: Permission denied)", "a reason is more than its path");
	check_brief("/bin/a", "", "a", "a row without a reason");
	check_brief("/bin/a",
		    "neither its build id nor its inode was recorded: /usr/lib/a may be another "
		    "version, so it is not used for names",
		    "a (neither its build id nor its inode was recorded: /usr/lib/a may be another "
		    "version, so it is not ...)",
		    "a long reason ends with a word");
}

static void check_long_path(void)
{
	enum { LENGTH = 5000 };
	AUTO(buf) struct buf path = { 0 };
	AUTO(buf) struct buf text = { 0 };
	for (int i = 0; i < LENGTH; i++)
		buf_addf(&path, "\xc3\xa4");
	buf_addf(&path, "/end.so");
	struct unnamed_row row = { .module = buf_str(&path), .reason = buf_str(&path) };
	unnamed_row_add_brief(&text, &row);
	tap_ok(text.n < 100, "a path of any length makes a short row");
	text.n = 0;
	add_short_words(&text, buf_str(&path), 30);
	tap_str_eq(buf_str(&text),
		   STR("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4..."
		       "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4/end.so"),
		   "it is cut in the middle, between characters");
	text.n = 0;
	add_short_words(&text, STR("a  b "), 3);
	tap_str_eq(buf_str(&text), STR("a  b "), "short words stay as they are");
}

/* Why a recording has no samples, by what else is known of it. */
static void check_no_samples(struct str note, enum ledger_line damage, const char *why,
			     const char *name)
{
	struct profile *p = profile_new(COLUMN_TIME);
	AUTO(diagnosis) struct diagnosis d = { 0 };
	if (note.n)
		profile_add_note(p, note);
	if (damage < LEDGER_LINES)
		p->ledger.count[damage] = 1;
	examine(p, &d);
	const struct finding *f = found(&d, "samples"), *whole = found(&d, "damage");
	tap_ok(f && str_find(f->why, str_from(why)) >= 0, "no samples: %s", name);
	tap_ok((whole && whole->mark == FINDING_OK) == (!note.n && damage == LEDGER_LINES),
	       "... and whole or not");
	tap_ok(!found(&d, "recording") && !found(&d, "note"), "... and nothing beside it");
	tap_ok(!found(&d, "unfinished") == !note.n, "... and ended or not");
	profile_unref(p);
}

static void check_why_no_samples(void)
{
	struct str note = STR("perf record was killed or is still running: no names");
	check_no_samples(STR(""), LEDGER_LINES, "nothing ran", "the file is complete");
	check_no_samples(note, LEDGER_LINES, "perf record was killed", "it was not ended");
	check_no_samples(STR(""), LEDGER_INPUT_DAMAGED, "before the damage", "it is damaged");
	check_no_samples(STR(""), LEDGER_BAD_RECORDS, "is a sample", "it contradicts itself");
}

static void check_advice_for(struct str key, struct str text, const char *want)
{
	struct profile *p = profile_new(COLUMN_TIME);
	AUTO(diagnosis) struct diagnosis d = { 0 };
	profile_add_fact(p, key, text);
	examine(p, &d);
	const struct finding *f = found(&d, "samples");
	tap_ok(f && str_starts(f->fix, str_from(want)), "%s", want);
	profile_unref(p);
}

static void check_advice_by_recorder(void)
{
	check_advice_for(STR("plume"), STR("1.0.0"), "plume record -e cpu-clock");
	check_advice_for(STR("command"), STR("plume record -o x.data -- true"),
			 "plume record -e cpu-clock");
	check_advice_for(STR("command"), STR("/usr/bin/perf record true"),
			 "perf record -e cpu-clock");
}

static void check_unrooted_names(void)
{
	struct profile *p = recorded();
	AUTO(diagnosis) struct diagnosis d = { 0 };
	AUTO(diagnosis) struct diagnosis few = { 0 };
	p->ledger.count[LEDGER_UNROOTED] = 200;
	examine(p, &d);
	tap_ok(str_ends(found(&d, "unrooted")->why, STR("are missing (see below)")),
	       "missing names may be why stacks seem to end early");
	p->ledger.count[LEDGER_UNKNOWN_FRAMES] = 60;
	examine(p, &few);
	tap_ok(str_find(found(&few, "unrooted")->why, STR("names")) < 0, "... when there are many");
	profile_unref(p);
}

/* Words on Java are for those who recorded Java. */
static void check_java(void)
{
	struct profile *p = recorded();
	AUTO(diagnosis) struct diagnosis without = { 0 }, with = { 0 };
	p->ledger.count[LEDGER_UNROOTED] = 200;
	examine(p, &without);
	profile_add_node(p, NODE_ROOT, add_frame(p, "f", "/jdk/lib/libjvm.so", FRAME_USER));
	examine(p, &with);
	tap_ok(str_find(found(&without, "unrooted")->fix, STR("Java")) < 0 &&
		       str_find(found(&without, "unrooted")->why, STR("Java")) < 0,
	       "no word on Java without a JVM");
	tap_ok(str_find(found(&with, "unrooted")->fix, STR("-XX:+PreserveFramePointer")) >= 0,
	       "... and its flag with one");
	profile_unref(p);
}

static void check_part(void)
{
	struct profile *p = recorded();
	struct query_ledger ledger;
	struct err e = { 0 };
	struct query q = { 0 };
	text_list_add(&q.times, STR("0,1.5")); /* the first two rows */
	add_reason(p, "[kernel.kallsyms]", "it hides", 100);
	add_reason(p, "/lib/libfoo.so", "it is stripped", 200);
	p->ledger.count[LEDGER_LOST] = 7;
	profile_seal(p);
	struct profile *part = query_profile(p, &q, &ledger, &e);
	tap_ok(part && part->samples.n == 2, "two rows of three are taken");
	tap_ok(part && part->unnamed.n == 1 && part->unnamed.p[0].frames == 100,
	       "of frames without a name those that are left");
	tap_ok(part && part->ledger.count[LEDGER_LOST] == 0 &&
		       str_eq(profile_fact(part, STR("when recorded")),
			      STR("samples lost while recording: 7")),
	       "what happened to the whole is told as a fact");
	tap_ok(part && !knows_recording(part), "... and nothing is said of the part");
	query_fini(&q);
	profile_unref(part);
	profile_unref(p);
}

/* What the kernel did is missing where only user space was sampled. */
static enum finding_mark mark_of_user_only(const char *sampled, const char *cpu_time)
{
	struct profile *p = recorded();
	AUTO(diagnosis) struct diagnosis d = { 0 };
	profile_add_fact(p, STR("sampled"), str_from(sampled));
	profile_add_fact(p, STR("cpu time"), str_from(cpu_time));
	examine(p, &d);
	const struct finding *f = found(&d, "user_only");
	enum finding_mark mark = f ? f->mark : FINDING_MARKS;
	profile_unref(p);
	return mark;
}

static void check_user_only(void)
{
	static const char denied[] = "user space only, not permitted more";
	static const char little[] = "charged 3000000000 sampled 3000000000 error 1 user kernel 1";
	static const char some[] =
		"charged 3000000000 sampled 3000000000 error 1 user kernel 2000000000";
	static const char all[] = "charged 0 sampled 0 error 0 user kernel 2000000000";
	tap_ok(mark_of_user_only("", some) == FINDING_MARKS, "the kernel was sampled: nothing");
	tap_ok(mark_of_user_only(denied, little) == FINDING_OK, "hardly any time in the kernel");
	tap_ok(mark_of_user_only(denied, some) == FINDING_WARN, "a part of the time in the kernel");
	tap_ok(mark_of_user_only(denied, all) == FINDING_BAD, "all of the time in the kernel");
	tap_ok(mark_of_user_only("user space only", all) == FINDING_INFO, "... as was asked for");
	tap_ok(mark_of_user_only(denied, "") == FINDING_WARN, "nobody knows how much");
}

int main(void)
{
	check_marks();
	check_order();
	check_not_known();
	check_no_callers();
	check_events();
	check_unnamed();
	check_briefs();
	check_long_path();
	check_why_no_samples();
	check_advice_by_recorder();
	check_unrooted_names();
	check_java();
	check_part();
	check_user_only();
	return tap_done();
}
