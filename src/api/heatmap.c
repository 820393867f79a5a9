/* api/heatmap: samples over time, in rows by time within a column, by cpu, thread, process or event. */
#include "api/api_int.h"

static bool find_rows(const struct api_request *r, enum grid_by *by, struct err *e)
{
	const char *text = request_text(r, "rows");
	*by = GRID_OFFSET;
	if (!text)
		return true;
	for (*by = 0; *by < GRID_KEYS; ++*by)
		if (strcmp(grid_key_names[*by], text) == 0)
			return true;
	return err_usage(e, "rows=%s: must be offset, cpu, thread, process, event or total", text);
}

static bool find_span(const struct api_request *r, const struct shown *s, struct grid_request *g,
		      struct err *e)
{
	const double most = 9e18;
	double from, until, column, parts, length = (double)(s->last_ns - s->first_ns) + 1;
	if (!request_number(r, "from", -most, most, 0, &from, e) ||
	    !request_number(r, "until", -most, most, length, &until, e) ||
	    !request_number(r, "column", 1, most / 4, 1e9, &column, e) ||
	    !request_number(r, "parts", 1, GRID_MAX_PARTS, 50, &parts, e))
		return false;
	if (until < from)
		return err_usage(e, "'until' is before 'from'");
	/* Nothing lies outside the profile, so one column on each side is enough. */
	from = from < -column ? -column : from > length + column ? length + column : from;
	until = until > length + column ? length + column : until;
	g->column_ns = (uint64_t)column;
	g->parts = (uint32_t)parts;
	g->from_ns = (int64_t)s->first_ns + (int64_t)from;
	g->until_ns = (int64_t)s->first_ns + (int64_t)until;
	return true;
}

/* The origin of columns: the first sample, or a whole second of the wall clock. */
static int64_t origin_of(const struct api_request *r, const struct shown *s)
{
	const char *align = request_text(r, "align");
	uint64_t started = recording_brief_of(s->profile, INDEX_NONE).started_unix_ns;
	if (!align || strcmp(align, "wall") != 0)
		return (int64_t)s->first_ns;
	return (int64_t)s->first_ns - (int64_t)(started % 1000000000);
}

static bool *hits_of(const struct api_request *r, const struct tree *t, struct err *e)
{
	const char *search = request_text(r, "search");
	AUTO_FREE bool *is_match = mem_zalloc((size_t)t->labels.n + 1, sizeof(*is_match));
	if (!search || !*search)
		return NULL;
	if (!labels_match(t, r, search, is_match, e))
		return NULL;
	return tree_nodes_within(t, is_match);
}

static void add_comma_safe(struct buf *out, struct str value)
{
	for (size_t i = 0; i < value.n; i++) {
		if (value.p[i] == ',')
			buf_add_char(out, '\\');
		buf_add_char(out, value.p[i]);
	}
}

/* The name of the row, and the --where that selects it. */
static void name_row(const struct profile *p, enum grid_by by, const struct grid_row *row,
		     struct buf *text, struct buf *where)
{
	const struct thread *t = &p->threads.p[row->thread];
	struct str comm = profile_str(p, t->comm);
	switch (by) {
	case GRID_CPU:
		buf_addf(text, "CPU %lld", (long long)row->key);
		buf_addf(where, "cpu=%lld", (long long)row->key);
		break;
	case GRID_THREAD:
		buf_addf(text, "%.*s", STR_ARG(comm.n ? comm : STR("(no name)")));
		if (t->tid != PID_UNKNOWN) {
			buf_addf(text, " %d", t->tid);
			buf_addf(where, "tid=%d", t->tid);
		} else {
			buf_add(where, STR("comm="));
			add_comma_safe(where, comm);
		}
		break;
	case GRID_PROCESS:
		buf_addf(text, "%.*s", STR_ARG(comm.n ? comm : STR("(no name)")));
		if (t->pid != PID_UNKNOWN) {
			buf_addf(text, " %d", t->pid);
			buf_addf(where, "pid=%d", t->pid);
		}
		break;
	case GRID_EVENT:
		buf_add(text, profile_str(p, p->events.p[row->key].name));
		buf_add(where, STR("event="));
		add_comma_safe(where, buf_str(text));
		break;
	default:
		buf_add(text, STR("all"));
	}
}

