#include "process/process.h"

#include <errno.h>

enum { LINE_BYTES = 64, LINES = 1 << 14 };
/* Larger reads are searches and texts, whose results are cached elsewhere. */
enum { MAX_KEPT_BYTES = 1024 };

struct line {
	uint64_t address; /* of its first byte; 0: none */
	uint64_t known;	  /* bits: those of its bytes that were read */
	uint64_t fresh;	  /* ... in this look */
	uint64_t look;
	char bytes[LINE_BYTES];
};

struct kept_memory {
	struct memory memory; /* first */
	struct process *of;
	struct memory *living; /* the process's own */
	bool has_ended;
	uint64_t look;	    /* from 1 */
	struct line *lines; /* by a hash of their address */
};

/* The part of a line that a read goes over. */
struct part {
	struct line *line;
	uint64_t address; /* of the line */
	size_t at, n;	  /* in it */
	uint64_t bits;
};

static struct part part_of(struct kept_memory *m, uint64_t address, size_t n)
{
	struct part p = { .at = address % LINE_BYTES };
	p.address = address - p.at;
	p.n = LINE_BYTES - p.at < n ? LINE_BYTES - p.at : n;
	p.bits = (p.n < LINE_BYTES ? (1ull << p.n) - 1 : UINT64_MAX) << p.at;
	p.line = &m->lines[(p.address / LINE_BYTES * 0x9E3779B97F4A7C15ull >> 40) % LINES];
	return p;
}

static void keep(struct kept_memory *m, uint64_t address, const char *bytes, size_t n)
{
	for (size_t done = 0; done < n;) {
		struct part p = part_of(m, address + done, n - done);
		if (p.line->address != p.address)
			p.line->known = p.line->fresh = 0;
		if (p.line->look != m->look)
			p.line->fresh = 0;
		p.line->address = p.address;
		p.line->look = m->look;
		p.line->known |= p.bits;
		p.line->fresh |= p.bits;
		memcpy(p.line->bytes + p.at, bytes + done, p.n);
		done += p.n;
	}
}

/* What is read again in the same look, or, from one that has ended, again at all. */
static bool recall(struct kept_memory *m, uint64_t address, char *to, size_t n)
{
	for (size_t done = 0; done < n;) {
		struct part p = part_of(m, address + done, n - done);
		uint64_t have = m->has_ended		  ? p.line->known
				: p.line->look == m->look ? p.line->fresh
							  : 0;
		if (p.line->address != p.address || (have & p.bits) != p.bits)
			return false;
		memcpy(to + done, p.line->bytes + p.at, p.n);
		done += p.n;
	}
	return true;
}

/* Whole lines, as what is next to a word is often asked for next: they are of the same pages. */
static bool read_lines(struct kept_memory *m, uint64_t address, void *to, size_t n)
{
	char lines[MAX_KEPT_BYTES + 2 * LINE_BYTES];
	uint64_t first = address / LINE_BYTES * LINE_BYTES;
	size_t all = (address + n - first + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
	if (address + n + LINE_BYTES < address || !memory_read(m->living, first, lines, all))
		return false;
	keep(m, first, lines, all);
	memcpy(to, lines + (address - first), n);
	return true;
}

static bool read_kept(struct memory *memory, uint64_t address, void *to, size_t n)
{
	struct kept_memory *m = (struct kept_memory *)memory;
	bool is_small = n <= MAX_KEPT_BYTES;
	if (is_small && recall(m, address, to, n))
		return true;
	if (m->has_ended)
		return false;
	if (is_small ? read_lines(m, address, to, n) : memory_read(m->living, address, to, n))
		return true;
	m->has_ended = m->living->error == ESRCH;
	return m->has_ended && is_small && recall(m, address, to, n);
}

void kept_memory_look(struct kept_memory *m)
{
	m->look++;
}

struct kept_memory *kept_memory_new(struct process *of)
{
	struct kept_memory *m = mem_zalloc(1, sizeof(*m));
	m->memory.read = read_kept;
	m->living = of->memory;
	m->of = of;
	of->memory = &m->memory;
	m->look = 1;
	m->lines = mem_zalloc(LINES, sizeof(*m->lines));
	return m;
}

void kept_memory_free(struct kept_memory *m)
{
	if (!m)
		return;
	m->of->memory = m->living;
	free(m->lines);
	free(m);
}

void kept_memory_end(struct kept_memory *m)
{
	m->has_ended = true;
}

bool kept_memory_has_ended(const struct kept_memory *m)
{
	return m->has_ended;
}
