/*
 * A file mapped into memory. If another program truncates it meanwhile, the lost part reads as
 * zeros and mapping_was_cut reports it.
 */
#pragma once
#include "base/err.h"
#include "base/str.h"

struct mapping {
	struct str bytes;
};

/* Maps a whole regular file that is not empty; fd may be closed afterwards. Returns false and sets e on failure. */
bool mapping_init(struct mapping *m, int fd, const char *name, struct err *e);
void mapping_fini(struct mapping *m);
/* Drops the pages that were read; reading them again brings them back. */
void mapping_let_go(struct mapping *m);
bool mapping_was_cut(const struct mapping *m);
