/* What doctor prints: what there is, then what is wrong with it, the worst first. */
#include "sink/doctor_int.h"

#include <time.h>

enum { FACT_COLUMN = 14, FINDING_COLUMN = 6, MOST_PATH = 200 };

void doctor_report_fini(struct doctor_report *r)
{
	recording_fini(&r->recording);
	unnamed_rows_fini(&r->unnamed);
	diagnosis_fini(&r->diagnosis);
	vec_fini(&r->facts);
	vec_fini(&r->mapped);
	vec_fini(&r->constants);
}

struct page {
	struct buf text;
	const struct report_style *style;
};

static void page_fini(struct page *p)
{
	buf_fini(&p->text);
}

/* Words from `column` on, which the line is at already, and further lines below them. */
static void add_words(struct page *p, struct str words, unsigned column)
{
	AUTO(buf) struct buf safe = { 0 };
	fit_add_safe(&safe, words);
	buf_add_wrapped(&p->text, buf_str(&safe), column, p->style->columns);
	buf_add_char(&p->text, '\n');
}

/* The same of words that may hold paths. */
static void add_short(struct page *p, struct str words, unsigned column)
{
	AUTO(buf) struct buf text = { 0 };
	add_short_words(&text, words, MOST_PATH);
	add_words(p, buf_str(&text), column);
}

static void add_blanks(struct page *p, unsigned n)
{
	buf_addf(&p->text, "%*s", (int)n, "");
}

/* --- the recording --- */

static void add_part(struct buf *out, uint32_t n, const char *one, const char *many)
{
	if (!n)
		return;
	buf_addf(out, ", ");
	buf_add_grouped(out, n);
	buf_addf(out, " %s", n == 1 ? one : many);
}

static void add_key(struct page *p, struct str key)
{
	enum { BESIDE = 2, MOST_KEY = 40 };
	report_ink(&p->text, p->style, INK_DIM);
	size_t start = p->text.n;
	fit_add_start(&p->text, key, MOST_KEY, false);
	report_pad(&p->text, start, FACT_COLUMN - BESIDE);
	add_blanks(p, BESIDE);
	report_ink(&p->text, p->style, INK_PLAIN);
}

static void add_heading(struct page *p, const struct doctor_report *r)
{
	report_ink(&p->text, p->style, INK_BOLD);
	fit_add_safe(&p->text, r->file);
	report_ink(&p->text, p->style, INK_PLAIN);
	buf_add_char(&p->text, '\n');
}

static void add_extent(struct page *p, const struct recording *c)
{
	AUTO(buf) struct buf line = { 0 };
	buf_add_grouped(&line, c->samples);
	if (c->has_times) {
		buf_addf(&line, " in ");
		report_add_seconds(&line, c->last_ns - c->first_ns);
	}
	add_part(&line, c->processes, "process", "processes");
	add_part(&line, c->threads, "thread", "threads");
	add_part(&line, c->cpus, "cpu", "cpus");
	add_key(p, STR("samples"));
	add_words(p, buf_str(&line), FACT_COLUMN);
}

/* Nobody reads ns since 1970. */
static bool add_moment(struct buf *out, struct str key, struct str ns_text)
{
	struct tm tm;
	char text[64];
	uint64_t ns;
	if (!str_eq(key, STR("started_unix_ns")) || !str_to_u64(ns_text, &ns))
		return false;
	time_t seconds = (time_t)(ns / 1000000000);
	if (!gmtime_r(&seconds, &tm))
		return false;
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm);
	buf_addf(out, "%s", text);
	return true;
}

/* Nor many of them. */
static bool add_span(struct buf *out, struct str key, struct str ns_text)
{
	uint64_t ns;
	if (!str_eq(key, STR("duration_ns")) || !str_to_u64(ns_text, &ns))
		return false;
	buf_add_fixed(out, (double)ns / 1e9, 1);
	buf_addf(out, " s");
	return true;
}

static void add_facts(struct page *p, const struct doctor_report *r)
{
	const struct recording *c = &r->recording;
	for (uint32_t i = 0; i < c->facts.n; i++) {
		AUTO(buf) struct buf moment = { 0 };
		struct str key = profile_str(r->profile, c->facts.p[i].key);
		struct str text = profile_str(r->profile, c->facts.p[i].text);
		if (str_eq(key, STR("cpu time")))
			continue; /* a finding has it in words */
		if (add_moment(&moment, key, text))
			key = STR("started");
		else if (add_span(&moment, key, text))
			key = STR("duration");
		add_key(p, key);
		add_words(p, moment.n ? buf_str(&moment) : text, FACT_COLUMN);
	}
}

