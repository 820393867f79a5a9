/* A growable byte buffer. Start with `struct buf b = {0};`, end with buf_fini, or declare it AUTO(buf). */
#pragma once
#include "base/mem.h"
#include "base/str.h"

struct buf {
	char *p;
	size_t n, capacity;
};

void buf_fini(struct buf *b);
/* Makes room for at least `more` bytes after the first n and returns a pointer to it. Does not change n. */
char *buf_reserve(struct buf *b, size_t more);
void buf_add_slow(struct buf *b, const char *p, size_t n);
void buf_addf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A decimal number, plain or with thousands separators. */
void buf_add_u64(struct buf *b, uint64_t value);
void buf_add_grouped(struct buf *b, uint64_t value);
/* `1 sample`, `1,234 samples`. */
void buf_add_counted(struct buf *b, uint64_t n, const char *one, const char *many);
/* value is in units of 10^-decimals: `12` or `12.5`, without trailing zeros. */
void buf_add_decimal(struct buf *b, uint64_t value, unsigned decimals);
/* value as a share of total: `12 %`, `1.2 %`, `<0.1 %`; `>99.9 %` if nearly all. */
void buf_add_percent(struct buf *b, uint64_t value, uint64_t total);
/*
 * Word-wraps text at `width` columns. The line is already at `column`; further lines are indented
 * to it. width 0: no wrapping.
 */
void buf_add_wrapped(struct buf *b, struct str text, unsigned column, unsigned width);
/* to - from, signed: `+12.5`, `-3`, `0`. */
void buf_add_difference(struct buf *b, uint64_t from, uint64_t to, unsigned decimals);
/* value in units of 10^-decimals, rounded like printf; not negative, at most 1e15 units. */
uint64_t fixed_units(double value, unsigned decimals);
/* Like printf's %.*f; decimals is at most 3. */
void buf_add_fixed(struct buf *b, double value, unsigned decimals);

/* A duration in three digits: `1.24 s`, `350 ms`, `1,234 s`. The script in pictures uses the same rule. */
void buf_add_span(struct buf *b, double ns);

static inline void buf_add(struct buf *b, struct str s)
{
	if (s.n > b->capacity - b->n) {
		buf_add_slow(b, s.p, s.n);
	} else if (s.n) {
		memcpy(b->p + b->n, s.p, s.n);
		b->n += s.n;
	}
}

static inline void buf_add_char(struct buf *b, char c)
{
	if (b->n == b->capacity)
		buf_reserve(b, 1);
	b->p[b->n++] = c;
}

/* Writes a varint (protocol buffers, .plume) to a place with room for MAX_VARINT_BYTES; returns its length. */
enum { MAX_VARINT_BYTES = 10 };

static inline size_t put_varint(char *to, uint64_t number)
{
	size_t n = 0;
	for (; number >= 0x80; number >>= 7)
		to[n++] = (char)(number | 0x80);
	to[n++] = (char)number;
	return n;
}

static inline void buf_add_varint(struct buf *b, uint64_t number)
{
	b->n += put_varint(buf_reserve(b, MAX_VARINT_BYTES), number);
}

static inline struct str buf_str(const struct buf *b)
{
	return (struct str){ b->p, b->n };
}

/* The bytes as a C string: puts a NUL after them, not counted in n. */
const char *buf_c_string(struct buf *b);
