/*
 * A profile as pprof's profile.proto (github.com/google/pprof/proto/profile.proto): value types, samples
 * with their labels, and what is known of the recording.
 */
#include "sink/pprof_int.h"
#include "sink/sample_length.h"

/* Each sample has a value for each type, so that events cost their product with samples. */
enum { MAX_EVENTS = 256 };

/* Where the values of an event are in a sample. */
struct columns {
	uint32_t value_at;
	uint32_t count_at; /* INDEX_NONE: it has only sums */
};

/* Sums of a stack, by event. */
struct amount {
	event_id event;
	uint32_t next; /* INDEX_NONE: no more */
	uint64_t count, period;
};

struct group {
	node_id node;
	thread_id thread;
	label_set labels;
	uint32_t first; /* in amounts */
};

struct span {
	uint32_t start, n;
};

struct pprof_sink {
	const struct profile *p;
	struct pprof_writer tables;
	struct writer *out;
	struct columns columns[MAX_EVENTS];
	uint32_t event_count, type_count;
	uint64_t *values;
	uint64_t held; /* values that do not fit */

	struct buf thread_bytes;
	struct span *thread_labels; /* by thread, in thread_bytes */
	uint32_t time_key, cpu_key;
	bool has_all_times;
	VEC(label_id) label_path;
	struct buf sample;

	VEC(struct group) groups;
	VEC(struct amount) amounts;
	struct index_map group_map;
};

/* --- value types --- */

static bool is_clock_in_ns(struct str name)
{
	return str_starts(name, STR("cpu-clock")) || str_starts(name, STR("task-clock"));
}

/* perf's clocks are read as counts of samples; what they count are nanoseconds. */
static struct str unit_of(const struct pprof_sink *s, event_id event)
{
	const struct profile *p = s->p;
	const struct event *e = &p->events.p[event];
	struct str unit = profile_str(p, e->unit);
	if (str_eq(unit, STR("ns")))
		return STR("nanoseconds");
	if (unit.n && !str_eq(unit, STR("samples")))
		return unit;
	if (e->has_only_sums || e->counts_periods || !is_clock_in_ns(profile_str(p, e->name)))
		return STR("count");
	for (uint32_t i = 0; i < p->samples.n; i++)
		if (p->samples.event[i] == event && p->samples.period[i] != p->samples.count[i])
			return STR("nanoseconds");
	return STR("count");
}

static void write_type(struct pprof_sink *s, uint32_t field, struct str name, struct str unit)
{
	s->sample.n = 0;
	size_t type = protobuf_begin(&s->sample, field);
	protobuf_add_number(&s->sample, PPROF_TYPE_NAME, pprof_add_text(&s->tables, name));
	protobuf_add_number(&s->sample, PPROF_TYPE_UNIT, pprof_add_text(&s->tables, unit));
	protobuf_end(&s->sample, type);
	writer_add(s->out, buf_str(&s->sample));
}

static struct str event_name(const struct pprof_sink *s, event_id event)
{
	struct str name = profile_str(s->p, s->p->events.p[event].name);
	return name.n ? name : STR("events");
}

/* perf's clocks have the name that Go's profiler gives its own, by which other tools know it. */
static bool is_called_cpu(const struct pprof_sink *s, event_id event)
{
	return s->event_count == 1 && !s->p->events.p[event].has_only_sums &&
	       is_clock_in_ns(event_name(s, event));
}

/* `samples`, or `cycles:samples` where that would not say enough. */
static void add_count_name(const struct pprof_sink *s, event_id event, struct buf *out)
{
	struct str name = event_name(s, event);
	if (s->event_count == 1 && !str_eq(name, STR(PPROF_COUNT_NAME))) {
		buf_add(out, STR(PPROF_COUNT_NAME));
		return;
	}
	buf_add(out, name);
	buf_add(out, STR(PPROF_COUNT_TAIL));
}

