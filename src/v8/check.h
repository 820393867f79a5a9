/* Checks that a live process has the layout that its file promises, before anything else relies on it. */
#pragma once
#include "base/base.h"

struct v8_inspection;

enum v8_check_kind {
	V8_CHECK_METAMAP,   /* the map of maps is its own map, and has the type of maps */
	V8_CHECK_PAGES,	    /* it is on a page that begins like a heap page */
	V8_CHECK_FUNCTION,  /* a function leads to its name, its script, and a line in it */
	V8_CHECK_CODE,	    /* code in executable memory leads to its function */
	V8_CHECK_POSITIONS, /* ... and has a table of source positions */
	V8_CHECKS
};

enum v8_check_state {
	V8_CHECK_FAILED,
	V8_CHECK_OK,
	V8_CHECK_OPEN, /* nothing to check, or no known answer */
};

struct v8_check {
	enum v8_check_state state;
	struct buf what; /* what was found, or was not */
};

struct v8_checks {
	struct v8_check list[V8_CHECKS];
};
void v8_checks_fini(struct v8_checks *c);
const char *v8_check_name(enum v8_check_kind kind);
/* In the order of their kinds: each check may rely on the ones before it. */
void v8_check(struct v8_inspection *v, struct v8_checks *c);
