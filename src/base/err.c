#include "base/base.h"

#include <stdarg.h>

bool err_set(struct err *e, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	e->kind = ERR_FAILED;
	vsnprintf(e->text, sizeof(e->text), format, args);
	va_end(args);
	return false;
}

bool err_usage(struct err *e, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	e->kind = ERR_USAGE;
	vsnprintf(e->text, sizeof(e->text), format, args);
	va_end(args);
	return false;
}