static void write_event(struct pprof_sink *s, event_id event)
{
	AUTO(buf) struct buf text = { 0 };
	const struct event *e = &s->p->events.p[event];
	s->columns[event].count_at = INDEX_NONE;
	if (!e->has_only_sums) {
		add_count_name(s, event, &text);
		write_type(s, PPROF_SAMPLE_TYPE, buf_str(&text), STR("count"));
		s->columns[event].count_at = s->type_count++;
	}
	text.n = 0;
	/* `45/10 count` is how pprof will show 4.5 of them. */
	if (e->decimals)
		buf_addf(&text, "/1%.*s ", e->decimals, "0000000000000000000");
	buf_add(&text, unit_of(s, event));
	struct str name = is_called_cpu(s, event) ? STR(PPROF_CPU_NAME) : event_name(s, event);
	write_type(s, PPROF_SAMPLE_TYPE, name, buf_str(&text));
	s->columns[event].value_at = s->type_count++;
}

/* A type `samples` of its own would be read as the count of the type behind it. */
static bool comes_last(const struct pprof_sink *s, event_id event)
{
	return s->p->events.p[event].has_only_sums &&
	       str_eq(event_name(s, event), STR(PPROF_COUNT_NAME));
}

static void write_types(struct pprof_sink *s)
{
	AUTO(buf) struct buf name = { 0 };
	for (unsigned last = 0; last < 2; last++)
		for (event_id i = 0; i < s->event_count; i++)
			if (comes_last(s, i) == last)
				write_event(s, i);
	if (!s->event_count)
		return;
	const struct event *first = &s->p->events.p[0];
	if (first->has_only_sums || first->counts_periods)
		buf_add(&name, is_called_cpu(s, 0) ? STR(PPROF_CPU_NAME) : event_name(s, 0));
	else
		add_count_name(s, 0, &name);
	s->sample.n = 0;
	protobuf_add_number(&s->sample, PPROF_DEFAULT_SAMPLE_TYPE,
			    pprof_add_text(&s->tables, buf_str(&name)));
	writer_add(s->out, buf_str(&s->sample));
}

/* --- facts --- */

static void write_period_type(struct pprof_sink *s, struct str text)
{
	ptrdiff_t slash = str_find_last_char(text, '/');
	if (slash >= 0)
		write_type(s, PPROF_PERIOD_TYPE, str_first(text, (size_t)slash),
			   str_from_byte(text, (size_t)slash + 1));
}

static const struct {
	struct str key;
	uint32_t field;
	bool is_number;
} fact_fields[] = {
	{ STR("started_unix_ns"), PPROF_TIME_NANOS, true },
	{ STR("duration_ns"), PPROF_DURATION_NANOS, true },
	{ STR("period"), PPROF_PERIOD, true },
	{ STR("drop_frames"), PPROF_DROP_FRAMES, false },
	{ STR("keep_frames"), PPROF_KEEP_FRAMES, false },
	{ STR("doc_url"), PPROF_DOC_URL, false },
	{ STR("comment"), PPROF_COMMENT, false },
};

/* False when the format has no field for it. */
static bool add_fact_field(struct pprof_sink *s, struct str key, struct str text)
{
	uint64_t number;
	for (size_t i = 0; i < ARRAY_SIZE(fact_fields); i++) {
		if (!str_eq(key, fact_fields[i].key))
			continue;
		if (!fact_fields[i].is_number)
			number = pprof_add_text(&s->tables, text);
		else if (!str_to_u64(text, &number) || number > INT64_MAX)
			return false;
		protobuf_add_number(&s->sample, fact_fields[i].field, number);
		return true;
	}
	return false;
}

/* How long a sample lasts, where the profile does not say it itself: other tools look for it there. */
static void write_period(struct pprof_sink *s)
{
	if (!s->event_count || profile_fact(s->p, STR("period_type")).n ||
	    profile_fact(s->p, STR("period")).n || !is_clock_in_ns(event_name(s, 0)))
		return;
	AUTO_FREE uint32_t *rows = mem_alloc(s->p->samples.n + 1, sizeof(*rows));
	struct event_rows r = { .p = s->p, .event = 0, .rows = rows };
	for (uint32_t i = 0; i < s->p->samples.n; i++)
		if (s->p->samples.event[i] == 0)
			rows[r.n++] = i;
	uint64_t period_ns = sample_lasts_period(&r) ? sample_usual_ns(&r) : 0;
	if (!period_ns || period_ns > INT64_MAX)
		return;
	s->sample.n = 0;
	protobuf_add_number(&s->sample, PPROF_PERIOD, period_ns);
	writer_add(s->out, buf_str(&s->sample));
	write_type(s, PPROF_PERIOD_TYPE, STR(PPROF_CPU_NAME), STR("nanoseconds"));
}

