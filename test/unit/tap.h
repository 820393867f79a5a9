/* Tests print "ok" and "not ok" lines (TAP), which the runner counts. */
#pragma once
#include "base/base.h"

void tap_ok(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tap_str_eq(struct str got, struct str want, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void tap_num_eq(uint64_t got, uint64_t want, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The exit status: 0 when everything was ok. */
int tap_done(void);
