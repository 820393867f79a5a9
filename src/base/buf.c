#include "base/base.h"

#include <stdarg.h>

void buf_fini(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ 0 };
}

char *buf_reserve(struct buf *b, size_t more)
{
	if (more > b->capacity - b->n) {
		size_t capacity = b->capacity + b->capacity / 2 + 64;
		if (capacity < b->n + more)
			capacity = b->n + more;
		b->p = mem_realloc(b->p, capacity, 1);
		b->capacity = capacity;
	}
	return b->p + b->n;
}

void buf_add_slow(struct buf *b, const char *p, size_t n)
{
	memcpy(buf_reserve(b, n), p, n);
	b->n += n;
}

void buf_addf(struct buf *b, const char *format, ...)
{
	enum { LIKELY_ROOM = 128 };
	va_list args;
	char *p = buf_reserve(b, LIKELY_ROOM);
	va_start(args, format);
	int n = vsnprintf(p, LIKELY_ROOM, format, args);
	va_end(args);
	if (n >= LIKELY_ROOM) {
		va_start(args, format);
		vsnprintf(buf_reserve(b, (size_t)n + 1), (size_t)n + 1, format, args);
		va_end(args);
	}
	if (n > 0)
		b->n += (size_t)n;
}

/* Two digits for each division: files of numbers are written by this. */
void buf_add_u64(struct buf *b, uint64_t value)
{
	static const char pairs[] = "0001020304050607080910111213141516171819"
				    "2021222324252627282930313233343536373839"
				    "4041424344454647484950515253545556575859"
				    "6061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";
	char field[24], *end = field + sizeof(field), *p = end;
	for (; value >= 10; value /= 100)
		memcpy(p -= 2, pairs + value % 100 * 2, 2);
	if (value || p == end)
		*--p = (char)('0' + value);
	buf_add(b, (struct str){ p, (size_t)(end - p) });
}

void buf_add_grouped(struct buf *b, uint64_t value)
{
	char field[32], *end = field + sizeof(field), *p = end;
	unsigned n = 0;
	do {
		if (n && n % 3 == 0)
			*--p = ',';
		*--p = (char)('0' + value % 10);
		n++;
	} while (value /= 10);
	buf_add(b, (struct str){ p, (size_t)(end - p) });
}

void buf_add_counted(struct buf *b, uint64_t n, const char *one, const char *many)
{
	buf_add_grouped(b, n);
	buf_addf(b, " %s", n == 1 ? one : many);
}

void buf_add_decimal(struct buf *b, uint64_t value, unsigned decimals)
{
	uint64_t unit = 1;
	for (unsigned d = 0; d < decimals; d++)
		unit *= 10;
	buf_add_u64(b, value / unit);
	uint64_t fraction = value % unit;
	if (!fraction)
		return;
	while (fraction % 10 == 0) {
		fraction /= 10;
		decimals--;
	}
	buf_addf(b, ".%0*llu", (int)decimals, (unsigned long long)fraction);
}

void buf_add_percent(struct buf *b, uint64_t value, uint64_t total)
{
	double percent = total ? 100.0 * (double)value / (double)total : 0;
	if (!value)
		buf_addf(b, "0 %%");
	else if (percent < 0.1)
		buf_addf(b, "<0.1 %%");
	else if (percent > 99.9 && value < total)
		buf_addf(b, ">99.9 %%");
	else /* nearly all is not all */
		buf_addf(b,
			 percent >= 10 && (percent < 99.5 || value == total) ? "%.0f %%"
									     : "%.1f %%",
			 percent);
}

void buf_add_span(struct buf *b, double ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "\xc2\xb5s" }, { 1, "ns" } };
	size_t unit = 0;
	if (!(ns > 0)) {
		buf_addf(b, "0 s");
		return;
	}
	while (unit < ARRAY_SIZE(units) - 1 && ns < units[unit].ns * 0.9995)
		unit++; /* 999.6 ms is 1.00 s */
	double value = ns / units[unit].ns;
	if (value < 99.95)
		buf_addf(b, value < 9.995 ? "%.2f" : "%.1f", value);
	else
		buf_add_grouped(b, (uint64_t)(value + 0.5));
	buf_addf(b, " %s", units[unit].name);
}

void buf_add_wrapped(struct buf *b, struct str text, unsigned column, unsigned width)
{
	size_t at = column;
	while (text.n) {
		ptrdiff_t space = str_find_char(text, ' ');
		struct str word = str_first(text, space < 0 ? text.n : (size_t)space);
		size_t columns = utf8_count(word);
		if (width && at > column && at + 1 + columns > width) {
			buf_addf(b, "\n%*s", (int)column, "");
			at = column;
		} else if (at > column) {
			buf_add_char(b, ' ');
			at++;
		}
		buf_add(b, word);
		at += columns;
		text = str_from_byte(text, space < 0 ? text.n : (size_t)space + 1);
	}
}

void buf_add_difference(struct buf *b, uint64_t from, uint64_t to, unsigned decimals)
{
	if (from != to)
		buf_add_char(b, to > from ? '+' : '-');
	buf_add_decimal(b, to > from ? to - from : from - to, decimals);
}

static const uint64_t fixed_scales[] = { 1, 10, 100, 1000 };

/*
 * printf rounds the exact binary value. So does rounding value * 10^decimals, unless that lies
 * within its own rounding error of a half: then printf decides.
 */
uint64_t fixed_units(double value, unsigned decimals)
{
	double scaled = value * (double)fixed_scales[decimals];
	double below = __builtin_floor(scaled), distance = scaled - below - 0.5;
	if (distance > 1e-3 || distance < -1e-3)
		return (uint64_t)below + (distance > 0);
	char text[64], *end;
	snprintf(text, sizeof(text), "%.*f", (int)decimals, value);
	uint64_t units = strtoull(text, &end, 10) * fixed_scales[decimals];
	return decimals ? units + strtoull(end + 1, NULL, 10) : units;
}

void buf_add_fixed(struct buf *b, double value, unsigned decimals)
{
	if (!(value >= 0 && value < 1e12)) {
		buf_addf(b, "%.*f", (int)decimals, value);
		return;
	}
	uint64_t units = fixed_units(value, decimals), unit = fixed_scales[decimals];
	buf_add_u64(b, units / unit);
	if (!decimals)
		return;
	buf_add_char(b, '.');
	for (units %= unit; unit > 1; units %= unit) {
		unit /= 10;
		buf_add_char(b, (char)('0' + units / unit));
	}
}

const char *buf_c_string(struct buf *b)
{
	*buf_reserve(b, 1) = '\0';
	return b->p;
}
