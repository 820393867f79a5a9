#include "record/rotation_int.h"

/* 0 stands for any digit. */
static const struct str pattern = STR("-0000-00-00T000000.000Z.plume");

void rotation_name_add(struct buf *name, struct str stem, uint64_t time_ms)
{
	time_t seconds = (time_t)(time_ms / 1000);
	struct tm t;
	gmtime_r(&seconds, &t);
	buf_add(name, stem);
	buf_addf(name, "-%04d-%02d-%02dT%02d%02d%02d.%03uZ.plume", t.tm_year + 1900, t.tm_mon + 1,
		 t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, (unsigned)(time_ms % 1000));
}

static bool fits_pattern(struct str text)
{
	if (text.n != pattern.n)
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (pattern.p[i] == '0' ? !is_digit(text.p[i]) : text.p[i] != pattern.p[i])
			return false;
	return true;
}

static int digits(struct str text, size_t at, size_t n)
{
	uint64_t value = 0;
	str_to_u64((struct str){ text.p + at, n }, &value);
	return (int)value;
}

bool rotation_name_read(struct str name, struct str stem, uint64_t *time_ms)
{
	struct str text = str_from_byte(name, stem.n);
	if (!str_starts(name, stem) || !fits_pattern(text))
		return false;
	struct tm t = { .tm_year = digits(text, 1, 4) - 1900,
			.tm_mon = digits(text, 6, 2) - 1,
			.tm_mday = digits(text, 9, 2),
			.tm_hour = digits(text, 12, 2),
			.tm_min = digits(text, 14, 2),
			.tm_sec = digits(text, 16, 2) };
	time_t seconds = timegm(&t);
	if (seconds < 0)
		return false;
	*time_ms = (uint64_t)seconds * 1000 + (uint64_t)digits(text, 19, 3);
	/* timegm turns the 31st of February into a day in March, so that is not one of our names. */
	AUTO(buf) struct buf again = { 0 };
	if (*time_ms > ROTATION_LAST_MS)
		return false;
	rotation_name_add(&again, stem, *time_ms);
	return str_eq(buf_str(&again), name);
}
