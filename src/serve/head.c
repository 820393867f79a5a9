/*
 * The head of a request (RFC 9112). Ambiguous input is refused: folded headers, two lengths, a
 * space before a colon. Browsers send none of these.
 */
#include "serve/http_int.h"

#include <strings.h>

enum { MAX_FIELDS = 100 };

size_t http_head_length(struct str bytes, size_t searched)
{
	/* The empty line may have started in the searched part: "\n\r\n" or "\n\n". */
	size_t from = searched > 3 ? searched - 3 : 0;
	while (from < bytes.n) {
		const char *line = memchr(bytes.p + from, '\n', bytes.n - from);
		if (!line)
			return 0;
		from = (size_t)(line - bytes.p) + 1;
		if (from < bytes.n && bytes.p[from] == '\n')
			return from + 1;
		if (from + 1 < bytes.n && bytes.p[from] == '\r' && bytes.p[from + 1] == '\n')
			return from + 2;
	}
	return 0;
}

/* RFC 9110, 5.6.2 */
static bool is_token(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		if (!is_letter && !is_digit(c) && (!c || !strchr("!#$%&'*+-.^_`|~", c)))
			return false;
	}
	return s.n > 0;
}

static bool is_field_value(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (((unsigned char)s.p[i] < ' ' && s.p[i] != '\t') || s.p[i] == 127)
			return false;
	return true;
}

static bool is_target(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || s.p[i] == 127) /* signed: also what is not ASCII */
			return false;
	return s.n > 0 && s.p[0] == '/';
}

static bool is_word(struct str s, const char *word)
{
	return s.n == strlen(word) && strncasecmp(s.p, word, s.n) == 0;
}

static struct str take_until(struct str *rest, char c)
{
	ptrdiff_t at = str_find_char(*rest, c);
	struct str taken = at < 0 ? *rest : str_first(*rest, (size_t)at);
	*rest = str_from_byte(*rest, at < 0 ? rest->n : (size_t)at + 1);
	return taken;
}

/* `gzip;q=0` forbids gzip. */
static bool is_refused(struct str parameters)
{
	struct str value = str_trim(parameters);
	if (value.n < 3 || strncasecmp(value.p, "q=0", 3) != 0)
		return false;
	for (size_t i = 3; i < value.n; i++)
		if (value.p[i] != '.' && value.p[i] != '0')
			return false;
	return true;
}

/* Whether a list such as `gzip, br;q=0.5` contains a word. */
static bool list_has(struct str list, const char *word)
{
	while (list.n) {
		struct str item = take_until(&list, ',');
		struct str name = str_trim(take_until(&item, ';'));
		if (is_word(name, word))
			return !is_refused(item);
	}
	return false;
}

/* A header that may appear only once. */
static unsigned take_single(struct str *field, struct str value)
{
	if (field->p)
		return 400;
	*field = value;
	return 200;
}

static unsigned take_length(struct http_head *h, struct str value)
{
	if (h->has_length || !str_to_u64(value, &h->body_bytes))
		return 400;
	h->has_length = true;
	return 200;
}

static unsigned take_field(struct http_head *h, struct str name, struct str value)
{
	if (is_word(name, "host"))
		return take_single(&h->host, value);
	if (is_word(name, "origin"))
		return take_single(&h->origin, value);
	if (is_word(name, "content-length"))
		return take_length(h, value);
	if (is_word(name, "transfer-encoding"))
		return 411; /* no browser sends chunks to HTTP/1.1 servers */
	if (is_word(name, "if-none-match"))
		h->if_none_match = value;
	else if (is_word(name, "accept-encoding"))
		h->accepts_gzip = h->accepts_gzip || list_has(value, "gzip");
	else if (is_word(name, "connection"))
		h->keeps_alive = h->keeps_alive && !list_has(value, "close");
	else if (is_word(name, "expect")) {
		h->wants_continue = is_word(value, "100-continue");
		return h->wants_continue ? 200 : 417;
	}
	return 200;
}

/* A line without its end; false if it has a CR elsewhere. */
static bool take_line(struct str *rest, struct str *line)
{
	*line = take_until(rest, '\n');
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	return str_find_char(*line, '\r') < 0;
}

static unsigned read_request_line(struct str line, struct http_head *h)
{
	h->method = take_until(&line, ' ');
	struct str target = take_until(&line, ' ');
	if (!is_token(h->method) || !is_target(target) || !str_starts(line, STR("HTTP/")))
		return 400;
	h->keeps_alive = str_eq(line, STR("HTTP/1.1"));
	if (!h->keeps_alive && !str_eq(line, STR("HTTP/1.0")))
		return 505;
	h->path = take_until(&target, '?');
	h->query = target;
	return 200;
}

unsigned http_head_read(struct str bytes, struct http_head *h)
{
	*h = (struct http_head){ 0 };
	struct str line;
	if (!take_line(&bytes, &line))
		return 400;
	unsigned status = read_request_line(line, h);
	for (unsigned n = 0; status == 200; n++) {
		if (!take_line(&bytes, &line))
			return 400;
		if (!line.n)
			break;
		struct str name = take_until(&line, ':');
		struct str value = str_trim(line);
		if (!is_token(name) || name.p + name.n == line.p + line.n || !is_field_value(value))
			return 400;
		status = n < MAX_FIELDS ? take_field(h, name, value) : 431;
	}
	return status == 200 && !h->host.n ? 400 : status;
}
