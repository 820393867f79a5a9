#include "query/diagnosis_int.h"

/* The beginning of the note from perf.data's reader. */
#define UNFINISHED "perf record was killed or is still running"

const char *const finding_mark_names[] = { "bad", "warn", "info", "ok", NULL };

void finding_text_fini(struct finding_text *t)
{
	buf_fini(&t->what);
	buf_fini(&t->why);
	buf_fini(&t->fix);
}

void finding_add_count(struct buf *out, uint64_t n, const char *one, const char *many)
{
	buf_add_counted(out, n, one, many);
}

void diagnosis_add(struct diagnosis *d, struct finding f, struct finding_text *t)
{
	f.what = arena_copy(&d->text, buf_str(&t->what));
	f.why = arena_copy(&d->text, buf_str(&t->why));
	f.fix = arena_copy(&d->text, buf_str(&t->fix));
	vec_push(&d->findings, f);
	t->what.n = t->why.n = t->fix.n = 0;
}

void diagnosis_add_plain(struct diagnosis *d, const char *key, enum finding_mark mark,
			 struct str what)
{
	vec_push(&d->findings,
		 (struct finding){ .mark = mark, .key = key, .what = arena_copy(&d->text, what) });
}

void diagnosis_fini(struct diagnosis *d)
{
	vec_fini(&d->findings);
	arena_fini(&d->text);
}

/* --- the input --- */

void describe_damage(const struct profile *p, enum ledger_line line, struct buf *out)
{
	const struct ledger *l = &p->ledger;
	if (line == LEDGER_INPUT_DAMAGED) {
		buf_add(out, profile_str(p, l->damage));
		if (l->count[line] > 1)
			buf_addf(out, "; %s: %llu", ledger_line_text(line),
				 (unsigned long long)l->count[line]);
		return;
	}
	buf_addf(out, "%s: ", ledger_line_text(line));
	buf_add_grouped(out, l->count[line]);
	if (line == LEDGER_BAD_LINES || line == LEDGER_BAD_RECORDS)
		buf_addf(out, ", the first in %.*s at byte %llu: '%.*s'",
			 STR_ARG(profile_str(p, l->first_bad_input)),
			 (unsigned long long)l->first_bad_offset,
			 STR_ARG(profile_str(p, l->first_bad_text)));
}

struct str unfinished_note(const struct profile *p)
{
	for (uint32_t i = 0; i < p->notes.n; i++)
		if (str_starts(profile_str(p, p->notes.p[i]), STR(UNFINISHED)))
			return profile_str(p, p->notes.p[i]);
	return STR("");
}

bool is_cut_before_samples(const struct profile *p)
{
	return !p->samples.n && (ledger_is_damaged(&p->ledger) || unfinished_note(p).n);
}

static void add_unfinished(struct str note, struct diagnosis *d)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	ptrdiff_t colon = str_find(note, STR(": "));
	buf_addf(&t.what, "the recording is not finished");
	if (colon >= 0)
		buf_add(&t.what, str_from_byte(note, (size_t)colon));
	buf_addf(&t.why, "perf record was killed or is still running");
	buf_addf(&t.fix, "wait until it ends, or stop it with Ctrl-C or kill -INT, not kill -9");
	diagnosis_add(d, (struct finding){ FINDING_WARN, "unfinished" }, &t);
}

static void add_damage(const struct profile *p, struct diagnosis *d)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	struct str unfinished = unfinished_note(p);
	if (unfinished.n)
		add_unfinished(unfinished, d);
	else if (!ledger_is_damaged(&p->ledger))
		diagnosis_add_plain(d, "damage", FINDING_OK, STR("the file is complete"));
	for (enum ledger_line line = 0; line < LEDGER_LINES; line++) {
		if (!p->ledger.count[line] || !ledger_line_is_damage(line))
			continue;
		describe_damage(p, line, &t.what);
		if (line == LEDGER_INPUT_DAMAGED) {
			buf_addf(&t.why,
				 "everything before that point is shown; the rest is missing");
			buf_addf(&t.fix, "check that the copy is complete and that the recorder "
					 "was stopped with Ctrl-C, not kill -9");
		}
		diagnosis_add(
			d,
			(struct finding){ FINDING_BAD, "damage", .count = p->ledger.count[line] },
			&t);
	}
}

/* --- samples --- */

static bool has_only_sums(const struct profile *p)
{
	for (uint32_t i = 0; i < p->events.n; i++)
		if (!p->events.p[i].has_only_sums)
			return false;
	return true;
}

