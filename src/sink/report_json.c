/* The report for programs: doc/formats/report-json.md. Numbers are exact. */
#include "sink/json_parts.h"
#include "sink/report_int.h"
#include "sink/sink.h"

/* In the tree's values. */
static void add_value(struct json_out *j, const struct report *r, const char *key, uint64_t value)
{
	json_out_decimal(j, key, value, r->tree->decimals);
}

static void add_time(struct json_out *j, const struct report *r)
{
	const struct report_summary *s = &r->summary;
	if (!s->has_times)
		return;
	double seconds = (double)(s->last_ns - s->first_ns) / 1e9;
	json_out_open(j, "time", '{');
	json_out_u64(j, "first_ns", s->first_ns);
	json_out_u64(j, "last_ns", s->last_ns);
	buf_addf(json_out_value(j, "samples_per_second"), "%.6g",
		 (double)r->ledger->shown / seconds);
	json_out_close(j, '}');
}

static void add_shown(struct json_out *j, const struct report *r)
{
	const struct report_summary *s = &r->summary;
	const struct query_ledger *l = r->ledger;
	json_out_u64(j, "samples", l->shown);
	add_value(j, r, "total", s->total);
	json_out_string(j, "unit", r->units->all);
	if (l->event != INDEX_NONE)
		json_out_string(j, "event",
				profile_str(r->profile, r->profile->events.p[l->event].name));
	json_out_u64(j, "stacks", l->stacks);
	add_time(j, r);
	json_out_u64(j, "processes", s->processes);
	json_out_u64(j, "threads", s->threads);
	json_out_u64(j, "cpus", s->cpus);
}

static void add_recording(struct json_out *j, const uint64_t *count)
{
	json_out_u64(j, "lost", count[LEDGER_LOST]);
	json_out_u64(j, "throttled", count[LEDGER_THROTTLED]);
	json_out_u64(j, "truncated", count[LEDGER_TRUNCATED]);
	json_out_u64(j, "unrooted", count[LEDGER_UNROOTED]);
	json_out_u64(j, "no_inlines", count[LEDGER_NO_INLINES]);
}

static void add_missing(struct json_out *j, const struct report *r)
{
	const struct query_ledger *l = r->ledger;
	const uint64_t *count = r->profile->ledger.count;
	json_out_open(j, "left_out", '{');
	json_out_u64(j, "selection", l->by_where + l->by_time + l->by_text);
	json_out_u64(j, "idle", l->idle);
	json_out_u64(j, "other_events", l->other_events);
	json_out_u64(j, "other_event_names", r->units->left_out);
	json_out_u64(j, "not_under_root", l->not_under_root);
	json_out_close(j, '}');
	json_out_open(j, "doubtful", '{');
	add_value(j, r, "idle", r->summary.idle);
	add_value(j, r, "no_stack", r->summary.no_stack);
	add_value(j, r, "no_name", r->summary.no_name);
	json_out_u64(j, "frames", count[LEDGER_FRAMES]);
	json_out_u64(j, "unnamed_frames", count[LEDGER_UNKNOWN_FRAMES]);
	if (knows_recording(r->profile))
		add_recording(j, count);
	json_out_bool(j, "damaged", report_is_damaged(r));
	json_out_close(j, '}');
	if (r->profile->unnamed.n) {
		AUTO(unnamed_rows) struct unnamed_rows unnamed = { 0 };
		unnamed_rows_of(r->profile, &unnamed);
		json_add_unnamed(j, &unnamed);
	}
}

/* The CPU time that the kernel charged, beside what the samples stand for. */
static void add_charged(struct json_out *j, const struct profile *p)
{
	struct charged c;
	if (!charged_of(p, &c))
		return;
	json_out_open(j, "cpu_time", '{');
	json_out_u64(j, "charged_ns", c.charged_ns);
	json_out_u64(j, "sampled_ns", c.sampled_ns);
	json_out_u64(j, "error_ns", c.error_ns);
	json_out_string(j, "clocks", c.is_of_threads ? STR("threads") : STR("cpus"));
	json_out_bool(j, "user_only", c.is_user);
	if (c.is_user)
		json_out_u64(j, "kernel_ns", c.kernel_ns);
	json_out_bool(j, "missing", c.is_missing);
	json_out_close(j, '}');
}

/* --- functions and groups --- */

/* Which of V8's compilers made its code; of its own time, in whose. Nothing of other functions. */
static void add_tiers(struct json_out *j, const struct report *r, const struct report_function *f)
{
	uint64_t any = 0;
	unsigned tier = report_tier_of(f);
	if (tier < TREE_TIER_COUNT)
		json_out_string(j, "tier", str_from(report_tier_names[tier]));
	for (unsigned i = 0; i < TREE_TIER_COUNT; i++)
		any |= f->of_tier[i];
	if (any) {
		json_out_open(j, "tiers", '{');
		for (unsigned i = 0; i < TREE_TIER_COUNT; i++)
			add_value(j, r, report_tier_names[i], f->of_tier[i]);
		json_out_close(j, '}');
	}
	if (f->inlined)
		add_value(j, r, "inlined", f->inlined);
}

