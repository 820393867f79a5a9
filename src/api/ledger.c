/* api/ledger: describes the profile, and what happened to each sample. */
#include "api/api_int.h"

/* How many samples each of n ids has; id: by row. The caller frees it. */
static uint64_t *samples_by(const struct profile *p, const uint32_t *id, uint32_t n)
{
	uint64_t *samples = mem_zalloc((size_t)n + 1, sizeof(*samples)), ignored = 0;
	for (uint32_t i = 0; i < p->samples.n; i++)
		samples[id[i]] = saturating_add(samples[id[i]], p->samples.count[i], &ignored);
	return samples;
}

static void add_events(struct json_out *j, const struct profile *p)
{
	AUTO_FREE uint64_t *samples = samples_by(p, p->samples.event, p->events.n);
	json_out_open(j, "events", '[');
	for (uint32_t i = 0; i < p->events.n; i++) {
		json_out_open(j, NULL, '{');
		json_out_string(j, "name", profile_str(p, p->events.p[i].name));
		json_out_string(j, "unit", profile_str(p, p->events.p[i].unit));
		json_out_u64(j, "samples", samples[i]);
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
}

static void add_id(struct json_out *j, const char *key, int32_t id)
{
	if (id == PID_UNKNOWN)
		json_out_null(j, key);
	else
		json_out_i64(j, key, id);
}

static void add_threads(struct json_out *j, const struct profile *p)
{
	AUTO_FREE uint64_t *samples = samples_by(p, p->samples.thread, p->threads.n);
	json_out_open(j, "threads", '[');
	for (uint32_t i = 1; i < p->threads.n; i++) {
		const struct thread *t = &p->threads.p[i];
		json_out_open(j, NULL, '{');
		add_id(j, "pid", t->pid);
		add_id(j, "tid", t->tid);
		json_out_string(j, "comm", profile_str(p, t->comm));
		json_out_string(j, "container", profile_str(p, t->container));
		json_out_u64(j, "samples", samples[i]);
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
}

static void add_mark(struct json_out *j, const struct shown *s, const struct mark *m,
		     struct str kind, struct str text)
{
	const struct thread *t = &s->profile->threads.p[m->thread];
	json_out_open(j, NULL, '{');
	json_out_i64(j, "time_ns", (int64_t)(m->time_ns - s->first_ns));
	json_out_u64(j, "duration_ns", m->duration_ns);
	json_out_string(j, "kind", kind);
	json_out_string(j, "text", text);
	add_id(j, "pid", t->pid);
	add_id(j, "tid", t->tid);
	json_out_close(j, '}');
}

static void add_marks(struct json_out *j, const struct shown *s, uint64_t period_ns)
{
	enum { MOST_MARKS = 20000 };
	const struct profile *p = s->profile;
	AUTO(gc_marks) struct gc_marks gc = { 0 };
	gc_marks_of(p, period_ns, &gc);
	json_out_open(j, "marks", '[');
	for (uint32_t i = 0; i < p->marks.n && i < MOST_MARKS; i++)
		add_mark(j, s, &p->marks.p[i], profile_str(p, p->marks.p[i].kind),
			 profile_str(p, p->marks.p[i].text));
	for (uint32_t i = 0; i < gc.list.n && i < MOST_MARKS; i++)
		add_mark(j, s, &gc.list.p[i], STR("gc"), STR("garbage collection"));
	json_out_close(j, ']');
}

static void add_has(struct json_out *j, const struct shown *s)
{
	const struct profile *p = s->profile;
	bool has_threads = false, has_lines = false, has_cpus = false;
	for (uint32_t i = 0; i < p->threads.n; i++)
		has_threads |= p->threads.p[i].tid != PID_UNKNOWN;
	for (uint32_t i = 0; i < p->frames.n && !has_lines; i++)
		has_lines = p->frames.p[i].line > 0;
	for (uint32_t i = 0; p->samples.cpu && i < p->samples.n && !has_cpus; i++)
		has_cpus = p->samples.cpu[i] >= 0;
	json_out_open(j, "has", '{');
	json_out_bool(j, "time", s->has_times);
	json_out_bool(j, "cpu", has_cpus);
	json_out_bool(j, "threads", has_threads);
	json_out_bool(j, "kinds", view_knows_kinds(p));
	json_out_bool(j, "scripts", profile_has_scripts(p));
	json_out_bool(j, "lines", has_lines);
	json_out_close(j, '}');
}

static void add_date(struct json_out *j, uint64_t unix_ns)
{
	char text[32] = "";
	time_t seconds = (time_t)(unix_ns / 1000000000);
	struct tm local;
	if (unix_ns && localtime_r(&seconds, &local))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local);
	json_out_string(j, "date", str_from(text));
	snprintf(text, sizeof(text), "%llu", (unsigned long long)unix_ns);
	json_out_string(j, "start_unix_ns", str_from(text));
}

static double rate_of(const struct recording_brief *b)
{
	struct str rate = b->rate;
	struct str number = str_take_word(&rate);
	uint64_t hz;
	return str_eq(str_trim(rate), STR("Hz")) && str_to_u64(number, &hz) ? (double)hz : 0;
}

/* How many CPUs the samples stand for, on average; 0 if unknown. */
static double cpus_busy(const struct prepared_side *side, uint64_t duration_ns)
{
	const struct prepared *q = side->cached->prepared;
	const struct query_ledger *l = prepared_ledger(q);
	uint64_t ns = ns_of_unit(side->shown->profile, l);
	double weight =
		(double)prepared_whole(q)->total[0][0] / (double)tree_unit(prepared_whole(q));
	return ns && duration_ns ? weight * (double)ns / (double)duration_ns : 0;
}

static void add_heading(struct json_out *j, const struct prepared_side *side)
{
	const struct profile *p = side->shown->profile;
	struct recording_brief b =
		recording_brief_of(p, prepared_ledger(side->cached->prepared)->event);
	uint64_t span = side->shown->last_ns - side->shown->first_ns;
	uint64_t duration = span ? span : b.duration_ns, recorded = 0;
	/* A recording is longer than its samples: it may begin and end idle. */
	if (side->shown->files == 1 && str_to_u64(profile_fact(p, STR("recorded_ns")), &recorded) &&
	    recorded > duration)
		duration = recorded;
	json_out_string(j, "title", b.target);
	json_out_string(j, "host", b.host);
	add_date(j, b.started_unix_ns);
	json_out_u64(j, "duration_ns", duration);
	json_out_real(j, "rate", rate_of(&b));
	json_out_u64(j, "samples", prepared_ledger(side->cached->prepared)->samples_in);
	json_out_real(j, "cpus_busy", cpus_busy(side, duration));
	json_out_string(j, "revision", buf_str(&side->shown->key));
}

static void add_notes(struct json_out *j, const struct prepared_side *side, const struct query *q,
		      const struct query_ledger *l, const struct tree *t)
{
	AUTO(view_notes) struct view_notes notes = { 0 };
	struct view_input in = { side->shown->profile, NULL };
	view_account_tree(&in, q, l, t, &notes);
	json_out_bool(j, "damaged", notes.is_damaged);
	json_out_open(j, "notes", '[');
	for (uint32_t i = 0; i < notes.warnings.n; i++)
		json_out_string(j, NULL, str_from(notes.warnings.p[i]));
	json_out_close(j, ']');
	json_out_open(j, "ledger", '[');
	for (uint32_t i = 0; i < notes.ledger.n; i++) {
		json_out_open(j, NULL, '[');
		json_out_string(j, NULL, notes.ledger.p[i].key);
		json_out_string(j, NULL, notes.ledger.p[i].text);
		json_out_close(j, ']');
	}
	json_out_close(j, ']');
}

static void add_facts(struct json_out *j, const struct profile *p)
{
	json_out_open(j, "facts", '[');
	for (uint32_t i = 0; i < p->facts.n; i++) {
		json_out_open(j, NULL, '[');
		json_out_string(j, NULL, profile_str(p, p->facts.p[i].key));
		json_out_string(j, NULL, profile_str(p, p->facts.p[i].text));
		json_out_close(j, ']');
	}
	json_out_close(j, ']');
}

static void add_categories(struct json_out *j)
{
	json_out_open(j, "categories", '[');
	for (enum category c = 0; c < CATEGORY_COUNT; c++) {
		json_out_open(j, NULL, '{');
		json_out_string(j, "name", str_from(category_name(c)));
		json_out_string(j, "text", str_from(category_text(c)));
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
}

static void add_preset(struct json_out *j, const struct preset *preset)
{
	json_out_open(j, NULL, '{');
	json_out_string(j, "name", str_from(preset->name));
	json_out_string(j, "text", str_from(preset->text));
	json_out_open(j, "words", '[');
	for (size_t i = 0; i < PRESET_MOST_WORDS && preset->words[i].option; i++) {
		json_out_open(j, NULL, '[');
		json_out_string(j, NULL, str_from(preset->words[i].option));
		json_out_string(j, NULL, str_from(preset->words[i].value));
		json_out_close(j, ']');
	}
	json_out_close(j, ']');
	json_out_close(j, '}');
}

static void add_presets(struct json_out *j, const struct profile *p)
{
	json_out_open(j, "presets", '[');
	for (const struct preset *preset = presets; preset->name; preset++)
		add_preset(j, preset);
	json_out_close(j, ']');
	json_out_string(j, "preset", str_from(preset_for(p)->name));
}

void ledger_answer(struct api_request *r, struct api_answer *answer)
{
	AUTO(prepared_side) struct prepared_side side = { 0 };
	struct json_out j = { .strings = JSON_SHOWN };
	struct query_ledger ledger;
	if (!side_prepare(r, &r->side, &side, answer))
		return;
	struct tree *t = side_tree(&side, &ledger);
	json_out_open(&j, NULL, '{');
	add_heading(&j, &side);
	add_has(&j, side.shown);
	add_events(&j, side.shown->profile);
	add_facts(&j, side.shown->profile);
	add_notes(&j, &side, &r->side.view.query, &ledger, t);
	add_threads(&j, side.shown->profile);
	add_marks(&j, side.shown,
		  ns_of_unit(side.shown->profile, prepared_ledger(side.cached->prepared)));
	add_categories(&j);
	add_presets(&j, side.shown->profile);
	json_out_close(&j, '}');
	tree_free(t);
	buf_add(&answer->body, buf_str(&j.text));
	buf_fini(&j.text);
}
