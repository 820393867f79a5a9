#include "base/base.h"

#include <math.h>

struct json {
	struct reader *r;
	const char *start, *p, *end; /* the window: its start, the reading point, its end */
	unsigned depth;
	bool is_first; /* the object or array at hand has just been entered */
	bool allows_last_comma;
	const char *fault;
	bool is_cut;
	struct buf text; /* of a string with escapes */
};

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
	free(j);
}

void json_allow_last_comma(struct json *j)
{
	j->allows_last_comma = true;
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
static bool more(struct json *j)
{
	reader_consume(j->r, (size_t)(j->p - j->start));
	bool has_more = reader_fill(j->r);
	struct str window = reader_window(j->r);
	j->start = j->p = window.p;
	j->end = window.p + window.n;
	return has_more;
}

static bool fail(struct json *j, const char *why)
{
	if (!j->fault)
		j->fault = why;
	return false;
}

static bool fail_cut(struct json *j, const char *where)
{
	j->is_cut |= !j->fault;
	return fail(j, where);
}

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
		if (!more(j))
			return 0;
	}
}

/* The next byte that is no white space, or 0 at the end and after a fault. */
static inline char next_byte(struct json *j)
{
	if (j->p<j->end && * j->p> ' ' && !j->fault)
		return *j->p;
	return next_byte_slow(j);
}

/* --- strings --- */

/* One past the end of the run of plain bytes from p: at a quote, a backslash, or the end. */
static const char *plain_end(const char *p, const char *end)
{
	while (p < end && *p != '"' && *p != '\\')
		p++;
	return p;
}

/*
 * The string at p as it stands, without its quotes. The whole of it is brought into the window.
 */
static bool raw_string(struct json *j, struct str *raw, bool *has_escapes)
{
	size_t at = 1; /* behind the opening quote */
	*has_escapes = false;
	for (;;) {
		const char *q = plain_end(j->p + at, j->end);
		at = (size_t)(q - j->p);
		if (at > JSON_MAX_STRING_BYTES)
			return fail(j, "a string longer than 64 MB");
		if (q < j->end && *q == '"') {
			*raw = (struct str){ j->p + 1, at - 1 };
			j->p = q + 1;
			return true;
		}
		if (q < j->end && q + 1 < j->end) {
			*has_escapes = true;
			at += 2;
		} else if (!more(j)) {
			return fail_cut(j, "the input ends inside a string");
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

/* \uXXXX at byte `at` (behind the u), with the second half of a pair; returns where it ends. */
static size_t add_unicode(struct buf *out, struct str raw, size_t at)
{
	int32_t code = hex_code(raw, at);
	at += 4;
	if (code >= 0xd800 && code < 0xdc00 && at + 6 <= raw.n && raw.p[at] == '\\' &&
	    raw.p[at + 1] == 'u') {
		int32_t low = hex_code(raw, at + 2);
		if (low >= 0xdc00 && low < 0xe000) {
			code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
			at += 6;
		}
	}
	if (code < 0 || (code >= 0xd800 && code < 0xe000))
		code = UTF8_REPLACEMENT;
	utf8_add(out, (uint32_t)code);
	return at < raw.n ? at : raw.n;
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
		else
			return fail(j, "an escape that JSON does not have");
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
			fail_cut(j, "the input ends where a value should be");
		return JSON_NOTHING;
	default:
		fail(j, "something that is no JSON value");
		return JSON_NOTHING;
	}
}

/* True when the value at hand is of this type; else it is skipped. */
static bool expect(struct json *j, enum json_type type)
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
	if (!expect(j, type))
		return false;
	if (j->depth == JSON_MAX_DEPTH)
		return fail(j, "objects and arrays nested too deep");
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
			return j->allows_last_comma ? leave(j)
						    : fail(j, "a comma with nothing behind it");
	} else if (!j->is_first && c) {
		return fail(j, "a comma is missing");
	}
	j->is_first = false;
	if (!c)
		return j->fault ? false
				: fail_cut(j, closing == '}' ? "the input ends inside an object"
							     : "the input ends inside an array");
	return true;
}

bool json_key(struct json *j, struct str *key)
{
	if (!advance(j, '}'))
		return false;
	if (*j->p != '"')
		return fail(j, "a key that is no string");
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
		return c ? fail(j, "a key without a colon")
			 : fail_cut(j, "the input ends inside an object");
	j->p++;
	return true;
}

bool json_element(struct json *j)
{
	return advance(j, ']');
}

bool json_string(struct json *j, struct str *text)
{
	return expect(j, JSON_STRING) && take_string(j, text);
}

/* --- numbers and words --- */

