/* Writing perf.data: what the files that do it share. See doc/formats/perf-data.md. */
#pragma once
#include "perf/perf_int.h"

struct written_event {
	struct perf_event_attr attr;
	char *name;
	VEC(uint64_t) ids;
};

struct written_section {
	uint64_t offset, size_bytes;
};

/* Feature sections, with facts about the recording. A table after the records gives their positions. */
struct written_features {
	uint64_t present;			 /* bit set of section numbers */
	VEC(struct written_section) list;	 /* in the order of their numbers */
	struct written_section times_of_samples; /* ... the one that changes */
};

struct perf_data_writer {
	struct writer *out;
	char *command;
	uint64_t wall_ns, monotonic_ns;
	struct perf_events opened; /* as opened, which defines the layout of records and samples */
	VEC(struct written_event) events;
	uint64_t sample_type; /* of all events, as written */
	struct written_features features;
	struct written_section attrs, data;
	uint64_t flushed_bytes; /* of data */
	bool has_head;
	bool has_table; /* the table stands where the next record will go */
	uint64_t first_ns, last_ns;
	struct buf record; /* the current one */
};

static inline void put_u16(struct buf *b, uint16_t value)
{
	buf_add(b, (struct str){ (const char *)&value, sizeof(value) });
}

static inline void put_u32(struct buf *b, uint32_t value)
{
	buf_add(b, (struct str){ (const char *)&value, sizeof(value) });
}

static inline void put_u64(struct buf *b, uint64_t value)
{
	buf_add(b, (struct str){ (const char *)&value, sizeof(value) });
}

static inline void put_u64s(struct buf *b, const uint64_t *values, uint32_t n)
{
	buf_add(b, (struct str){ (const char *)values, n * sizeof(*values) });
}

static inline void put_zeros(struct buf *b, size_t n)
{
	memset(buf_reserve(b, n), 0, n);
	b->n += n;
}

static inline void put_section(struct buf *b, struct written_section section)
{
	put_u64(b, section.offset);
	put_u64(b, section.size_bytes);
}

/* Appends all sections to the head of the file and stores their positions. */
void written_features_add(struct perf_data_writer *w, struct buf *head);
/* write_tracing.c: what perf needs to read tracepoints; nothing if the kernel does not expose it. */
void written_tracing_add(const struct perf_data_writer *w, struct buf *section);
/* write_kernel.c: records for the kernel and its modules. None if their addresses are hidden. */
void perf_data_write_kernel(struct perf_data_writer *w);
/* Builds a record in w->record: its header, and after its body the ids and its size. */
void written_record_begin(struct perf_data_writer *w, uint32_t type, uint16_t misc);
void written_record_end(struct perf_data_writer *w);
void written_record_add_ids(struct perf_data_writer *w, const struct perf_ids *ids);