static void add_rows(struct json_out *j, const struct profile *p, enum grid_by by,
		     const struct grid *g)
{
	json_out_open(j, "rows", '[');
	for (uint32_t i = 0; i < g->list.n; i++) {
		AUTO(buf) struct buf text = { 0 };
		AUTO(buf) struct buf where = { 0 };
		name_row(p, by, &g->list.p[i], &text, &where);
		json_out_open(j, NULL, '{');
		json_out_string(j, "text", buf_str(&text));
		json_out_open(j, "where", '[');
		if (where.n)
			json_out_string(j, NULL, buf_str(&where));
		json_out_close(j, ']');
		json_out_u64(j, "samples", g->list.p[i].samples);
		json_out_u64(j, "weight", g->list.p[i].weight);
		json_out_close(j, '}');
	}
	json_out_close(j, ']');
}

/* What one fully busy CPU adds per ns; 0 if unknown. */
static double per_cpu_of(const struct profile *p, const struct query_ledger *l,
			 const struct tree *t)
{
	uint64_t ns = ns_of_unit(p, l);
	return ns ? (double)tree_unit(t) / (double)ns : 0;
}

static void write_grid(struct api_request *r, const struct prepared_side *side, enum grid_by by,
		       const struct grid *g, struct api_answer *answer)
{
	struct columns c;
	const struct profile *p = side->shown->profile;
	const struct tree *t = prepared_whole(side->cached->prepared);
	const struct query_ledger *l = prepared_ledger(side->cached->prepared);
	columns_begin(&c, answer, r->wants_json);
	struct json_out *j = &c.header;
	add_rows(j, p, by, g);
	json_out_u64(j, "columns_count", g->columns);
	json_out_u64(j, "rows_count", g->rows);
	json_out_u64(j, "column_ns", g->column_ns);
	json_out_i64(j, "from_ns", g->from_ns - (int64_t)side->shown->first_ns);
	json_out_u64(j, "span_ns", side->shown->last_ns - side->shown->first_ns);
	json_out_u64(j, "max", g->max);
	json_out_u64(j, "top", g->top);
	json_out_u64(j, "total", g->total);
	add_unit(j, p, l, t);
	json_out_real(j, "per_cpu", per_cpu_of(p, l, t));
	add_counts(j, l);
	columns_add_u64(&c, "value", g->value, g->columns * g->rows);
	if (g->hits)
		columns_add_u64(&c, "hits", g->hits, g->columns * g->rows);
	columns_end(&c);
}

void heatmap_answer(struct api_request *r, struct api_answer *answer)
{
	AUTO(prepared_side) struct prepared_side side = { 0 };
	struct grid_request q = { 0 };
	struct err e = { 0 };
	text_list_fini(&r->side.view.query.times); /* the whole profile stays in view */
	r->side.view.query.times = (struct text_list){ 0 };
	bool ok = find_rows(r, &q.by, &e);
	r->side.view.query.all_events |= q.by == GRID_EVENT;
	if (!ok || !side_prepare(r, &r->side, &side, answer)) {
		if (!ok)
			answer_err(answer, &e);
		return;
	}
	AUTO_FREE bool *hits = NULL;
	struct grid *g = NULL;
	if (find_span(r, side.shown, &q, &e)) {
		q.origin_ns = origin_of(r, side.shown);
		hits = hits_of(r, prepared_whole(side.cached->prepared), &e);
		q.is_hit = hits;
		g = e.kind ? NULL : prepared_grid(side.cached->prepared, &q, &e);
	}
	if (g)
		write_grid(r, &side, q.by, g, answer);
	else
		answer_err(answer, &e);
	grid_free(g);
}
