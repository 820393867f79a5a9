/* Buffers that the kernel writes records into (man 2 perf_event_open, "MMAP layout"). */
#include "record/opened.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static void *map_pages(int fd, uint64_t data_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	return mmap(NULL, page + data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

bool ring_map(struct ring *ring, int fd, uint64_t size_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p = map_pages(fd, size_bytes);
	/* EPERM: more than this user may lock (kernel.perf_event_mlock_kb). */
	while (p == MAP_FAILED && (errno == EPERM || errno == ENOMEM) && size_bytes > page) {
		size_bytes /= 2;
		p = map_pages(fd, size_bytes);
	}
	if (p == MAP_FAILED)
		return false;
	*ring = (struct ring){ p, (char *)p + page, size_bytes, fd };
	return true;
}

void ring_unmap(struct ring *ring)
{
	if (ring->page)
		munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->size_bytes);
	ring->page = NULL;
}

uint64_t ring_waiting_bytes(const struct ring *ring)
{
	if (!ring->page)
		return 0;
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) - ring->page->data_tail;
}

void ring_take(struct ring *ring, char *to, uint64_t n)
{
	uint64_t tail = ring->page->data_tail, at = tail & (ring->size_bytes - 1);
	uint64_t first = ring->size_bytes - at;
	if (first > n)
		first = n;
	memcpy(to, ring->data + at, first);
	memcpy(to + first, ring->data, n - first);
	/* Only now may the kernel write there again. */
	__atomic_store_n(&ring->page->data_tail, tail + n, __ATOMIC_RELEASE);
}
