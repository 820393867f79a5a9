#include "base/base.h"

#include <inttypes.h>

enum { FULL_BYTES = 64 << 10 };

/* --- strings --- */

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '&' && c != '<' && c != '>';
}

static bool turns_direction(uint32_t code)
{
	return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* What a reader would not see as what it is: controls, and marks that turn text around. */
static bool is_unseen(uint32_t code)
{
	return code < 0xa0 || code == 0x2028 || code == 0x2029 || turns_direction(code) ||
	       code == UTF8_REPLACEMENT || code >= 0xfffe;
}

static void add_string(struct buf *out, struct str s, enum json_text how)
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
		if (how == JSON_BYTES && end - at == 1 && s.p[at] & 0x80)
			buf_addf(out, "\\udc%02x", (unsigned char)s.p[at]);
		else if (how == JSON_SHOWN && turns_direction(code))
			buf_addf(out, "\\u%04x", UTF8_REPLACEMENT);
		else if (code < 0x10000 && is_unseen(code))
			buf_addf(out, "\\u%04x", code);
		else
			buf_add(out, (struct str){ s.p + at, end - at });
		at = end;
	}
	buf_add_char(out, '"');
}

/* --- structure --- */

static void flush(struct json_out *j)
{
	writer_add(j->out, buf_str(&j->text));
	j->text.n = 0;
}

void json_out_end(struct json_out *j)
{
	buf_add_char(&j->text, '\n');
	flush(j);
	buf_fini(&j->text);
}

void json_out_line(struct json_out *j)
{
	j->needs_line = true;
}

/* In front of every value and every key. */
static void separate(struct json_out *j)
{
	if (j->out && j->text.n > FULL_BYTES)
		flush(j);
	if (j->needs_comma)
		buf_add_char(&j->text, ',');
	if (j->needs_line)
		buf_add_char(&j->text, '\n');
	j->needs_comma = true;
	j->needs_line = false;
}

void json_out_key(struct json_out *j, struct str key)
{
	separate(j);
	add_string(&j->text, key, j->strings);
	buf_add_char(&j->text, ':');
	j->needs_comma = false;
}

static struct buf *begin(struct json_out *j, const char *key)
{
	if (key)
		json_out_key(j, str_from(key));
	separate(j);
	return &j->text;
}

struct buf *json_out_value(struct json_out *j, const char *key)
{
	return begin(j, key);
}

void json_out_open(struct json_out *j, const char *key, char bracket)
{
	buf_add_char(begin(j, key), bracket);
	j->needs_comma = false;
}

void json_out_close(struct json_out *j, char bracket)
{
	buf_add_char(&j->text, bracket);
	j->needs_comma = true;
}

/* --- values --- */

void json_out_string(struct json_out *j, const char *key, struct str s)
{
	add_string(begin(j, key), s, j->strings);
}

void json_out_u64(struct json_out *j, const char *key, uint64_t value)
{
	buf_add_u64(begin(j, key), value);
}

void json_out_i64(struct json_out *j, const char *key, int64_t value)
{
	buf_addf(begin(j, key), "%" PRId64, value);
}

void json_out_decimal(struct json_out *j, const char *key, uint64_t value, unsigned decimals)
{
	buf_add_decimal(begin(j, key), value, decimals);
}

void json_out_real(struct json_out *j, const char *key, double value)
{
	buf_addf(begin(j, key), "%.15g", value);
}

void json_out_bool(struct json_out *j, const char *key, bool value)
{
	buf_add(begin(j, key), value ? STR("true") : STR("false"));
}

void json_out_null(struct json_out *j, const char *key)
{
	buf_add(begin(j, key), STR("null"));
}

void json_out_index(struct json_out *j, const char *key, uint32_t index)
{
	if (index == INDEX_NONE)
		json_out_null(j, key);
	else
		json_out_u64(j, key, index);
}
