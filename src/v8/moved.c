/*
 * V8's own code, and the program's, away from its file. Node.js copies its text into large pages (--use-largepages),
 * at the same address. V8 copies its built-in functions next to the code that it generates if it cannot map its own
 * file a second time. Both copies are anonymous memory, like code generated at run time.
 */
#include "v8/v8_int.h"

static bool is_of_file(const struct code_mapping *m)
{
	return m->at.inode && !m->is_jit;
}

static void become(struct code_mapping *m, const struct code_mapping *file, uint64_t offset)
{
	m->at.inode = file->at.inode;
	m->at.device_major = file->at.device_major;
	m->at.device_minor = file->at.device_minor;
	m->at.offset = offset;
	m->is_jit = false;
	m->is_moved = true;
}

/* Between two parts of a file, as large as what is missing of it. */
static void join_text(struct v8_process *p, uint32_t i)
{
	const struct code_mapping *before = &p->mappings.p[i - 1], *behind = &p->mappings.p[i + 1];
	struct code_mapping *m = &p->mappings.p[i];
	if (m->is_jit && is_of_file(before) && is_of_file(behind) &&
	    before->at.end == m->at.start && behind->at.start == m->at.end &&
	    process_mappings_share_file(&before->at, &behind->at) &&
	    behind->at.offset - before->at.offset == behind->at.start - before->at.start) {
		become(m, before, before->at.offset + (m->at.start - before->at.start));
		m->is_of_v8 = v8_has_blob(p, m->at.offset, m->at.end - m->at.start);
	}
}

/* A few places of both tell: they are machine code. */
static bool is_same(struct v8_process *p, uint64_t a, uint64_t b, uint64_t n)
{
	enum { BYTES = 256, PLACES = 5 };
	char x[BYTES], y[BYTES];
	for (uint64_t i = 0; i < PLACES && n >= BYTES; i++) {
		uint64_t at = (n - BYTES) / (PLACES - 1) * i;
		if (!memory_read(p->heap.memory, a + at, x, BYTES) ||
		    !memory_read(p->heap.memory, b + at, y, BYTES) || memcmp(x, y, BYTES) != 0)
			return false;
	}
	return n >= BYTES;
}

/* The mapping of the file with all of V8's built-in functions. NULL: there is none. */
static const struct code_mapping *find_blob(const struct v8_process *p)
{
	const struct v8_range blob = p->layout->blob;
	for (uint32_t i = 0; i < p->mappings.n; i++) {
		const struct code_mapping *m = &p->mappings.p[i];
		if (m->is_of_v8 && m->at.offset <= blob.start &&
		    blob.end - m->at.offset <= m->at.end - m->at.start)
			return m;
	}
	return NULL;
}

static void find_copies(struct v8_process *p)
{
	enum { PAGE = 4096 };
	const struct v8_range blob = p->layout->blob;
	const struct code_mapping *file = find_blob(p);
	uint64_t n = blob.end - blob.start;
	for (uint32_t i = 0; file && i < p->mappings.n; i++) {
		struct code_mapping *m = &p->mappings.p[i];
		if (!m->is_jit || m->at.end - m->at.start != (n + PAGE - 1) / PAGE * PAGE ||
		    !is_same(p, m->at.start, file->at.start + (blob.start - file->at.offset), n))
			continue;
		become(m, file, blob.start);
		m->is_of_v8 = true;
	}
}

void v8_find_moved(struct v8_process *p)
{
	for (uint32_t i = 1; i + 1 < p->mappings.n; i++)
		join_text(p, i);
	find_copies(p);
}

static bool is_told(const struct v8_process *p, uint64_t start)
{
	for (uint32_t i = 0; i < p->told_moved.n; i++)
		if (p->told_moved.p[i] == start)
			return true;
	return false;
}

bool v8_next_moved(struct v8_process *p, struct process_mapping *out)
{
	for (uint32_t i = 0; i < p->mappings.n; i++) {
		const struct code_mapping *m = &p->mappings.p[i];
		if (!m->is_moved || is_told(p, m->at.start))
			continue;
		vec_push(&p->told_moved, m->at.start);
		*out = m->at;
		return true;
	}
	return false;
}
