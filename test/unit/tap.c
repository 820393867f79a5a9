#include "tap.h"

#include <stdarg.h>

static unsigned ran, failed;

__attribute__((format(printf, 2, 0))) static void report(bool ok, const char *format, va_list args)
{
	printf("%s %u - ", ok ? "ok" : "not ok", ++ran);
	vprintf(format, args);
	putchar('\n');
	failed += !ok;
}

void tap_ok(bool ok, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	report(ok, format, args);
	va_end(args);
}

void tap_str_eq(struct str got, struct str want, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	report(str_eq(got, want), format, args);
	va_end(args);
	if (!str_eq(got, want))
		printf("#  got '%.*s'\n# want '%.*s'\n", STR_ARG(got), STR_ARG(want));
}

void tap_num_eq(uint64_t got, uint64_t want, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	report(got == want, format, args);
	va_end(args);
	if (got != want)
		printf("#  got %llu\n# want %llu\n", (unsigned long long)got,
		       (unsigned long long)want);
}

int tap_done(void)
{
	printf("1..%u\n", ran);
	return failed != 0 || ran == 0;
}
