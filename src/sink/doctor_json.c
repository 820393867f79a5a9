/* What doctor finds, for programs: doc/formats/doctor-json.md. */
#include "sink/doctor.h"
#include "sink/json_parts.h"

/* Nothing where there is none. */
static void add_known_text(struct json_out *j, const char *key, struct str text)
{
	if (text.n)
		json_out_string(j, key, text);
}

static void add_extent(struct json_out *j, const struct recording *c)
{
	json_out_u64(j, "samples", c->samples);
	if (c->has_times) {
		json_out_open(j, "time", '{');
		json_out_u64(j, "first_ns", c->first_ns);
		json_out_u64(j, "last_ns", c->last_ns);
		json_out_close(j, '}');
	}
	json_out_u64(j, "processes", c->processes);
	json_out_u64(j, "threads", c->threads);
	json_out_u64(j, "cpus", c->cpus);
}

static void add_facts(struct json_out *j, const struct doctor_report *r)
{
	json_out_open(j, "facts", '[');
	for (uint32_t i = 0; i < r->recording.facts.n; i++) {
		const struct fact *f = &r->recording.facts.p[i];
		json_out_open(j, NULL, '{');
		json_out_string(j, "key", profile_str(r->profile, f->key));
		json_out_string(j, "text", profile_str(r->profile, f->text));
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
}

static void add_events(struct json_out *j, const struct recording *c)
{
	json_out_open(j, "events", '[');
	for (uint32_t i = 0; i < c->events.n; i++) {
		const struct recorded_event *e = &c->events.p[i];
		json_out_open(j, NULL, '{');
		json_out_string(j, "name", e->name);
		json_out_u64(j, e->has_only_sums ? "sum" : "samples", e->samples);
		add_known_text(j, "about", e->about);
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
}

static void add_findings(struct json_out *j, const struct diagnosis *d)
{
	json_out_open(j, "findings", '[');
	for (uint32_t i = 0; i < d->findings.n; i++) {
		const struct finding *f = &d->findings.p[i];
		json_out_line(j);
		json_out_open(j, NULL, '{');
		json_out_string(j, "mark", str_from(finding_mark_names[f->mark]));
		json_out_string(j, "key", str_from(f->key));
		json_out_string(j, "what", f->what);
		if (f->count || f->total)
			json_out_u64(j, "count", f->count);
		if (f->total)
			json_out_u64(j, "total", f->total);
		add_known_text(j, "why", f->why);
		add_known_text(j, "fix", f->fix);
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
}

void json_add_unnamed(struct json_out *j, const struct unnamed_rows *u)
{
	json_out_open(j, "unnamed", '[');
	for (uint32_t i = 0; i < u->rows.n; i++) {
		const struct unnamed_row *row = &u->rows.p[i];
		json_out_line(j);
		json_out_open(j, NULL, '{');
		json_out_string(j, "module", row->module);
		json_out_u64(j, "frames", row->frames);
		add_known_text(j, "reason", row->reason);
		add_known_text(j, "fix", row->fix);
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
}

static void add_file(struct json_out *j, const struct doctor_report *r)
{
	json_out_open(j, NULL, '{');
	json_out_string(j, "file", r->file);
	if (!r->profile) {
		json_out_string(j, "error", r->error);
		json_out_close(j, '}');
		return;
	}
	add_extent(j, &r->recording);
	json_out_bool(j, "damaged", ledger_is_damaged(&r->profile->ledger));
	add_facts(j, r);
	add_events(j, &r->recording);
	add_findings(j, &r->diagnosis);
	json_out_u64(j, "frames", r->unnamed.frames);
	json_out_u64(j, "unnamed_frames", r->unnamed.unnamed);
	json_add_unnamed(j, &r->unnamed);
	json_out_close(j, '}');
}

/* --- this machine, processes --- */

static void add_told(struct json_out *j, const struct doctor_report *r)
{
	json_out_open(j, "facts", '[');
	for (uint32_t i = 0; i < r->facts.n; i++) {
		json_out_open(j, NULL, '{');
		json_out_string(j, "key", str_from(r->facts.p[i].key));
		json_out_string(j, "text", r->facts.p[i].text);
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
}

static void add_mapped(struct json_out *j, const struct doctor_report *r)
{
	json_out_open(j, "mapped", '[');
	for (uint32_t i = 0; i < r->mapped.n; i++) {
		const struct doctor_mapped *m = &r->mapped.p[i];
		json_out_line(j);
		json_out_open(j, NULL, '{');
		json_out_string(j, "path", m->path);
		json_out_string(j, "frame_pointers", str_from(m->frame_pointers));
		json_out_bool(j, "tables", m->has_tables);
		json_out_string(j, "names", str_from(m->names));
		json_out_bool(j, "lines", m->has_lines);
		add_known_text(j, "why", m->why);
		add_known_text(j, "fix", m->fix);
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
}

static void add_constants(struct json_out *j, const struct doctor_report *r)
{
	json_out_open(j, "constants", '[');
	for (uint32_t i = 0; i < r->constants.n; i++) {
		const struct doctor_constant *c = &r->constants.p[i];
		json_out_line(j);
		json_out_open(j, NULL, '{');
		json_out_string(j, "group", c->group);
		json_out_string(j, "name", c->name);
		json_out_string(j, "origin", str_from(c->origin));
		if (c->is_known)
			json_out_i64(j, "value", c->value);
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
}

/* key: NULL in a list. */
static void add_living(struct json_out *j, const char *key, const struct doctor_report *r)
{
	json_out_open(j, key, '{');
	if (r->subject == DOCTOR_PROCESS)
		json_out_u64(j, "pid", (uint64_t)r->pid);
	if (r->error.n) {
		json_out_string(j, "error", r->error);
	} else {
		json_out_string(j, "name", r->file);
		add_told(j, r);
		add_findings(j, &r->diagnosis);
		if (r->constants.n)
			add_constants(j, r);
		else if (r->subject == DOCTOR_PROCESS)
			add_mapped(j, r);
	}
	json_out_close(j, '}');
}

/* `"key":[...]` of all reports on one kind of subject. */
static void add_list(struct json_out *j, const char *key, enum doctor_subject subject,
		     const struct doctor_report *reports, uint32_t n)
{
	json_out_open(j, key, '[');
	for (uint32_t i = 0; i < n; i++) {
		if (reports[i].subject != subject)
			continue;
		json_out_line(j);
		if (subject == DOCTOR_FILE)
			add_file(j, &reports[i]);
		else
			add_living(j, NULL, &reports[i]);
	}
	json_out_close(j, ']');
}

void sink_doctor_json(const struct doctor_report *reports, uint32_t n, struct writer *out)
{
	struct json_out j = { .out = out };
	bool has_files = false, has_processes = false;
	json_out_open(&j, NULL, '{');
	for (uint32_t i = 0; i < n; i++) {
		has_files |= reports[i].subject == DOCTOR_FILE;
		has_processes |= reports[i].subject == DOCTOR_PROCESS;
		if (reports[i].subject == DOCTOR_MACHINE)
			add_living(&j, "machine", &reports[i]);
	}
	if (has_processes)
		add_list(&j, "processes", DOCTOR_PROCESS, reports, n);
	if (has_files)
		add_list(&j, "files", DOCTOR_FILE, reports, n);
	json_out_close(&j, '}');
	json_out_end(&j);
}
