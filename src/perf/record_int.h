/* Events, their records and samples, and the order of records. */
#pragma once
#include "base/base.h"
#include "perf/perf.h"

#include <linux/perf_event.h>

/* Record types and fields that older kernel headers lack (include/uapi/linux/perf_event.h). */
enum {
	RECORD_CALLCHAIN_DEFERRED = 22,
	/* Types from here on are written by perf itself (tools/lib/perf/include/perf/event.h). */
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

/* An opened event: the parts of struct perf_event_attr that matter. */
struct perf_event {
	uint32_t type;
	uint64_t config;
	uint64_t period; /* or the rate in Hz, if is_rate */
	uint64_t sample_type, read_format, branch_type;
	uint64_t user_registers; /* mask */
	uint64_t interrupt_registers;
	uint32_t copied_stack_bytes; /* per sample; 0 if none */
	uint32_t max_stack;	     /* 0 for the machine's own limit */
	int32_t clock;		     /* -1 for perf's own */
	bool is_rate, has_sample_ids;
	char *name; /* NULL to derive it from type and config */
	uint64_t samples;
};

struct perf_events {
	bool is_swapped; /* recorded on a machine of the other byte order */
	VEC(struct perf_event) list;
	VEC(struct event_of_id) ids;
	struct index_map id_map;
};

struct event_of_id {
	uint64_t id;
	uint32_t event;
	uint64_t counted; /* in the last sample of its group */
};

/* Reads a struct perf_event_attr of `size` bytes at c, which may be newer or older than ours. */
bool perf_event_read(struct perf_event *event, struct cursor *c, uint64_t size);
void perf_events_fini(struct perf_events *e);
/* Returns the row of an id, or NULL. */
struct event_of_id *perf_events_find_id(const struct perf_events *e, uint64_t id);
/* Returns the event with that id, or the first one if the id is 0 or unknown. NULL if there are no events. */
struct perf_event *perf_events_find(const struct perf_events *e, uint64_t id);
void perf_event_set_name(struct perf_event *event, struct str name);
/* Describes type and config: `cycles`, `cpu-clock`, `raw 0x1c2`. */
void perf_event_describe(const struct perf_event *event, struct buf *name);

/* --- records (record.c); the rest is in records.h --- */

/* bytes must hold at least a header. */
struct perf_record perf_record_at(const char *bytes, uint64_t offset, bool is_swapped);
/*
 * The event that defines a record's fields. If events differ, their ids are at a position common to
 * all. Returns NULL if there is none.
 */
struct perf_event *perf_record_event(const struct perf_events *e, const struct perf_record *r);
/* The part between header and ids of a record other than a sample. */
struct cursor perf_record_body(const struct perf_events *e, const struct perf_record *r);
/* Reads the fields at the end of a record other than a sample. `body_end`: where they begin. */
struct perf_ids perf_ids_read(const struct perf_event *event, const struct perf_record *r,
			      bool is_swapped, const char **body_end);

/* --- order (session.c) --- */

struct queued_record {
	uint64_t time_ns;
	struct perf_record record;
};

typedef void perf_deliver(void *context, const struct perf_record *r);

/*
 * Records come from one buffer per cpu, one after the other, and are sorted by time. perf marks
 * rounds: whatever is older than the previous round can be passed on.
 */
struct perf_order {
	VEC(struct queued_record) queue;
	VEC(struct queued_record) scratch;
	/* Records stay in place until the end, so they are not copied. Required for records with something found. */
	bool keeps_bytes;
	struct arena bytes;
	uint64_t round_max_ns, last_max_ns;
	perf_deliver *deliver;
	void *context;
};

void perf_order_fini(struct perf_order *o);
void perf_order_add(struct perf_order *o, uint64_t time_ns, const struct perf_record *r);
void perf_order_end_round(struct perf_order *o);
void perf_order_flush(struct perf_order *o);
