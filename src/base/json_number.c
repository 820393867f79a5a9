/* Numbers in JSON: exact as far as 64 bits hold them. */
#include "base/base.h"
#include "base/json_int.h"

static bool is_number_byte(char c)
{
	return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* Longer numbers are not worth their bytes. */
enum { MAX_NUMBER_BYTES = 1 << 10 };

/* The number at p, all of it in the window. */
bool json_raw_number(struct json *j, struct str *raw)
{
	size_t n = 0;
	for (;;) {
		while (j->p + n < j->end && is_number_byte(j->p[n]))
			n++;
		if (n > MAX_NUMBER_BYTES)
			return json_fail(j, "a number has more than 1,024 digits");
		if (j->p + n < j->end || !json_more(j))
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
	if (!json_expect(j, JSON_NUMBER) || !json_raw_number(j, &raw))
		return false;
	if (parse_digits(raw, d))
		return true;
	return j->p == j->end ? json_fail_cut(j, "the input ends inside a number")
			      : json_fail_at(j, raw.p, "invalid number");
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
