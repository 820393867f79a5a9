/* The map that a JIT compiler writes: whether it exists, its size, and how fast it grows. */
#include "target/facts_int.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* More is not counted: a map may be of any size. */
#define MOST_COUNTED_BYTES ((uint64_t)64 << 20)

static uint64_t size_of(int fd)
{
	struct stat status;
	return fstat(fd, &status) == 0 && status.st_size > 0 ? (uint64_t)status.st_size : 0;
}

static void count_rows(struct code_map *m)
{
	enum { STEP = 256 << 10 };
	AUTO(buf) struct buf piece = { 0 };
	uint64_t at = 0;
	ssize_t n = 0;
	buf_reserve(&piece, STEP);
	while (at < MOST_COUNTED_BYTES && (n = pread(m->fd, piece.p, STEP, (off_t)at)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			m->rows += piece.p[i] == '\n';
		at += (uint64_t)n;
	}
	m->is_counted_whole = at < MOST_COUNTED_BYTES;
}

void facts_find_map(struct process_facts *f, struct process *p)
{
	struct code_map *m = &f->map;
	char inside[64];
	snprintf(inside, sizeof(inside), "/tmp/perf-%d.map", f->inner_pid);
	m->path = mem_strdup(inside);
	m->fd = -1;
	if (!f->inner_pid)
		return;
	m->fd = p->ops->open_path(p, inside, &m->e);
	if (m->fd < 0 && errno == ENOENT)
		m->e = (struct err){ 0 };
	if (m->fd < 0)
		return;
	m->seen_ns = clock_monotonic_ns();
	m->size_bytes = size_of(m->fd);
	count_rows(m);
}

void code_map_watch(struct code_map *m)
{
	uint64_t size = m->fd >= 0 ? size_of(m->fd) : 0;
	m->grown_bytes = size > m->size_bytes ? size - m->size_bytes : 0;
	m->grew_ns = clock_monotonic_ns() - m->seen_ns;
}
