/*
 * A profile as tables in JSON, one array for each column: everything that the model holds, for scripts
 * and other programs. doc/formats/json.md says what each column is.
 */
#include "sink/json_parts.h"

/* Samples are written in blocks of columns, so that a file that was cut has all blocks before it. */
enum { BLOCK_ROWS = 8192 };

struct flat_out {
	const struct profile *p;
	struct json_out out;
	uint32_t first_row; /* of the block at hand */
};

#define VALUE(name, expression)                                                                    \
	static uint64_t name(const void *context, uint32_t i)                                      \
	{                                                                                          \
		const struct flat_out *o = context;                                                \
		return (uint64_t)(int64_t)(expression);                                            \
	}
#define ROW (o->first_row + i)

VALUE(frame_name, o->p->frames.p[i].name)
VALUE(frame_module, o->p->frames.p[i].module)
VALUE(frame_file, o->p->frames.p[i].file)
VALUE(frame_line, o->p->frames.p[i].line)
VALUE(frame_column, o->p->frames.p[i].column)
VALUE(frame_function_file, o->p->frames.p[i].function_file)
VALUE(frame_function_line, o->p->frames.p[i].function_line)
VALUE(frame_function_column, o->p->frames.p[i].function_column)
VALUE(frame_start, o->p->frames.p[i].start)
VALUE(frame_kind, o->p->frames.p[i].kind)
VALUE(frame_tier, o->p->frames.p[i].tier)
VALUE(frame_flags, o->p->frames.p[i].flags)
VALUE(stack_parent, o->p->nodes.p[i].parent)
VALUE(stack_frame, i ? o->p->nodes.p[i].frame : 0)
VALUE(thread_comm, o->p->threads.p[i].comm)
VALUE(thread_pid, o->p->threads.p[i].pid)
VALUE(thread_tid, o->p->threads.p[i].tid)
VALUE(thread_container, o->p->threads.p[i].container)
VALUE(event_name, o->p->events.p[i].name)
VALUE(event_unit, o->p->events.p[i].unit)
VALUE(event_weight, o->p->events.p[i].has_only_sums ? 2 : o->p->events.p[i].counts_periods ? 1 : 0)
VALUE(event_decimals, o->p->events.p[i].decimals)
VALUE(sample_stack, o->p->samples.node[ROW])
VALUE(sample_thread, o->p->samples.thread[ROW])
VALUE(sample_event, o->p->samples.event[ROW])
VALUE(sample_count, o->p->samples.count[ROW])
VALUE(sample_period, o->p->samples.period[ROW])
VALUE(sample_cpu, o->p->samples.cpu[ROW])
VALUE(sample_labels, o->p->samples.labels[ROW])
VALUE(sample_time,
      i ? o->p->samples.time_ns[ROW] - o->p->samples.time_ns[ROW - 1] : o->p->samples.time_ns[ROW])

#define UNKNOWN_ID (uint64_t)(int64_t) PID_UNKNOWN

static const struct json_column frame_columns[] = {
	{ .key = "name", frame_name, .is_first = true },
	{ .key = "module", frame_module },
	{ .key = "file", frame_file },
	{ .key = "line", frame_line },
	{ .key = "column", frame_column },
	{ .key = "function_file", frame_function_file },
	{ .key = "function_line", frame_function_line },
	{ .key = "function_column", frame_function_column },
	{ .key = "start", frame_start },
	{ .key = "kind", frame_kind },
	{ .key = "tier", frame_tier },
	{ .key = "flags", frame_flags },
};
static const struct json_column stack_columns[] = {
	{ .key = "parent", stack_parent, .is_first = true },
	{ .key = "frame", stack_frame },
};
static const struct json_column thread_columns[] = {
	{ .key = "comm", thread_comm, .is_first = true },
	{ .key = "pid", thread_pid, .usual = UNKNOWN_ID, .is_signed = true, .has_null = true },
	{ .key = "tid", thread_tid, .usual = UNKNOWN_ID, .is_signed = true, .has_null = true },
	{ .key = "container", thread_container },
};
static const struct json_column event_columns[] = {
	{ .key = "name", event_name, .is_first = true },
	{ .key = "unit", event_unit },
	{ .key = "weight", event_weight },
	{ .key = "decimals", event_decimals },
};
/* Those behind the first five are there when the profile has them. */
enum { SAMPLE_TIME = 5, SAMPLE_CPU, SAMPLE_LABELS, SAMPLE_COLUMNS };
static const struct json_column sample_columns[SAMPLE_COLUMNS] = {
	{ .key = "stack", sample_stack, .is_first = true },
	{ .key = "thread", sample_thread },
	{ .key = "event", sample_event },
	{ .key = "count", sample_count, .usual = 1 },
	{ .key = "period", sample_period },
	[SAMPLE_TIME] = { .key = "time_delta", sample_time, .is_signed = true, .is_always = true },
	[SAMPLE_CPU] = { .key = "cpu",
			 sample_cpu,
			 .usual = UINT64_MAX,
			 .is_signed = true,
			 .has_null = true },
	[SAMPLE_LABELS] = { .key = "labels", sample_labels },
};

