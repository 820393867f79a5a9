#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

struct file_header {
	char magic[8];
	uint64_t size, attr_size;
	struct {
		uint64_t offset, size;
	} attrs, data, types;
};

static uint32_t path_of(struct recording *r, const char *path)
{
	for (uint32_t i = 0; i < r->paths.n; i++)
		if (strcmp(r->paths.p[i], path) == 0)
			return i;
	vec_push(&r->paths, mem_strdup(path));
	return r->paths.n - 1;
}

static uint32_t process_of(struct recording *r, uint32_t pid)
{
	for (uint32_t i = 0; i < r->processes.n; i++)
		if (r->processes.p[i].pid == pid)
			return i;
	vec_push(&r->processes, (struct process){ .pid = pid });
	return r->processes.n - 1;
}

/* The new mapping takes the place of what was there. */
static void add_map(struct process *p, struct map new)
{
	struct process next = { .pid = p->pid };
	bool is_in = false;
	for (uint32_t i = 0; i < p->maps.n; i++) {
		struct map old = p->maps.p[i], right = old;
		if (old.start < new.start) {
			if (old.end > new.start)
				old.end = new.start;
			vec_push(&next.maps, old);
		}
		if (right.end <= new.end)
			continue;
		if (!is_in)
			vec_push(&next.maps, new);
		is_in = true;
		if (right.start < new.end) {
			right.file_offset += new.end - right.start;
			right.start = new.end;
		}
		vec_push(&next.maps, right);
	}
	if (!is_in)
		vec_push(&next.maps, new);
	vec_fini(&p->maps);
	*p = next;
}

const struct map *process_find(const struct process *p, uint64_t address)
{
	uint32_t from = 0, to = p->maps.n;
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (p->maps.p[middle].end <= address)
			from = middle + 1;
		else
			to = middle;
	}
	return from < p->maps.n && address >= p->maps.p[from].start ? &p->maps.p[from] : NULL;
}

static bool was_code(const struct process *p, const struct map *new)
{
	for (uint32_t i = 0; i < p->maps.n; i++)
		if (p->maps.p[i].is_code && p->maps.p[i].path == new->path &&
		    p->maps.p[i].start < new->end && p->maps.p[i].end > new->start)
			return true;
	return false;
}

static void read_map(struct recording *r, const char *record, bool is_second)
{
	struct {
		uint32_t pid, tid;
		uint64_t start, size, file_offset;
	} m;
	memcpy(&m, record + 8, sizeof(m));
	struct perf_event_header header;
	memcpy(&header, record, sizeof(header));
	const char *path = record + (is_second ? 72 : 40);
	uint32_t process = process_of(r, m.pid), protection = PROT_EXEC;
	struct process *p = &r->processes.p[process];
	struct map new = { m.start, m.start + m.size, m.file_offset, path_of(r, path), true };
	if (is_second)
		memcpy(&protection, record + 64, sizeof(protection));
	new.is_code =
		is_second ? protection &PROT_EXEC : !(header.misc & PERF_RECORD_MISC_MMAP_DATA);
	/* JIT compilers take turns in writing their code and running it. */
	if (path[0] == '/' && path[1] == '/')
		new.is_code |= was_code(p, &new);
	add_map(p, new);
}

static void read_fork(struct recording *r, const char *record)
{
	uint32_t ids[2];
	memcpy(ids, record + 8, sizeof(ids));
	if (ids[0] == ids[1])
		return;
	uint32_t child = process_of(r, ids[0]), parent = process_of(r, ids[1]);
	for (uint32_t i = 0; i < r->processes.p[parent].maps.n; i++)
		add_map(&r->processes.p[child], r->processes.p[parent].maps.p[i]);
}

static void read_sample(struct recording *r, const struct perf_event_attr *attr, const char *record)
{
	static const uint64_t single[] = { PERF_SAMPLE_TIME, PERF_SAMPLE_ADDR,
					   PERF_SAMPLE_ID,   PERF_SAMPLE_STREAM_ID,
					   PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD };
	const uint64_t *q = (const uint64_t *)(record + 8);
	uint64_t type = attr->sample_type;
	struct sample s = { 0 };
	uint32_t ids[2] = { 0 };
	q += !!(type & PERF_SAMPLE_IDENTIFIER) + !!(type & PERF_SAMPLE_IP);
	memcpy(ids, q++, sizeof(ids));
	s.time_ns = type & PERF_SAMPLE_TIME ? *q : 0;
	for (size_t i = 0; i < sizeof(single) / sizeof(*single); i++)
		q += !!(type & single[i]);
	if (type & PERF_SAMPLE_CALLCHAIN)
		q += 1 + *q;
	if (*q++ != PERF_SAMPLE_REGS_ABI_64 ||
	    !unwind_registers_of_perf(EM_X86_64, attr->sample_regs_user, q, &s.registers))
		return;
	q += __builtin_popcountll(attr->sample_regs_user);
	uint64_t size = *q++;
	uint64_t used = size ? q[size / 8] : 0;
	s.process = process_of(r, ids[0]);
	s.tid = ids[1];
	s.memory = (struct unwind_memory){ s.registers.value[7],
					   { (const char *)q, used < size ? used : size } };
	vec_push(&r->samples, s);
}

static void read_records(struct recording *r, const struct file_header *h,
			 const struct perf_event_attr *attr)
{
	const char *p = r->file.bytes.p + h->data.offset, *end = p + h->data.size;
	while ((size_t)(end - p) >= sizeof(struct perf_event_header)) {
		struct perf_event_header record;
		memcpy(&record, p, sizeof(record));
		if (record.size < sizeof(record) || record.size > end - p)
			break;
		if (record.type == PERF_RECORD_MMAP || record.type == PERF_RECORD_MMAP2)
			read_map(r, p, record.type == PERF_RECORD_MMAP2);
		else if (record.type == PERF_RECORD_FORK)
			read_fork(r, p);
		else if (record.type == PERF_RECORD_SAMPLE)
			read_sample(r, attr, p);
		p += record.size;
	}
}

bool recording_init(struct recording *r, const char *path, struct err *e)
{
	const uint64_t needed = PERF_SAMPLE_TID | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	struct file_header h;
	struct perf_event_attr attr;
	*r = (struct recording){ 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, "%s: %s", path, strerror(errno));
	bool is_mapped = mapping_init(&r->file, fd, path, e);
	close(fd);
	if (!is_mapped)
		return false;
	memcpy(&h, r->file.bytes.p, sizeof(h));
	memcpy(&attr, r->file.bytes.p + h.attrs.offset, sizeof(attr));
	if (memcmp(h.magic, "PERFILE2", 8) != 0 || (attr.sample_type & needed) != needed)
		return err_set(e, "%s: not a recording by --call-graph dwarf", path);
	read_records(r, &h, &attr);
	return true;
}

void recording_fini(struct recording *r)
{
	for (uint32_t i = 0; i < r->paths.n; i++)
		free(r->paths.p[i]);
	for (uint32_t i = 0; i < r->processes.n; i++)
		vec_fini(&r->processes.p[i].maps);
	vec_fini(&r->paths);
	vec_fini(&r->processes);
	vec_fini(&r->samples);
	mapping_fini(&r->file);
}
