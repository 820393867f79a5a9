/* Events, the records and samples they make, and their order. */
#pragma once
#include "base/base.h"
#include "perf/perf.h"

#include <linux/perf_event.h>

/* Records and fields that headers of older kernels do not have (include/uapi/linux/perf_event.h). */
enum {
	RECORD_CALLCHAIN_DEFERRED = 22,
	/* From here on perf itself writes them (tools/lib/perf/include/perf/event.h). */
	RECORD_HEADER_ATTR = 64,
	RECORD_TRACING_DATA = 66,
	RECORD_BUILD_ID = 67,
	RECORD_FINISHED_ROUND = 68,
	RECORD_AUXTRACE_INFO = 70,
	RECORD_AUXTRACE = 71,
	RECORD_EVENT_UPDATE = 78,
	RECORD_HEADER_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED2 = 83,
};
#define CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define MISC_MMAP_BUILD_ID    (1 << 14)
#define MISC_BUILD_ID_SIZE    (1 << 15)
#define SAMPLE_CGROUP	      (1ull << 21)
#define SAMPLE_DATA_PAGE_SIZE (1ull << 22)
#define SAMPLE_CODE_PAGE_SIZE (1ull << 23)
#define SAMPLE_WEIGHT_STRUCT  (1ull << 24)
#define FORMAT_LOST	      (1ull << 4)
#define BRANCH_HW_INDEX	      (1ull << 17)
#define BRANCH_COUNTERS	      (1ull << 19)

/* --- events (event.c) --- */

/* One event that was opened: struct perf_event_attr, as far as it matters. */
struct perf_event {
	uint32_t type;
	uint64_t config;
	uint64_t period; /* or the rate in Hz: is_rate */
	uint64_t sample_type, read_format, branch_type;
	uint64_t user_registers; /* mask */
	uint64_t interrupt_registers;
	uint32_t copied_stack_bytes; /* of each sample; 0: none */
	uint32_t max_stack;	     /* 0: the machine's own limit */
	int32_t clock;		     /* -1: perf's own */
	bool is_rate, has_sample_ids;
	char *name; /* NULL: made from type and config */
	uint64_t samples;
};

struct perf_events {
	bool is_swapped; /* records are of a machine of the other byte order */
	VEC(struct perf_event) list;
	VEC(struct event_of_id) ids;
	struct index_map id_map;
};

struct event_of_id {
	uint64_t id;
	uint32_t event;
	uint64_t counted; /* by the last sample of its group */
};

/* Reads a struct perf_event_attr of `size` bytes at c, which may be newer or older than ours. */
bool perf_event_read(struct perf_event *event, struct cursor *c, uint64_t size);
void perf_events_fini(struct perf_events *e);
/* The row of an id, or NULL. */
struct event_of_id *perf_events_find_id(const struct perf_events *e, uint64_t id);
/* The event with that id; with 0 or an unknown one the first. NULL: there are none. */
struct perf_event *perf_events_find(const struct perf_events *e, uint64_t id);
void perf_event_set_name(struct perf_event *event, struct str name);
/* `cycles`, `cpu-clock`, `raw 0x1c2`: what type and config stand for. */
void perf_event_describe(const struct perf_event *event, struct buf *name);

/* --- records (record.c); the rest is in records.h --- */

/* bytes: a header at least. */
struct perf_record perf_record_at(const char *bytes, uint64_t offset, bool is_swapped);
/* The event whose fields a record has: where events differ they have ids in a place that all agree on. NULL: there is none. */
struct perf_event *perf_record_event(const struct perf_events *e, const struct perf_record *r);
/* What stands between header and ids of a record that is no sample. */
struct cursor perf_record_body(const struct perf_events *e, const struct perf_record *r);
/* The fields at the end of another record. `body_end`: where they begin. */
struct perf_ids perf_ids_read(const struct perf_event *event, const struct perf_record *r,
			      bool is_swapped, const char **body_end);

/* --- order (session.c) --- */

struct queued_record {
	uint64_t time_ns;
	struct perf_record record;
};

typedef void perf_deliver(void *context, const struct perf_record *r);

/*
 * Records come from a buffer per cpu, one after the other: they are put in the order of their times.
 * perf marks rounds: what is older than the round before the last can be given on.
 */
struct perf_order {
	VEC(struct queued_record) queue;
	VEC(struct queued_record) scratch;
	bool keeps_bytes; /* records stay where they are until the end: no copies. Those with something found must. */
	struct arena bytes;
	uint64_t round_max_ns, last_max_ns;
	perf_deliver *deliver;
	void *context;
};

void perf_order_fini(struct perf_order *o);
void perf_order_add(struct perf_order *o, uint64_t time_ns, const struct perf_record *r);
void perf_order_end_round(struct perf_order *o);
void perf_order_flush(struct perf_order *o);