static void write_table(struct flat_out *o, const char *key, const struct json_column *columns,
			size_t column_count, uint32_t n)
{
	json_out_line(&o->out);
	json_out_open(&o->out, key, '{');
	for (size_t i = 0; i < column_count; i++)
		json_add_column(&o->out, &columns[i], o, n);
	json_out_close(&o->out, '}');
}

static void write_strings(struct flat_out *o)
{
	json_out_line(&o->out);
	json_out_open(&o->out, "strings", '[');
	for (str_id i = 0; i < o->p->strings.n; i++)
		json_out_string(&o->out, NULL, profile_str(o->p, i));
	json_out_close(&o->out, ']');
}

static void write_label_sets(struct flat_out *o)
{
	if (o->p->label_sets.n < 2)
		return;
	json_out_line(&o->out);
	json_out_open(&o->out, "label_sets", '[');
	for (label_set i = 0; i < o->p->label_sets.n; i++)
		json_add_labels(&o->out, o->p, i);
	json_out_close(&o->out, ']');
}

static void write_block(struct flat_out *o, bool has_times)
{
	const struct samples *s = &o->p->samples;
	uint32_t left = s->n - o->first_row, n = left < BLOCK_ROWS ? left : BLOCK_ROWS;
	json_out_line(&o->out);
	json_out_open(&o->out, NULL, '{');
	for (unsigned i = 0; i < SAMPLE_COLUMNS; i++) {
		if ((i == SAMPLE_TIME && !has_times) || (i == SAMPLE_CPU && !s->cpu) ||
		    (i == SAMPLE_LABELS && !s->labels))
			continue;
		json_add_column(&o->out, &sample_columns[i], o, n);
	}
	json_out_close(&o->out, '}');
	o->first_row += n;
}

static void write_samples(struct flat_out *o)
{
	const struct samples *s = &o->p->samples;
	bool has_times = profile_has_times(o->p);
	json_out_line(&o->out);
	json_out_open(&o->out, "samples", '[');
	while (o->first_row < s->n && writer_is_healthy(o->out.out))
		write_block(o, has_times);
	json_out_close(&o->out, ']');
}

static void write_head(struct flat_out *o)
{
	struct json_out *j = &o->out;
	json_out_string(j, "format", STR("plume-flat"));
	json_out_u64(j, "version", 1);
	json_out_string(j, "exporter", STR("plume " PLUME_VERSION));
	if (o->p->is_differential)
		json_out_bool(j, "differential", true);
	json_out_line(j);
	json_out_open(j, "kinds", '[');
	for (enum frame_kind kind = 0; kind < FRAME_KIND_COUNT; kind++)
		json_out_string(j, NULL, str_from(frame_kind_name(kind)));
	json_out_close(j, ']');
}

static void write_flat(const struct profile *p, const struct profile_format_options *options,
		       struct writer *writer, struct buf *notes)
{
	(void)options;
	(void)notes; /* everything is in it */
	struct flat_out o = { .p = p, .out = { .out = writer, .strings = JSON_BYTES } };
	json_out_open(&o.out, NULL, '{');
	write_head(&o);
	write_strings(&o);
	write_table(&o, "frames", frame_columns, ARRAY_SIZE(frame_columns), p->frames.n);
	write_table(&o, "stacks", stack_columns, ARRAY_SIZE(stack_columns), p->nodes.n);
	write_table(&o, "threads", thread_columns, ARRAY_SIZE(thread_columns), p->threads.n);
	write_table(&o, "events", event_columns, ARRAY_SIZE(event_columns), p->events.n);
	write_label_sets(&o);
	json_add_parts(&o.out, p);
	write_samples(&o);
	json_out_close(&o.out, '}');
	json_out_end(&o.out);
}

const struct profile_format json_flat_sink = {
	.name = "json-flat",
	.title = "plume JSON tables",
	.endings = { ".flat.json" },
	.keeps_starts = true,
	.columns = COLUMNS_ALL,
	.columns_of_each = COLUMNS_ALL,
	.write = write_flat,
};
