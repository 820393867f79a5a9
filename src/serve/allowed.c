/* Checks who may ask for what. */
#include "serve/http_int.h"

#include <strings.h>

static bool is_same_name(struct str s, const char *name)
{
	return s.n == strlen(name) && strncasecmp(s.p, name, s.n) == 0;
}

/* Strips `:PORT` from a host; the default is HTTP's port. */
static bool take_port(struct str *host, uint64_t *port)
{
	ptrdiff_t colon = str_find_last_char(*host, ':');
	ptrdiff_t bracket = str_find_last_char(*host, ']');
	*port = 80;
	if (colon < 0 || colon < bracket)
		return true;
	struct str digits = str_from_byte(*host, (size_t)colon + 1);
	*host = str_first(*host, (size_t)colon);
	return str_to_u64(digits, port);
}

bool http_is_our_host(struct str host, const struct http_names *names)
{
	uint64_t port;
	if (!take_port(&host, &port) || port != names->port)
		return false;
	if (is_same_name(host, "127.0.0.1") || is_same_name(host, "localhost") ||
	    is_same_name(host, "[::1]"))
		return true;
	if (!names->is_public)
		return false;
	if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']')
		host = (struct str){ host.p + 1, host.n - 2 };
	return is_same_name(host, names->reached);
}

/* Browsers send Origin with every POST. Host was checked before, so it is ours. */
bool http_is_our_origin(const struct http_head *h)
{
	struct str scheme = STR("http://");
	if (!h->origin.p)
		return true;
	struct str host = str_from_byte(h->origin, scheme.n);
	return str_starts(h->origin, scheme) && host.n == h->host.n &&
	       strncasecmp(host.p, h->host.p, host.n) == 0;
}

bool http_take_token(struct str *path, const char *token)
{
	if (path->n < 1 + HTTP_TOKEN_BYTES ||
	    (path->n > 1 + HTTP_TOKEN_BYTES && path->p[1 + HTTP_TOKEN_BYTES] != '/'))
		return false;
	/* Compares every byte, so that the time does not tell how many match. */
	volatile unsigned char difference = 0;
	for (size_t i = 0; i < HTTP_TOKEN_BYTES; i++)
		difference = difference | (unsigned char)(path->p[1 + i] ^ token[i]);
	*path = str_from_byte(*path, 1 + HTTP_TOKEN_BYTES);
	return difference == 0;
}

static bool has_bad_segment(struct str path)
{
	while (path.n) {
		ptrdiff_t slash = str_find_char(path, '/');
		struct str segment = slash < 0 ? path : str_first(path, (size_t)slash);
		if (!segment.n || str_eq(segment, STR(".")) || str_eq(segment, STR("..")))
			return true;
		path = str_from_byte(path, segment.n + 1);
	}
	return false;
}

/* Control characters of ASCII and Latin-1, and invalid UTF-8. */
static bool has_bad_character(struct str path)
{
	for (size_t at = 0; at < path.n;) {
		size_t begin = at;
		uint32_t code = utf8_next(path, &at);
		bool is_replacement = code == 0xfffd && at - begin != 3;
		if (code < ' ' || (code >= 127 && code < 160) || is_replacement)
			return true;
	}
	return false;
}

static unsigned hex_digit(char c)
{
	return is_digit(c) ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a' + 10);
}

bool http_decode_path(struct str path, struct buf *to)
{
	for (size_t i = path.n && path.p[0] == '/'; i < path.n; i++) {
		char c = path.p[i];
		if (c == '%') {
			if (path.n - i < 3 || !is_hex(path.p[i + 1]) || !is_hex(path.p[i + 2]))
				return false;
			c = (char)(hex_digit(path.p[i + 1]) << 4 | hex_digit(path.p[i + 2]));
			i += 2;
		}
		buf_add_char(to, c);
	}
	struct str decoded = buf_str(to);
	return !has_bad_segment(decoded) && !has_bad_character(decoded);
}