static void write_comment(struct pprof_sink *s, struct str key, struct str text)
{
	AUTO(buf) struct buf comment = { 0 };
	buf_add(&comment, key);
	buf_add(&comment, STR(": "));
	buf_add(&comment, text);
	s->sample.n = 0;
	protobuf_add_number(&s->sample, PPROF_COMMENT,
			    pprof_add_text(&s->tables, buf_str(&comment)));
	writer_add(s->out, buf_str(&s->sample));
}

static void write_fact(struct pprof_sink *s, struct str key, struct str text)
{
	s->sample.n = 0;
	if (str_eq(key, STR("period_type")))
		write_period_type(s, text);
	else if (add_fact_field(s, key, text))
		writer_add(s->out, buf_str(&s->sample));
	else
		write_comment(s, key, text);
}

/* In the order in which they are read, so that a file that is written again is the same. */
static unsigned fact_rank(struct str key)
{
	if (str_eq(key, STR("started_unix_ns")) || str_eq(key, STR("duration_ns")))
		return 0;
	return str_eq(key, STR("period")) || str_eq(key, STR("period_type")) ? 1 : 2;
}

static void write_facts(struct pprof_sink *s)
{
	enum { RANKS = 3 };
	for (unsigned rank = 0; rank < RANKS; rank++) {
		for (uint32_t i = 0; i < s->p->facts.n; i++) {
			struct str key = profile_str(s->p, s->p->facts.p[i].key);
			if (fact_rank(key) == rank)
				write_fact(s, key, profile_str(s->p, s->p->facts.p[i].text));
		}
		if (rank == 1)
			write_period(s);
	}
	if (is_called_cpu(s, 0))
		write_comment(s, STR(PPROF_CLOCK_KEY), event_name(s, 0));
}

/* --- labels --- */

static void add_text_label(struct buf *out, uint32_t key, uint32_t text)
{
	size_t label = protobuf_begin(out, PPROF_SAMPLE_LABEL);
	protobuf_add_number(out, PPROF_LABEL_KEY, key);
	protobuf_add_number(out, PPROF_LABEL_TEXT, text);
	protobuf_end(out, label);
}

static void add_number_label(struct buf *out, uint32_t key, int64_t number, uint32_t unit)
{
	size_t label = protobuf_begin(out, PPROF_SAMPLE_LABEL);
	protobuf_add_number(out, PPROF_LABEL_KEY, key);
	protobuf_add_number(out, PPROF_LABEL_NUMBER, (uint64_t)number);
	if (unit)
		protobuf_add_number(out, PPROF_LABEL_UNIT, unit);
	protobuf_end(out, label);
}

/* A label of that name must not be taken for the thread's. */
static struct str comm_key(const struct profile *p)
{
	for (uint32_t i = 0; i < p->labels.n; i++)
		if (str_eq(profile_str(p, p->labels.p[i].key), STR("comm")))
			return STR("thread_comm");
	return STR("comm");
}

static void add_thread_labels(struct pprof_sink *s, const struct thread *t, struct str comm)
{
	struct buf *out = &s->thread_bytes;
	struct pprof_writer *w = &s->tables;
	if (t->comm)
		add_text_label(out, pprof_add_text(w, comm), pprof_add_str(w, t->comm));
	if (t->pid != PID_UNKNOWN)
		add_number_label(out, pprof_add_text(w, STR("pid")), t->pid, 0);
	if (t->tid != PID_UNKNOWN)
		add_number_label(out, pprof_add_text(w, STR("tid")), t->tid, 0);
	if (t->container)
		add_text_label(out, pprof_add_text(w, STR("container")),
			       pprof_add_str(w, t->container));
}

static const struct span *thread_labels(struct pprof_sink *s, thread_id thread)
{
	struct span *labels = &s->thread_labels[thread];
	if (labels->n == UINT32_MAX) {
		labels->start = (uint32_t)s->thread_bytes.n;
		add_thread_labels(s, &s->p->threads.p[thread], comm_key(s->p));
		labels->n = (uint32_t)s->thread_bytes.n - labels->start;
	}
	return labels;
}

