/* The ledger of a report: the samples in two lines. */
#include "sink/report_int.h"

/* Parts with dots between them, broken between parts. */
struct ledger_text {
	struct buf *out;
	const struct report_style *style;
	size_t line_start;
	unsigned lines;
	bool is_first; /* of the line */
};

static struct str dot_of(const struct report_style *s)
{
	return s->is_unicode ? STR(" \xc2\xb7 ") : STR("; ");
}

static void begin_line(struct ledger_text *l)
{
	l->line_start = l->out->n;
	report_begin_remark(l->out, l->style);
	l->is_first = true;
	l->lines++;
}

static void add_part(struct ledger_text *l, struct str part)
{
	struct str dot = dot_of(l->style);
	struct str line = str_from_byte(buf_str(l->out), l->line_start);
	size_t width = utf8_count(line) + utf8_count(dot) + utf8_count(part);
	if (!l->is_first && l->style->columns && width > l->style->columns) {
		buf_add_char(l->out, '\n');
		begin_line(l);
	}
	if (!l->is_first)
		buf_add(l->out, dot);
	fit_add_safe(l->out, part);
	l->is_first = false;
}

/* `12 things`, `1 thing`. */
static void add_counted(struct buf *out, uint64_t n, const char *one, const char *many)
{
	buf_add_grouped(out, n);
	buf_addf(out, " %s", n == 1 ? one : many);
}

void report_add_seconds(struct buf *out, uint64_t ns)
{
	double seconds = (double)ns / 1e9;
	if (seconds >= 100)
		buf_addf(out, "%.0f s", seconds);
	else if (seconds >= 1)
		buf_addf(out, "%.1f s", seconds);
	else
		buf_addf(out, "%.1f ms", seconds * 1000);
}

/* --- what is shown --- */

/* `4 events in different units (bytes, objects)`. */
static void add_different_units(struct buf *out, const struct report_units *u)
{
	enum { MOST = 3 };
	add_counted(out, u->events, "event", "events");
	buf_add(out, STR(" in different units ("));
	for (uint32_t i = 0; i < u->n && i < MOST; i++)
		buf_addf(out, "%s%.*s", i ? ", " : "", STR_ARG(u->list[i]));
	buf_add(out, u->n > MOST ? STR(", ..)") : STR(")"));
}

static void add_amount(struct buf *out, const struct report *r)
{
	const struct query_ledger *l = r->ledger;
	const struct report_units *u = r->units;
	const struct event *e = l->event == INDEX_NONE ? NULL : &r->profile->events.p[l->event];
	if (u->n > 1) {
		add_different_units(out, u);
		return;
	}
	if (str_eq(u->all, STR("ns"))) {
		report_add_seconds(out, r->summary.total / tree_unit(r->tree));
	} else {
		bool is_one =
			r->summary.total == tree_unit(r->tree) && str_eq(u->all, STR("samples"));
		report_add_value(out, r->tree, r->summary.total);
		buf_addf(out, " %.*s", STR_ARG(is_one ? STR("sample") : u->all));
	}
	if (l->is_in_periods && !u->has_only_sums) {
		buf_add(out, STR(" in "));
		add_counted(out, l->shown, "sample", "samples");
	}
	struct str name = e ? profile_str(r->profile, e->name) : STR("");
	if (!e && u->events > 1)
		buf_addf(out, " of %u events", u->events);
	else if (name.n && !str_eq(name, u->all))
		buf_addf(out, " of %.*s", STR_ARG(name));
}

static void add_time(struct buf *out, const struct report *r)
{
	uint64_t span = r->summary.last_ns - r->summary.first_ns;
	report_add_seconds(out, span);
	buf_add(out, STR(", "));
	double rate = (double)r->ledger->shown / ((double)span / 1e9);
	if (rate >= 10)
		buf_add_grouped(out, (uint64_t)(rate + 0.5));
	else
		buf_addf(out, "%.2g", rate);
	buf_add(out, STR(" samples/s"));
}

static void add_shown(struct ledger_text *l, const struct report *r)
{
	AUTO(buf) struct buf part = { 0 };
	const struct report_summary *s = &r->summary;
	const struct {
		uint32_t n;
		const char *one, *many;
	} seen[] = { { s->processes, "process", "processes" },
		     { s->threads, "thread", "threads" },
		     { s->cpus, "cpu", "cpus" } };
	add_amount(&part, r);
	add_part(l, buf_str(&part));
	part.n = 0;
	if (r->units->n > 1)
		add_part(l, report_is_by_unit(r) ? STR("shares are per unit")
						 : STR("shares mix different units"));
	if (s->has_times) {
		add_time(&part, r);
		add_part(l, buf_str(&part));
		part.n = 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(seen); i++)
		if (seen[i].n) {
			buf_add(&part, part.n ? STR(", ") : STR(""));
			add_counted(&part, seen[i].n, seen[i].one, seen[i].many);
		}
	if (part.n)
		add_part(l, buf_str(&part));
}

/* --- what is not, or is doubtful --- */

static void add_count(struct ledger_text *l, uint64_t n, const char *text)
{
	AUTO(buf) struct buf part = { 0 };
	if (!n)
		return;
	buf_add_grouped(&part, n);
	buf_addf(&part, " %s", text);
	add_part(l, buf_str(&part));
}

static void add_share(struct ledger_text *l, uint64_t n, uint64_t total, const char *text)
{
	AUTO(buf) struct buf part = { 0 };
	if (!n)
		return;
	buf_add_percent(&part, n, total);
	buf_addf(&part, " %s", text);
	add_part(l, buf_str(&part));
}