static size_t event_width(const struct recording *c)
{
	enum { MOST = 40 };
	size_t width = 0;
	for (uint32_t i = 0; i < c->events.n; i++) {
		size_t need = utf8_count(c->events.p[i].name);
		width = need > width ? need : width;
	}
	return width < MOST ? width : MOST;
}

static void add_events(struct page *p, const struct doctor_report *r)
{
	const struct recording *c = &r->recording;
	size_t width = event_width(c);
	for (uint32_t i = 0; i < c->events.n; i++) {
		const struct recorded_event *e = &c->events.p[i];
		AUTO(buf) struct buf count = { 0 };
		buf_add_grouped(&count, e->samples);
		add_key(p, i ? STR("") : c->events.n == 1 ? STR("event") : STR("events"));
		size_t start = p->text.n;
		fit_add_start(&p->text, fit_known(e->name), width, false);
		report_pad(&p->text, start, width + 2);
		buf_addf(&p->text, "%10s %s", buf_c_string(&count),
			 e->has_only_sums  ? "(totals only)"
			 : e->samples == 1 ? "sample"
					   : "samples");
		if (e->about.n) {
			buf_addf(&p->text, ", ");
			fit_add_safe(&p->text, e->about);
		}
		buf_add_char(&p->text, '\n');
	}
}

/* --- this machine, a process --- */

static void add_told(struct page *p, const struct doctor_report *r)
{
	for (uint32_t i = 0; i < r->facts.n; i++) {
		add_key(p, str_from(r->facts.p[i].key));
		add_short(p, r->facts.p[i].text, FACT_COLUMN);
	}
}

/* `frame pointers`: how stacks get through it. */
static const char *stacks_in_words(const struct doctor_mapped *m)
{
	if (strcmp(m->frame_pointers, "kept") == 0)
		return "frame pointers";
	if (m->has_tables)
		return "tables";
	return strcmp(m->frame_pointers, "omitted") == 0 ? "cannot unwind" : "unknown";
}

static void add_names_in_words(struct buf *out, const struct doctor_mapped *m)
{
	buf_addf(out, "%s%s",
		 strcmp(m->names, "all") == 0	     ? "names"
		 : strcmp(m->names, "exported") == 0 ? "exported names"
						     : "no names",
		 m->has_lines ? ", lines" : "");
}

static size_t mapped_width(const struct doctor_report *r, uint32_t n, unsigned columns)
{
	enum { LEAST = 12, BESIDE = FACT_COLUMN + 16 + 21 };
	size_t width = LEAST, most = columns > BESIDE + LEAST ? columns - BESIDE : SIZE_MAX;
	for (uint32_t i = 0; i < n; i++) {
		size_t need = utf8_count(r->mapped.p[i].path);
		width = need > width ? need : width;
	}
	return width < most ? width : most;
}

/* How stacks and names come out of each file that is mapped. */
static void add_mapped(struct page *p, const struct doctor_report *r)
{
	enum { STACK_COLUMNS = 16 };
	uint32_t n = r->limit && r->limit < r->mapped.n ? r->limit : r->mapped.n;
	size_t width = mapped_width(r, n, p->style->columns);
	for (uint32_t i = 0; i < n; i++) {
		const struct doctor_mapped *m = &r->mapped.p[i];
		add_key(p, i ? STR("") : STR("files"));
		size_t start = p->text.n;
		fit_add_end(&p->text, m->path, width, p->style->is_unicode);
		report_pad(&p->text, start, width + 2);
		start = p->text.n;
		buf_addf(&p->text, "%s", stacks_in_words(m));
		report_pad(&p->text, start, STACK_COLUMNS);
		add_names_in_words(&p->text, m);
		buf_add_char(&p->text, '\n');
	}
	if (n < r->mapped.n) {
		add_blanks(p, FACT_COLUMN);
		buf_addf(&p->text, "and %u more: --limit 0 shows all\n", r->mapped.n - n);
	}
}

/* --- findings --- */

static void add_mark(struct page *p, enum finding_mark mark)
{
	static const enum ink inks[] = { [FINDING_BAD] = INK_HOT,
					 [FINDING_WARN] = INK_WARM,
					 [FINDING_INFO] = INK_DIM,
					 [FINDING_OK] = INK_GOOD };
	report_ink(&p->text, p->style, inks[mark]);
	buf_addf(&p->text, "%s", finding_mark_names[mark]);
	report_ink(&p->text, p->style, INK_PLAIN);
	add_blanks(p, FINDING_COLUMN - (unsigned)strlen(finding_mark_names[mark]));
}

