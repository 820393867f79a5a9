/*
 * Users by /etc/passwd (man 5 passwd), read by hand: the C library's way loads modules at run time, which
 * a program that is linked statically cannot.
 */
#pragma once
#include "base/base.h"

/* A name, or a number that nobody need have. False: e names those that are near. */
bool user_find(const char *root, const char *name, uint32_t *user, struct err *e);
/* The home of a user; false: not known. */
bool user_home(const char *root, uint32_t user, struct buf *home);
