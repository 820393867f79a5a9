/*
 * Reads fields one after the other from bytes that may be truncated or hostile. Past the end every
 * field reads as 0 and the cursor is short, so a caller can read a group of fields and check once.
 *
 *	struct cursor c = cursor_over(bytes);
 *	uint32_t id = cursor_u32(&c);
 *	struct str name = cursor_bytes(&c, cursor_uleb(&c));
 *	if (c.is_short)
 *		...
 */
#pragma once
#include "base/str.h"

struct cursor {
	const char *p, *end;
	bool is_swapped; /* the bytes come from a machine with the opposite byte order */
	bool is_short;	 /* a field was missing or not terminated */
};

static inline struct cursor cursor_over(struct str bytes)
{
	const char *p = bytes.p ? bytes.p : ""; /* an empty view may have a NULL pointer */
	return (struct cursor){ .p = p, .end = p + bytes.n };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

static inline void cursor_fail(struct cursor *c)
{
	c->p = c->end;
	c->is_short = true;
}

/* From byte `offset` to the end; short if offset is past the end. */
static inline struct cursor cursor_at(struct str bytes, uint64_t offset)
{
	struct cursor c = cursor_over(bytes);
	if (offset > bytes.n)
		cursor_fail(&c);
	else
		c.p += offset;
	return c;
}

/* The next n bytes; NULL if there are fewer. */
static inline const char *cursor_take(struct cursor *c, uint64_t n)
{
	const char *p = c->p;
	if (n > cursor_left(c)) {
		cursor_fail(c);
		return NULL;
	}
	c->p += n;
	return p;
}

/* The same as a view, which is empty if there are fewer. */
static inline struct str cursor_bytes(struct cursor *c, uint64_t n)
{
	const char *p = cursor_take(c, n);
	return p ? (struct str){ p, (size_t)n } : (struct str){ c->end, 0 };
}

/* A cursor over the next n bytes; short if there are fewer. */
static inline struct cursor cursor_part(struct cursor *c, uint64_t n)
{
	const char *p = cursor_take(c, n);
	return (struct cursor){ p ? p : c->p, c->p, c->is_swapped, !p };
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	if (c->p < c->end)
		return (uint8_t)*c->p++;
	c->is_short = true;
	return 0;
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	uint16_t value = 0;
	const char *p = cursor_take(c, sizeof(value));
	if (p)
		memcpy(&value, p, sizeof(value));
	return c->is_swapped ? __builtin_bswap16(value) : value;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	uint32_t value = 0;
	const char *p = cursor_take(c, sizeof(value));
	if (p)
		memcpy(&value, p, sizeof(value));
	return c->is_swapped ? __builtin_bswap32(value) : value;
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	uint64_t value = 0;
	const char *p = cursor_take(c, sizeof(value));
	if (p)
		memcpy(&value, p, sizeof(value));
	return c->is_swapped ? __builtin_bswap64(value) : value;
}

/* A little-endian number of n <= 8 bytes. */
static inline uint64_t cursor_unsigned(struct cursor *c, unsigned n)
{
	uint64_t value = 0;
	const char *p = cursor_take(c, n);
	if (p)
		memcpy(&value, p, n);
	return value;
}

/* n is not 0. */
static inline int64_t cursor_signed(struct cursor *c, unsigned n)
{
	unsigned spare = 64 - 8 * n;
	return (int64_t)(cursor_unsigned(c, n) << spare) >> spare;
}

/*
 * LEB128 (DWARF 5, 7.6). Linkers pad it, so up to 20 bytes are accepted, and bits beyond 64 are dropped. A longer one
 * makes the cursor short, which bounds the cost of reading the same number repeatedly.
 */
uint64_t cursor_long_uleb(struct cursor *c);
int64_t cursor_long_sleb(struct cursor *c);
/* A varint as in protocol buffers and .plume files: ULEB128, but more than 64 bits make the cursor short. */
uint64_t cursor_long_varint(struct cursor *c);

/* Most numbers are below 128. */
static inline bool cursor_has_short_number(const struct cursor *c)
{
	return c->p < c->end && (uint8_t)*c->p < 0x80;
}

static inline uint64_t cursor_uleb(struct cursor *c)
{
	return cursor_has_short_number(c) ? (uint8_t)*c->p++ : cursor_long_uleb(c);
}

static inline int64_t cursor_sleb(struct cursor *c)
{
	return cursor_has_short_number(c) ? (int8_t)((uint8_t)*c->p++ << 1) >> 1
					  : cursor_long_sleb(c);
}

static inline uint64_t cursor_varint(struct cursor *c)
{
	return cursor_has_short_number(c) ? (uint8_t)*c->p++ : cursor_long_varint(c);
}

/* 0, -1, 1, -2, ... as 0, 1, 2, 3, ... */
static inline uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (~(value & 1) + 1));
}

/* The bytes up to a NUL, which is skipped, or up to the end. */
static inline struct str cursor_text(struct cursor *c)
{
	size_t n = strnlen(c->p, cursor_left(c));
	struct str text = { c->p, n };
	c->p = n < cursor_left(c) ? c->p + n + 1 : c->end;
	return text;
}

/* The same, but if there is no NUL the cursor is short and the text empty. */
static inline struct str cursor_c_string(struct cursor *c)
{
	size_t n = strnlen(c->p, cursor_left(c));
	struct str text = { c->p, n };
	if (cursor_take(c, n + 1))
		return text;
	return STR("");
}
