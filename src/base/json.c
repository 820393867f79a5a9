#include "base/base.h"
#include "base/json_int.h"

struct json *json_new(struct reader *r)
{
	struct json *j = mem_zalloc(1, sizeof(*j));
	struct str window = reader_window(r);
	j->r = r;
	j->start = j->p = window.p;
	j->end = window.p + window.n;
	return j;
}

void json_free(struct json *j)
{
	if (!j)
		return;
	reader_consume(j->r, (size_t)(j->p - j->start));
	buf_fini(&j->text);
	buf_fini(&j->limit);
	free(j);
}

void json_allow_last_comma(struct json *j)
{
	j->allows_last_comma = true;
}

void json_limit_rows(struct json *j, uint32_t most)
{
	j->most_rows = most;
}

bool json_has_room(struct json *j, uint64_t rows, uint32_t most, const char *what)
{
	if (j->most_rows && j->most_rows < most)
		most = j->most_rows;
	if (rows < most)
		return true;
	if (j->fault)
		return false;
	buf_addf(&j->limit, "more than ");
	buf_add_grouped(&j->limit, most);
	buf_addf(&j->limit, " %s", what);
	buf_add_char(&j->limit, '\0');
	return json_fail(j, j->limit.p);
}

unsigned json_depth(const struct json *j)
{
	return j->depth;
}

uint64_t json_offset(const struct json *j)
{
	return reader_offset(j->r) + (uint64_t)(j->p - j->start);
}

const char *json_fault(const struct json *j)
{
	return j->fault;
}

bool json_is_cut(const struct json *j)
{
	return j->is_cut;
}

/* --- the window --- */

/* More bytes behind the window; what begins at p stays. False when there are none. */
bool json_more(struct json *j)
{
	reader_consume(j->r, (size_t)(j->p - j->start));
	bool has_more = reader_fill(j->r);
	struct str window = reader_window(j->r);
	j->start = j->p = window.p;
	j->end = window.p + window.n;
	return has_more;
}

bool json_fail(struct json *j, const char *why)
{
	if (!j->fault)
		j->fault = why;
	return false;
}

/* A fault at `where`, which is in the window. */
bool json_fail_at(struct json *j, const char *where, const char *why)
{
	if (!j->fault)
		j->p = where;
	return json_fail(j, why);
}

bool json_fail_cut(struct json *j, const char *where)
{
	j->is_cut |= !j->fault;
	return json_fail_at(j, j->end, where);
}

/* The next byte that is no white space, or 0 at the end and after a fault. */
static char next_byte_slow(struct json *j)
{
	if (j->fault)
		return 0;
	for (;;) {
		for (; j->p < j->end; j->p++) {
			char c = *j->p;
			if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
				return c ? c : '\x01'; /* a NUL is no end */
		}
		if (!json_more(j))
			return 0;
	}
}

static inline char next_byte(struct json *j)
{
	if (j->p<j->end && * j->p> ' ' && !j->fault)
		return *j->p;
	return next_byte_slow(j);
}

/* --- strings --- */

#define ALL_BYTES (UINT64_MAX / 0xff)

/* Not 0 when one of the eight bytes is c. */
static inline uint64_t has_byte(uint64_t word, uint64_t c)
{
	uint64_t zero_at = word ^ (ALL_BYTES * c);
	return (zero_at - ALL_BYTES) & ~zero_at & (ALL_BYTES * 0x80);
}

/* One past the end of the run of plain bytes from p: at a quote, a backslash, or the end. */
static const char *plain_end(const char *p, const char *end)
{
	for (; end - p >= 8; p += 8) {
		uint64_t word;
		memcpy(&word, p, sizeof(word));
		if (has_byte(word, '"') | has_byte(word, '\\'))
			break;
	}
	while (p < end && *p != '"' && *p != '\\')
		p++;
	return p;
}

/* The string at p as it stands, without its quotes. The whole of it is brought into the window. */
static bool raw_string(struct json *j, struct str *raw, bool *has_escapes)
{
	size_t at = 1; /* behind the opening quote */
	*has_escapes = false;
	for (;;) {
		const char *q = plain_end(j->p + at, j->end);
		at = (size_t)(q - j->p);
		if (at > JSON_MAX_STRING_BYTES)
			return json_fail(j, "a string is longer than 64 MB");
		if (q < j->end && *q == '"') {
			*raw = (struct str){ j->p + 1, at - 1 };
			j->p = q + 1;
			return true;
		}
		if (q < j->end && q + 1 < j->end) {
			*has_escapes = true;
			at += 2;
		} else if (!json_more(j)) {
			return json_fail_cut(j, "the input ends inside a string");
		}
	}
}

