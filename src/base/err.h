/* Why something failed, in a sentence for the user: what was read, where, and what to do. */
#pragma once
#include <stdbool.h>

/* The resulting exit code. */
enum err_kind {
	ERR_NONE = 0,
	ERR_FAILED = 1, /* nothing was produced */
	ERR_USAGE = 2,	/* the command line is wrong */
	/* A command could not be run; these are the codes of sh, env and nohup. */
	ERR_NOT_EXECUTABLE = 126,
	ERR_NOT_FOUND = 127,
	/* The reader of our standard output closed it, like head(1). Not a failure, so plume says nothing. */
	ERR_OUTPUT_CLOSED = 141,
};

struct err {
	enum err_kind kind;
	char text[1024];
};

void err_fill(struct err *e, enum err_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Both fill e and evaluate to false, so that a fallible function can `return err_set(e, ...);`.
 * They are macros so that compilers and analyzers see the false.
 */
/* clang-format off */
#define err_set(e, ...) ({ err_fill((e), ERR_FAILED, __VA_ARGS__); false; })
#define err_usage(e, ...) ({ err_fill((e), ERR_USAGE, __VA_ARGS__); false; })
/* clang-format on */
