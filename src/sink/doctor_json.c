/* What doctor finds, for programs: doc/formats/doctor-json.md. */
#include "sink/doctor.h"
#include "sink/json_parts.h"

static void add_text(struct buf *out, const char *key, struct str text)
{
	json_add_key(out, key);
	json_add_string(out, text);
}

/* Nothing where there is none. */
static void add_known_text(struct buf *out, const char *key, struct str text)
{
	if (text.n)
		add_text(out, key, text);
}

static void add_extent(struct buf *out, const struct recording *c)
{
	json_add_number_member(out, "samples", c->samples);
	if (c->has_times) {
		json_add_key(out, "time");
		buf_add_char(out, '{');
		json_add_number_member(out, "first_ns", c->first_ns);
		json_add_number_member(out, "last_ns", c->last_ns);
		buf_add_char(out, '}');
	}
	json_add_number_member(out, "processes", c->processes);
	json_add_number_member(out, "threads", c->threads);
	json_add_number_member(out, "cpus", c->cpus);
}

static void add_facts(struct buf *out, const struct doctor_report *r)
{
	json_add_key(out, "facts");
	buf_add_char(out, '[');
	for (uint32_t i = 0; i < r->recording.facts.n; i++) {
		const struct fact *f = &r->recording.facts.p[i];
		buf_add(out, i ? STR(",{") : STR("{"));
		add_text(out, "key", profile_str(r->profile, f->key));
		add_text(out, "text", profile_str(r->profile, f->text));
		buf_add_char(out, '}');
	}
	buf_add_char(out, ']');
}

static void add_events(struct buf *out, const struct recording *c)
{
	json_add_key(out, "events");
	buf_add_char(out, '[');
	for (uint32_t i = 0; i < c->events.n; i++) {
		const struct recorded_event *e = &c->events.p[i];
		buf_add(out, i ? STR(",{") : STR("{"));
		add_text(out, "name", e->name);
		json_add_number_member(out, e->has_only_sums ? "sum" : "samples", e->samples);
		add_known_text(out, "about", e->about);
		buf_add_char(out, '}');
	}
	buf_add_char(out, ']');
}

static void add_findings(struct buf *out, const struct diagnosis *d)
{
	json_add_key(out, "findings");
	buf_add_char(out, '[');
	for (uint32_t i = 0; i < d->findings.n; i++) {
		const struct finding *f = &d->findings.p[i];
		buf_add(out, i ? STR(",\n{") : STR("\n{"));
		add_text(out, "mark", str_from(finding_mark_names[f->mark]));
		add_text(out, "key", str_from(f->key));
		add_text(out, "what", f->what);
		if (f->count || f->total)
			json_add_number_member(out, "count", f->count);
		if (f->total)
			json_add_number_member(out, "total", f->total);
		add_known_text(out, "why", f->why);
		add_known_text(out, "fix", f->fix);
		buf_add_char(out, '}');
	}
	buf_add_char(out, ']');
}

void json_add_unnamed(struct buf *out, const struct unnamed_rows *u)
{
	json_add_key(out, "unnamed");
	buf_add_char(out, '[');
	for (uint32_t i = 0; i < u->rows.n; i++) {
		const struct unnamed_row *row = &u->rows.p[i];
		buf_add(out, i ? STR(",\n{") : STR("\n{"));
		add_text(out, "module", row->module);
		json_add_number_member(out, "frames", row->frames);
		add_known_text(out, "reason", row->reason);
		add_known_text(out, "fix", row->fix);
		buf_add_char(out, '}');
	}
	buf_add_char(out, ']');
}

static void add_file(struct buf *out, const struct doctor_report *r)
{
	buf_add_char(out, '{');
	add_text(out, "file", r->file);
	if (!r->profile) {
		add_text(out, "error", r->error);
		buf_add_char(out, '}');
		return;
	}
	add_extent(out, &r->recording);
	json_add_key(out, "damaged");
	buf_addf(out, "%s", ledger_is_damaged(&r->profile->ledger) ? "true" : "false");
	add_facts(out, r);
	add_events(out, &r->recording);
	add_findings(out, &r->diagnosis);
	json_add_number_member(out, "frames", r->unnamed.frames);
	json_add_number_member(out, "unnamed_frames", r->unnamed.unnamed);
	json_add_unnamed(out, &r->unnamed);
	buf_add_char(out, '}');
}