static int hex_digit(char c)
{
	return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c - 'A' + 10;
}

/* The four digits of \uXXXX, or -1. */
static int32_t hex_code(struct str s, size_t at)
{
	int32_t code = 0;
	if (at + 4 > s.n)
		return -1;
	for (size_t i = at; i < at + 4; i++) {
		if (!is_hex(s.p[i]))
			return -1;
		code = code * 16 + hex_digit(s.p[i]);
	}
	return code;
}

/* \uXXXX at byte `at` (behind the u), with the second half of a pair; returns where it ends, or 0 when it is none. */
static size_t add_unicode(struct buf *out, struct str raw, size_t at)
{
	int32_t code = hex_code(raw, at);
	if (code < 0)
		return 0;
	at += 4;
	if (code >= 0xd800 && code < 0xdc00 && at + 6 <= raw.n && raw.p[at] == '\\' &&
	    raw.p[at + 1] == 'u') {
		int32_t low = hex_code(raw, at + 2);
		if (low >= 0xdc00 && low < 0xe000) {
			code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
			at += 6;
		}
	}
	if (code >= 0xdc80 && code < 0xdd00) {
		buf_add_char(out, (char)(code - 0xdc00));
		return at;
	}
	if (code >= 0xd800 && code < 0xe000)
		code = UTF8_REPLACEMENT;
	utf8_add(out, (uint32_t)code);
	return at;
}

static bool unescape(struct json *j, struct str raw, struct str *text)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	j->text.n = 0;
	for (size_t at = 0; at < raw.n;) {
		size_t end = (size_t)(plain_end(raw.p + at, raw.p + raw.n) - raw.p);
		buf_add(&j->text, (struct str){ raw.p + at, end - at });
		if (end == raw.n)
			break;
		char c = raw.p[end + 1]; /* a backslash is never the last byte */
		const char *known = c ? strchr(from, c) : NULL;
		at = end + 2;
		if (c == 'u')
			at = add_unicode(&j->text, raw, at);
		else if (known)
			buf_add_char(&j->text, to[known - from]);
		if (c == 'u' ? !at : !known)
			return json_fail_at(j, raw.p + end, "invalid escape in a string");
	}
	*text = buf_str(&j->text);
	return true;
}

static bool take_string(struct json *j, struct str *text)
{
	bool has_escapes;
	struct str raw;
	if (!raw_string(j, &raw, &has_escapes))
		return false;
	*text = raw;
	return !has_escapes || unescape(j, raw, text);
}

/* --- structure --- */

enum json_type json_peek(struct json *j)
{
	switch (next_byte(j)) {
	case '{':
		return JSON_OBJECT;
	case '[':
		return JSON_ARRAY;
	case '"':
		return JSON_STRING;
	case 't':
	case 'f':
		return JSON_BOOL;
	case 'n':
		return JSON_NULL;
	case '-':
	case '0' ... '9':
		return JSON_NUMBER;
	case 0:
		if (!j->fault)
			json_fail_cut(j, "the input ends where a value is expected");
		return JSON_NOTHING;
	default:
		json_fail(j, "invalid JSON value");
		return JSON_NOTHING;
	}
}

/* True when the value at hand is of this type; else it is skipped. */
bool json_expect(struct json *j, enum json_type type)
{
	enum json_type found = json_peek(j);
	if (found == type)
		return true;
	if (found != JSON_NOTHING)
		json_skip(j);
	return false;
}

static bool enter(struct json *j, enum json_type type)
{
	if (!json_expect(j, type))
		return false;
	if (j->depth == JSON_MAX_DEPTH)
		return json_fail(j, "objects and arrays are nested too deeply");
	j->p++;
	j->depth++;
	j->is_first = true;
	return true;
}

bool json_object(struct json *j)
{
	return enter(j, JSON_OBJECT);
}

bool json_array(struct json *j)
{
	return enter(j, JSON_ARRAY);
}

static bool leave(struct json *j)
{
	j->p++;
	j->depth--;
	j->is_first = false;
	return false;
}

