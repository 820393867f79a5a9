/*
 * A file seen as memory. It may be cut by another program while it is mapped: what is lost then reads
 * as zeros, and mapping_was_cut says so.
 */
#pragma once
#include "base/err.h"
#include "base/str.h"

struct mapping {
	struct str bytes;
};

/* The whole of a regular file that is not empty; fd may be closed afterwards. False: e. */
bool mapping_init(struct mapping *m, int fd, const char *name, struct err *e);
void mapping_fini(struct mapping *m);
/* Pages that were read are let go, until they are read again. */
void mapping_let_go(struct mapping *m);
bool mapping_was_cut(const struct mapping *m);
