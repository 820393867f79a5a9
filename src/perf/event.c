/* Opened events: struct perf_event_attr of include/uapi/linux/perf_event.h, in all of its sizes. */
#include "perf/record_int.h"

enum {
	ATTR_BYTES_FIRST = 64, /* PERF_ATTR_SIZE_VER0 */
	FLAG_FREQ = 10,
	FLAG_SAMPLE_ID_ALL = 18,
	FLAG_USE_CLOCKID = 25,
};

/* With the other byte order, bit fields are numbered from the other end of each byte. */
static uint64_t read_flags(struct cursor *c)
{
	uint64_t flags = 0;
	const unsigned char *p = (const unsigned char *)cursor_take(c, sizeof(flags));
	for (unsigned i = 0; p && i < 64; i++) {
		unsigned bit = c->is_swapped ? 7 - i % 8 : i % 8;
		flags |= (uint64_t)(p[i / 8] >> bit & 1) << i;
	}
	return flags;
}

bool perf_event_read(struct perf_event *event, struct cursor *c, uint64_t size)
{
	const char *start = cursor_take(c, size);
	if (!start || size < ATTR_BYTES_FIRST)
		return false;
	/* Fields that an older perf lacked read as 0. */
	struct cursor a = { start, start + size, c->is_swapped, false };
	*event = (struct perf_event){ 0 };
	event->type = cursor_u32(&a);
	cursor_u32(&a); /* size */
	event->config = cursor_u64(&a);
	event->period = cursor_u64(&a);
	event->sample_type = cursor_u64(&a);
	event->read_format = cursor_u64(&a);
	uint64_t flags = read_flags(&a);
	cursor_u64(&a); /* wake-ups, breakpoint type */
	cursor_u64(&a); /* config1 */
	cursor_u64(&a); /* config2 */
	event->branch_type = cursor_u64(&a);
	event->user_registers = cursor_u64(&a);
	event->copied_stack_bytes = cursor_u32(&a);
	int32_t clock = (int32_t)cursor_u32(&a);
	event->interrupt_registers = cursor_u64(&a);
	cursor_u32(&a); /* aux_watermark */
	event->max_stack = cursor_u16(&a);
	event->is_rate = flags >> FLAG_FREQ & 1;
	event->has_sample_ids = flags >> FLAG_SAMPLE_ID_ALL & 1;
	event->clock = flags >> FLAG_USE_CLOCKID & 1 ? clock : -1;
	return true;
}

struct perf_events *perf_events_new(void)
{
	return mem_zalloc(1, sizeof(struct perf_events));
}

void perf_events_free(struct perf_events *e)
{
	if (!e)
		return;
	perf_events_fini(e);
	free(e);
}

uint32_t perf_events_add(struct perf_events *e, const struct perf_event_attr *attr,
			 const char *name)
{
	struct perf_event event;
	struct cursor c = { (const char *)attr, (const char *)attr + attr->size, false, false };
	perf_event_read(&event, &c, attr->size);
	if (name)
		perf_event_set_name(&event, str_from(name));
	vec_push(&e->list, event);
	return e->list.n - 1;
}

void perf_events_fini(struct perf_events *e)
{
	for (uint32_t i = 0; i < e->list.n; i++)
		free(e->list.p[i].name);
	vec_fini(&e->list);
	vec_fini(&e->ids);
	index_map_fini(&e->id_map);
}

static bool id_equal(const void *ids, uint32_t i, const void *key)
{
	return ((const struct event_of_id *)ids)[i].id == *(const uint64_t *)key;
}

static uint32_t hash_id(uint64_t id)
{
	return hash_pair((uint32_t)(id >> 32), (uint32_t)id);
}

void perf_events_add_id(struct perf_events *e, uint64_t id, uint32_t event)
{
	if (index_map_find(&e->id_map, hash_id(id), id_equal, e->ids.p, &id) != INDEX_NONE)
		return;
	index_map_add(&e->id_map, hash_id(id), e->ids.n);
	vec_push(&e->ids, (struct event_of_id){ id, event, 0 });
}

struct event_of_id *perf_events_find_id(const struct perf_events *e, uint64_t id)
{
	uint32_t i = index_map_find(&e->id_map, hash_id(id), id_equal, e->ids.p, &id);
	return i == INDEX_NONE ? NULL : &e->ids.p[i];
}

struct perf_event *perf_events_find(const struct perf_events *e, uint64_t id)
{
	if (e->list.n <= 1)
		return e->list.p;
	const struct event_of_id *row = perf_events_find_id(e, id);
	return &e->list.p[row ? row->event : 0];
}

void perf_event_set_name(struct perf_event *event, struct str name)
{
	if (!name.n)
		return;
	free(event->name);
	event->name = mem_alloc(name.n + 1, 1);
	memcpy(event->name, name.p, name.n);
	event->name[name.n] = 0;
}

void perf_event_describe(const struct perf_event *event, struct buf *name)
{
	static const char *const hardware[] = {
		"cycles",
		"instructions",
		"cache-references",
		"cache-misses",
		"branches",
		"branch-misses",
		"bus-cycles",
		"stalled-cycles-frontend",
		"stalled-cycles-backend",
		"ref-cycles",
	};
	static const char *const software[] = {
		"cpu-clock",	    "task-clock",   "page-faults",  "context-switches",
		"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
		"emulation-faults", "dummy",	    "bpf-output",   "cgroup-switches",
	};
	/* On hybrid CPUs, the upper half selects the kind of core. */
	uint64_t config =
		event->type == PERF_TYPE_HARDWARE ? (uint32_t)event->config : event->config;
	if (event->name)
		buf_add(name, str_from(event->name));
	else if (event->type == PERF_TYPE_HARDWARE && config < ARRAY_SIZE(hardware))
		buf_add(name, str_from(hardware[config]));
	else if (event->type == PERF_TYPE_SOFTWARE && config < ARRAY_SIZE(software))
		buf_add(name, str_from(software[config]));
	else if (event->type == PERF_TYPE_TRACEPOINT)
		buf_addf(name, "tracepoint %llu", (unsigned long long)config);
	else
		buf_addf(name, "raw 0x%llx", (unsigned long long)config);
}
