/* Reading fields of either byte order from bytes that may be too few. */
#pragma once
#include "base/base.h"

struct cursor {
	const char *p, *end;
	bool is_swapped; /* the file comes from a machine of the other byte order */
	bool is_short;	 /* a field was asked for that is not there; it read as 0 */
};

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

/* The next n bytes; NULL when they are not there. */
static inline const char *cursor_take(struct cursor *c, uint64_t n)
{
	if (n > cursor_left(c)) {
		c->is_short = true;
		c->p = c->end;
		return NULL;
	}
	const char *p = c->p;
	c->p += n;
	return p;
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

/* What is left, up to a NUL. */
static inline struct str cursor_text(struct cursor *c)
{
	size_t n = strnlen(c->p, cursor_left(c));
	struct str text = { c->p, n };
	c->p = n < cursor_left(c) ? c->p + n + 1 : c->end;
	return text;
}
