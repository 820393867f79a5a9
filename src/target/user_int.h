/*
 * Users from /etc/passwd (man 5 passwd), parsed by hand: the C library loads modules for this at
 * run time, which a statically linked program cannot.
 */
#pragma once
#include "base/base.h"

/* Accepts a name, or a number even if no user has it. Returns false and sets e, which lists similar names. */
bool user_find(const char *root, const char *name, uint32_t *user, struct err *e);
/* The home of a user. Returns false if not known. */
bool user_home(const char *root, uint32_t user, struct buf *home);
