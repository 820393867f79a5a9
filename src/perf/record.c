/* Fields of records, in the order of perf_event_open(2). */
#include "perf/record_int.h"

#include <sys/mman.h>

struct perf_record perf_record_at(const char *bytes, uint64_t offset, bool is_swapped)
{
	struct cursor c = { bytes, bytes + RECORD_HEADER_BYTES, is_swapped, false };
	struct perf_record r = { .bytes = bytes, .offset = offset };
	r.type = cursor_u32(&c);
	r.misc = cursor_u16(&c);
	r.size = cursor_u16(&c);
	return r;
}

bool perf_records_next(struct perf_records *left, struct perf_record *r)
{
	if (left->n < RECORD_HEADER_BYTES)
		return false;
	*r = perf_record_at(left->p, 0, left->is_swapped);
	if (r->size < RECORD_HEADER_BYTES || r->size > left->n)
		return false;
	left->p += r->size;
	left->n -= r->size;
	return true;
}

static struct cursor body_of(const struct perf_record *r, bool is_swapped)
{
	return (struct cursor){ r->bytes + RECORD_HEADER_BYTES, r->bytes + r->size, is_swapped,
				false };
}

/* --- trailing fields of records other than samples --- */

#define FIELDS_OF_IDS                                                                              \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |             \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

struct perf_ids perf_ids_read(const struct perf_event *event, const struct perf_record *r,
			      bool is_swapped, const char **body_end)
{
	struct perf_ids ids = { PID_UNKNOWN, PID_UNKNOWN, 0, 0, -1 };
	uint64_t type = event ? event->sample_type & FIELDS_OF_IDS : 0;
	size_t n = (size_t)__builtin_popcountll(type) * 8;
	*body_end = r->bytes + r->size;
	if (!event || !event->has_sample_ids || n > (size_t)(r->size - RECORD_HEADER_BYTES))
		return ids;
	*body_end -= n;
	struct cursor c = { *body_end, r->bytes + r->size, is_swapped, false };
	if (type & PERF_SAMPLE_TID) {
		ids.pid = (int32_t)cursor_u32(&c);
		ids.tid = (int32_t)cursor_u32(&c);
	}
	if (type & PERF_SAMPLE_TIME)
		ids.time_ns = cursor_u64(&c);
	if (type & PERF_SAMPLE_ID)
		ids.id = cursor_u64(&c);
	if (type & PERF_SAMPLE_STREAM_ID)
		cursor_u64(&c);
	if (type & PERF_SAMPLE_CPU) {
		ids.cpu = (int32_t)cursor_u32(&c);
		cursor_u32(&c);
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		ids.id = cursor_u64(&c);
	return ids;
}

/* --- samples --- */

/* The event id of a sample; all events must have it in the same place. */
static uint64_t sample_id(const struct perf_event *event, const struct perf_record *r,
			  bool is_swapped)
{
	static const uint64_t before[] = { PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
					   PERF_SAMPLE_ADDR };
	struct cursor c = body_of(r, is_swapped);
	if (event->sample_type & PERF_SAMPLE_IDENTIFIER)
		return cursor_u64(&c);
	if (!(event->sample_type & PERF_SAMPLE_ID))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		if (event->sample_type & before[i])
			cursor_u64(&c);
	return cursor_u64(&c);
}

static void skip_words(struct cursor *c, uint64_t n)
{
	cursor_take(c, n > UINT64_MAX / 8 ? UINT64_MAX : n * 8);
}

/* Counter values: for a group, one per event, with its id. */
static void read_counts(const struct perf_event *event, struct cursor *c,
			struct perf_sample *sample)
{
	uint64_t format = event->read_format;
	unsigned times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	unsigned each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & FORMAT_LOST);
	if (!(format & PERF_FORMAT_GROUP)) {
		skip_words(c, each + times);
		return;
	}
	uint64_t n = cursor_u64(c);
	skip_words(c, times);
	const char *start = c->p;
	skip_words(c, n > UINT64_MAX / each ? UINT64_MAX : n * each);
	if (format & PERF_FORMAT_ID)
		sample->group = (struct cursor){ start, c->p, c->is_swapped, false };
}

static void skip_branches(const struct perf_event *event, struct cursor *c)
{
	uint64_t n = cursor_u64(c);
	if (event->branch_type & BRANCH_HW_INDEX)
		cursor_u64(c);
	unsigned each = event->branch_type & BRANCH_COUNTERS ? 4 : 3;
	skip_words(c, n > UINT64_MAX / each ? UINT64_MAX : n * each);
}

