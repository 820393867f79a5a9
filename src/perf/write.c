/*
 * Writes perf.data. The head has everything that is known before the first record; after the
 * records there is only a table of the sections in the head. Each flush writes that table and then
 * the size of the records, so if the writer is killed, the file lacks only what came later.
 */
#include "perf/write_int.h"

/* The trailing fields of records other than samples, and the sizes of both kinds. */
enum {
	FILE_HEADER_BYTES = 104,
	FEATURE_WORDS = 4,
	MAX_RECORD_BYTES = UINT16_MAX & ~7,
};
#define WRITTEN_SAMPLE_TYPE                                                                        \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

struct perf_data_writer *perf_data_writer_new(const char *path, const struct perf_data_facts *facts,
					      struct err *e)
{
	struct writer *out = writer_open_live(path, e);
	if (!out)
		return NULL;
	struct perf_data_writer *w = mem_zalloc(1, sizeof(*w));
	w->out = out;
	w->command = mem_strdup(facts->command ? facts->command : "");
	w->wall_ns = facts->wall_ns;
	w->monotonic_ns = facts->monotonic_ns;
	w->sample_type = WRITTEN_SAMPLE_TYPE;
	return w;
}

void perf_data_writer_free(struct perf_data_writer *w)
{
	if (!w)
		return;
	for (uint32_t i = 0; i < w->events.n; i++) {
		free(w->events.p[i].name);
		vec_fini(&w->events.p[i].ids);
	}
	vec_fini(&w->events);
	vec_fini(&w->features.list);
	perf_events_fini(&w->opened);
	buf_fini(&w->record);
	writer_free(w->out);
	free(w->command);
	free(w);
}

/* --- events --- */

void perf_data_writer_add_event(struct perf_data_writer *w, const struct perf_event_attr *attr,
				const char *name, const uint64_t *ids, uint32_t n)
{
	struct perf_event opened;
	struct cursor c = { (const char *)attr, (const char *)(attr + 1), false, false };
	if (w->has_head || !perf_event_read(&opened, &c, sizeof(*attr)))
		return;
	AUTO(buf) struct buf text = { 0 };
	struct written_event event = { .attr = *attr };
	if (name)
		perf_event_set_name(&opened, str_from(name));
	perf_event_describe(&opened, &text);
	event.name = mem_strdup(buf_c_string(&text));
	for (uint32_t i = 0; i < n; i++) {
		vec_push(&event.ids, ids[i]);
		perf_events_add_id(&w->opened, ids[i], w->events.n);
	}
	w->sample_type |= attr->sample_type & SAMPLE_CGROUP;
	vec_push(&w->events, event);
	vec_push(&w->opened.list, opened);
}

/* Samples are rewritten, and the event describes their new layout. */
static void describe_written(const struct perf_data_writer *w, struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->sample_type = w->sample_type;
	attr->sample_id_all = 1;
	attr->exclude_callchain_kernel = 0;
	attr->exclude_callchain_user = 0;
	attr->branch_sample_type = 0;
	attr->sample_regs_user = 0;
	attr->sample_regs_intr = 0;
	attr->sample_stack_user = 0;
}

/* --- the head --- */

/* Lists features only while their table is after the records. */
static void write_header(struct perf_data_writer *w)
{
	AUTO(buf) struct buf header = { 0 };
	buf_add(&header, STR("PERFILE2"));
	put_u64(&header, FILE_HEADER_BYTES);
	put_u64(&header, sizeof(struct perf_event_attr) + sizeof(struct written_section));
	put_section(&header, w->attrs);
	put_section(&header, (struct written_section){ w->data.offset, w->flushed_bytes });
	put_section(&header, (struct written_section){ 0, 0 }); /* event types, obsolete */
	put_u64(&header, w->has_table ? w->features.present : 0);
	put_zeros(&header, (FEATURE_WORDS - 1) * sizeof(uint64_t));
	writer_write_at(w->out, 0, buf_str(&header));
}

static void add_events(struct perf_data_writer *w, struct buf *head)
{
	uint64_t ids_at = head->n;
	for (uint32_t i = 0; i < w->events.n; i++)
		put_u64s(head, w->events.p[i].ids.p, w->events.p[i].ids.n);
	w->attrs.offset = head->n;
	for (uint32_t i = 0; i < w->events.n; i++) {
		struct written_event *event = &w->events.p[i];
		uint64_t n = event->ids.n * sizeof(uint64_t);
		describe_written(w, &event->attr);
		buf_add(head, (struct str){ (const char *)&event->attr, sizeof(event->attr) });
		put_section(head, (struct written_section){ ids_at, n });
		ids_at += n;
	}
	w->attrs.size_bytes = head->n - w->attrs.offset;
}

static void write_head(struct perf_data_writer *w)
{
	AUTO(buf) struct buf head = { 0 };
	w->has_head = true;
	put_zeros(&head, FILE_HEADER_BYTES); /* filled in by write_header */
	add_events(w, &head);
	written_features_add(w, &head);
	w->data.offset = head.n;
	writer_add(w->out, buf_str(&head));
	perf_data_write_kernel(w);
	perf_data_writer_flush(w);
}

/* --- records --- */

void written_record_begin(struct perf_data_writer *w, uint32_t type, uint16_t misc)
{
	w->record.n = 0;
	put_u32(&w->record, type);
	put_u16(&w->record, misc);
	put_u16(&w->record, 0);
}