/* Up to the next key or element; false at the closing bracket. */
static bool advance(struct json *j, char closing)
{
	char c = next_byte(j);
	if (c == closing)
		return leave(j);
	if (!j->is_first && c == ',') {
		j->p++;
		c = next_byte(j);
		if (c == closing)
			return j->allows_last_comma ? leave(j) : json_fail(j, "trailing comma");
	} else if (!j->is_first && c) {
		return json_fail(j, "missing comma");
	}
	j->is_first = false;
	if (!c)
		return j->fault ? false
				: json_fail_cut(j, closing == '}'
							   ? "the input ends inside an object"
							   : "the input ends inside an array");
	return true;
}

bool json_key(struct json *j, struct str *key)
{
	if (!advance(j, '}'))
		return false;
	if (*j->p != '"')
		return json_fail(j, "an object key is not a string");
	if (!take_string(j, key))
		return false;
	/* The colon is mostly there at once; if it is not, looking for it may move the window. */
	if (j->p < j->end && *j->p == ':') {
		j->p++;
		return true;
	}
	if (key->p != j->text.p) {
		j->text.n = 0;
		buf_add(&j->text, *key);
		*key = buf_str(&j->text);
	}
	char c = next_byte(j);
	if (c != ':')
		return c ? json_fail(j, "missing colon after an object key")
			 : json_fail_cut(j, "the input ends inside an object");
	j->p++;
	return true;
}

bool json_element(struct json *j)
{
	/* Mostly a comma, and the next element right behind it. */
	if (!j->is_first && j->end - j->p > 1 && j->p[0] == ',' && j->p[1] > ' ' &&
	    j->p[1] != ']' && !j->fault) {
		j->p++;
		return true;
	}
	return advance(j, ']');
}

bool json_string(struct json *j, struct str *text)
{
	return json_expect(j, JSON_STRING) && take_string(j, text);
}

/* --- words --- */

/* true, false, null */
static bool take_word(struct json *j, struct str word)
{
	size_t at_hand;
	while ((at_hand = (size_t)(j->end - j->p)) < word.n &&
	       str_starts(word, (struct str){ j->p, at_hand }))
		if (!json_more(j))
			return json_fail_cut(j, "the input ends inside true, false or null");
	if (!str_starts((struct str){ j->p, at_hand }, word))
		return json_fail(j, "invalid word");
	j->p += word.n;
	return true;
}

bool json_bool(struct json *j, bool *value)
{
	if (!json_expect(j, JSON_BOOL))
		return false;
	*value = *j->p == 't';
	return take_word(j, *value ? STR("true") : STR("false"));
}

/* --- skipping --- */

/* Past the string at p, which need not fit into the window. */
static bool skip_string(struct json *j)
{
	j->p++;
	for (;;) {
		j->p = plain_end(j->p, j->end);
		if (j->p < j->end && *j->p == '"') {
			j->p++;
			return true;
		}
		if (j->end - j->p >= 2)
			j->p += 2;
		else if (!json_more(j))
			return json_fail_cut(j, "the input ends inside a string");
	}
}

static void skip_scalar(struct json *j)
{
	struct str ignored;
	switch (json_peek(j)) {
	case JSON_STRING:
		skip_string(j);
		return;
	case JSON_NUMBER:
		json_raw_number(j, &ignored);
		return;
	case JSON_BOOL:
		take_word(j, *j->p == 't' ? STR("true") : STR("false"));
		return;
	case JSON_NULL:
		take_word(j, STR("null"));
		return;
	case JSON_NOTHING:
	case JSON_OBJECT:
	case JSON_ARRAY:
		return;
	}
}

/* Past a whole object or array, by its brackets alone: what is skipped is not checked beyond that. */
static void skip_nested(struct json *j)
{
	unsigned depth = 0;
	do {
		while (j->p < j->end) {
			char c = *j->p;
			if (c == '"') {
				if (!skip_string(j))
					return;
				continue;
			}
			if ((c == '{' || c == '[') && ++depth + j->depth > JSON_MAX_DEPTH) {
				json_fail(j, "objects and arrays are nested too deeply");
				return;
			}
			j->p++;
			if ((c == '}' || c == ']') && --depth == 0)
				return;
		}
	} while (json_more(j));
	json_fail_cut(j, "the input ends inside an object or array");
}

void json_skip(struct json *j)
{
	enum json_type type = json_peek(j);
	if (type == JSON_OBJECT || type == JSON_ARRAY)
		skip_nested(j);
	else
		skip_scalar(j);
	j->is_first = false;
}

bool json_at_end(struct json *j)
{
	if (next_byte(j))
		return json_fail(j, "extra text after the end of the JSON");
	return !j->fault;
}
