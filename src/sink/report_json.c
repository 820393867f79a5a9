/* The report for programs: doc/formats/report-json.md. Numbers are exact. */
#include "sink/json_parts.h"
#include "sink/report_int.h"
#include "sink/sink.h"

static void add_key(struct buf *out, const char *key)
{
	if (out->n && out->p[out->n - 1] != '{')
		buf_add_char(out, ',');
	buf_addf(out, "\"%s\":", key);
}

static void add_number(struct buf *out, const char *key, uint64_t value)
{
	add_key(out, key);
	buf_add_u64(out, value);
}

/* In the tree's values. */
static void add_value(struct buf *out, const struct report *r, const char *key, uint64_t value)
{
	add_key(out, key);
	buf_add_decimal(out, value, r->tree->decimals);
}

static void add_text(struct buf *out, const char *key, struct str text)
{
	add_key(out, key);
	json_add_string(out, text);
}

static void add_bool(struct buf *out, const char *key, bool value)
{
	add_key(out, key);
	buf_add(out, value ? STR("true") : STR("false"));
}

/* `"key":{`, to be closed by the caller. */
static void open_object(struct buf *out, const char *key)
{
	add_key(out, key);
	buf_add_char(out, '{');
}

static void add_time(struct buf *out, const struct report *r)
{
	const struct report_summary *s = &r->summary;
	if (!s->has_times)
		return;
	double seconds = (double)(s->last_ns - s->first_ns) / 1e9;
	open_object(out, "time");
	add_number(out, "first_ns", s->first_ns);
	add_number(out, "last_ns", s->last_ns);
	add_key(out, "samples_per_second");
	buf_addf(out, "%.6g}", (double)r->ledger->shown / seconds);
}

static void add_shown(struct buf *out, const struct report *r)
{
	const struct report_summary *s = &r->summary;
	const struct query_ledger *l = r->ledger;
	add_number(out, "samples", l->shown);
	add_value(out, r, "total", s->total);
	add_text(out, "unit", r->units->all);
	if (l->event != INDEX_NONE)
		add_text(out, "event",
			 profile_str(r->profile, r->profile->events.p[l->event].name));
	add_number(out, "stacks", l->stacks);
	add_time(out, r);
	add_number(out, "processes", s->processes);
	add_number(out, "threads", s->threads);
	add_number(out, "cpus", s->cpus);
}

static void add_recording(struct buf *out, const uint64_t *count)
{
	add_number(out, "lost", count[LEDGER_LOST]);
	add_number(out, "throttled", count[LEDGER_THROTTLED]);
	add_number(out, "truncated", count[LEDGER_TRUNCATED]);
	add_number(out, "unrooted", count[LEDGER_UNROOTED]);
	add_number(out, "no_inlines", count[LEDGER_NO_INLINES]);
}

static void add_missing(struct buf *out, const struct report *r)
{
	const struct query_ledger *l = r->ledger;
	const uint64_t *count = r->profile->ledger.count;
	open_object(out, "left_out");
	add_number(out, "selection", l->by_where + l->by_time + l->by_text);
	add_number(out, "idle", l->idle);
	add_number(out, "other_events", l->other_events);
	add_number(out, "other_event_names", r->units->left_out);
	add_number(out, "not_under_root", l->not_under_root);
	buf_add_char(out, '}');
	open_object(out, "doubtful");
	add_value(out, r, "idle", r->summary.idle);
	add_value(out, r, "no_stack", r->summary.no_stack);
	add_value(out, r, "no_name", r->summary.no_name);
	add_number(out, "frames", count[LEDGER_FRAMES]);
	add_number(out, "unnamed_frames", count[LEDGER_UNKNOWN_FRAMES]);
	if (knows_recording(r->profile))
		add_recording(out, count);
	add_bool(out, "damaged", report_is_damaged(r));
	buf_add_char(out, '}');
	if (r->profile->unnamed.n) {
		AUTO(unnamed_rows) struct unnamed_rows unnamed = { 0 };
		unnamed_rows_of(r->profile, &unnamed);
		json_add_unnamed(out, &unnamed);
	}
}

