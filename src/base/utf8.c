#include "base/base.h"

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

uint32_t utf8_next(struct str s, size_t *at)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char first = (unsigned char)s.p[*at];
	if (first < 0x80)
		return (uint32_t)(unsigned char)s.p[(*at)++];
	size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
	uint32_t code = first & (0xff >> (bytes + 1));
	if (first < 0xc2 || first > 0xf4 || bytes > s.n - *at) {
		++*at;
		return UTF8_REPLACEMENT;
	}
	for (size_t i = 1; i < bytes; i++) {
		if (!is_continuation(s.p[*at + i])) {
			++*at;
			return UTF8_REPLACEMENT;
		}
		code = code << 6 | ((unsigned char)s.p[*at + i] & 0x3f);
	}
	if (code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
		++*at;
		return UTF8_REPLACEMENT;
	}
	*at += bytes;
	return code;
}

size_t utf8_count(struct str s)
{
	size_t n = 0;
	for (size_t at = 0; at < s.n; n++)
		utf8_next(s, &at);
	return n;
}

size_t utf8_bytes_of(struct str s, size_t n)
{
	size_t at = 0;
	while (at < s.n && n--)
		utf8_next(s, &at);
	return at;
}

void utf8_add(struct buf *out, uint32_t code)
{
	if (code < 0x80) {
		buf_add_char(out, (char)code);
		return;
	}
	unsigned bytes = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	buf_add_char(out, (char)((0xf00 >> bytes & 0xff) | code >> 6 * (bytes - 1)));
	for (unsigned i = bytes - 1; i > 0; i--)
		buf_add_char(out, (char)(0x80 | (code >> 6 * (i - 1) & 0x3f)));
}
