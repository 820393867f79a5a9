#include "base/base.h"

struct str str_trim(struct str s)
{
	while (s.n && is_space(s.p[0]))
		s = str_from_byte(s, 1);
	while (s.n && is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

struct str str_take_word(struct str *rest)
{
	size_t start = 0, end;
	while (start < rest->n && is_space(rest->p[start]))
		start++;
	for (end = start; end < rest->n && !is_space(rest->p[end]);)
		end++;
	struct str word = { rest->p + start, end - start };
	*rest = str_from_byte(*rest, end);
	return word;
}

bool str_take_line(struct str *rest, struct str *line)
{
	if (!rest->n)
		return false;
	ptrdiff_t end = str_find_char(*rest, '\n');
	*line = str_first(*rest, end < 0 ? rest->n : (size_t)end);
	*rest = str_from_byte(*rest, line->n + 1);
	return true;
}

int str_compare(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n ? memcmp(a.p, b.p, n) : 0;
	return order ? order : (a.n > b.n) - (a.n < b.n);
}

ptrdiff_t str_find_char(struct str s, char c)
{
	const char *at = s.n ? memchr(s.p, c, s.n) : NULL;
	return at ? at - s.p : -1;
}

ptrdiff_t str_find_last_char(struct str s, char c)
{
	const char *at = s.n ? memrchr(s.p, c, s.n) : NULL;
	return at ? at - s.p : -1;
}

ptrdiff_t str_find(struct str s, struct str needle)
{
	if (needle.n == 0)
		return 0;
	const char *at = s.n ? memmem(s.p, s.n, needle.p, needle.n) : NULL;
	return at ? at - s.p : -1;
}

struct str str_basename(struct str path)
{
	return str_from_byte(path, (size_t)(str_find_last_char(path, '/') + 1));
}

bool str_to_u64(struct str s, uint64_t *value)
{
	uint64_t sum = 0;
	if (s.n == 0)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (!is_digit(s.p[i]) || __builtin_mul_overflow(sum, 10u, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)(s.p[i] - '0'), &sum))
			return false;
	}
	*value = sum;
	return true;
}

bool str_hex_to_u64(struct str s, uint64_t *value)
{
	enum { MAX_DIGITS = 16 };
	*value = 0;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (!is_hex(c) || i == MAX_DIGITS)
			return false;
		*value = *value << 4 | (uint64_t)(is_digit(c) ? c - '0' : (c | 32) - 'a' + 10);
	}
	return s.n;
}

bool str_to_i32(struct str s, int32_t *value)
{
	bool is_negative = s.n && s.p[0] == '-';
	uint64_t magnitude;
	if (!str_to_u64(str_from_byte(s, is_negative), &magnitude) || magnitude > INT32_MAX)
		return false;
	*value = is_negative ? -(int32_t)magnitude : (int32_t)magnitude;
	return true;
}

bool str_to_seconds(struct str s, double *seconds)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = { { "ms", 1e-3 }, { "us", 1e-6 }, { "s", 1 }, { "m", 60 },
		      { "h", 3600 },  { "d", 86400 }, { "", 1 } };
	char copy[64], *end;
	if (s.n == 0 || s.n >= sizeof(copy) || !(is_digit(s.p[0]) || s.p[0] == '.'))
		return false;
	memcpy(copy, s.p, s.n);
	copy[s.n] = '\0';
	double value = strtod(copy, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end, units[i].unit) == 0) {
			*seconds = value * units[i].seconds;
			return *seconds < 1e9;
		}
	return false;
}