static void add_no_samples(const struct profile *p, struct diagnosis *d)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	struct charged c;
	buf_addf(&t.what, "the recording has no samples");
	if (p->ledger.count[LEDGER_INPUT_DAMAGED]) {
		buf_addf(&t.why, "none could be read before the damage");
	} else if (ledger_is_damaged(&p->ledger)) {
		buf_addf(&t.why, "nothing that could be read is a sample");
	} else if (unfinished_note(p).n) {
		buf_addf(&t.why, "perf record was killed before it wrote any, or is still running");
	} else if (charged_of(p, &c) && c.kernel_ns) {
		buf_addf(&t.why, "only user space was sampled, and the target was in the kernel");
	} else {
		buf_addf(&t.why,
			 "nothing ran while recording, or that machine cannot count the event");
		buf_addf(&t.fix,
			 "%s -e cpu-clock also works in virtual machines and containers; -a "
			 "records the whole machine",
			 recorder_of(p));
	}
	diagnosis_add(d, (struct finding){ FINDING_BAD, "samples" }, &t);
}

static void add_stacks(const struct profile *p, struct diagnosis *d)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	uint64_t none = p->ledger.count[LEDGER_NO_STACK], all = p->ledger.count[LEDGER_SAMPLES];
	struct finding f = { FINDING_WARN, "stacks", .count = none, .total = all };
	if (!has_only_sums(p) && !has_callers(p)) {
		f = (struct finding){ FINDING_BAD, "stacks", .count = all, .total = all };
		buf_addf(&t.what, "no sample has callers, only the function that was running");
		buf_addf(&t.why, "it was recorded without call graphs");
		buf_addf(&t.fix, "%s",
			 is_by_plume(p) ? "plume record --call-graph auto, which is the default"
					: "perf record -g, or perf record --call-graph dwarf for "
					  "code without frame pointers");
	} else if (none) {
		buf_add_percent(&t.what, none, all);
		buf_addf(&t.what, " of samples have no stack (");
		buf_add_grouped(&t.what, none);
		buf_addf(&t.what, " of ");
		buf_add_grouped(&t.what, all);
		buf_add_char(&t.what, ')');
		buf_addf(&t.why, "the recorder found no frames: the process was exiting, or the "
				 "recorder was not allowed to read it");
	} else {
		f.mark = FINDING_OK;
		buf_addf(&t.what, "every sample has a stack");
	}
	diagnosis_add(d, f, &t);
}

static bool is_hardware_event(struct str name)
{
	static const char *const starts[] = { "cycles",	 "instructions", "cache-", "branch",
					      "ref-cyc", "stalled",	 "LLC-",   "L1-" };
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		if (str_starts(name, str_from(starts[i])))
			return true;
	return false;
}

static void add_events(const struct recording *r, struct diagnosis *d)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	uint32_t empty = 0;
	for (uint32_t i = 0; i < r->events.n; i++) {
		const struct recorded_event *e = &r->events.p[i];
		if (e->samples)
			continue;
		empty++;
		buf_addf(&t.what, "%.*s has no samples", STR_ARG(e->name));
		buf_addf(
			&t.why,
			"the event did not occur while recording, or that machine cannot count it");
		if (is_hardware_event(e->name))
			buf_addf(&t.fix, "virtual machines often have no hardware counters: perf "
					 "record -e cpu-clock");
		diagnosis_add(d, (struct finding){ FINDING_WARN, "events" }, &t);
	}
	if (!empty && r->events.n > 1)
		diagnosis_add_plain(d, "events", FINDING_OK, STR("every event has samples"));
}

static void add_times(const struct profile *p, struct diagnosis *d)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	uint64_t none = p->ledger.count[LEDGER_NO_TIME], all = p->ledger.count[LEDGER_SAMPLES];
	if (!profile_has_times(p)) {
		buf_addf(&t.what, "samples have no timestamps");
		buf_addf(&t.why, "--time and --flamechart need them");
		diagnosis_add(d, (struct finding){ FINDING_INFO, "times" }, &t);
	} else if (none) {
		buf_add_percent(&t.what, none, all);
		buf_addf(&t.what, " of samples have no timestamp");
		diagnosis_add(
			d, (struct finding){ FINDING_WARN, "times", .count = none, .total = all },
			&t);
	}
}

/* --- history of the recording --- */

