/* Names similar to one that was not found, for "did you mean". */
#pragma once
#include "base/base.h"

enum { NEAR_MOST = 6 };

struct near_names {
	struct str word; /* owned by the caller */
	struct near_name {
		char *text;
		unsigned distance;
	} best[NEAR_MOST]; /* nearest first */
	unsigned n;
};
/* Keeps the name if it is similar enough; ignores duplicates. */
void near_names_add(struct near_names *near, struct str name);
/* `a, b, c` */
void near_names_write(const struct near_names *near, struct buf *out);
void near_names_fini(struct near_names *near);
