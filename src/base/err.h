/* Why something failed, in a sentence for the user: what was read, where, what to do. */
#pragma once
#include <stdbool.h>

/* The exit code that the failure leads to. */
enum err_kind {
	ERR_NONE = 0,
	ERR_FAILED = 1, /* nothing was produced */
	ERR_USAGE = 2,  /* the command line is wrong */
};

struct err {
	enum err_kind kind;
	char text[1024];
};

/* Both set e and return false, so that `return err_set(e, ...);` leaves a fallible function. */
bool err_set(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool err_usage(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
