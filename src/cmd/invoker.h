/*
 * Under sudo: whoever called it. Files are made with that user's rights and belong to that user, so that
 * `sudo plume record -o web.svg` neither leaves a file that its user cannot remove nor writes where that
 * user may not.
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

/* Between the two files are opened and made as the invoking user; without sudo nothing changes. */
void invoker_enter(void);
void invoker_leave(void);
/* Who that is; without sudo, who runs plume. */
uid_t invoker_user(void);