/* The CPU time that the kernel charged, beside what the samples stand for. */
static void add_charged(struct buf *out, const struct profile *p)
{
	struct charged c;
	if (!charged_of(p, &c))
		return;
	open_object(out, "cpu_time");
	add_number(out, "charged_ns", c.charged_ns);
	add_number(out, "sampled_ns", c.sampled_ns);
	add_number(out, "error_ns", c.error_ns);
	add_text(out, "clocks", c.is_of_threads ? STR("threads") : STR("cpus"));
	add_bool(out, "user_only", c.is_user);
	if (c.is_user)
		add_number(out, "kernel_ns", c.kernel_ns);
	add_bool(out, "missing", c.is_missing);
	buf_add_char(out, '}');
}

/* --- functions and groups --- */

/* Which of V8's compilers made its code; of its own time, in whose. Nothing of other functions. */
static void add_tiers(struct buf *out, const struct report *r, const struct report_function *f)
{
	uint64_t any = 0;
	unsigned tier = report_tier_of(f);
	if (tier < TREE_TIER_COUNT)
		add_text(out, "tier", str_from(report_tier_names[tier]));
	for (unsigned i = 0; i < TREE_TIER_COUNT; i++)
		any |= f->of_tier[i];
	if (any) {
		open_object(out, "tiers");
		for (unsigned i = 0; i < TREE_TIER_COUNT; i++)
			add_value(out, r, report_tier_names[i], f->of_tier[i]);
		buf_add_char(out, '}');
	}
	if (f->inlined)
		add_value(out, r, "inlined", f->inlined);
}

static void add_function(struct buf *out, const struct report *r, const struct report_table *t,
			 const struct report_function *f)
{
	const struct tree_label *label = &t->tree->labels.p[f->label];
	buf_add_char(out, '{');
	add_text(out, "name", label->name);
	if (label->place.n) {
		add_text(out, "function", label->function);
		add_text(out, "place", label->place);
	}
	add_value(out, r, "self", f->self);
	add_value(out, r, "total", f->total);
	add_text(out, "category", str_from(category_name(category_of_label(label))));
	if (f->module.n)
		add_text(out, "module", f->module);
	if (f->file.n)
		add_text(out, "file", f->file);
	if (f->file.n && f->line)
		add_number(out, "line", f->line);
	add_tiers(out, r, f);
	buf_add_char(out, '}');
}

static uint32_t limited(uint32_t n, uint32_t limit)
{
	return limit && limit < n ? limit : n;
}

static void add_functions(struct buf *out, const struct report *r, const struct report_table *t,
			  struct writer *w)
{
	const struct report_functions *f = t->functions;
	add_number(out, t->is_your_code ? "your_code_count" : "function_count", f->rows.n);
	add_key(out, t->is_your_code ? "your_code" : "functions");
	buf_add_char(out, '[');
	for (uint32_t i = 0; i < limited(f->rows.n, t->limit); i++) {
		buf_add(out, i ? STR(",\n") : STR("\n"));
		add_function(out, r, t, &f->rows.p[i]);
		writer_add(w, buf_str(out));
		out->n = 0;
	}
	buf_add_char(out, ']');
}

static void add_hottest(struct buf *out, const struct report *r, const struct tree *t,
			uint32_t label, uint64_t weight)
{
	open_object(out, "hottest");
	add_text(out, "name", t->labels.p[label].name);
	add_value(out, r, "self", weight);
	buf_add_char(out, '}');
}

