#include "base/base.h"

#include <stdarg.h>

void buf_fini(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ 0 };
}

char *buf_reserve(struct buf *b, size_t more)
{
	if (more > b->capacity - b->n) {
		size_t capacity = b->capacity + b->capacity / 2 + 64;
		if (capacity < b->n + more)
			capacity = b->n + more;
		b->p = mem_realloc(b->p, capacity, 1);
		b->capacity = capacity;
	}
	return b->p + b->n;
}

void buf_add_slow(struct buf *b, const char *p, size_t n)
{
	memcpy(buf_reserve(b, n), p, n);
	b->n += n;
}

void buf_addf(struct buf *b, const char *format, ...)
{
	enum { LIKELY_ROOM = 128 };
	va_list args;
	char *p = buf_reserve(b, LIKELY_ROOM);
	va_start(args, format);
	int n = vsnprintf(p, LIKELY_ROOM, format, args);
	va_end(args);
	if (n >= LIKELY_ROOM) {
		va_start(args, format);
		vsnprintf(buf_reserve(b, (size_t)n + 1), (size_t)n + 1, format, args);
		va_end(args);
	}
	if (n > 0)
		b->n += (size_t)n;
}

/* Digits of value from the end of a 32-byte field; returns where they begin. */
static char *digits_before(char *end, uint64_t value, unsigned group)
{
	char *p = end;
	unsigned n = 0;
	do {
		if (group && n && n % group == 0)
			*--p = ',';
		*--p = (char)('0' + value % 10);
		n++;
	} while (value /= 10);
	return p;
}

static void add_digits(struct buf *b, uint64_t value, unsigned group)
{
	char field[32];
	char *end = field + sizeof(field);
	char *p = digits_before(end, value, group);
	buf_add(b, (struct str){ p, (size_t)(end - p) });
}

void buf_add_u64(struct buf *b, uint64_t value)
{
	add_digits(b, value, 0);
}

void buf_add_grouped(struct buf *b, uint64_t value)
{
	add_digits(b, value, 3);
}

const char *buf_c_string(struct buf *b)
{
	*buf_reserve(b, 1) = '\0';
	return b->p;
}
