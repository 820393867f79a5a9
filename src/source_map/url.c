/* Finds the URL of a script's map. */
#include "source_map/source_map_int.h"

/* --- the comment --- */

static struct str last_line(struct str *text)
{
	ptrdiff_t newline = str_find_last_char(*text, '\n');
	struct str line = str_from_byte(*text, (size_t)(newline + 1));
	*text = str_first(*text, newline < 0 ? 0 : (size_t)newline);
	return str_trim(line);
}

/* `//# sourceMappingURL=a.js.map`; older tools wrote //@. */
static bool is_comment(struct str line, struct str *url)
{
	const struct str key = STR("sourceMappingURL=");
	if (!str_starts(line, STR("//#")) && !str_starts(line, STR("//@")))
		return false;
	line = str_trim(str_from_byte(line, 3));
	if (!str_starts(line, key))
		return false;
	*url = str_from_byte(line, key.n);
	for (size_t i = 0; i < url->n; i++)
		if (is_space(url->p[i]))
			*url = str_first(*url, i);
	return url->n > 0;
}

bool source_map_url(struct str script, struct str *url)
{
	enum { LAST_LINES = 16 };
	for (int i = 0; i < LAST_LINES && script.n; i++)
		if (is_comment(last_line(&script), url))
			return true;
	return false;
}

/* --- data: --- */

int source_map_base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (is_digit(c))
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool add_base64(struct buf *out, struct str text)
{
	uint32_t bits = 0;
	unsigned count = 0;
	while (text.n && text.p[text.n - 1] == '=')
		text.n--;
	buf_reserve(out, text.n / 4 * 3 + 3);
	for (size_t i = 0; i < text.n; i++) {
		int digit = source_map_base64_digit(text.p[i]);
		if (digit < 0)
			return false;
		bits = bits << 6 | (uint32_t)digit;
		count += 6;
		if (count >= 8) {
			count -= 8;
			buf_add_char(out, (char)(bits >> count));
		}
	}
	return count < 6;
}

static int hex_value(char c)
{
	return is_digit(c) ? c - '0' : (c | 32) - 'a' + 10;
}

void source_map_unescape(struct str text, struct buf *out)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '%' && i + 2 < text.n && is_hex(text.p[i + 1]) &&
		    is_hex(text.p[i + 2])) {
			buf_add_char(out, (char)(hex_value(text.p[i + 1]) * 16 +
						 hex_value(text.p[i + 2])));
			i += 2;
		} else {
			buf_add_char(out, text.p[i]);
		}
}

bool source_map_data(struct str url, struct buf *bytes)
{
	ptrdiff_t comma = str_find_char(url, ',');
	if (!str_starts(url, STR("data:")) || comma < 0)
		return false;
	struct str data = str_from_byte(url, (size_t)comma + 1);
	if (str_ends(str_first(url, (size_t)comma), STR(";base64")))
		return add_base64(bytes, data);
	source_map_unescape(data, bytes);
	return true;
}
