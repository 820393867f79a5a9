#include "sink/xml.h"

/* Characters that mean themselves: the common case, passed through in runs. */
static size_t plain_run(struct str s, size_t at)
{
	size_t n = at;
	while (n < s.n) {
		unsigned char c = (unsigned char)s.p[n];
		if (c < 0x20 || c >= 0x7f || c == '&' || c == '<' || c == '>' || c == '"' ||
		    c == '\\')
			break;
		n++;
	}
	return n;
}

/* Marks that turn the direction of the text behind them: a name could pose as another. */
static bool is_direction_override(uint32_t code)
{
	return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* https://www.w3.org/TR/xml/#charsets */
static bool is_shown_as_it_is(uint32_t code)
{
	if (is_direction_override(code))
		return false;
	if (code < 0x20)
		return code == '\t' || code == '\n' || code == '\r';
	return !(code >= 0x7f && code < 0xa0) && code != 0xfffe && code != 0xffff;
}

static struct str entity_of(uint32_t code)
{
	switch (code) {
	case '&':
		return STR("&amp;");
	case '<':
		return STR("&lt;");
	case '>':
		return STR("&gt;");
	case '"':
		return STR("&quot;");
	default:
		return is_shown_as_it_is(code) ? STR("") : STR("\xef\xbf\xbd");
	}
}

void xml_add(struct buf *out, struct str s)
{
	for (size_t at = 0; at < s.n;) {
		size_t end = plain_run(s, at);
		buf_add(out, (struct str){ s.p + at, end - at });
		if ((at = end) == s.n)
			break;
		uint32_t code = utf8_next(s, &end);
		struct str entity =
			code == UTF8_REPLACEMENT ? STR("\xef\xbf\xbd") : entity_of(code);
		buf_add(out, entity.n ? entity : (struct str){ s.p + at, end - at });
		at = end;
	}
}