/* --- this machine, processes --- */

static void add_told(struct buf *out, const struct doctor_report *r)
{
	json_add_key(out, "facts");
	buf_add_char(out, '[');
	for (uint32_t i = 0; i < r->facts.n; i++) {
		buf_add(out, i ? STR(",{") : STR("{"));
		add_text(out, "key", str_from(r->facts.p[i].key));
		add_text(out, "text", r->facts.p[i].text);
		buf_add_char(out, '}');
	}
	buf_add_char(out, ']');
}

static void add_flag(struct buf *out, const char *key, bool value)
{
	json_add_key(out, key);
	buf_addf(out, "%s", value ? "true" : "false");
}

static void add_mapped(struct buf *out, const struct doctor_report *r)
{
	json_add_key(out, "mapped");
	buf_add_char(out, '[');
	for (uint32_t i = 0; i < r->mapped.n; i++) {
		const struct doctor_mapped *m = &r->mapped.p[i];
		buf_add(out, i ? STR(",\n{") : STR("\n{"));
		add_text(out, "path", m->path);
		add_text(out, "frame_pointers", str_from(m->frame_pointers));
		add_flag(out, "tables", m->has_tables);
		add_text(out, "names", str_from(m->names));
		add_flag(out, "lines", m->has_lines);
		add_known_text(out, "why", m->why);
		add_known_text(out, "fix", m->fix);
		buf_add_char(out, '}');
	}
	buf_add_char(out, ']');
}

static void add_constants(struct buf *out, const struct doctor_report *r)
{
	json_add_key(out, "constants");
	buf_add_char(out, '[');
	for (uint32_t i = 0; i < r->constants.n; i++) {
		const struct doctor_constant *c = &r->constants.p[i];
		buf_add(out, i ? STR(",\n{") : STR("\n{"));
		add_text(out, "group", c->group);
		add_text(out, "name", c->name);
		add_text(out, "origin", str_from(c->origin));
		if (c->is_known) {
			json_add_key(out, "value");
			buf_addf(out, "%d", c->value);
		}
		buf_add_char(out, '}');
	}
	buf_add_char(out, ']');
}

static void add_living(struct buf *out, const struct doctor_report *r)
{
	buf_add_char(out, '{');
	if (r->subject == DOCTOR_PROCESS)
		json_add_number_member(out, "pid", (uint64_t)r->pid);
	if (r->error.n) {
		add_text(out, "error", r->error);
	} else {
		add_text(out, "name", r->file);
		add_told(out, r);
		add_findings(out, &r->diagnosis);
		if (r->constants.n)
			add_constants(out, r);
		else if (r->subject == DOCTOR_PROCESS)
			add_mapped(out, r);
	}
	buf_add_char(out, '}');
}

/* `"key":[...]` of all reports on one kind of subject. */
static void add_list(struct buf *out, const char *key, enum doctor_subject subject,
		     const struct doctor_report *reports, uint32_t n)
{
	bool is_first = true;
	json_add_key(out, key);
	buf_add_char(out, '[');
	for (uint32_t i = 0; i < n; i++) {
		if (reports[i].subject != subject)
			continue;
		buf_addf(out, is_first ? "\n" : ",\n");
		is_first = false;
		if (subject == DOCTOR_FILE)
			add_file(out, &reports[i]);
		else
			add_living(out, &reports[i]);
	}
	buf_add_char(out, ']');
}

void sink_doctor_json(const struct doctor_report *reports, uint32_t n, struct writer *out)
{
	AUTO(buf) struct buf text = { 0 };
	bool has_files = false, has_processes = false;
	buf_add_char(&text, '{');
	for (uint32_t i = 0; i < n; i++) {
		has_files |= reports[i].subject == DOCTOR_FILE;
		has_processes |= reports[i].subject == DOCTOR_PROCESS;
		if (reports[i].subject == DOCTOR_MACHINE) {
			json_add_key(&text, "machine");
			add_living(&text, &reports[i]);
		}
	}
	if (has_processes)
		add_list(&text, "processes", DOCTOR_PROCESS, reports, n);
	if (has_files)
		add_list(&text, "files", DOCTOR_FILE, reports, n);
	buf_addf(&text, "}\n");
	writer_add(out, buf_str(&text));
}
