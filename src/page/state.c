#include "page/page.h"

/* Characters that need no encoding in a fragment (RFC 3986), except those the page uses: & = + % #. */
static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
	       (c && strchr("-._~,:/@;$!*'()=?", c));
}

static void add_encoded(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (is_plain(text.p[i]))
			buf_add_char(out, text.p[i]);
		else
			buf_addf(out, "%%%02X", (uint8_t)text.p[i]);
	}
}

void page_add_word(struct buf *state, const char *name, const char *value)
{
	if (state->n)
		buf_add_char(state, '&');
	add_encoded(state, str_from(name));
	if (!value)
		return;
	buf_add_char(state, '=');
	add_encoded(state, str_from(value));
}