static void add_groups(struct buf *out, const struct report *r, struct writer *w)
{
	add_text(out, "by", str_from(r->group_key));
	add_number(out, "group_count", r->groups->rows.n);
	add_key(out, "groups");
	buf_add_char(out, '[');
	for (uint32_t i = 0; i < limited(r->groups->rows.n, r->group_limit); i++) {
		const struct report_group *g = &r->groups->rows.p[i];
		buf_add(out, i ? STR(",\n{") : STR("\n{"));
		add_text(out, "name", g->name);
		add_value(out, r, "total", g->weight);
		add_number(out, "samples", g->samples);
		if (report_is_by_unit(r)) {
			add_text(out, "unit", r->units->of_event[g->event]);
			add_value(out, r, "unit_total", g->whole);
		}
		add_hottest(out, r, r->tree, g->hottest, g->hottest_weight);
		buf_add_char(out, '}');
		writer_add(w, buf_str(out));
		out->n = 0;
	}
	buf_add_char(out, ']');
}

/* --- paths --- */

static void add_chain(struct buf *out, const char *key, const struct report_paths *p, uint32_t from,
		      uint32_t n)
{
	add_key(out, key);
	buf_add_char(out, '[');
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			buf_add_char(out, ',');
		json_add_string(out, p->tree->labels.p[p->paths.labels.p[from + i]].name);
	}
	buf_add_char(out, ']');
}

static void add_line(struct buf *out, const struct report *r, const struct report_paths *p,
		     const struct path_line *line)
{
	buf_add_char(out, '{');
	add_number(out, "depth", line->depth);
	add_value(out, r, "total", line->total);
	add_value(out, r, "self", line->self);
	if (line->is_rest)
		add_bool(out, "rest", true);
	else
		add_chain(out, "chain", p, line->chain, line->chain_count);
	if (line->has_lines_below)
		add_value(out, r, "elsewhere", line->elsewhere);
	else
		add_value(out, r, "further", line->further);
	add_number(out, "stacks", line->stacks);
	if (line->hottest != INDEX_NONE)
		add_hottest(out, r, p->tree, line->hottest, line->hottest_weight);
	buf_add_char(out, '}');
}

static void add_paths(struct buf *out, const struct report *r, const struct report_paths *p)
{
	const struct paths *paths = &p->paths;
	static const char *const keys[] = { [PATHS_OF_ALL] = "paths",
					    [PATHS_TO_CALLERS] = "callers",
					    [PATHS_TO_CALLEES] = "callees" };
	open_object(out, keys[p->direction]);
	add_chain(out, "trunk", p, 0, paths->trunk_count);
	add_value(out, r, "total", paths->total);
	add_value(out, r, "ends", paths->ends);
	add_value(out, r, "further", paths->further);
	add_value(out, r, "rests", paths->rests);
	add_value(out, r, "left_out", paths->left_out);
	add_number(out, "left_out_stacks", paths->left_out_stacks);
	add_key(out, "lines");
	buf_add_char(out, '[');
	for (uint32_t i = 0; i < paths->lines.n; i++) {
		buf_add(out, i ? STR(",\n") : STR("\n"));
		add_line(out, r, p, &paths->lines.p[i]);
	}
	buf_add(out, STR("]}"));
}

static void add_subject(struct buf *out, const struct report *r)
{
	const struct report_subject *f = r->subject;
	open_object(out, "function");
	add_text(out, "name", f->name);
	add_number(out, "functions", f->functions);
	add_value(out, r, "self", f->self);
	add_value(out, r, "total", f->total);
	buf_add_char(out, '}');
}

void sink_report_json(const struct report *r, struct writer *out)
{
	AUTO(buf) struct buf text = { 0 };
	buf_add_char(&text, '{');
	add_shown(&text, r);
	add_missing(&text, r);
	add_charged(&text, r->profile);
	if (r->your_code.functions)
		add_functions(&text, r, &r->your_code, out);
	if (r->all.functions)
		add_functions(&text, r, &r->all, out);
	if (r->groups)
		add_groups(&text, r, out);
	if (r->subject)
		add_subject(&text, r);
	for (unsigned i = 0; i < r->path_count; i++)
		add_paths(&text, r, &r->paths[i]);
	buf_add(&text, STR("}\n"));
	writer_add(out, buf_str(&text));
}