static void add_labels(struct pprof_sink *s, label_set set)
{
	const struct profile *p = s->p;
	s->label_path.n = 0;
	for (; set != LABELS_NONE; set = p->label_sets.p[set].rest)
		vec_push(&s->label_path, p->label_sets.p[set].label);
	for (uint32_t i = s->label_path.n; i-- > 0;) {
		const struct label *l = &p->labels.p[s->label_path.p[i]];
		uint32_t key = pprof_add_str(&s->tables, l->key);
		if (l->is_number)
			add_number_label(&s->sample, key, l->number,
					 pprof_add_str(&s->tables, l->unit));
		else
			add_text_label(&s->sample, key, pprof_add_label_text(&s->tables, l->text));
	}
}

/* --- samples --- */

static void add_value(struct pprof_sink *s, uint32_t at, uint64_t value)
{
	if (at == INDEX_NONE)
		return;
	if (value > INT64_MAX) {
		value = INT64_MAX;
		s->held++;
	}
	s->values[at] = value;
}

static void set_values(struct pprof_sink *s, event_id event, uint64_t count, uint64_t period)
{
	add_value(s, s->columns[event].count_at, count);
	add_value(s, s->columns[event].value_at, period);
}

/* Stack, thread and values of a sample that stays open for more labels; returns what closes it. */
static size_t begin_sample(struct pprof_sink *s, node_id node, thread_id thread, label_set labels)
{
	struct buf *out = &s->sample;
	out->n = 0;
	size_t sample = protobuf_begin(out, PPROF_SAMPLE);
	size_t stack = protobuf_begin(out, PPROF_SAMPLE_LOCATION);
	pprof_add_stack(&s->tables, node, out);
	protobuf_end(out, stack);
	size_t values = protobuf_begin(out, PPROF_SAMPLE_VALUE);
	for (uint32_t i = 0; i < s->type_count; i++) {
		buf_add_varint(out, s->values[i]);
		s->values[i] = 0;
	}
	protobuf_end(out, values);
	const struct span *of_thread = thread_labels(s, thread);
	if (of_thread->n)
		buf_add(out, (struct str){ s->thread_bytes.p + of_thread->start, of_thread->n });
	add_labels(s, labels);
	return sample;
}

static void end_sample(struct pprof_sink *s, size_t sample)
{
	protobuf_end(&s->sample, sample);
	writer_add(s->out, buf_str(&s->sample));
}

static void write_rows(struct pprof_sink *s)
{
	const struct samples *rows = &s->p->samples;
	for (uint32_t i = 0; i < rows->n && writer_is_healthy(s->out); i++) {
		if (rows->event[i] >= s->event_count)
			continue;
		set_values(s, rows->event[i], rows->count[i], rows->period[i]);
		size_t sample = begin_sample(s, rows->node[i], rows->thread[i],
					     rows->labels ? rows->labels[i] : LABELS_NONE);
		if (s->time_key && (rows->time_ns[i] || s->has_all_times))
			add_number_label(&s->sample, s->time_key, (int64_t)rows->time_ns[i], 0);
		if (rows->cpu && rows->cpu[i] >= 0)
			add_number_label(&s->sample, s->cpu_key, rows->cpu[i], 0);
		end_sample(s, sample);
	}
}

static bool group_equal(const void *groups, uint32_t i, const void *key)
{
	const struct group *a = (const struct group *)groups + i, *b = key;
	return a->node == b->node && a->thread == b->thread && a->labels == b->labels;
}

static struct group *group_of(struct pprof_sink *s, struct group key)
{
	uint32_t hash = hash_pair(hash_pair(key.node, key.thread), key.labels);
	uint32_t i =
		index_map_place(&s->group_map, hash, group_equal, s->groups.p, &key, s->groups.n);
	if (i == s->groups.n)
		vec_push(&s->groups, key);
	return &s->groups.p[i];
}

static struct amount *amount_of(struct pprof_sink *s, struct group *g, event_id event)
{
	for (uint32_t i = g->first; i != INDEX_NONE; i = s->amounts.p[i].next)
		if (s->amounts.p[i].event == event)
			return &s->amounts.p[i];
	vec_push(&s->amounts, (struct amount){ .event = event, .next = g->first });
	g->first = s->amounts.n - 1;
	return &s->amounts.p[g->first];
}

