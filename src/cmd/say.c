#include "cmd/cmd.h"
#include "sink/sink.h"

#include <signal.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

void say(const char *format, ...)
{
	AUTO(buf) struct buf text = { 0 };
	AUTO_FREE char *words = NULL;
	va_list args;
	va_start(args, format);
	if (vasprintf(&words, format, args) < 0)
		words = NULL;
	va_end(args);
	fit_add_safe(&text, str_from(words ? words : format));
	fprintf(stderr, "plume: %s\n", buf_c_string(&text));
}

int say_error(const struct command *self, const struct err *e)
{
	if (e->kind == ERR_OUTPUT_CLOSED)
		return EXIT_BY_SIGNAL + SIGPIPE;
	say("%s", e->text);
	if (e->kind == ERR_USAGE && self == &help_command)
		fprintf(stderr, "Try 'plume help'.\n");
	else if (e->kind == ERR_USAGE)
		fprintf(stderr, "Try 'plume help %s'.\n", self->name);
	return (int)e->kind;
}

int print_out(struct str text)
{
	struct err e = { 0 };
	struct writer *w = writer_open("-", &e);
	if (w) {
		writer_add(w, text);
		writer_commit(w, &e);
		writer_free(w);
	}
	return e.kind ? say_error(&help_command, &e) : EXIT_DONE;
}

unsigned terminal_width(int fd, unsigned otherwise)
{
	struct winsize size;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
		return size.ws_col;
	return otherwise;
}
