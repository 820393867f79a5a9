/*
 * speedscope's JSON: a sampled profile for each thread of each event. What the format has no field for
 * stands in properties named "plume", which its schema and its reader leave alone.
 */
#include "sink/frame_text.h"
#include "sink/json_parts.h"
#include "sink/sample_length.h"

/* Samples that make one profile: a range of `rows`. */
struct group {
	uint32_t first, end;
	uint64_t weight;
};

struct speedscope_out {
	const struct profile *p;
	struct json_out out;
	bool has_times;
	bool *is_time; /* by event: its weights are ns */
	bool is_all_threads;
	uint32_t *rows; /* rows in order of event, thread and time */
	VEC(struct group) groups;
	uint32_t *index_of_frame; /* INDEX_NONE: in no stack */
	uint32_t frames;
	uint32_t *index_of_thread; /* of the frame with its name; for all_threads */
	VEC(uint32_t) path;
};

static bool weighs_periods(const struct speedscope_out *o, event_id event)
{
	const struct event *e = &o->p->events.p[event];
	return e->counts_periods || e->has_only_sums || o->is_time[event];
}

static uint64_t weight_of(const struct speedscope_out *o, uint32_t row)
{
	const struct samples *s = &o->p->samples;
	return weighs_periods(o, s->event[row]) ? s->period[row] : s->count[row];
}

/* Samples of a clock, all of which say how many ns they stand for: their weight is that, and has a unit. */
static bool is_time(const struct profile *p, event_id event, uint32_t *rows)
{
	const struct samples *s = &p->samples;
	struct event_rows r = { .p = p, .event = event, .rows = rows };
	const struct event *e = &p->events.p[event];
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->event[i] != event)
			continue;
		if (!s->period[i] && s->count[i])
			return false;
		rows[r.n++] = i;
	}
	return !e->counts_periods && !e->has_only_sums && r.n && sample_lasts_period(&r);
}

static void find_times(struct speedscope_out *o)
{
	AUTO_FREE uint32_t *rows = mem_alloc(o->p->samples.n + 1, sizeof(*rows));
	o->is_time = mem_zalloc(o->p->events.n + 1, sizeof(*o->is_time));
	for (event_id e = 0; e < o->p->events.n; e++)
		o->is_time[e] = is_time(o->p, e, rows);
}