void written_record_add_ids(struct perf_data_writer *w, const struct perf_ids *ids)
{
	bool is_known = ids->pid != PID_UNKNOWN;
	put_u32(&w->record, is_known ? (uint32_t)ids->pid : 0);
	put_u32(&w->record, is_known ? (uint32_t)ids->tid : 0);
	put_u64(&w->record, ids->time_ns);
	put_u64(&w->record, (uint32_t)ids->cpu);
	put_u64(&w->record, ids->id);
}

void written_record_end(struct perf_data_writer *w)
{
	if (w->record.n > MAX_RECORD_BYTES)
		return; /* no kernel writes such records */
	uint16_t size = (uint16_t)w->record.n;
	memcpy(w->record.p + 6, &size, sizeof(size));
	if (w->has_table) { /* it is about to be overwritten */
		w->has_table = false;
		write_header(w);
	}
	writer_add(w->out, buf_str(&w->record));
	w->data.size_bytes += w->record.n;
}

void perf_data_write_record(struct perf_data_writer *w, const struct perf_record *r)
{
	const char *body_end, *body = r->bytes + RECORD_HEADER_BYTES;
	if (r->type == RECORD_CALLCHAIN_DEFERRED)
		return; /* its stack is part of a sample here */
	if (r->type == PERF_RECORD_LOST_SAMPLES)
		return; /* perf_data_write_lost writes the total */
	if (!w->has_head)
		write_head(w);
	struct perf_ids ids = perf_ids_read(w->opened.list.p, r, false, &body_end);
	const struct perf_event *event = perf_events_find(&w->opened, ids.id);
	ids = perf_ids_read(event, r, false, &body_end);
	written_record_begin(w, r->type, r->misc);
	buf_add(&w->record, (struct str){ body, (size_t)(body_end - body) });
	written_record_add_ids(w, &ids);
	written_record_end(w);
}

void perf_data_write_lost(struct perf_data_writer *w, uint64_t samples)
{
	if (!w->has_head)
		write_head(w);
	bool has_id = w->events.n && w->events.p[0].ids.n;
	struct perf_ids ids = { .pid = PID_UNKNOWN,
				.time_ns = w->last_ns,
				.id = has_id ? w->events.p[0].ids.p[0] : 0 };
	written_record_begin(w, PERF_RECORD_LOST_SAMPLES, 0);
	put_u64(&w->record, samples);
	written_record_add_ids(w, &ids);
	written_record_end(w);
}

/* For an event without periods in its samples, the same for all of them. */
static uint64_t period_of(struct perf_data_writer *w, uint64_t id, const struct perf_sample *sample)
{
	const struct perf_event *event =
		sample->has_period ? NULL : perf_events_find(&w->opened, id);
	return !event ? sample->period : event->is_rate ? 1 : event->period;
}

static void note_time(struct perf_data_writer *w, uint64_t time_ns)
{
	if (!w->first_ns || time_ns < w->first_ns)
		w->first_ns = time_ns;
	if (time_ns > w->last_ns)
		w->last_ns = time_ns;
}

void perf_data_write_sample(struct perf_data_writer *w, uint64_t id,
			    const struct perf_sample *sample, uint16_t misc, const uint64_t *chain,
			    uint32_t n)
{
	enum { OTHER_BYTES = 8 * 9, MAX_CHAIN = (MAX_RECORD_BYTES - OTHER_BYTES) / 8 };
	uint32_t written = n < MAX_CHAIN ? n : MAX_CHAIN;
	struct buf *b = &w->record;
	if (!w->has_head)
		write_head(w);
	written_record_begin(w, PERF_RECORD_SAMPLE, misc);
	put_u64(b, id);
	put_u64(b, sample->ip);
	put_u32(b, (uint32_t)sample->ids.pid);
	put_u32(b, (uint32_t)sample->ids.tid);
	put_u64(b, sample->ids.time_ns);
	put_u64(b, (uint32_t)sample->ids.cpu);
	put_u64(b, period_of(w, id, sample));
	put_u64(b, written);
	put_u64s(b, chain, written);
	if (w->sample_type & SAMPLE_CGROUP)
		put_u64(b, sample->cgroup);
	written_record_end(w);
	note_time(w, sample->ids.time_ns);
}

/* --- the end --- */

static void write_times(struct perf_data_writer *w)
{
	uint64_t times[] = { w->first_ns, w->last_ns };
	writer_write_at(w->out, w->features.times_of_samples.offset,
			(struct str){ (const char *)times, sizeof(times) });
}

static void write_table(struct perf_data_writer *w)
{
	const struct written_section *list = w->features.list.p;
	writer_write_at(w->out, w->data.offset + w->data.size_bytes,
			(struct str){ (const char *)list, w->features.list.n * sizeof(*list) });
}

bool perf_data_writer_flush(struct perf_data_writer *w)
{
	if (!w->has_head) {
		write_head(w);
		return writer_is_healthy(w->out);
	}
	writer_flush(w->out);
	if (!w->has_table && writer_is_healthy(w->out)) {
		write_table(w);
		write_times(w);
		w->has_table = true;
		w->flushed_bytes = w->data.size_bytes;
		write_header(w);
	}
	return writer_is_healthy(w->out);
}

bool perf_data_writer_end(struct perf_data_writer *w, struct err *e)
{
	perf_data_writer_flush(w);
	return writer_commit(w->out, e);
}

void perf_session_write_to(struct perf_session *s, struct perf_data_writer *w)
{
	s->writer = w;
}
