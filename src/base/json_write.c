/* Strings for JSON. */
#include "base/base.h"

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '&' && c != '<' && c != '>';
}

/* What a reader would not see as what it is: controls, and marks that turn text around. */
static bool is_unseen(uint32_t code)
{
	return code < 0xa0 || code == 0x2028 || code == 0x2029 ||
	       (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
	       code == UTF8_REPLACEMENT || code >= 0xfffe;
}

static void add_string(struct buf *out, struct str s, bool keeps_bytes)
{
	buf_add_char(out, '"');
	for (size_t at = 0; at < s.n;) {
		size_t end = at;
		while (end < s.n && is_plain((unsigned char)s.p[end]))
			end++;
		buf_add(out, (struct str){ s.p + at, end - at });
		if ((at = end) == s.n)
			break;
		uint32_t code = utf8_next(s, &end);
		if (keeps_bytes && end - at == 1 && s.p[at] & 0x80)
			buf_addf(out, "\\udc%02x", (unsigned char)s.p[at]);
		else if (code < 0x10000 && is_unseen(code))
			buf_addf(out, "\\u%04x", code);
		else
			buf_add(out, (struct str){ s.p + at, end - at });
		at = end;
	}
	buf_add_char(out, '"');
}

void json_add_string(struct buf *out, struct str s)
{
	add_string(out, s, false);
}

void json_add_bytes(struct buf *out, struct str s)
{
	add_string(out, s, true);
}
