#pragma once
#include "v8/layout.h"

/* 11.3 is 1103. */
static inline uint32_t v8_version(const struct v8_layout *l)
{
	return l->major * 100 + l->minor;
}

/* layout_table.c: what this version does not export, and how it differs. False: it is not in the table. */
bool v8_layout_complete(struct v8_layout *l);
/* `9.4, 9.6, ...`: all that are. */
void v8_layout_known(struct buf *out);
/* layout_check.c: false: e, a number cannot be what it says it is. */
bool v8_layout_is_possible(const struct v8_layout *l, struct err *e);