/* `8 % in libfoo.so (it is stripped)`: where most are, and why. */
static void add_unnamed_files(struct ledger_text *l, const struct report *r)
{
	enum { MOST = 2, LEAST_PERCENT = 1 };
	AUTO(unnamed_rows) struct unnamed_rows u = { 0 };
	AUTO(buf) struct buf part = { 0 };
	unnamed_rows_of(r->profile, &u);
	if (report_percent(u.unnamed, u.frames) < LEAST_PERCENT)
		return;
	for (uint32_t i = 0; i < u.rows.n && i < MOST; i++) {
		if (report_percent(u.rows.p[i].frames, u.frames) < LEAST_PERCENT)
			break;
		part.n = 0;
		buf_add_percent(&part, u.rows.p[i].frames, u.frames);
		buf_add(&part, STR(" in "));
		unnamed_row_add_brief(&part, &u.rows.p[i]);
		add_part(l, buf_str(&part));
	}
	part.n = 0;
	buf_addf(&part, "see plume doctor%s%.*s", r->file.n ? " " : "", STR_ARG(r->file));
	add_part(l, buf_str(&part));
}

/* Where samples end, and on the whole. */
static void add_unnamed(struct ledger_text *l, const struct report *r)
{
	const uint64_t *count = r->profile->ledger.count;
	AUTO(buf) struct buf part = { 0 };
	if (!count[LEDGER_UNKNOWN_FRAMES] && !r->summary.no_name)
		return;
	buf_add(&part, STR("no name: "));
	buf_add_percent(&part, r->summary.no_name, r->summary.total);
	buf_add(&part, STR(" of leaves"));
	if (count[LEDGER_FRAMES]) {
		buf_add(&part, STR(", "));
		buf_add_percent(&part, count[LEDGER_UNKNOWN_FRAMES], count[LEDGER_FRAMES]);
		buf_add(&part, STR(" of frames"));
	}
	add_part(l, buf_str(&part));
	if (r->profile->unnamed.n)
		add_unnamed_files(l, r);
}

/* What happened while recording. */
static void add_recording(struct ledger_text *l, const uint64_t *count)
{
	AUTO(buf) struct buf part = { 0 };
	uint64_t lost = count[LEDGER_LOST], ignored = 0;
	if (lost) {
		buf_add_grouped(&part, lost);
		buf_add(&part, lost == 1 ? STR(" sample lost (") : STR(" samples lost ("));
		buf_add_percent(&part, lost, saturating_add(lost, count[LEDGER_SAMPLES], &ignored));
		buf_add_char(&part, ')');
		add_part(l, buf_str(&part));
	}
	add_count(l, count[LEDGER_THROTTLED],
		  count[LEDGER_THROTTLED] == 1 ? "time throttled" : "times throttled");
	add_share(l, count[LEDGER_TRUNCATED], count[LEDGER_SAMPLES],
		  "of stacks cut while recording");
	add_share(l, count[LEDGER_UNROOTED], count[LEDGER_SAMPLES], "of stacks are incomplete");
	add_count(l, count[LEDGER_NO_INLINES], "addresses without inlined functions");
}

/* CPU time without samples. */
static void add_charged(struct ledger_text *l, const struct profile *p)
{
	AUTO(buf) struct buf part = { 0 };
	struct charged c;
	if (!charged_of(p, &c) || !c.is_missing)
		return;
	charged_add_words(&c, &part);
	add_part(l, buf_str(&part));
}

static void add_kernel_time(struct ledger_text *l, const struct profile *p)
{
	AUTO(buf) struct buf part = { 0 };
	if (!is_user_only(p))
		return;
	if (lacks_kernel_time(p))
		kernel_time_add_words(p, &part);
	else
		buf_add(&part, STR("user space only"));
	add_part(l, buf_str(&part));
}

static void add_missing(struct ledger_text *l, const struct report *r)
{
	const struct query_ledger *q = r->ledger;
	const struct report_summary *s = &r->summary;
	const uint64_t *count = r->profile->ledger.count;
	size_t before = l->out->n;
	add_count(l, q->by_where + q->by_time + q->by_text, "samples excluded by selection");
	add_count(l, q->idle, "idle samples left out");
	/* How many samples says nothing: their counts may be bytes, or objects. */
	add_count(l, r->units->left_out,
		  r->units->left_out == 1 ? "other event left out" : "other events left out");
	add_count(l, q->not_under_root, "without the root asked for");
	add_count(l, lost_marks(r->profile), "times events were lost");
	add_recording(l, count);
	add_charged(l, r->profile);
	add_kernel_time(l, r->profile);
	add_share(l, s->idle, s->total, "idle");
	add_share(l, s->no_stack, s->total, "without a stack");
	add_unnamed(l, r);
	add_count(l, count[LEDGER_CUT_STACKS], "stacks cut");
	if (report_is_damaged(r))
		add_part(l, STR("input damaged or incomplete"));
	if (l->out->n == before)
		add_part(l, STR("nothing is left out, and every frame has a name"));
}

unsigned report_add_ledger(struct buf *out, const struct report *r, const struct report_style *s)
{
	struct ledger_text l = { .out = out, .style = s };
	begin_line(&l);
	add_shown(&l, r);
	buf_add_char(out, '\n');
	begin_line(&l);
	add_missing(&l, r);
	buf_add_char(out, '\n');
	return l.lines;
}
