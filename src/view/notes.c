/* Describes what happened to the samples. */
#include "view/view_int.h"

#include <stdarg.h>

void view_notes_fini(struct view_notes *n)
{
	text_list_fini(&n->warnings);
	vec_fini(&n->ledger);
	arena_fini(&n->text);
}

void notes_add(struct view_notes *n, const char *format, ...)
{
	AUTO_FREE char *words = NULL;
	va_list args;
	va_start(args, format);
	if (vasprintf(&words, format, args) < 0)
		words = NULL;
	va_end(args);
	text_list_add(&n->warnings, str_from(words ? words : format));
}

void notes_add_lines(struct view_notes *n, struct str text)
{
	while (text.n) {
		ptrdiff_t newline = str_find_char(text, '\n');
		struct str line = str_first(text, newline < 0 ? text.n : (size_t)newline);
		text_list_add(&n->warnings, line);
		text = str_from_byte(text, line.n + 1);
	}
}

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

static bool asks_for(const struct query *q, struct str key)
{
	for (uint32_t i = 0; i < q->where.n; i++)
		if (str_starts(str_from(q->where.p[i]), key))
			return true;
	return false;
}

static void warn_events(struct view_notes *n, const struct profile *p, const struct query *q,
			const struct query_ledger *l)
{
	if (!l->other_events || l->event == INDEX_NONE || asks_for(q, STR("event=")))
		return;
	AUTO(buf) struct buf events = { 0 };
	add_event_list(p, &events);
	notes_add(n,
		  "%u events in the input (%s): showing %.*s; --where event=NAME selects another",
		  p->events.n, buf_c_string(&events),
		  STR_ARG(profile_str(p, p->events.p[l->event].name)));
}

/* Adds words that may contain input paths of any length. */
static void notes_add_short(struct view_notes *n, struct str words)
{
	enum { MOST_PATH = 200 };
	AUTO(buf) struct buf text = { 0 };
	add_short_words(&text, words, MOST_PATH);
	notes_add(n, "%s", buf_c_string(&text));
}

static void warn_damage(struct view_notes *n, const struct profile *p, enum ledger_line line)
{
	AUTO(buf) struct buf text = { 0 };
	describe_damage(p, line, &text);
	notes_add_short(n, buf_str(&text));
}

static void warn_other_events(struct view_notes *n, uint64_t samples)
{
	AUTO(buf) struct buf count = { 0 };
	buf_add_counted(&count, samples, "sample", "samples");
	notes_add(n, "%s of other events left out; --event-filter selects the event",
		  buf_c_string(&count));
}

void notes_add_warnings(struct view_notes *n, const struct profile *p, const struct query *q,
			const struct query_ledger *l)
{
	n->is_damaged |= ledger_is_damaged(&p->ledger) || l->overflows;
	warn_events(n, p, q, l);
	for (uint32_t i = 0; i < p->notes.n; i++)
		notes_add_short(n, profile_str(p, p->notes.p[i]));
	for (uint32_t i = 0; i < p->facts.n; i++) /* from the recorder, stored in its file */
		if (str_eq(profile_str(p, p->facts.p[i].key), STR("note")))
			notes_add_short(n, profile_str(p, p->facts.p[i].text));
	if (l->samples_in == 0 && l->stacks == 0)
		notes_add(n, "no stacks found");
	if (p->ledger.count[LEDGER_OTHER_EVENTS])
		warn_other_events(n, p->ledger.count[LEDGER_OTHER_EVENTS]);
	if (l->gave_up)
		notes_add(n,
			  "an expression took too long to match %llu names; they count as not "
			  "matching",
			  (unsigned long long)l->gave_up);
	for (enum ledger_line line = 0; line < LEDGER_LINES; line++)
		if (p->ledger.count[line] && ledger_line_is_damage(line))
			warn_damage(n, p, line);
	if (l->overflows && !p->ledger.count[LEDGER_OVERFLOWS])
		notes_add(n, "%s: %llu", ledger_line_text(LEDGER_OVERFLOWS),
			  (unsigned long long)l->overflows);
}

/* Lists the files with missing names, as many as fit on a line. */
static void add_unnamed(struct buf *out, const struct unnamed_rows *u, const char *file)
{
	if (u->rows.n) {
		buf_addf(out, ", most in ");
		unnamed_row_add_brief(out, &u->rows.p[0]);
	}
	buf_addf(out, "; see plume doctor%s%s", file ? " " : "", file ? file : "");
}