uint64_t lost_marks(const struct profile *p)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < p->marks.n; i++)
		n += str_eq(profile_str(p, p->marks.p[i].kind), STR("lost"));
	return n;
}

/* For part of a recording: events that affected the whole are reported as history. */
static bool has_history(const struct profile *p)
{
	for (uint32_t i = 0; i < p->facts.n; i++) {
		struct str text = profile_str(p, p->facts.p[i].text);
		ptrdiff_t colon = str_find_last_char(text, ':');
		if (!str_eq(profile_str(p, p->facts.p[i].key), STR("when recorded")) || colon < 0)
			continue;
		if (ledger_line_is_of_recording(
			    ledger_line_by_name(str_first(text, (size_t)colon))))
			return true;
	}
	return false;
}

bool knows_recording(const struct profile *p)
{
	for (enum ledger_line line = 0; line < LEDGER_LINES; line++)
		if (p->ledger.count[line] && ledger_line_is_of_recording(line))
			return true;
	return profile_fact(p, STR("event")).n > 0 && !has_history(p);
}

static void add_unknown_recording(const struct profile *p, struct diagnosis *d)
{
	AUTO(finding_text) struct finding_text t = { 0 };
	uint64_t lost = lost_marks(p);
	if (lost) {
		buf_addf(&t.what, "events were lost ");
		finding_add_count(&t.what, lost, "time", "times");
		buf_addf(&t.fix, "record with a larger buffer (%s -m 16M) or a lower rate",
			 recorder_of(p));
		diagnosis_add(d, (struct finding){ FINDING_WARN, "lost", .count = lost }, &t);
	}
	/* Without samples we cannot tell whether the format records it. */
	if (has_history(p) || !p->samples.n)
		return;
	buf_addf(&t.what, "it is unknown whether samples were lost or stacks cut while recording");
	buf_addf(&t.why, "this format does not store that; perf.data does");
	diagnosis_add(d, (struct finding){ FINDING_INFO, "recording" }, &t);
}

/* `samples lost while recording: 12` begins with a key of the ledger. */
static void add_history(struct diagnosis *d, struct str told)
{
	AUTO(buf) struct buf text = { 0 };
	ptrdiff_t colon = str_find_last_char(told, ':');
	struct str key = str_first(told, colon < 0 ? 0 : (size_t)colon);
	enum ledger_line line = ledger_line_by_name(key);
	buf_addf(&text, "in the whole recording: ");
	buf_add(&text, line < LEDGER_LINES ? str_from(ledger_line_text(line)) : key);
	buf_add(&text, str_from_byte(told, key.n));
	diagnosis_add_plain(d, "history", FINDING_WARN, buf_str(&text));
}

static void add_remarks(const struct profile *p, struct diagnosis *d)
{
	for (uint32_t i = 0; i < p->notes.n; i++)
		if (!str_starts(profile_str(p, p->notes.p[i]), STR(UNFINISHED)))
			diagnosis_add_plain(d, "note", FINDING_INFO, profile_str(p, p->notes.p[i]));
	for (uint32_t i = 0; i < p->facts.n; i++) {
		struct str key = profile_str(p, p->facts.p[i].key);
		struct str told = profile_str(p, p->facts.p[i].text);
		if (str_eq(key, STR("note")))
			diagnosis_add_plain(d, "note", FINDING_INFO, told);
		if (str_eq(key, STR("when recorded")))
			add_history(d, told);
	}
}

void diagnosis_sort(struct diagnosis *d)
{
	VEC(struct finding) sorted = { 0 };
	for (enum finding_mark mark = 0; mark < FINDING_MARKS; mark++)
		for (uint32_t i = 0; i < d->findings.n; i++)
			if (d->findings.p[i].mark == mark)
				vec_push(&sorted, d->findings.p[i]);
	free(d->findings.p);
	d->findings.p = sorted.p;
	d->findings.capacity = sorted.capacity;
}

void diagnose(const struct profile *p, const struct recording *r,
	      const struct unnamed_rows *unnamed, struct diagnosis *d)
{
	add_damage(p, d);
	if (p->samples.n)
		add_stacks(p, d);
	else
		add_no_samples(p, d);
	diagnose_recording(p, unnamed, d);
	if (!knows_recording(p))
		add_unknown_recording(p, d);
	if (p->samples.n && !has_history(p))
		add_events(r, d);
	if (p->samples.n)
		add_times(p, d);
	add_remarks(p, d);
	diagnosis_sort(d);
}
