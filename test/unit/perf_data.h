/* perf.data made by hand, in either byte order. */
#pragma once
#include "perf/perf_int.h"

struct made_data {
	struct buf b;
	bool is_swapped;
	size_t record; /* where the record at hand begins */
};

static inline void put_bytes(struct made_data *m, const void *p, size_t n)
{
	buf_add(&m->b, (struct str){ p, n });
}

static inline void put_u16(struct made_data *m, uint16_t value)
{
	value = m->is_swapped ? __builtin_bswap16(value) : value;
	put_bytes(m, &value, sizeof(value));
}

static inline void put_u32(struct made_data *m, uint32_t value)
{
	value = m->is_swapped ? __builtin_bswap32(value) : value;
	put_bytes(m, &value, sizeof(value));
}

static inline void put_u64(struct made_data *m, uint64_t value)
{
	value = m->is_swapped ? __builtin_bswap64(value) : value;
	put_bytes(m, &value, sizeof(value));
}

/* A text with a NUL, padded to 8 bytes. */
static inline void put_text(struct made_data *m, const char *text)
{
	size_t n = strlen(text) + 1;
	put_bytes(m, text, n);
	put_bytes(m, "\0\0\0\0\0\0\0", (8 - n % 8) % 8);
}

/* Flags are bits of bytes, counted from the other end on the other machines. */
static inline void put_flags(struct made_data *m, uint64_t flags)
{
	for (unsigned i = 0; i < 8; i++) {
		unsigned char byte = (unsigned char)(flags >> i * 8), turned = 0;
		for (unsigned k = 0; k < 8; k++)
			turned |= (unsigned char)((byte >> k & 1) << (7 - k));
		byte = m->is_swapped ? turned : byte;
		put_bytes(m, &byte, 1);
	}
}

#define MADE_SAMPLE_TYPE                                                                           \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

enum { MADE_ATTR_BYTES = 112, MADE_IDS_BYTES = 8 + 8 + 8 + 8 };

static inline void put_attr(struct made_data *m, uint32_t type, uint64_t config, uint16_t max_stack)
{
	size_t start = m->b.n;
	put_u32(m, type);
	put_u32(m, MADE_ATTR_BYTES);
	put_u64(m, config);
	put_u64(m, 999);
	put_u64(m, MADE_SAMPLE_TYPE);
	put_u64(m, 0);
	put_flags(m, 1ull << 10 | 1ull << 18); /* freq, sample_id_all */
	while (m->b.n - start < 108)
		put_u32(m, 0);
	put_u16(m, max_stack);
	put_u16(m, 0);
}

static inline void begin_record(struct made_data *m, uint32_t type, uint16_t misc)
{
	m->record = m->b.n;
	put_u32(m, type);
	put_u16(m, misc);
	put_u16(m, 0);
}

static inline void end_record(struct made_data *m)
{
	struct made_data size = { .is_swapped = m->is_swapped };
	put_u16(&size, (uint16_t)(m->b.n - m->record));
	memcpy(m->b.p + m->record + 6, size.b.p, 2);
	buf_fini(&size.b);
}

/* What stands at the end of records that are no samples. */
static inline void put_ids(struct made_data *m, int32_t pid, int32_t tid, uint64_t time_ns,
			   uint64_t id)
{
	put_u32(m, (uint32_t)pid);
	put_u32(m, (uint32_t)tid);
	put_u64(m, time_ns);
	put_u64(m, 0); /* cpu */
	put_u64(m, id);
}

static inline void put_comm(struct made_data *m, int32_t pid, int32_t tid, const char *comm,
			    uint64_t time_ns, bool is_exec)
{
	begin_record(m, PERF_RECORD_COMM, is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	put_u32(m, (uint32_t)pid);
	put_u32(m, (uint32_t)tid);
	put_text(m, comm);
	put_ids(m, pid, tid, time_ns, 1);
	end_record(m);
}

static inline void put_fork(struct made_data *m, int32_t pid, int32_t parent, int32_t tid,
			    uint64_t time_ns)
{
	begin_record(m, PERF_RECORD_FORK, 0);
	put_u32(m, (uint32_t)pid);
	put_u32(m, (uint32_t)parent);
	put_u32(m, (uint32_t)tid);
	put_u32(m, (uint32_t)parent);
	put_u64(m, time_ns);
	put_ids(m, pid, tid, time_ns, 1);
	end_record(m);
}

static inline void put_mmap(struct made_data *m, int32_t pid, uint64_t start, uint64_t n,
			    const char *path, uint64_t time_ns)
{
	begin_record(m, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	put_u32(m, (uint32_t)pid);
	put_u32(m, (uint32_t)pid);
	put_u64(m, start);
	put_u64(m, n);
	put_u64(m, 0);
	put_text(m, path);
	put_ids(m, pid, pid, time_ns, 1);
	end_record(m);
}

static inline void put_sample(struct made_data *m, uint64_t id, int32_t pid, int32_t tid,
			      uint64_t time_ns, const uint64_t *chain, uint32_t n)
{
	begin_record(m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put_u64(m, id);
	put_u64(m, n > 1 ? chain[1] : 0);
	put_u32(m, (uint32_t)pid);
	put_u32(m, (uint32_t)tid);
	put_u64(m, time_ns);
	put_u32(m, 3); /* cpu */
	put_u32(m, 0);
	put_u64(m, 1000000); /* period */
	put_u64(m, n);
	for (uint32_t i = 0; i < n; i++)
		put_u64(m, chain[i]);
	end_record(m);
}

static inline void put_plain_record(struct made_data *m, uint32_t type)
{
	begin_record(m, type, 0);
	end_record(m);
}

/* A pipe: its head and its events, which have ids 1, 2, ... */
static inline void begin_pipe(struct made_data *m, unsigned events)
{
	put_u64(m, 0x32454c4946524550ull);
	put_u64(m, 16);
	for (unsigned i = 0; i < events; i++) {
		begin_record(m, RECORD_HEADER_ATTR, 0);
		put_attr(m, PERF_TYPE_SOFTWARE, i, 0);
		put_u64(m, i + 1);
		end_record(m);
	}
}

static inline void put_section(struct made_data *m, uint64_t offset, uint64_t n)
{
	put_u64(m, offset);
	put_u64(m, n);
}

/* A file with the records of `data`, one event (id 1), and its host's name. */
static inline void make_file(struct made_data *m, struct str data)
{
	enum { HEADER = 104, ENTRY = MADE_ATTR_BYTES + 16, HOSTNAME = 3 };
	uint64_t ids = HEADER, attrs = ids + 8, records = attrs + ENTRY;
	put_u64(m, 0x32454c4946524550ull);
	put_u64(m, HEADER);
	put_u64(m, ENTRY);
	put_section(m, attrs, ENTRY);
	put_section(m, records, data.n);
	put_section(m, 0, 0);
	put_u64(m, 1 << HOSTNAME);
	for (unsigned i = 1; i < 4; i++)
		put_u64(m, 0);
	put_u64(m, 1);
	put_attr(m, PERF_TYPE_SOFTWARE, 0, 0);
	put_section(m, ids, 8);
	put_bytes(m, data.p, data.n);
	put_section(m, records + data.n + 16, 4 + 8);
	put_u32(m, 8);
	put_bytes(m, "nowhere", 8);
}
