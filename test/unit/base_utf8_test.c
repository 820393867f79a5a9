/* UTF-8 from anywhere, and numbers with decimals as printf prints them. */
#include "base/base.h"
#include "random.h"
#include "tap.h"

#include <math.h>

/* Well-formed sequences, table 3-7 of the Unicode standard: bytes from low[i] to high[i]. */
static const struct {
	size_t n;
	unsigned char low[4], high[4];
} sequences[] = {
	{ 1, { 0x00 }, { 0x7f } },
	{ 2, { 0xc2, 0x80 }, { 0xdf, 0xbf } },
	{ 3, { 0xe0, 0xa0, 0x80 }, { 0xe0, 0xbf, 0xbf } },
	{ 3, { 0xe1, 0x80, 0x80 }, { 0xec, 0xbf, 0xbf } },
	{ 3, { 0xed, 0x80, 0x80 }, { 0xed, 0x9f, 0xbf } },
	{ 3, { 0xee, 0x80, 0x80 }, { 0xef, 0xbf, 0xbf } },
	{ 4, { 0xf0, 0x90, 0x80, 0x80 }, { 0xf0, 0xbf, 0xbf, 0xbf } },
	{ 4, { 0xf1, 0x80, 0x80, 0x80 }, { 0xf3, 0xbf, 0xbf, 0xbf } },
	{ 4, { 0xf4, 0x80, 0x80, 0x80 }, { 0xf4, 0x8f, 0xbf, 0xbf } },
};

/* Bytes of the well-formed sequence at the start of s, or 0. */
static size_t sequence_length(const unsigned char *s, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(sequences); i++) {
		size_t k = 0;
		while (k < sequences[i].n && k < n && s[k] >= sequences[i].low[k] &&
		       s[k] <= sequences[i].high[k])
			k++;
		if (k == sequences[i].n)
			return k;
	}
	return 0;
}

static uint32_t code_of(const unsigned char *s, size_t n)
{
	static const unsigned char first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = s[0] & first_bits[n];
	for (size_t i = 1; i < n; i++)
		code = code << 6 | (s[i] & 0x3f);
	return code;
}

static bool reads_as_the_standard(const unsigned char *bytes, size_t n)
{
	struct str s = { (const char *)bytes, n };
	size_t at = 0, count = 0;
	while (at < n) {
		size_t length = sequence_length(bytes + at, n - at), before = at;
		uint32_t want = length ? code_of(bytes + at, length) : UTF8_REPLACEMENT;
		if (utf8_next(s, &at) != want || at - before != (length ? length : 1))
			return false;
		if (utf8_bytes_of(s, ++count) != at)
			return false;
	}
	return utf8_count(s) == count && utf8_bytes_of(s, count + 5) == n;
}

static void check_sequences(void)
{
	/* Bytes at the borders of the table, so that nearly right sequences are common. */
	static const unsigned char borders[] = { 0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f,
						 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0,
						 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1,
						 0xf3, 0xf4, 0xf5, 0xf8, 0xfe, 0xff };
	unsigned bad = 0;
	for (unsigned round = 0; round < 200000; round++) {
		unsigned char bytes[8];
		size_t n = random_below(sizeof(bytes) + 1);
		for (size_t i = 0; i < n; i++)
			bytes[i] = borders[random_below(ARRAY_SIZE(borders))];
		bad += !reads_as_the_standard(bytes, n);
	}
	tap_num_eq(bad, 0, "random bytes are read as table 3-7 of Unicode has them");
}

static void check_every_character(void)
{
	unsigned bad = 0;
	for (uint32_t code = 0x80; code <= 0x10ffff; code++) {
		char s[4];
		size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4, at = 0;
		for (size_t i = n; i-- > 1;)
			s[i] = (char)(0x80 | (code >> 6 * (n - 1 - i) & 0x3f));
		s[0] = (char)(0xf00 >> n | code >> 6 * (n - 1));
		bool is_surrogate = code >= 0xd800 && code < 0xe000;
		uint32_t got = utf8_next((struct str){ s, n }, &at);
		bad += is_surrogate ? got != UTF8_REPLACEMENT || at != 1 : got != code || at != n;
	}
	tap_num_eq(bad, 0, "every character but surrogates is read as itself");
}

static void check_fixed(double value, unsigned decimals, unsigned *bad)
{
	char want[512];
	AUTO(buf) struct buf got = { 0 };
	snprintf(want, sizeof(want), "%.*f", (int)decimals, value);
	buf_add_fixed(&got, value, decimals);
	if (str_eq(buf_str(&got), str_from(want)))
		return;
	if (!(*bad)++)
		tap_str_eq(buf_str(&got), str_from(want), "%.17g with %u decimals", value,
			   decimals);
}

static double random_double(void)
{
	double fraction = (double)random_below(1u << 31) / (double)(1u << 31);
	switch (random_below(4)) {
	case 0: /* any size */
		return ldexp(fraction, (int)random_below(90) - 40);
	case 1: /* halves of the last decimal, and their neighbours */
		return nextafter(random_below(200000) / 2000.0 + 0.0005, random_below(2) ? 0 : 1e9);
	case 2:
		return random_below(4000000) / 2000.0;
	default: /* pixels */
		return 10 + fraction * 1180;
	}
}

static void check_numbers(void)
{
	unsigned bad = 0;
	for (unsigned i = 0; i < 200000; i++)
		check_fixed(random_double(), random_below(4), &bad);
	static const double special[] = { 0,	0.05,  0.15,  0.25,	0.35,  0.5,   1.5,
					  2.5,	0.005, 1.005, 0.9995,	0.95,  99.95, 1e11,
					  1e12, 1e15,  1e20,  123456.7, -1.25, -0.01 };
	for (size_t i = 0; i < ARRAY_SIZE(special); i++)
		for (unsigned decimals = 0; decimals < 4; decimals++)
			check_fixed(special[i], decimals, &bad);
	tap_num_eq(bad, 0, "decimals are rounded as printf rounds");
	tap_num_eq(fixed_units(12.34, 1), 123, "12.34 has 123 tenths");
	tap_num_eq(fixed_units(0.25, 1), 2, "a half goes to even, as in printf");
	tap_num_eq(fixed_units(0.75, 1), 8, "... on either side");
	tap_num_eq(fixed_units(1e12, 3), 1000000000000000, "a large number of thousandths");
}

static void check_grouped(uint64_t value, const char *want)
{
	AUTO(buf) struct buf got = { 0 };
	buf_add_grouped(&got, value);
	tap_str_eq(buf_str(&got), str_from(want), "%s", want);
}

int main(void)
{
	check_sequences();
	check_every_character();
	check_numbers();
	check_grouped(0, "0");
	check_grouped(999, "999");
	check_grouped(1000, "1,000");
	check_grouped(UINT64_MAX, "18,446,744,073,709,551,615");
	return tap_done();
}
