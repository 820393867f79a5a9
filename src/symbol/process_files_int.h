/* Opening files that are not to be trusted. */
#pragma once
#include "base/base.h"

enum open_trust {
	OPEN_CHECKED, /* another user's file is refused, except root's */
	OPEN_GIVEN,   /* the user named it */
};

/*
 * A plain file to read, as a stream. root: where symbolic links may lead, or NULL; inside: its path in
 * there, or the whole path. path is for messages. NULL: e, and errno.
 */
struct reader *safe_open(const char *root, const char *inside, const char *path,
			 enum open_trust trust, struct err *e);