void notes_add_recording(struct view_notes *n, const struct view_input *in)
{
	const struct profile *p = in->profile;
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
			add_unnamed(&text, &unnamed, in->file);
		else
			buf_addf(&text, ": %.*s", STR_ARG(f->fix.n ? f->fix : f->why));
		notes_add(n, "%s", buf_c_string(&text));
	}
}

static void add_row(struct view_notes *n, struct str key, struct str text)
{
	struct ledger_row row = { arena_copy(&n->text, key), arena_copy(&n->text, text) };
	vec_push(&n->ledger, row);
}

static void add_count(struct view_notes *n, const char *what, uint64_t count)
{
	AUTO(buf) struct buf text = { 0 };
	if (!count)
		return;
	buf_add_grouped(&text, count);
	add_row(n, buf_str(&text), str_from(what));
}

static void add_weight(struct view_notes *n, const struct query_ledger *l, const struct tree *tree)
{
	AUTO(buf) struct buf text = { 0 };
	AUTO(buf) struct buf fraction = { 0 }; /* `0.5` */
	uint64_t weight = tree->total[tree->value_count - 1][0], unit = tree_unit(tree);
	buf_add_grouped(&text, weight / unit);
	buf_add_decimal(&fraction, weight % unit, tree->decimals);
	buf_add(&text, str_from_byte(buf_str(&fraction), 1));
	if (weight)
		add_row(n, buf_str(&text),
			l->is_in_periods ? STR("weight shown (sum of periods)")
					 : STR("weight shown (samples)"));
}

void notes_add_ledger(struct view_notes *n, const struct profile *p, const struct query_ledger *l,
		      const struct tree *tree)
{
	/* How the recorder obtained stacks, and the names of JavaScript and Java. */
	static const char *const facts[] = { "user stacks", "javascript", "java" };
	for (enum ledger_line line = 0; line < LEDGER_LINES; line++)
		add_count(n, ledger_line_text(line), p->ledger.count[line]);
	add_count(n, "samples left out by --where", l->by_where);
	add_count(n, "samples left out by --time", l->by_time);
	add_count(n, "samples left out by --only and --without", l->by_text);
	add_count(n, "samples left out as idle", l->idle);
	add_count(n, "samples of other events", l->other_events);
	add_count(n, "samples without a frame that matches --root", l->not_under_root);
	add_count(n, "samples shown", l->shown);
	add_count(n, "stacks shown", l->stacks);
	if (tree)
		add_weight(n, l, tree);
	if (l->event != INDEX_NONE && l->event < p->events.n)
		add_row(n, STR("event"), profile_str(p, p->events.p[l->event].name));
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		struct str text = profile_fact(p, str_from(facts[i]));
		if (text.n)
			add_row(n, str_from(facts[i]), text);
	}
}

void view_account_tree(const struct view_input *in, const struct query *q,
		       const struct query_ledger *ledger, const struct tree *tree,
		       struct view_notes *notes)
{
	notes_add_recording(notes, in);
	notes_add_warnings(notes, in->profile, q, ledger);
	notes_add_ledger(notes, in->profile, ledger, tree);
}

void view_account(const struct view_input *in, struct view_notes *notes)
{
	struct err e = { 0 };
	struct query everything = { .all_events = true };
	struct query_ledger ledger;
	struct tree *tree = query_tree(in->profile, &everything, &ledger, &e);
	if (tree)
		view_account_tree(in, &everything, &ledger, tree, notes);
	tree_free(tree);
}

/* Lists the values of a key in this profile, so that the user notices a typo. */
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

bool view_explain_nothing(const struct profile *p, const struct query *q,
			  const struct query_ledger *l, struct err *e)
{
	AUTO(buf) struct buf text = { 0 };
	AUTO(buf) struct buf known = { 0 };
	if (l->samples_in && l->by_time == l->samples_in) {
		for (uint32_t i = 0; i < q->times.n; i++)
			buf_addf(&text, "%s--time %s", i ? " " : "", q->times.p[i]);
		buf_addf(&text, ": no samples in %s; the profile covers ",
			 q->times.n > 1 ? "these ranges" : "this range");
		add_time_range(&text, p);
		return err_set(e, "%s", buf_c_string(&text));
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
	return err_set(e, "%s", buf_c_string(&text));
}