static void add_function(struct json_out *j, const struct report *r, const struct report_table *t,
			 const struct report_function *f)
{
	const struct tree_label *label = &t->tree->labels.p[f->label];
	json_out_open(j, NULL, '{');
	json_out_string(j, "name", label->name);
	if (label->place.n) {
		json_out_string(j, "function", label->function);
		json_out_string(j, "place", label->place);
	}
	add_value(j, r, "self", f->self);
	add_value(j, r, "total", f->total);
	json_out_string(j, "category", str_from(category_name(category_of_label(label))));
	if (f->module.n)
		json_out_string(j, "module", f->module);
	if (f->file.n)
		json_out_string(j, "file", f->file);
	if (f->file.n && f->line)
		json_out_u64(j, "line", f->line);
	add_tiers(j, r, f);
	json_out_close(j, '}');
}

static uint32_t limited(uint32_t n, uint32_t limit)
{
	return limit && limit < n ? limit : n;
}

static void add_functions(struct json_out *j, const struct report *r, const struct report_table *t)
{
	const struct report_functions *f = t->functions;
	json_out_u64(j, t->is_your_code ? "your_code_count" : "function_count", f->rows.n);
	json_out_open(j, t->is_your_code ? "your_code" : "functions", '[');
	for (uint32_t i = 0; i < limited(f->rows.n, t->limit); i++) {
		json_out_line(j);
		add_function(j, r, t, &f->rows.p[i]);
	}
	json_out_close(j, ']');
}

static void add_hottest(struct json_out *j, const struct report *r, const struct tree *t,
			uint32_t label, uint64_t weight)
{
	json_out_open(j, "hottest", '{');
	json_out_string(j, "name", t->labels.p[label].name);
	add_value(j, r, "self", weight);
	json_out_close(j, '}');
}

static void add_groups(struct json_out *j, const struct report *r)
{
	json_out_string(j, "by", str_from(r->group_key));
	json_out_u64(j, "group_count", r->groups->rows.n);
	json_out_open(j, "groups", '[');
	for (uint32_t i = 0; i < limited(r->groups->rows.n, r->group_limit); i++) {
		const struct report_group *g = &r->groups->rows.p[i];
		json_out_line(j);
		json_out_open(j, NULL, '{');
		json_out_string(j, "name", g->name);
		add_value(j, r, "total", g->weight);
		json_out_u64(j, "samples", g->samples);
		if (report_is_by_unit(r)) {
			json_out_string(j, "unit", r->units->of_event[g->event]);
			add_value(j, r, "unit_total", g->whole);
		}
		add_hottest(j, r, r->tree, g->hottest, g->hottest_weight);
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
}

/* --- paths --- */

static void add_chain(struct json_out *j, const char *key, const struct report_paths *p,
		      uint32_t from, uint32_t n)
{
	json_out_open(j, key, '[');
	for (uint32_t i = 0; i < n; i++) {
		json_out_string(j, NULL, p->tree->labels.p[p->paths.labels.p[from + i]].name);
	}
	json_out_close(j, ']');
}

static void add_line(struct json_out *j, const struct report *r, const struct report_paths *p,
		     const struct path_line *line)
{
	json_out_open(j, NULL, '{');
	json_out_u64(j, "depth", line->depth);
	add_value(j, r, "total", line->total);
	add_value(j, r, "self", line->self);
	if (line->is_rest)
		json_out_bool(j, "rest", true);
	else
		add_chain(j, "chain", p, line->chain, line->chain_count);
	if (line->has_lines_below)
		add_value(j, r, "elsewhere", line->elsewhere);
	else
		add_value(j, r, "further", line->further);
	json_out_u64(j, "stacks", line->stacks);
	if (line->hottest != INDEX_NONE)
		add_hottest(j, r, p->tree, line->hottest, line->hottest_weight);
	json_out_close(j, '}');
}

static void add_paths(struct json_out *j, const struct report *r, const struct report_paths *p)
{
	const struct paths *paths = &p->paths;
	static const char *const keys[] = { [PATHS_OF_ALL] = "paths",
					    [PATHS_TO_CALLERS] = "callers",
					    [PATHS_TO_CALLEES] = "callees" };
	json_out_open(j, keys[p->direction], '{');
	add_chain(j, "trunk", p, 0, paths->trunk_count);
	add_value(j, r, "total", paths->total);
	add_value(j, r, "ends", paths->ends);
	add_value(j, r, "further", paths->further);
	add_value(j, r, "rests", paths->rests);
	add_value(j, r, "left_out", paths->left_out);
	json_out_u64(j, "left_out_stacks", paths->left_out_stacks);
	json_out_open(j, "lines", '[');
	for (uint32_t i = 0; i < paths->lines.n; i++) {
		json_out_line(j);
		add_line(j, r, p, &paths->lines.p[i]);
	}
	json_out_close(j, ']');
	json_out_close(j, '}');
}

static void add_subject(struct json_out *j, const struct report *r)
{
	const struct report_subject *f = r->subject;
	json_out_open(j, "function", '{');
	json_out_string(j, "name", f->name);
	json_out_u64(j, "functions", f->functions);
	add_value(j, r, "self", f->self);
	add_value(j, r, "total", f->total);
	json_out_close(j, '}');
}

void sink_report_json(const struct report *r, struct writer *out)
{
	struct json_out j = { .out = out };
	json_out_open(&j, NULL, '{');
	add_shown(&j, r);
	add_missing(&j, r);
	add_charged(&j, r->profile);
	if (r->your_code.functions)
		add_functions(&j, r, &r->your_code);
	if (r->all.functions)
		add_functions(&j, r, &r->all);
	if (r->groups)
		add_groups(&j, r);
	if (r->subject)
		add_subject(&j, r);
	for (unsigned i = 0; i < r->path_count; i++)
		add_paths(&j, r, &r->paths[i]);
	json_out_close(&j, '}');
	json_out_end(&j);
}