static void read_chain(struct cursor *c, struct perf_sample *sample)
{
	uint64_t n = cursor_u64(c);
	const char *start = c->p;
	skip_words(c, n);
	if (c->is_short)
		return;
	sample->has_chain = true;
	sample->chain = (struct cursor){ start, c->p, c->is_swapped, false };
}

static void read_user_registers(const struct perf_event *event, struct cursor *c,
				struct perf_sample *sample)
{
	sample->user_abi = cursor_u64(c);
	sample->user_registers_mask = event->user_registers;
	if (!sample->user_abi)
		return; /* a kernel thread */
	const char *start = c->p;
	skip_words(c, (unsigned)__builtin_popcountll(event->user_registers));
	sample->has_user_registers = !c->is_short;
	sample->user_registers = (struct cursor){ start, c->p, c->is_swapped, false };
}

static void read_user_stack(struct cursor *c, struct perf_sample *sample)
{
	uint64_t n = cursor_u64(c);
	if (!n)
		return;
	const char *start = cursor_take(c, n);
	uint64_t used = cursor_u64(c);
	if (c->is_short)
		return;
	sample->user_stack = (struct str){ start, used < n ? used : n };
	sample->is_stack_full = used >= n;
}

/* The part before the call chain. */
static void read_sample_head(uint64_t type, struct cursor *c, struct perf_sample *sample)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		sample->ids.id = cursor_u64(c);
	if (type & PERF_SAMPLE_IP)
		sample->ip = cursor_u64(c);
	if (type & PERF_SAMPLE_TID) {
		sample->ids.pid = (int32_t)cursor_u32(c);
		sample->ids.tid = (int32_t)cursor_u32(c);
	}
	if (type & PERF_SAMPLE_TIME)
		sample->ids.time_ns = cursor_u64(c);
	if (type & PERF_SAMPLE_ADDR)
		sample->address = cursor_u64(c);
	if (type & PERF_SAMPLE_ID)
		sample->ids.id = cursor_u64(c);
	if (type & PERF_SAMPLE_STREAM_ID)
		cursor_u64(c);
	if (type & PERF_SAMPLE_CPU) {
		sample->ids.cpu = (int32_t)cursor_u32(c);
		cursor_u32(c);
	}
	if (type & PERF_SAMPLE_PERIOD) {
		sample->period = cursor_u64(c);
		sample->has_period = true;
	}
}

/* The part after the stack copy, up to the cgroup. */
static void read_sample_tail(const struct perf_event *event, struct cursor *c,
			     struct perf_sample *sample)
{
	uint64_t type = event->sample_type;
	if (type & (PERF_SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT))
		cursor_u64(c);
	if (type & PERF_SAMPLE_DATA_SRC)
		cursor_u64(c);
	if (type & PERF_SAMPLE_TRANSACTION)
		cursor_u64(c);
	if (type & PERF_SAMPLE_REGS_INTR && cursor_u64(c))
		skip_words(c, (unsigned)__builtin_popcountll(event->interrupt_registers));
	if (type & PERF_SAMPLE_PHYS_ADDR)
		cursor_u64(c);
	if (type & SAMPLE_CGROUP)
		sample->cgroup = cursor_u64(c);
}

struct perf_event *perf_record_event(const struct perf_events *e, const struct perf_record *r)
{
	struct perf_event *first = e->list.p;
	const char *body_end;
	if (e->list.n <= 1)
		return first;
	uint64_t id = r->type == PERF_RECORD_SAMPLE
			      ? sample_id(first, r, e->is_swapped)
			      : perf_ids_read(first, r, e->is_swapped, &body_end).id;
	return perf_events_find(e, id);
}

struct perf_ids perf_record_ids(const struct perf_events *e, const struct perf_record *r)
{
	const char *body_end;
	const struct perf_event *event = perf_record_event(e, r);
	if (r->type != PERF_RECORD_SAMPLE || !event)
		return perf_ids_read(event, r, e->is_swapped, &body_end);
	struct perf_sample sample = { .ids = { PID_UNKNOWN, PID_UNKNOWN, 0, 0, -1 } };
	struct cursor c = body_of(r, e->is_swapped);
	read_sample_head(event->sample_type, &c, &sample);
	return sample.ids;
}

