#include "process/memory.h"

/* More than any object that plume reads. */
#define MAX_READ_BYTES ((size_t)64 << 20)

bool memory_read(struct memory *m, uint64_t address, void *to, size_t n)
{
	enum { PAGE_BYTES = 4096 };
	m->reads++;
	m->cost += 1 + n / PAGE_BYTES;
	bool ok = n <= MAX_READ_BYTES && address + n >= address &&
		  (!m->limit || m->cost <= m->limit) && m->read(m, address, to, n);
	m->failed += !ok;
	return ok;
}

size_t memory_read_some(struct memory *m, uint64_t address, void *to, size_t n)
{
	enum { PAGE_BYTES = 4096 };
	size_t done = 0;
	if (memory_read(m, address, to, n))
		return n;
	while (done < n) {
		size_t step = PAGE_BYTES - (address + done) % PAGE_BYTES;
		if (step > n - done)
			step = n - done;
		if (!memory_read(m, address + done, (char *)to + done, step))
			break;
		done += step;
	}
	return done;
}
