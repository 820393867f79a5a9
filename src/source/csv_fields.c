#include "source/csv_int.h"

void csv_fields_fini(struct csv_fields *f)
{
	vec_fini(&f->list);
	vec_fini(&f->starts);
	buf_fini(&f->text);
}

static void add_field(struct csv_fields *f, struct str field, size_t start)
{
	vec_push(&f->list, field);
	vec_push(&f->starts, start);
}

/* A field in quotes, from behind the first; *at moves behind the last. */
static enum csv_record take_quoted(struct csv_fields *f, struct str text, size_t *at, bool is_last)
{
	size_t start = f->text.n;
	for (bool is_whole = true;; is_whole = false) {
		struct str rest = str_from_byte(text, *at);
		ptrdiff_t quote = str_find_char(rest, '"');
		if (quote < 0)
			return is_last ? CSV_MALFORMED : CSV_INCOMPLETE;
		struct str part = str_first(rest, (size_t)quote);
		*at += part.n + 1;
		if (*at == text.n && !is_last)
			return CSV_INCOMPLETE; /* it may be the first of two */
		bool ends = *at == text.n || text.p[*at] != '"';
		if (ends && is_whole) {
			add_field(f, part, SIZE_MAX);
			return CSV_WHOLE;
		}
		buf_add(&f->text, part);
		if (ends) {
			add_field(f, (struct str){ NULL, f->text.n - start }, start);
			return CSV_WHOLE;
		}
		buf_add_char(&f->text, '"');
		++*at;
	}
}

/* A field up to the next separator or line end, where *at stays. */
static enum csv_record take_plain(struct csv_fields *f, struct str text, char separator, size_t *at,
				  bool is_last)
{
	size_t start = *at;
	while (*at < text.n && text.p[*at] != separator && text.p[*at] != '\n')
		++*at;
	if (*at == text.n && !is_last)
		return CSV_INCOMPLETE;
	size_t end = *at;
	bool ends_line = end == text.n || text.p[end] == '\n';
	if (ends_line && end > start && text.p[end - 1] == '\r')
		end--;
	add_field(f, (struct str){ text.p + start, end - start }, SIZE_MAX);
	return CSV_WHOLE;
}

/* What follows a field: a separator (true: another field), or the end of the record. */
static enum csv_record take_end(struct str text, char separator, size_t *at, bool is_last,
				bool *has_more)
{
	*has_more = false;
	if (*at < text.n && text.p[*at] == '\r') {
		if (*at + 1 == text.n && !is_last)
			return CSV_INCOMPLETE;
		if (*at + 1 == text.n || text.p[*at + 1] == '\n')
			++*at;
	}
	if (*at == text.n)
		return is_last ? CSV_WHOLE : CSV_INCOMPLETE;
	if (text.p[*at] != separator && text.p[*at] != '\n')
		return CSV_MALFORMED;
	*has_more = text.p[*at] == separator;
	++*at;
	return CSV_WHOLE;
}

enum csv_record csv_split(struct csv_fields *f, struct str text, char separator, bool is_last,
			  size_t *used)
{
	bool has_more = true;
	enum csv_record state = CSV_WHOLE;
	size_t at = 0;
	f->list.n = f->starts.n = 0;
	f->text.n = 0;
	while (state == CSV_WHOLE && has_more) {
		bool is_quoted = at < text.n && text.p[at] == '"';
		at += is_quoted;
		state = is_quoted ? take_quoted(f, text, &at, is_last)
				  : take_plain(f, text, separator, &at, is_last);
		if (state == CSV_WHOLE)
			state = take_end(text, separator, &at, is_last, &has_more);
	}
	for (uint32_t i = 0; i < f->list.n; i++)
		if (f->starts.p[i] != SIZE_MAX)
			f->list.p[i].p = f->text.p + f->starts.p[i];
	*used = at;
	return state;
}

static int hex_digit(char c)
{
	return is_digit(c) ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void csv_add_unescaped(struct buf *out, struct str s)
{
	static const char meant[] = "%;\n\r\t=+-@#";
	for (;;) {
		ptrdiff_t percent = str_find_char(s, '%');
		if (percent < 0 || (size_t)percent + 3 > s.n)
			break;
		buf_add(out, str_first(s, (size_t)percent));
		s = str_from_byte(s, (size_t)percent);
		int high = hex_digit(s.p[1]), low = hex_digit(s.p[2]);
		int c = high < 0 || low < 0 ? 0 : high * 16 + low;
		bool is_escape = c && c < 0x80 && strchr(meant, c);
		buf_add_char(out, (char)(is_escape ? c : '%'));
		s = str_from_byte(s, is_escape ? 3 : 1);
	}
	buf_add(out, s);
}
