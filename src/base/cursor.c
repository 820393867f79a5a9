#include "base/base.h"

enum { MAX_LEB_BITS = 20 * 7 };

/* *bits: how many the number was written with. */
static uint64_t take_leb(struct cursor *c, unsigned *bits)
{
	uint64_t value = 0;
	for (unsigned shift = 0; c->p < c->end && shift < MAX_LEB_BITS; shift += 7) {
		uint8_t byte = (uint8_t)*c->p++;
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		*bits = shift + 7;
		if (byte < 0x80)
			return value;
	}
	cursor_fail(c);
	*bits = 64;
	return 0;
}

uint64_t cursor_long_uleb(struct cursor *c)
{
	unsigned bits;
	return take_leb(c, &bits);
}

int64_t cursor_long_sleb(struct cursor *c)
{
	unsigned bits;
	uint64_t value = take_leb(c, &bits);
	if (bits < 64 && value >> (bits - 1))
		value |= UINT64_MAX << bits;
	return (int64_t)value;
}

uint64_t cursor_long_varint(struct cursor *c)
{
	uint64_t value = 0;
	for (unsigned shift = 0; c->p < c->end && shift < 64; shift += 7) {
		uint8_t byte = (uint8_t)*c->p++;
		if (shift == 63 && byte > 1)
			break; /* more than 64 bits */
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	cursor_fail(c);
	return 0;
}