/* --- which samples go where --- */

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct speedscope_out *o = context;
	const struct samples *s = &o->p->samples;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	if (s->event[x] != s->event[y])
		return s->event[x] < s->event[y] ? -1 : 1;
	if (!o->is_all_threads && s->thread[x] != s->thread[y])
		return s->thread[x] < s->thread[y] ? -1 : 1;
	if (o->has_times && s->time_ns[x] != s->time_ns[y])
		return s->time_ns[x] < s->time_ns[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Events stay in order; the heaviest thread of each is first. */
static int compare_groups(const void *a, const void *b, void *context)
{
	const struct speedscope_out *o = context;
	const struct group *x = a, *y = b;
	const struct samples *s = &o->p->samples;
	event_id event_x = s->event[o->rows[x->first]], event_y = s->event[o->rows[y->first]];
	if (event_x != event_y)
		return event_x < event_y ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static bool is_same_group(const struct speedscope_out *o, uint32_t x, uint32_t y)
{
	const struct samples *s = &o->p->samples;
	return s->event[x] == s->event[y] && (o->is_all_threads || s->thread[x] == s->thread[y]);
}

static void make_groups(struct speedscope_out *o)
{
	const struct samples *s = &o->p->samples;
	uint64_t overflows = 0;
	o->rows = mem_alloc(s->n, sizeof(*o->rows));
	o->has_times = profile_has_times(o->p);
	for (uint32_t i = 0; i < s->n; i++)
		o->rows[i] = i;
	if (s->n)
		qsort_r(o->rows, s->n, sizeof(*o->rows), compare_rows, o);
	for (uint32_t i = 0; i < s->n; i++) {
		if (i == 0 || !is_same_group(o, o->rows[i - 1], o->rows[i]))
			vec_push(&o->groups, (struct group){ .first = i });
		struct group *g = &o->groups.p[o->groups.n - 1];
		g->end = i + 1;
		g->weight = saturating_add(g->weight, weight_of(o, o->rows[i]), &overflows);
	}
	if (o->groups.n)
		qsort_r(o->groups.p, o->groups.n, sizeof(*o->groups.p), compare_groups, o);
}

/* --- frames --- */

/* Numbers the frames that stacks have. */
static void number_frames(struct speedscope_out *o)
{
	const struct profile *p = o->p;
	AUTO_FREE bool *is_used = mem_zalloc(p->nodes.n, sizeof(*is_used));
	o->index_of_frame = index_none_alloc(p->frames.n);
	for (uint32_t i = 0; i < p->samples.n; i++)
		is_used[p->samples.node[i]] = true;
	for (node_id i = p->nodes.n; --i;) /* a parent stands before its children */
		if (is_used[i]) {
			is_used[p->nodes.p[i].parent] = true;
			o->index_of_frame[p->nodes.p[i].frame] = 0;
		}
	for (frame_id i = 0; i < p->frames.n; i++)
		if (o->index_of_frame[i] != INDEX_NONE)
			o->index_of_frame[i] = o->frames++;
}

static void add_flag(struct json_out *j, const struct frame *f, unsigned flag, const char *key)
{
	if (f->flags & flag)
		json_out_bool(j, key, true);
}

/* `"plume":{...}` where the format's own fields do not say everything. */
static void add_frame_extra(struct json_out *j, const struct profile *p, const struct frame *f)
{
	if (f->name && !f->module && f->kind == FRAME_USER && !f->tier && !f->flags)
		return;
	json_out_open(j, "plume", '{');
	if (!f->name)
		json_out_string(j, "name", STR(""));
	if (f->module)
		json_out_string(j, "module", profile_str(p, f->module));
	if (f->kind != FRAME_USER)
		json_out_string(j, "kind", str_from(frame_kind_name(f->kind)));
	if (f->tier)
		json_out_string(j, "tier", (struct str){ &f->tier, 1 });
	add_flag(j, f, FRAME_INLINED, "inlined");
	add_flag(j, f, FRAME_WAKER, "waker");
	add_flag(j, f, FRAME_MARKED, "marked");
	json_out_close(j, '}');
}

static void add_frame(struct json_out *j, const struct profile *p, const struct frame *f)
{
	AUTO(buf) struct buf module = { 0 };
	if (!f->name)
		frame_text_add_module(&module, profile_str(p, f->module));
	json_out_open(j, NULL, '{');
	json_out_string(j, "name", f->name ? profile_str(p, f->name) : buf_str(&module));
	if (f->file)
		json_out_string(j, "file", profile_str(p, f->file));
	if (f->line)
		json_out_u64(j, "line", f->line);
	if (f->column)
		json_out_u64(j, "col", f->column);
	add_frame_extra(j, p, f);
	json_out_close(j, '}');
}

/* A frame for the name of each thread, behind all others. */
static void add_thread_frames(struct speedscope_out *o)
{
	const struct profile *p = o->p;
	o->index_of_thread = mem_alloc(p->threads.n, sizeof(*o->index_of_thread));
	for (thread_id t = 0; t < p->threads.n; t++) {
		o->index_of_thread[t] = t == THREAD_NONE ? INDEX_NONE : o->frames;
		if (t == THREAD_NONE)
			continue;
		o->frames++;
		json_out_open(&o->out, NULL, '{');
		json_out_string(&o->out, "name", profile_str(p, p->threads.p[t].comm));
		json_out_open(&o->out, "plume", '{');
		json_out_bool(&o->out, "thread", true);
		json_out_close(&o->out, '}');
		json_out_close(&o->out, '}');
	}
}

static void write_frames(struct speedscope_out *o)
{
	const struct profile *p = o->p;
	json_out_line(&o->out);
	json_out_open(&o->out, "shared", '{');
	json_out_open(&o->out, "frames", '[');
	for (frame_id i = 0; i < p->frames.n; i++) {
		if (o->index_of_frame[i] == INDEX_NONE)
			continue;
		json_out_line(&o->out);
		add_frame(&o->out, p, &p->frames.p[i]);
	}
	if (o->is_all_threads)
		add_thread_frames(o);
	json_out_close(&o->out, ']');
	json_out_close(&o->out, '}');
}

/* --- columns --- */

/* What columns are made of: the rows of a group. */
struct group_rows {
	const struct samples *samples;
	const uint32_t *rows;
	uint64_t unit; /* 10^decimals of the event */
};

static uint64_t count_of(const void *context, uint32_t i)
{
	const struct group_rows *g = context;
	return g->samples->count[g->rows[i]];
}

/* The count where it is not what the sum says. */
static uint64_t count_beyond_sum(const void *context, uint32_t i)
{
	const struct group_rows *g = context;
	uint32_t row = g->rows[i];
	return g->samples->count[row] - g->samples->period[row] / g->unit;
}

static uint64_t period_of(const void *context, uint32_t i)
{
	const struct group_rows *g = context;
	return g->samples->period[g->rows[i]];
}

static uint64_t cpu_of(const void *context, uint32_t i)
{
	const struct group_rows *g = context;
	return (uint64_t)(int64_t)g->samples->cpu[g->rows[i]];
}

/* The first time, then the way from each to the next. */
static uint64_t time_delta_of(const void *context, uint32_t i)
{
	const struct group_rows *g = context;
	uint64_t time_ns = g->samples->time_ns[g->rows[i]];
	return i ? time_ns - g->samples->time_ns[g->rows[i - 1]] : time_ns;
}

/* Ids of the rows' threads or label sets, and what each of them is. `none` is written as 0. */
struct id_column {
	const char *key, *table_key;
	const uint32_t *ids; /* by row */
	uint32_t id_count;
	bool is_labels;
};

/* Numbers ids by their first row: number[id] is 1 or more, 0 for `none`. Returns how many there are. */
static uint32_t number_ids(const struct speedscope_out *o, const struct group *g,
			   const struct id_column *c, uint32_t *number)
{
	uint32_t known = 0;
	for (uint32_t i = g->first; i < g->end; i++) {
		uint32_t id = c->ids[o->rows[i]];
		if (id && !number[id])
			number[id] = ++known;
	}
	return known;
}

/* What the numbers stand for, in their order. */
static void add_id_table(struct speedscope_out *o, const struct group *g, const struct id_column *c,
			 const uint32_t *number)
{
	struct json_out *j = &o->out;
	uint32_t done = 0;
	json_out_open(j, c->table_key, '[');
	for (uint32_t i = g->first; i < g->end; i++) {
		uint32_t id = c->ids[o->rows[i]];
		if (number[id] != done + 1)
			continue;
		done++;
		if (c->is_labels) {
			json_add_labels(j, o->p, id);
		} else {
			json_out_open(j, NULL, '{');
			json_add_thread(j, o->p, id);
			json_out_close(j, '}');
		}
	}
	json_out_close(j, ']');
}

struct id_rows {
	const uint32_t *ids, *rows, *number;
};

static uint64_t number_of_row(const void *context, uint32_t i)
{
	const struct id_rows *r = context;
	return r->number[r->ids[r->rows[i]]];
}

static void add_ids(struct speedscope_out *o, const struct group *g, const struct id_column *c)
{
	AUTO_FREE uint32_t *number = mem_zalloc(c->id_count, sizeof(*number));
	if (!number_ids(o, g, c, number))
		return;
	json_add_column(&o->out, &(struct json_column){ c->key, number_of_row },
			&(struct id_rows){ c->ids, o->rows + g->first, number }, g->end - g->first);
	add_id_table(o, g, c, number);
}

/* --- profiles --- */

static struct str unit_of(const struct speedscope_out *o, event_id event)
{
	const struct profile *p = o->p;
	const struct event *e = &p->events.p[event];
	static const struct {
		struct str unit, theirs;
	} known[] = {
		{ STR("ns"), STR("nanoseconds") },
		{ STR("nanoseconds"), STR("nanoseconds") },
		{ STR("us"), STR("microseconds") },
		{ STR("microseconds"), STR("microseconds") },
		{ STR("\xc2\xb5s"), STR("microseconds") },
		{ STR("ms"), STR("milliseconds") },
		{ STR("milliseconds"), STR("milliseconds") },
		{ STR("s"), STR("seconds") },
		{ STR("seconds"), STR("seconds") },
		{ STR("bytes"), STR("bytes") },
	};
	if (o->is_time[event])
		return STR("nanoseconds");
	if (e->counts_periods || e->has_only_sums)
		for (size_t i = 0; i < ARRAY_SIZE(known); i++)
			if (str_eq(profile_str(p, e->unit), known[i].unit))
				return known[i].theirs;
	return STR("none");
}

/* What speedscope shows in its list: `node 1200/1207`, with the event where there are several. */
static void add_profile_name(struct speedscope_out *o, uint32_t row)
{
	AUTO(buf) struct buf name = { 0 };
	const struct profile *p = o->p;
	struct str event = profile_str(p, p->events.p[p->samples.event[row]].name);
	thread_id thread = p->samples.thread[row];
	const struct thread *t = &p->threads.p[thread];
	if (o->is_all_threads || thread == THREAD_NONE) {
		buf_add(&name, event);
	} else {
		buf_add(&name, profile_str(p, t->comm));
		if (t->pid != PID_UNKNOWN)
			buf_addf(&name, " %d", t->pid);
		if (t->tid != PID_UNKNOWN && t->tid != t->pid)
			buf_addf(&name, "%s%d", t->pid == PID_UNKNOWN ? " " : "/", t->tid);
		if (p->events.n > 1)
			buf_addf(&name, ", %.*s", STR_ARG(event));
	}
	json_out_string(&o->out, "name", buf_str(&name));
}

static void add_columns(struct speedscope_out *o, const struct group *g, const struct event *e)
{
	static const struct json_column counts = { "counts", count_of, .usual = 1 },
					extra_counts = { "extra_counts", count_beyond_sum,
							 .is_signed = true },
					periods = { "periods", period_of, .is_always = true },
					times = { "times", time_delta_of, .is_first = true },
					cpus = { "cpus", cpu_of, .usual = UINT64_MAX,
						 .is_signed = true };
	const struct samples *s = &o->p->samples;
	event_id event = s->event[o->rows[g->first]];
	struct group_rows rows = { s, o->rows + g->first, 1 };
	uint32_t n = g->end - g->first;
	for (unsigned d = 0; d < e->decimals; d++)
		rows.unit *= 10;
	json_add_column(&o->out,
			e->has_only_sums	   ? &extra_counts
			: weighs_periods(o, event) ? &counts
						   : &periods,
			&rows, n);
	if (o->has_times)
		json_add_column(&o->out, &times, &rows, n);
	if (s->cpu)
		json_add_column(&o->out, &cpus, &rows, n);
	if (s->labels)
		add_ids(o, g,
			&(struct id_column){ "labels", "label_sets", s->labels, o->p->label_sets.n,
					     true });
	if (o->is_all_threads)
		add_ids(o, g,
			&(struct id_column){ "thread_of", "threads", s->thread, o->p->threads.n,
					     false });
}

static void add_profile_extra(struct speedscope_out *o, const struct group *g,
			      const struct event *e)
{
	struct json_out *j = &o->out;
	const struct profile *p = o->p;
	event_id event = p->samples.event[o->rows[g->first]];
	json_out_open(j, "plume", '{');
	if (!o->is_all_threads)
		json_add_thread(j, p, p->samples.thread[o->rows[g->first]]);
	json_out_string(j, "event", profile_str(p, e->name));
	json_out_string(j, "unit", profile_str(p, e->unit));
	json_out_string(j, "weight",
			e->has_only_sums    ? STR("sums")
			: e->counts_periods ? STR("periods")
			: o->is_time[event] ? STR("time")
					    : STR("samples"));
	if (e->decimals)
		json_out_u64(j, "decimals", e->decimals);
	add_columns(o, g, e);
	json_out_close(j, '}');
}

static void add_stack(struct speedscope_out *o, uint32_t row)
{
	const struct node *nodes = o->p->nodes.p;
	o->path.n = 0;
	for (node_id i = o->p->samples.node[row]; i != NODE_ROOT; i = nodes[i].parent)
		vec_push(&o->path, o->index_of_frame[nodes[i].frame]);
	thread_id thread = o->p->samples.thread[row];
	if (o->is_all_threads && thread != THREAD_NONE)
		vec_push(&o->path, o->index_of_thread[thread]);
	json_out_open(&o->out, NULL, '[');
	for (uint32_t i = o->path.n; i--;)
		json_out_u64(&o->out, NULL, o->path.p[i]);
	json_out_close(&o->out, ']');
}

/* Weights first: where the file is cut inside the stacks, those before it have theirs. */
static void write_samples(struct speedscope_out *o, const struct group *g, unsigned decimals)
{
	struct json_out *j = &o->out;
	json_out_line(j);
	json_out_open(j, "weights", '[');
	for (uint32_t i = g->first; i < g->end; i++)
		json_out_decimal(j, NULL, weight_of(o, o->rows[i]), decimals);
	json_out_close(j, ']');
	json_out_line(j);
	json_out_open(j, "samples", '[');
	for (uint32_t i = g->first; i < g->end; i++)
		add_stack(o, o->rows[i]);
	json_out_close(j, ']');
}

static void write_profile(struct speedscope_out *o, const struct group *g)
{
	struct json_out *j = &o->out;
	event_id event = o->p->samples.event[o->rows[g->first]];
	const struct event *e = &o->p->events.p[event];
	unsigned decimals = weighs_periods(o, event) ? e->decimals : 0;
	json_out_line(j);
	json_out_open(j, NULL, '{');
	json_out_string(j, "type", STR("sampled"));
	add_profile_name(o, o->rows[g->first]);
	json_out_string(j, "unit", unit_of(o, event));
	json_out_u64(j, "startValue", 0);
	json_out_decimal(j, "endValue", g->weight, decimals);
	add_profile_extra(o, g, e);
	write_samples(o, g, decimals);
	json_out_close(j, '}');
}

static void write_head(struct speedscope_out *o)
{
	struct json_out *j = &o->out;
	struct str command = profile_fact(o->p, STR("command"));
	json_out_string(j, "$schema", STR("https://www.speedscope.app/file-format-schema.json"));
	json_out_string(j, "exporter", STR("plume " PLUME_VERSION));
	if (command.n)
		json_out_string(j, "name", command);
	json_out_u64(j, "activeProfileIndex", 0);
	json_out_open(j, "plume", '{');
	json_out_string(j, "version", STR(PLUME_VERSION));
	if (o->p->is_differential)
		json_out_bool(j, "differential", true);
	json_add_parts(j, o->p);
	json_out_close(j, '}');
}

static void write_speedscope(const struct profile *p, const struct profile_format_options *options,
			     struct writer *writer, struct buf *notes)
{
	(void)notes; /* everything is in it */
	struct speedscope_out o = { .p = p,
				    .out = { .out = writer, .strings = JSON_BYTES },
				    .is_all_threads = options->all_threads };
	find_times(&o);
	make_groups(&o);
	number_frames(&o);
	json_out_open(&o.out, NULL, '{');
	write_head(&o);
	write_frames(&o);
	json_out_line(&o.out);
	json_out_open(&o.out, "profiles", '[');
	for (uint32_t i = 0; i < o.groups.n && writer_is_healthy(writer); i++)
		write_profile(&o, &o.groups.p[i]);
	json_out_close(&o.out, ']');
	json_out_close(&o.out, '}');
	json_out_end(&o.out);
	free(o.rows);
	free(o.is_time);
	free(o.index_of_frame);
	free(o.index_of_thread);
	vec_fini(&o.groups);
	vec_fini(&o.path);
}

const struct profile_format speedscope_sink = {
	.name = "speedscope",
	.title = "speedscope JSON",
	.endings = { ".speedscope.json" },
	.columns =
		COLUMN_TIME | COLUMN_CPU | COLUMN_PID | COLUMN_TID | COLUMN_ORDER | COLUMN_LABELS,
	.columns_of_each = COLUMNS_ALL,
	.write = write_speedscope,
};
