/*
 * Processes that started earlier: records as the kernel would have written them, without a time, so
 * that they apply from the start.
 */
#include "record/follow.h"
#include "v8/v8.h"

#include <sys/mman.h>

/* The end of each record, as requested by attributes_complete. */
struct record_trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, unused;
	uint64_t id;
};

/* Header, body, trailer. Strings are padded to eight bytes. */
static void add_record(struct buf *out, uint32_t type, uint16_t misc, struct str body,
		       struct str text, int32_t pid, int32_t tid)
{
	static const char zeros[8];
	struct record_trailer trailer = { .pid = (uint32_t)pid, .tid = (uint32_t)tid };
	size_t padded = (text.n + 8) / 8 * 8; /* at least one NUL */
	struct perf_event_header header = {
		type, misc, (uint16_t)(sizeof(header) + body.n + padded + sizeof(trailer))
	};
	buf_add(out, (struct str){ (const char *)&header, sizeof(header) });
	buf_add(out, body);
	buf_add(out, text);
	buf_add(out, (struct str){ zeros, padded - text.n });
	buf_add(out, (struct str){ (const char *)&trailer, sizeof(trailer) });
}

static void add_comm(struct buf *out, int32_t pid, int32_t tid)
{
	enum { COMM_BYTES = 16 };
	AUTO(buf) struct buf comm = { 0 };
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	if (!text_file_read(path, COMM_BYTES, &comm) || !comm.n)
		return;
	struct str name = { comm.p, comm.n - (comm.p[comm.n - 1] == '\n') };
	int32_t ids[2] = { pid, tid };
	add_record(out, PERF_RECORD_COMM, PERF_RECORD_MISC_USER,
		   (struct str){ (const char *)ids, sizeof(ids) }, name, pid, tid);
}

/* PERF_RECORD_MMAP2 after its header, up to the file name. */
struct mmap2_body {
	uint32_t pid, tid;
	uint64_t address, length, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
};

struct mapping_out {
	int32_t pid;
	struct buf *records;
	struct held_files *held;
};

static void add_mmap2(int32_t pid, const struct process_mapping *m, struct buf *records)
{
	enum { MAX_PATH_BYTES = 4096 };
	struct mmap2_body body = {
		.pid = (uint32_t)pid,
		.tid = (uint32_t)pid,
		.address = m->start,
		.length = m->end - m->start,
		.offset = m->offset,
		.major = m->device_major,
		.minor = m->device_minor,
		.inode = m->inode,
		.protection = m->protection,
		.flags = m->is_shared ? MAP_SHARED : MAP_PRIVATE,
	};
	struct str path = m->path.n ? str_first(m->path, MAX_PATH_BYTES) : STR("//anon");
	add_record(records, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER,
		   (struct str){ (const char *)&body, sizeof(body) }, path, pid, pid);
}

static void add_mapping(void *context, const struct process_mapping *m)
{
	struct mapping_out *out = context;
	held_files_add_mapping(out->held, out->pid, m);
	add_mmap2(out->pid, m, out->records);
}

struct moved_out {
	int32_t pid;
	const struct process_mapping *moved;
	struct buf *records;
	bool is_done;
};

/* The file itself is also mapped, which provides its path. */
static void add_moved(void *context, const struct process_mapping *m)
{
	struct moved_out *out = context;
	if (out->is_done || !process_mappings_share_file(m, out->moved))
		return;
	struct process_mapping copy = *m;
	copy.start = out->moved->start;
	copy.end = out->moved->end;
	copy.offset = out->moved->offset;
	add_mmap2(out->pid, &copy, out->records);
	out->is_done = true;
}

void synthesize_moved(int32_t pid, const struct process_mapping *moved, struct buf *records)
{
	struct err ignored = { 0 };
	struct moved_out out = { .pid = pid, .moved = moved, .records = records };
	target_read_mappings(pid, false, add_moved, &out, &ignored);
}

static void add_thread(void *context, const struct process_thread *t)
{
	struct mapping_out *out = context;
	add_comm(out->records, out->pid, t->tid);
}

bool synthesize_process(int32_t pid, struct buf *records, struct held_files *held)
{
	struct err ignored = { 0 };
	struct mapping_out out = { pid, records, held };
	struct living_process living;
	struct process *p = &living.process;
	living_process_init(&living, pid);
	return p->ops->visit_threads(p, add_thread, &out) &&
	       p->ops->visit_mappings(p, false, add_mapping, &out, &ignored);
}
