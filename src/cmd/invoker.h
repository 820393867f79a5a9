/*
 * The user who ran sudo. Files are created with that user's rights and belong to that user, so that `sudo plume
 * record -o web.svg` neither leaves a file that the user cannot remove nor writes where the user may not.
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

/* Between these two calls, files are opened and created as the invoking user; without sudo they do nothing. */
void invoker_enter(void);
void invoker_leave(void);
/*
 * Gives up root for good and becomes the user who ran sudo, if there is one. Returns false and sets
 * e on failure.
 */
struct err;
bool invoker_become(struct err *e);
/* The user who ran sudo; without sudo, the user who runs plume. */
uid_t invoker_user(void);
