#include "base/base.h"

struct json {
	bool allows_last_comma;
	struct reader *r;
	const char *start, *p, *end; /* the window: its start, the reading point, its end */
	unsigned depth;
	bool is_first; /* the object or array at hand has just been entered */
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

/* A fault at `where`, which is in the window. */
static bool fail_at(struct json *j, const char *where, const char *why)
{
	if (!j->fault)
		j->p = where;
	return fail(j, why);
}

static bool fail_cut(struct json *j, const char *where)
{
	j->is_cut |= !j->fault;
	return fail_at(j, j->end, where);
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
		if (!more(j))
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

/*
 * \uXXXX at byte `at` (behind the u), with the second half of a pair; returns where it ends, or 0 when
 * it is none.
 */
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
			return fail_at(j, raw.p + end, "an escape that JSON does not have");
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

/* A number as it is written: digits times 10^exponent. */
struct digits {
	uint64_t units;
	int32_t exponent;
	bool is_negative;
	bool is_full; /* there are more digits than units holds */
};

static const uint64_t powers_of_10[] = { 1,
					 10,
					 100,
					 1000,
					 10000,
					 100000,
					 1000000,
					 10000000,
					 100000000,
					 1000000000,
					 10000000000,
					 100000000000,
					 1000000000000,
					 10000000000000,
					 100000000000000,
					 1000000000000000,
					 10000000000000000,
					 100000000000000000,
					 1000000000000000000,
					 10000000000000000000u };

enum { MAX_EXPONENT = 1 << 20 };

/* What 64 bits hold is exact; of the digits beyond only their number counts. */
static const char *take_digits(const char *p, const char *end, struct digits *d, bool is_fraction)
{
	for (; p < end && is_digit(*p); p++) {
		uint64_t units;
		d->is_full = d->is_full || __builtin_mul_overflow(d->units, 10u, &units) ||
			     __builtin_add_overflow(units, (uint64_t)(*p - '0'), &units);
		if (!d->is_full)
			d->units = units;
		d->exponent += !is_fraction && d->is_full ? 1 : is_fraction && !d->is_full ? -1 : 0;
	}
	return p;
}

/* `e-12`; NULL when it is none. */
static const char *take_exponent(const char *p, const char *end, struct digits *d)
{
	bool is_negative = ++p < end && *p == '-';
	int32_t exponent = 0;
	p += p < end && (*p == '-' || *p == '+');
	if (p == end)
		return NULL;
	for (; p < end && is_digit(*p); p++)
		if (exponent < MAX_EXPONENT)
			exponent = exponent * 10 + (*p - '0');
	d->exponent += is_negative ? -exponent : exponent;
	return p;
}

static bool parse_digits(struct str raw, struct digits *d)
{
	const char *p = raw.p, *end = raw.p + raw.n;
	*d = (struct digits){ .is_negative = *p == '-' };
	p += d->is_negative;
	const char *first = p;
	p = take_digits(p, end, d, false);
	if (p == first)
		return false;
	if (p < end && *p == '.')
		p = take_digits(p + 1, end, d, true);
	if (p < end && (*p == 'e' || *p == 'E'))
		p = take_exponent(p, end, d);
	return p == end;
}

/* A number as most of them are: at most 18 digits without an exponent, all at hand. */
static inline bool quick_number(struct json *j, struct digits *d)
{
	enum { LONGEST = 18 };
	const char *p = j->p;
	if (j->end - p < LONGEST + 3 || j->fault)
		return false;
	*d = (struct digits){ .is_negative = *p == '-' };
	p += d->is_negative;
	const char *first = p, *point = NULL;
	for (; p < first + LONGEST; p++) {
		if (is_digit(*p))
			d->units = d->units * 10 + (uint64_t)(*p - '0');
		else if (*p == '.' && !point && p > first)
			point = p;
		else
			break;
	}
	if (p == first || is_number_byte(*p))
		return false;
	d->exponent = point ? (int32_t)(point + 1 - p) : 0;
	j->p = p;
	return true;
}

static bool take_number(struct json *j, struct digits *d)
{
	struct str raw;
	if (quick_number(j, d))
		return true;
	if (!expect(j, JSON_NUMBER) || !raw_number(j, &raw))
		return false;
	if (parse_digits(raw, d))
		return true;
	return j->p == j->end ? fail_cut(j, "the input ends inside a number")
			      : fail_at(j, raw.p, "a number that is none");
}

/* In units of 10^-decimals, rounded to the nearest. is_held: it is larger than fits. */
static uint64_t scaled(const struct digits *d, unsigned decimals, bool *is_held)
{
	int32_t shift = d->exponent + (int32_t)decimals;
	uint64_t value = d->units;
	*is_held = false;
	if (shift < -19 || value == 0)
		return 0;
	if (shift < 0) {
		uint64_t divisor = powers_of_10[-shift];
		return value / divisor + (value % divisor >= divisor - divisor / 2);
	}
	*is_held = shift > 19 || __builtin_mul_overflow(value, powers_of_10[shift], &value);
	return *is_held ? UINT64_MAX : value;
}

bool json_number(struct json *j, unsigned decimals, int64_t *value)
{
	struct digits d;
	bool is_held;
	if (!take_number(j, &d))
		return false;
	uint64_t units = scaled(&d, decimals, &is_held);
	if (d.is_negative)
		*value = units > INT64_MAX ? INT64_MIN : -(int64_t)units;
	else
		*value = units > INT64_MAX ? INT64_MAX : (int64_t)units;
	return true;
}

bool json_decimal(struct json *j, unsigned max_decimals, struct json_decimal *out)
{
	struct digits d;
	if (!take_number(j, &d))
		return false;
	unsigned decimals = d.exponent >= 0			  ? 0
			    : -d.exponent < (int32_t)max_decimals ? (unsigned)-d.exponent
								  : max_decimals;
	out->is_negative = d.is_negative;
	out->units = scaled(&d, decimals, &out->is_held);
	for (; decimals && out->units % 10 == 0; decimals--)
		out->units /= 10;
	out->decimals = decimals;
	return true;
}

/* An index as most of them are: a comma, one to nine digits, a comma or bracket, all at hand. */
static bool quick_index(struct json *j, uint32_t *index)
{
	enum { LONGEST = 11 };
	const char *p = j->p;
	if (j->end - p < LONGEST)
		return false;
	if (!j->is_first && *p++ != ',')
		return false;
	const char *first = p;
	uint32_t value = 0;
	while (is_digit(*p) && p < first + 9)
		value = value * 10 + (uint32_t)(*p++ - '0');
	if (p == first || (*p != ',' && *p != ']'))
		return false;
	j->p = p;
	j->is_first = false;
	*index = value;
	return true;
}

bool json_index(struct json *j, uint32_t *index)
{
	struct json_decimal d;
	if (!j->fault && quick_index(j, index))
		return true;
	if (!json_element(j))
		return false;
	bool is_index =
		json_decimal(j, 9, &d) && !d.is_negative && !d.decimals && d.units < INDEX_NONE;
	*index = is_index ? (uint32_t)d.units : INDEX_NONE;
	return !j->fault;
}

/* true, false, null */
static bool take_word(struct json *j, struct str word)
{
	size_t at_hand;
	while ((at_hand = (size_t)(j->end - j->p)) < word.n &&
	       str_starts(word, (struct str){ j->p, at_hand }))
		if (!more(j))
			return fail_cut(j, "the input ends inside a word");
	if (!str_starts((struct str){ j->p, at_hand }, word))
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
			if ((c == '{' || c == '[') && ++depth + j->depth > JSON_MAX_DEPTH) {
				fail(j, "objects and arrays nested too deep");
				return;
			}
			j->p++;
			if ((c == '}' || c == ']') && --depth == 0)
				return;
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
