/* Numbers and texts of DWARF (7.4, 7.6), bounded. */
#include "symbol/dwarf_int.h"

uint64_t dwarf_long_uleb(struct dwarf_cursor *c)
{
	uint64_t value = 0;
	/* Padding may make it longer than ten bytes; what does not fit is lost. */
	for (unsigned shift = 0; c->p < c->end; shift += 7) {
		uint8_t byte = *c->p++;
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	c->is_bad = true;
	return 0;
}

int64_t dwarf_sleb(struct dwarf_cursor *c)
{
	uint64_t value = 0;
	for (unsigned shift = 0; c->p < c->end;) {
		uint8_t byte = *c->p++;
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte >= 0x80)
			continue;
		if ((byte & 0x40) && shift < 64)
			value |= ~0ull << shift;
		return (int64_t)value;
	}
	c->is_bad = true;
	return 0;
}

struct str dwarf_c_string(struct dwarf_cursor *c)
{
	const uint8_t *end = dwarf_left(c) ? memchr(c->p, 0, dwarf_left(c)) : NULL;
	if (!end) {
		dwarf_fail(c);
		return STR("");
	}
	struct str text = { (const char *)c->p, (size_t)(end - c->p) };
	c->p = end + 1;
	return text;
}

bool dwarf_unit_length(struct dwarf_cursor *c, uint8_t *offset_bytes)
{
	uint64_t length = dwarf_number(c, 4);
	*offset_bytes = 4;
	if (length == 0xffffffff) {
		length = dwarf_number(c, 8);
		*offset_bytes = 8;
	} else if (length >= 0xfffffff0) {
		return false;
	}
	if (c->is_bad || length > dwarf_left(c))
		return false;
	c->end = c->p + length;
	return true;
}
