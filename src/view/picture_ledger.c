/* The line below the title: what a picture is made of, and what is missing from it. */
#include "view/view_int.h"

#include <time.h>

const char *picture_count_name(const struct profile *p, const struct query_ledger *l,
			       struct buf *scratch)
{
	if (!l->is_in_periods || l->event == INDEX_NONE || p->events.p[l->event].has_only_sums)
		return "samples";
	struct str name = profile_str(p, p->events.p[l->event].name);
	if (str_starts(name, STR("cpu-clock")) || str_starts(name, STR("task-clock")))
		return "ns";
	scratch->n = 0;
	buf_add(scratch, name.n ? name : STR("events"));
	return buf_c_string(scratch);
}

void picture_ledger_part(uint64_t count, const char *text, struct buf *out)
{
	if (!count)
		return;
	buf_add(out, STR(" \xc2\xb7 "));
	buf_add_grouped(out, count);
	buf_addf(out, " %s", text);
}

/* ` . 12.3% words`; nothing for 0. */
static void add_percent_part(struct buf *out, uint64_t count, uint64_t total, const char *words)
{
	double percent = total ? 100.0 * (double)count / (double)total : 0;
	if (!count || !total)
		return;
	if (percent < 0.1)
		buf_addf(out, " \xc2\xb7 under 0.1%% %s", words);
	else
		buf_addf(out, " \xc2\xb7 %.1f%% %s", percent, words);
}

static void add_recording(struct buf *out, const uint64_t *count)
{
	uint64_t samples = count[LEDGER_SAMPLES], throttled = count[LEDGER_THROTTLED];
	picture_ledger_part(count[LEDGER_LOST], "lost while recording", out);
	picture_ledger_part(throttled, throttled == 1 ? "time throttled" : "times throttled", out);
	add_percent_part(out, count[LEDGER_TRUNCATED], samples, "of stacks cut while recording");
	add_percent_part(out, count[LEDGER_UNROOTED], samples, "of stacks incomplete");
}

static void add_unnamed(struct buf *out, const struct profile *p)
{
	const uint64_t *count = p->ledger.count;
	add_percent_part(out, count[LEDGER_UNKNOWN_FRAMES], count[LEDGER_FRAMES],
			 "of frames unnamed");
	if (p->unnamed.n) {
		AUTO(unnamed_rows) struct unnamed_rows rows = { 0 };
		unnamed_rows_of(p, &rows);
		buf_add(out, STR(", most in "));
		unnamed_row_add_brief(out, &rows.rows.p[0]);
	}
}

/* `, 2026-11-18 14:02 UTC` */
static void add_moment(struct buf *out, uint64_t unix_ns)
{
	char text[64];
	struct tm tm;
	time_t seconds = (time_t)(unix_ns / 1000000000);
	if (!unix_ns || !gmtime_r(&seconds, &tm))
		return;
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &tm);
	buf_addf(out, ", %s", text);
}

/* ` . 30.0 s at 99 Hz on web-1, 2026-11-18 14:02 UTC`, as far as known. */
static void add_origin(struct buf *out, const struct profile *p, event_id event)
{
	enum { MOST_HOST = 64 };
	AUTO(buf) struct buf text = { 0 };
	struct recording_brief b = recording_brief_of(p, event);
	if (b.duration_ns) {
		buf_addf(&text, ", ");
		buf_add_span(&text, (double)b.duration_ns);
	}
	if (b.rate.n)
		buf_addf(&text, "%s%.*s",
			 str_starts(b.rate, STR("every")) ? ", one sample " : " at ",
			 STR_ARG(b.rate));
	if (b.host.n) {
		buf_addf(&text, " on ");
		fit_add_start(&text, b.host, MOST_HOST, true);
	}
	add_moment(&text, b.started_unix_ns);
	if (text.n)
		buf_addf(out, " \xc2\xb7 %s", buf_c_string(&text) + (text.p[0] == ',' ? 2 : 1));
}

static void add_shown(struct buf *out, const struct query_ledger *l, const struct tree *t)
{
	if (t->value_count > 1) {
		buf_add(out, STR("before "));
		buf_add_decimal(out, t->total[0][0], t->decimals);
		buf_add(out, STR(", after "));
		buf_add_decimal(out, t->total[1][0], t->decimals);
		buf_add(out, STR(" samples"));
		return;
	}
	if (t->decimals) {
		buf_add_decimal(out, t->total[0][0], t->decimals);
		buf_add(out, STR(" samples"));
		return;
	}
	buf_add_grouped(out, l->shown);
	buf_add(out, l->shown == 1 ? STR(" sample") : STR(" samples"));
}

void picture_ledger_missing(const struct profile *p, const struct query_ledger *l, struct buf *out)
{
	picture_ledger_part(l->by_where + l->by_time + l->by_text, "left out by selection", out);
	picture_ledger_part(l->idle, "idle left out", out);
	picture_ledger_part(l->other_events, "of other events left out", out);
	picture_ledger_part(l->not_under_root, "without a frame that matches --root", out);
	add_recording(out, p->ledger.count);
	add_unnamed(out, p);
	if (ledger_is_damaged(&p->ledger) || l->overflows)
		buf_add(out, STR(" \xc2\xb7 input damaged or incomplete"));
}

void picture_ledger(const struct profile *p, const struct query_ledger *l, const struct tree *t,
		    const struct layout *layout, struct buf *out)
{
	add_shown(out, l, t);
	if (l->event != INDEX_NONE && !p->events.p[l->event].has_only_sums) {
		struct str name = profile_str(p, p->events.p[l->event].name);
		buf_add(out, name.n ? STR(" of ") : STR(""));
		buf_add(out, name);
		if (l->is_in_periods)
			buf_add(out, STR(", by period"));
	}
	buf_add(out, STR(" in "));
	buf_add_grouped(out, l->stacks);
	buf_add(out, l->stacks == 1 ? STR(" stack") : STR(" stacks"));
	add_origin(out, p, l->event);
	picture_ledger_missing(p, l, out);
	picture_ledger_part(layout->narrow,
			    layout->narrow == 1 ? "frame too narrow to draw"
						: "frames too narrow to draw",
			    out);
}