static bool is_number_byte(char c)
{
	return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* Longer numbers are not worth their bytes. */
enum { MAX_NUMBER_BYTES = 1 << 10 };

/* The number at p, all of it in the window. */
static bool raw_number(struct json *j, struct str *raw)
{
	size_t n = 0;
	for (;;) {
		while (j->p + n < j->end && is_number_byte(j->p[n]))
			n++;
		if (n > MAX_NUMBER_BYTES)
			return fail(j, "a number longer than 1,024 digits");
		if (j->p + n < j->end || !more(j))
			break;
	}
	*raw = (struct str){ j->p, n };
	j->p += n;
	return true;
}

static int64_t rounded(double value)
{
	if (value >= 0x1p63)
		return INT64_MAX;
	return value <= -0x1p63 ? INT64_MIN : llround(value);
}

/* By way of a double: exponents, and numbers of more digits than 64 bits hold. */
static bool long_number(struct json *j, struct str raw, unsigned decimals, int64_t *value)
{
	char copy[MAX_NUMBER_BYTES + 1], *end;
	memcpy(copy, raw.p, raw.n);
	copy[raw.n] = '\0';
	double number = strtod(copy, &end);
	if (end != copy + raw.n || !isfinite(number))
		return fail(j, "a number that is none");
	for (unsigned d = 0; d < decimals; d++)
		number *= 10;
	*value = rounded(number);
	return true;
}

/* Most numbers are whole and short, and stand in the window with what follows them. */
static bool short_number(struct json *j, unsigned decimals, int64_t *value)
{
	enum { SHORT_DIGITS = 9 };
	static const int64_t powers[] = { 1,	  10,	   100,	     1000,	10000,
					  100000, 1000000, 10000000, 100000000, 1000000000 };
	const char *p = j->p;
	uint32_t sum = 0;
	if (j->end - p < SHORT_DIGITS + 2 || j->fault || decimals >= ARRAY_SIZE(powers))
		return false;
	bool is_negative = *p == '-';
	const char *first = p += is_negative;
	for (; is_digit(*p) && p - first < SHORT_DIGITS; p++)
		sum = sum * 10 + (uint32_t)(*p - '0');
	if (p == first || (*p != ',' && *p != ']' && *p != '}'))
		return false;
	j->p = p;
	*value = (is_negative ? -(int64_t)sum : (int64_t)sum) * powers[decimals];
	return true;
}

bool json_number(struct json *j, unsigned decimals, int64_t *value)
{
	enum { EXACT_DIGITS = 18 };
	if (short_number(j, decimals, value))
		return true;
	struct str raw;
	if (!expect(j, JSON_NUMBER) || !raw_number(j, &raw))
		return false;
	bool is_negative = raw.p[0] == '-', rounds_up = false;
	size_t first = is_negative, i = first;
	unsigned fraction = 0;
	int64_t sum = 0;
	while (i < raw.n && is_digit(raw.p[i]) && i - first + decimals <= EXACT_DIGITS)
		sum = sum * 10 + (raw.p[i++] - '0');
	if (i == first)
		return fail(j, "a number that is none");
	if (i < raw.n && raw.p[i] == '.') {
		for (i++; i < raw.n && is_digit(raw.p[i]) && fraction < decimals; fraction++)
			sum = sum * 10 + (raw.p[i++] - '0');
		rounds_up = i < raw.n && is_digit(raw.p[i]) && raw.p[i] >= '5';
		while (i < raw.n && is_digit(raw.p[i]))
			i++;
	}
	if (i < raw.n) /* an exponent, or more digits */
		return long_number(j, raw, decimals, value);
	for (; fraction < decimals; fraction++)
		sum *= 10;
	*value = is_negative ? -(sum + rounds_up) : sum + rounds_up;
	return true;
}

/* true, false, null */
static bool take_word(struct json *j, struct str word)
{
	while ((size_t)(j->end - j->p) < word.n)
		if (!more(j))
			return fail_cut(j, "the input ends inside a word");
	if (!str_starts((struct str){ j->p, (size_t)(j->end - j->p) }, word))
		return fail(j, "a word that JSON does not have");
	j->p += word.n;
	return true;
}

bool json_bool(struct json *j, bool *value)
{
	if (!expect(j, JSON_BOOL))
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
		else if (!more(j))
			return fail_cut(j, "the input ends inside a string");
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
		raw_number(j, &ignored);
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

/*
 * Past a whole object or array, by its brackets alone: what is skipped is not checked beyond that.
 */
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
			j->p++;
			if (c == '{' || c == '[') {
				if (++depth + j->depth > JSON_MAX_DEPTH) {
					fail(j, "objects and arrays nested too deep");
					return;
				}
			} else if ((c == '}' || c == ']') && --depth == 0) {
				return;
			}
		}
	} while (more(j));
	fail_cut(j, "the input ends inside an object or array");
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
		return fail(j, "more text behind the end");
	return !j->fault;
}

/* --- writing --- */

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

void json_add_string(struct buf *out, struct str s)
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
		if (code < 0x10000 && is_unseen(code))
			buf_addf(out, "\\u%04x", code);
		else
			buf_add(out, (struct str){ s.p + at, end - at });
		at = end;
	}
	buf_add_char(out, '"');
}