bool perf_sample_read(const struct perf_events *e, const struct perf_record *r,
		      struct perf_sample *sample)
{
	const struct perf_event *event = perf_record_event(e, r);
	struct cursor c = body_of(r, e->is_swapped);
	*sample = (struct perf_sample){ .ids = { PID_UNKNOWN, PID_UNKNOWN, 0, 0, -1 },
					.found = r->found };
	if (!event)
		return false;
	uint64_t type = event->sample_type;
	sample->event = (uint32_t)(event - e->list.p);
	read_sample_head(type, &c, sample);
	if (type & PERF_SAMPLE_READ)
		read_counts(event, &c, sample);
	if (type & PERF_SAMPLE_CALLCHAIN)
		read_chain(&c, sample);
	if (type & PERF_SAMPLE_RAW)
		sample->raw = cursor_bytes(&c, cursor_u32(&c));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		skip_branches(event, &c);
	if (type & PERF_SAMPLE_REGS_USER)
		read_user_registers(event, &c, sample);
	if (type & PERF_SAMPLE_STACK_USER)
		read_user_stack(&c, sample);
	read_sample_tail(event, &c, sample);
	return !c.is_short;
}

bool perf_user_state_read(const struct perf_sample *sample, struct perf_user_state *out)
{
	struct cursor c = sample->user_registers;
	if (!sample->has_user_registers || sample->user_abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	out->mask = sample->user_registers_mask;
	out->stack = sample->user_stack;
	for (int i = 0; i < __builtin_popcountll(out->mask); i++)
		out->registers[i] = cursor_u64(&c);
	return true;
}

/* --- other records --- */

struct cursor perf_record_body(const struct perf_events *e, const struct perf_record *r)
{
	const char *body_end;
	perf_ids_read(perf_record_event(e, r), r, e->is_swapped, &body_end);
	return (struct cursor){ r->bytes + RECORD_HEADER_BYTES, body_end, e->is_swapped, false };
}

bool perf_task_read(const struct perf_events *e, const struct perf_record *r, struct perf_task *out)
{
	struct cursor c = perf_record_body(e, r);
	out->pid = (int32_t)cursor_u32(&c);
	out->parent = (int32_t)cursor_u32(&c);
	out->tid = (int32_t)cursor_u32(&c);
	out->parent_tid = (int32_t)cursor_u32(&c);
	return !c.is_short;
}

bool perf_comm_read(const struct perf_events *e, const struct perf_record *r, struct perf_comm *out)
{
	struct cursor c = perf_record_body(e, r);
	out->pid = (int32_t)cursor_u32(&c);
	out->tid = (int32_t)cursor_u32(&c);
	out->is_exec = r->misc & PERF_RECORD_MISC_COMM_EXEC;
	bool is_whole = !c.is_short;
	out->name = cursor_text(&c);
	return is_whole;
}

/* What MMAP2 adds to MMAP; a build id, if requested, replaces the inode. */
static void read_mmap2(struct cursor *c, uint16_t misc, struct perf_mapping *m)
{
	if (misc & MISC_MMAP_BUILD_ID) {
		const unsigned char *p = (const unsigned char *)cursor_take(c, 24);
		enum { SIZE_AND_PADDING = 4, MAX_BYTES = 20 };
		if (p && p[0] <= MAX_BYTES)
			m->build_id = (struct str){ (const char *)p + SIZE_AND_PADDING, p[0] };
	} else {
		m->mapping.device_major = cursor_u32(c);
		m->mapping.device_minor = cursor_u32(c);
		m->mapping.inode = cursor_u64(c);
		cursor_u64(c); /* generation */
	}
	m->mapping.protection = cursor_u32(c);
	m->mapping.is_shared = cursor_u32(c) & MAP_SHARED;
}

bool perf_mapping_read(const struct perf_events *e, const struct perf_record *r,
		       struct perf_mapping *m)
{
	struct cursor c = perf_record_body(e, r);
	*m = (struct perf_mapping){ .pid = (int32_t)cursor_u32(&c) };
	m->tid = (int32_t)cursor_u32(&c);
	m->mapping.start = cursor_u64(&c);
	uint64_t n = cursor_u64(&c);
	m->mapping.end = n > UINT64_MAX - m->mapping.start ? UINT64_MAX : m->mapping.start + n;
	m->mapping.offset = cursor_u64(&c);
	if (r->type == PERF_RECORD_MMAP2)
		read_mmap2(&c, r->misc, m);
	else if (!(r->misc & PERF_RECORD_MISC_MMAP_DATA))
		m->mapping.protection = PROT_EXEC;
	m->mapping.path = cursor_text(&c);
	return !c.is_short;
}

bool perf_lost_read(const struct perf_events *e, const struct perf_record *r, uint64_t *lost)
{
	struct cursor c = perf_record_body(e, r);
	if (r->type == PERF_RECORD_LOST)
		cursor_u64(&c); /* id */
	*lost = cursor_u64(&c);
	return !c.is_short;
}
