/* Shared by the files that read JSON. */
#pragma once
#include "base/json.h"

struct json {
	bool allows_last_comma;
	struct reader *r;
	const char *start, *p, *end; /* the window: its start, the current position, its end */
	unsigned depth;
	bool is_first; /* the current object or array has just been entered */
	const char *fault;
	bool is_cut;
	struct buf text; /* of a string with escapes */
	uint32_t most_rows;
	struct buf limit; /* the fault of a table that is too long */
};

/* Reads more bytes into the window; what begins at p stays. Returns false if there are none. */
bool json_more(struct json *j);
/* Sets the fault, unless there is one already. All of these return false. */
bool json_fail(struct json *j, const char *why);
/* Sets a fault at `where`, which is in the window. */
bool json_fail_at(struct json *j, const char *where, const char *why);
bool json_fail_cut(struct json *j, const char *where);
/* Returns true if the current value has this type; otherwise skips it. */
bool json_expect(struct json *j, enum json_type type);
/* Takes the current number as written; all of it is in the window. */
bool json_raw_number(struct json *j, struct str *raw);
