/* The JSON reader as its own files see it: where it stands in the window, and what went wrong. */
#pragma once
#include "base/base.h"

struct json {
	bool allows_last_comma;
	struct reader *r;
	const char *start, *p, *end; /* the window: its start, the reading point, its end */
	unsigned depth;
	bool is_first; /* the object or array at hand has just been entered */
	const char *fault;
	bool is_cut;
	struct buf text; /* of a string with escapes */
};

/* More bytes behind the window; what begins at p stays. False when there are none. */
bool json_more(struct json *j);
/* A fault where reading stands, at `where` in the window, or at the end of the input. All are false. */
bool json_fail_here(struct json *j, const char *why);
bool json_fail_at(struct json *j, const char *where, const char *why);
bool json_fail_cut(struct json *j, const char *why);
/* True when the value at hand is of this type; else it is skipped. */
bool json_expect(struct json *j, enum json_type type);
/* The number at hand as it stands, all of it in the window. */
bool json_raw_number(struct json *j, struct str *raw);

char json_next_byte_slow(struct json *j);
/* The next byte that is no white space, or 0 at the end and after a fault. */
static inline char json_next_byte(struct json *j)
{
	if (j->p<j->end && * j->p> ' ' && !j->fault)
		return *j->p;
	return json_next_byte_slow(j);
}
