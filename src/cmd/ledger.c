/* What became of the samples, in words on standard error. */
#include "cmd/profile_options.h"
#include "sink/sink.h"

static void add_event_list(const struct profile *p, struct buf *out)
{
	uint32_t n = p->events.n < 8 ? p->events.n : 8;
	for (uint32_t i = 0; i < n; i++) {
		struct str name = profile_str(p, p->events.p[i].name);
		buf_addf(out, "%s%.*s", i ? ", " : "", STR_ARG(name.n ? name : STR("(no name)")));
	}
	if (n < p->events.n)
		buf_addf(out, " and %u more", p->events.n - n);
}

static void warn_events(const struct profile *p, const struct query *q,
			const struct query_ledger *l)
{
	if (!l->other_events || l->event == INDEX_NONE)
		return;
	for (uint32_t i = 0; i < q->where.n; i++)
		if (str_starts(str_from(q->where.p[i]), STR("event=")))
			return;
	AUTO(buf) struct buf events = { 0 };
	add_event_list(p, &events);
	say("%u events in the input (%s): showing %.*s; --where event=NAME selects another",
	    p->events.n, buf_c_string(&events),
	    STR_ARG(profile_str(p, p->events.p[l->event].name)));
}

/* Words that may hold paths of the input, of any length. */
static void say_short(struct str words)
{
	enum { MOST_PATH = 200 };
	AUTO(buf) struct buf text = { 0 };
	add_short_words(&text, words, MOST_PATH);
	say("%s", buf_c_string(&text));
}

static void warn_damage(const struct profile *p, enum ledger_line line)
{
	AUTO(buf) struct buf text = { 0 };
	describe_damage(p, line, &text);
	say_short(buf_str(&text));
}

int exit_code_of(const struct profile *p, const struct query_ledger *l)
{
	return ledger_is_damaged(&p->ledger) || l->overflows ? EXIT_DAMAGED : EXIT_DONE;
}

static void say_other_events(uint64_t n)
{
	AUTO(buf) struct buf count = { 0 };
	buf_add_counted(&count, n, "sample", "samples");
	say("%s of other events left out; --event-filter selects the event", buf_c_string(&count));
}

void say_warnings(const struct profile *p, const struct query *q, const struct query_ledger *l)
{
	warn_events(p, q, l);
	for (uint32_t i = 0; i < p->notes.n; i++)
		say_short(profile_str(p, p->notes.p[i]));
	for (uint32_t i = 0; i < p->facts.n; i++) /* of the recorder, in its file */
		if (str_eq(profile_str(p, p->facts.p[i].key), STR("note")))
			say_short(profile_str(p, p->facts.p[i].text));
	if (l->samples_in == 0 && l->stacks == 0)
		say("no stacks found");
	if (p->ledger.count[LEDGER_OTHER_EVENTS])
		say_other_events(p->ledger.count[LEDGER_OTHER_EVENTS]);
	if (l->gave_up)
		say("an expression took too long to match %llu names; they count as not matching",
		    (unsigned long long)l->gave_up);
	for (enum ledger_line line = 0; line < LEDGER_LINES; line++)
		if (p->ledger.count[line] && ledger_line_is_damage(line))
			warn_damage(p, line);
	if (l->overflows && !p->ledger.count[LEDGER_OVERFLOWS])
		say("%s: %llu", ledger_line_text(LEDGER_OVERFLOWS),
		    (unsigned long long)l->overflows);
}

/* Which files lack names, in so many words as fit a line. */
static void add_unnamed(struct buf *out, const struct unnamed_rows *u,
			const struct text_list *files)
{
	if (u->rows.n) {
		buf_addf(out, ", most in ");
		unnamed_row_add_brief(out, &u->rows.p[0]);
	}
	buf_addf(out, "; see plume doctor%s%s", files->n == 1 ? " " : "",
		 files->n == 1 ? files->p[0] : "");
}

void say_recording(const struct profile *p, const struct text_list *files)
{
	AUTO(unnamed_rows) struct unnamed_rows unnamed = { 0 };
	AUTO(diagnosis) struct diagnosis d = { 0 };
	AUTO(buf) struct buf text = { 0 };
	if (p->unnamed.n)
		unnamed_rows_of(p, &unnamed);
	diagnose_recording(p, &unnamed, &d);
	for (uint32_t i = 0; i < d.findings.n; i++) {
		const struct finding *f = &d.findings.p[i];
		if (f->mark != FINDING_BAD && f->mark != FINDING_WARN)
			continue;
		text.n = 0;
		buf_add(&text, f->what);
		if (strcmp(f->key, "names") == 0)
			add_unnamed(&text, &unnamed, files);
		else
			buf_addf(&text, ": %.*s", STR_ARG(f->fix.n ? f->fix : f->why));
		say("%s", buf_c_string(&text));
	}
}

static void say_count(const char *what, uint64_t n)
{
	AUTO(buf) struct buf text = { 0 };
	if (!n)
		return;
	buf_add_grouped(&text, n);
	fprintf(stderr, "%16s  %s\n", buf_c_string(&text), what);
}

static void say_line(const char *key, struct str words)
{
	AUTO(buf) struct buf text = { 0 };
	fit_add_safe(&text, words);
	fprintf(stderr, "%16s  %s\n", key, buf_c_string(&text));
}

