/* Why something failed, in a sentence for the user: what was read, where, what to do. */
#pragma once
#include <stdbool.h>

/* The exit code that the failure leads to. */
enum err_kind {
	ERR_NONE = 0,
	ERR_FAILED = 1, /* nothing was produced */
	ERR_USAGE = 2,	/* the command line is wrong */
	/* A command that was to be run; the codes are those of sh, env and nohup. */
	ERR_NOT_EXECUTABLE = 126,
	ERR_NOT_FOUND = 127,
	/* Who reads our standard output has had enough, as head(1): no failure, so nothing is said. */
	ERR_OUTPUT_CLOSED = 141,
};

struct err {
	enum err_kind kind;
	char text[1024];
};

void err_fill(struct err *e, enum err_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Both fill e and are false, so that `return err_set(e, ...);` leaves a fallible function. Macros,
 * so that compilers and analyzers see the false.
 */
/* clang-format off */
#define err_set(e, ...) ({ err_fill((e), ERR_FAILED, __VA_ARGS__); false; })
#define err_usage(e, ...) ({ err_fill((e), ERR_USAGE, __VA_ARGS__); false; })
/* clang-format on */
