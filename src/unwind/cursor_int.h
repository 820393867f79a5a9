/* Reading bytes that nobody vouches for: past the end everything is 0, and is_bad says so. */
#pragma once
#include "base/base.h"

struct cursor {
	const uint8_t *p, *end;
	bool is_bad;
};

static inline struct cursor cursor_of(struct str bytes)
{
	const uint8_t *p = (const uint8_t *)bytes.p;
	return (struct cursor){ p, bytes.n ? p + bytes.n : p, false };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

/* n bytes as they are; empty and bad when there are fewer. */
static inline struct str cursor_take(struct cursor *c, uint64_t n)
{
	if (n > cursor_left(c)) {
		c->is_bad = true;
		c->p = c->end;
		return (struct str){ 0 };
	}
	struct str taken = { (const char *)c->p, n };
	c->p += n;
	return taken;
}

/* A little-endian number of n <= 8 bytes. */
static inline uint64_t cursor_unsigned(struct cursor *c, unsigned n)
{
	uint64_t value = 0;
	struct str bytes = cursor_take(c, n);
	if (bytes.n)
		memcpy(&value, bytes.p, bytes.n);
	return value;
}

static inline int64_t cursor_signed(struct cursor *c, unsigned n)
{
	unsigned spare = 64 - 8 * n;
	return (int64_t)(cursor_unsigned(c, n) << spare) >> spare;
}

static inline uint8_t cursor_byte(struct cursor *c)
{
	if (c->p < c->end)
		return *c->p++;
	c->is_bad = true;
	return 0;
}

/*
 * LEB128 (DWARF 5, 7.6). What does not fit into 64 bits is cut off, as everybody does; one without an end
 * is bad, so that reading a number again and again does not cost more and more.
 */
enum { MAX_LEB_BITS = 20 * 7 };

static inline uint64_t cursor_leb(struct cursor *c, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;
	do {
		byte = cursor_byte(c);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while ((byte & 0x80) && shift < MAX_LEB_BITS);
	c->is_bad |= byte >> 7;
	if (is_signed && shift < 64 && (byte & 0x40))
		value |= UINT64_MAX << shift;
	return value;
}

static inline uint64_t cursor_uleb(struct cursor *c)
{
	return cursor_leb(c, false);
}

static inline int64_t cursor_sleb(struct cursor *c)
{
	return (int64_t)cursor_leb(c, true);
}