/* How a recorder came by the stacks, and by the names of JavaScript. */
static void say_origins(const struct profile *p)
{
	static const char *const keys[] = { "user stacks", "javascript", "java" };
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct str text = profile_fact(p, str_from(keys[i]));
		if (text.n)
			say_line(keys[i], text);
	}
}

void say_ledger(const struct profile *p, const struct query_ledger *l, const struct tree *tree)
{
	for (enum ledger_line line = 0; line < LEDGER_LINES; line++)
		say_count(ledger_line_text(line), p->ledger.count[line]);
	say_count("samples left out by --where", l->by_where);
	say_count("samples left out by --time", l->by_time);
	say_count("samples left out by --only and --without", l->by_text);
	say_count("samples left out as idle", l->idle);
	say_count("samples of other events", l->other_events);
	say_count("samples without a frame that matches --root", l->not_under_root);
	say_count("samples shown", l->shown);
	say_count("stacks shown", l->stacks);
	if (tree)
		say_count(l->is_in_periods ? "weight shown (sum of periods)"
					   : "weight shown (samples)",
			  tree->total[tree->value_count - 1][0] / tree_unit(tree));
	if (l->event != INDEX_NONE && l->event < p->events.n)
		say_line("event", profile_str(p, p->events.p[l->event].name));
	say_origins(p);
}

int say_outcome(const struct profile_request *r, const struct profile *p,
		const struct query_ledger *l, const struct tree *tree)
{
	if (!r->common.quiet && !r->has_ledger)
		say_recording(p, &r->files);
	if (!r->common.quiet)
		say_warnings(p, &r->query, l);
	if (r->common.verbose)
		say_ledger(p, l, tree);
	return exit_code_of(p, l);
}

/* Values that a key has in this profile, so that a typo is seen. */
static void add_known_comms(const struct profile *p, struct buf *out)
{
	unsigned shown = 0;
	for (uint32_t i = 1; i < p->threads.n && shown < 8; i++) {
		struct str comm = profile_str(p, p->threads.p[i].comm);
		if (out->n && str_find(buf_str(out), comm) >= 0)
			continue;
		buf_addf(out, "%s%.*s", shown++ ? ", " : "", STR_ARG(comm));
	}
}

static bool asks_for(const struct query *q, struct str key)
{
	for (uint32_t i = 0; i < q->where.n; i++)
		if (str_starts(str_from(q->where.p[i]), key))
			return true;
	return false;
}

static bool has_cpus(const struct profile *p)
{
	for (uint32_t i = 0; p->samples.cpu && i < p->samples.n; i++)
		if (p->samples.cpu[i] >= 0)
			return true;
	return false;
}

static bool has_pids(const struct profile *p)
{
	for (uint32_t i = 0; i < p->threads.n; i++)
		if (p->threads.p[i].pid != PID_UNKNOWN)
			return true;
	return false;
}

static void add_time_range(struct buf *out, const struct profile *p)
{
	uint64_t first = UINT64_MAX, last = 0;
	for (uint32_t i = 0; p->samples.time_ns && i < p->samples.n; i++) {
		uint64_t t = p->samples.time_ns[i];
		first = t < first ? t : first;
		last = t > last ? t : last;
	}
	buf_add_span(out, last > first ? (double)(last - first) : 0);
}

static void add_left_out(struct buf *out, uint64_t n, const char *why)
{
	if (!n)
		return;
	buf_addf(out, ", ");
	buf_add_grouped(out, n);
	buf_addf(out, " %s", why);
}

void explain_nothing(const struct profile *p, const struct query *q, const struct query_ledger *l,
		     struct err *e)
{
	AUTO(buf) struct buf text = { 0 };
	AUTO(buf) struct buf known = { 0 };
	if (l->samples_in && l->by_time == l->samples_in) {
		buf_addf(&text, "--time %s: no samples in this range; the profile covers ",
			 q->time);
		add_time_range(&text, p);
		err_set(e, "%s", buf_c_string(&text));
		return;
	}
	buf_addf(&text, "no stacks left: ");
	buf_add_counted(&text, l->samples_in, "sample was read", "samples were read");
	add_left_out(&text, l->by_where, "left out by --where");
	add_left_out(&text, l->by_time, "left out by --time");
	add_left_out(&text, l->by_text, "left out by --only or --without");
	add_left_out(&text, l->idle, "left out as idle");
	add_left_out(&text, l->other_events, "of other events");
	add_left_out(&text, l->not_under_root, "without a frame that matches --root");
	if (asks_for(q, STR("pid=")) && !has_pids(p))
		buf_addf(&text, "; the input has no pids: use perf script -F +pid");
	if (asks_for(q, STR("cpu=")) && !has_cpus(p))
		buf_addf(&text, "; the input has no cpus: use perf record --sample-cpu, and perf "
				"script -F +cpu");
	add_event_list(p, &known);
	if (known.n)
		buf_addf(&text, "; events: %s", buf_c_string(&known));
	known.n = 0;
	add_known_comms(p, &known);
	if (known.n)
		buf_addf(&text, "; comms: %s", buf_c_string(&known));
	err_set(e, "%s", buf_c_string(&text));
}
