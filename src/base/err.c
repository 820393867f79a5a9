#include "base/base.h"

#include <stdarg.h>

void err_fill(struct err *e, enum err_kind kind, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	e->kind = kind;
	vsnprintf(e->text, sizeof(e->text), format, args);
	va_end(args);
}