/* `why  ...` or `fix  ...` */
static void add_detail(struct page *p, const char *word, struct str text, unsigned column)
{
	if (!text.n)
		return;
	add_blanks(p, column);
	report_ink(&p->text, p->style, INK_DIM);
	buf_addf(&p->text, "%s", word);
	report_ink(&p->text, p->style, INK_PLAIN);
	add_blanks(p, 2);
	add_short(p, text, column + 5);
}

static void add_unnamed_row(struct page *p, const struct doctor_report *r,
			    const struct unnamed_row *row)
{
	enum { SHARE_COLUMNS = 8 };
	AUTO(buf) struct buf module = { 0 };
	size_t start = p->text.n;
	add_blanks(p, FINDING_COLUMN);
	buf_add_percent(&p->text, row->frames, r->unnamed.frames);
	report_pad(&p->text, start, FINDING_COLUMN + SHARE_COLUMNS);
	add_short_path(&module, row->module.n ? row->module : STR("(unknown file)"), MOST_PATH);
	add_words(p, buf_str(&module), FINDING_COLUMN + SHARE_COLUMNS);
	add_detail(p, "why", row->reason, FINDING_COLUMN + SHARE_COLUMNS);
	add_detail(p, "fix", row->fix, FINDING_COLUMN + SHARE_COLUMNS);
}

/* The files under the finding that frames have no names. */
static void add_unnamed(struct page *p, const struct doctor_report *r)
{
	const struct unnamed_rows *u = &r->unnamed;
	uint32_t n = r->limit && r->limit < u->rows.n ? r->limit : u->rows.n;
	uint64_t rest = 0, ignored = 0;
	for (uint32_t i = 0; i < n; i++)
		add_unnamed_row(p, r, &u->rows.p[i]);
	for (uint32_t i = n; i < u->rows.n; i++)
		rest = saturating_add(rest, u->rows.p[i].frames, &ignored);
	if (n == u->rows.n)
		return;
	add_blanks(p, FINDING_COLUMN);
	buf_add_percent(&p->text, rest, u->frames);
	buf_addf(&p->text, " in %u more: --limit 0 shows all\n", u->rows.n - n);
}

static bool has_files(const struct doctor_report *r, const struct finding *f)
{
	return strcmp(f->key, "names") == 0 && r->unnamed.rows.n;
}

static bool shows_details(const struct doctor_report *r, const struct finding *f)
{
	return (f->mark != FINDING_OK || r->is_verbose) &&
	       (f->why.n || f->fix.n || has_files(r, f));
}

/* What has reasons and fixes stands apart; what is well is one line. */
static void add_findings(struct page *p, const struct doctor_report *r)
{
	const struct diagnosis *d = &r->diagnosis;
	bool was_long = true;
	for (uint32_t i = 0; i < d->findings.n; i++) {
		const struct finding *f = &d->findings.p[i];
		bool is_long = shows_details(r, f);
		if (is_long || was_long)
			buf_add_char(&p->text, '\n');
		was_long = is_long;
		add_mark(p, f->mark);
		add_short(p, f->what, FINDING_COLUMN);
		if (!is_long)
			continue;
		add_detail(p, "why", f->why, FINDING_COLUMN);
		add_detail(p, "fix", f->fix, FINDING_COLUMN);
		if (has_files(r, f))
			add_unnamed(p, r);
	}
}

static void add_verdict(struct page *p, const struct doctor_report *r)
{
	uint32_t count[FINDING_MARKS] = { 0 };
	for (uint32_t i = 0; i < r->diagnosis.findings.n; i++)
		count[r->diagnosis.findings.p[i].mark]++;
	buf_add_char(&p->text, '\n');
	report_ink(&p->text, p->style, INK_BOLD);
	if (!count[FINDING_BAD] && !count[FINDING_WARN])
		buf_addf(&p->text, "no problems found");
	if (count[FINDING_BAD])
		buf_addf(&p->text, "%u bad", count[FINDING_BAD]);
	if (count[FINDING_WARN])
		buf_addf(&p->text, "%s%u %s", count[FINDING_BAD] ? ", " : "", count[FINDING_WARN],
			 count[FINDING_WARN] == 1 ? "warning" : "warnings");
	report_ink(&p->text, p->style, INK_PLAIN);
	buf_add_char(&p->text, '\n');
}

void sink_doctor_text(const struct doctor_report *r, const struct report_style *s,
		      struct writer *out)
{
	AUTO(page) struct page p = { .style = s };
	add_heading(&p, r);
	if (r->subject == DOCTOR_FILE) {
		add_extent(&p, &r->recording);
		add_events(&p, r);
		add_facts(&p, r);
	} else {
		add_told(&p, r);
		add_mapped(&p, r);
		doctor_add_constants(&p.text, r, s);
	}
	add_verdict(&p, r);
	add_findings(&p, r);
	writer_add(out, buf_str(&p.text));
}