/* Rows of one stack, thread and set of labels are one sample, with values for all events. */
static void group_rows(struct pprof_sink *s)
{
	const struct samples *rows = &s->p->samples;
	for (uint32_t i = 0; i < rows->n; i++) {
		if (rows->event[i] >= s->event_count)
			continue;
		struct group *g = group_of(
			s, (struct group){ .node = rows->node[i],
					   .thread = rows->thread[i],
					   .labels = rows->labels ? rows->labels[i] : LABELS_NONE,
					   .first = INDEX_NONE });
		struct amount *a = amount_of(s, g, rows->event[i]);
		/* A sum that overflows is beyond int64, too, and counted there. */
		uint64_t overflows = 0;
		a->count = saturating_add(a->count, rows->count[i], &overflows);
		a->period = saturating_add(a->period, rows->period[i], &overflows);
	}
}

static void write_groups(struct pprof_sink *s)
{
	group_rows(s);
	for (uint32_t i = 0; i < s->groups.n && writer_is_healthy(s->out); i++) {
		struct group g = s->groups.p[i];
		for (uint32_t k = g.first; k != INDEX_NONE; k = s->amounts.p[k].next)
			set_values(s, s->amounts.p[k].event, s->amounts.p[k].count,
				   s->amounts.p[k].period);
		end_sample(s, begin_sample(s, g.node, g.thread, g.labels));
	}
}

/* --- the file --- */

static void add_note(struct buf *notes, const char *text, uint64_t n)
{
	if (!n)
		return;
	buf_addf(notes, "%s: ", text);
	buf_add_grouped(notes, n);
	buf_add_char(notes, '\n');
}

static void add_notes(const struct pprof_sink *s, struct buf *notes)
{
	add_note(notes, "values too large for pprof, capped", s->held);
	add_note(notes, "strings that are not UTF-8, written with U+FFFD for invalid bytes",
		 s->tables.not_utf8);
	add_note(notes, "marks, which pprof cannot store, left out", s->p->marks.n);
	add_note(notes, "events beyond the first 256, left out", s->p->events.n - s->event_count);
	for (event_id i = 0; i < s->event_count; i++)
		if (s->p->events.p[i].decimals)
			buf_addf(notes,
				 "pprof stores whole numbers: %.*s is written in units of 10^-%u\n",
				 STR_ARG(event_name(s, i)), s->p->events.p[i].decimals);
}

static void pprof_sink_init(struct pprof_sink *s, const struct profile *p, struct writer *out)
{
	*s = (struct pprof_sink){ .p = p, .out = out };
	pprof_writer_init(&s->tables, p, out);
	s->event_count = p->events.n < MAX_EVENTS ? p->events.n : MAX_EVENTS;
	s->values = mem_zalloc(2 * (size_t)s->event_count + 1, sizeof(*s->values));
	s->thread_labels = mem_alloc(p->threads.n, sizeof(*s->thread_labels));
	memset(s->thread_labels, 0xff, p->threads.n * sizeof(*s->thread_labels));
	s->has_all_times = p->ledger.count[LEDGER_NO_TIME] == 0;
}

static void pprof_sink_fini(struct pprof_sink *s)
{
	pprof_writer_fini(&s->tables);
	free(s->values);
	free(s->thread_labels);
	buf_fini(&s->thread_bytes);
	vec_fini(&s->label_path);
	buf_fini(&s->sample);
	vec_fini(&s->groups);
	vec_fini(&s->amounts);
	index_map_fini(&s->group_map);
}

static void pprof_write(const struct profile *p, const struct profile_format_options *o,
			struct writer *out, struct buf *notes)
{
	AUTO(pprof_sink) struct pprof_sink s;
	pprof_sink_init(&s, p, out);
	write_types(&s);
	write_facts(&s);
	if (o->each_sample) {
		if (profile_has_times(p))
			s.time_key = pprof_add_text(&s.tables, STR("timestamp_ns"));
		if (p->samples.cpu)
			s.cpu_key = pprof_add_text(&s.tables, STR("cpu"));
		write_rows(&s);
	} else {
		write_groups(&s);
	}
	pprof_write_tables(&s.tables);
	add_notes(&s, notes);
}

const struct profile_format pprof_sink = {
	.name = "pprof",
	.title = "pprof profile",
	/* `.pb` alone is plain; with .gz behind it, and under the other name, it is compressed. */
	.endings = { ".pb", ".pprof" },
	.is_gzip = true,
	.keeps_lines = true,
	.columns = COLUMN_PID | COLUMN_TID | COLUMN_LABELS,
	.columns_of_each = COLUMNS_ALL,
	.write = pprof_write,
};
