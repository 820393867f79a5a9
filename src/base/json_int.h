/* What the files that read JSON share. */
#pragma once
#include "base/json.h"

struct json {
	bool allows_last_comma;
	struct reader *r;
	const char *start, *p, *end; /* the window: its start, the reading point, its end */
	unsigned depth;
	bool is_first; /* the object or array at hand has just been entered */
	const char *fault;
	bool is_cut;
	struct buf text; /* of a string with escapes */
	uint32_t most_rows;
	struct buf limit; /* the fault of a table that is too long */
};

/* More bytes behind the window; what begins at p stays. False when there are none. */
bool json_more(struct json *j);
/* The first fault stays. All are false. */
bool json_fail(struct json *j, const char *why);
/* A fault at `where`, which is in the window. */
bool json_fail_at(struct json *j, const char *where, const char *why);
bool json_fail_cut(struct json *j, const char *where);
/* True when the value at hand is of this type; else it is skipped. */
bool json_expect(struct json *j, enum json_type type);
/* Takes the number at hand as it is written, all of it in the window. */
bool json_raw_number(struct json *j, struct str *raw);
