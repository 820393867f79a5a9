/*
 * Functions of one name that begin in one line of a file: two arrows in `a.map(b => ...).filter(c => ...)`. Only their
 * columns tell them apart.
 */
#pragma once
#include "query/shown_name.h"

struct same_lines;

/* Of all functions of a profile, whose texts it borrows. */
struct same_lines *same_lines_of(const struct profile *p);
void same_lines_free(struct same_lines *s);
/* Whether another function of that name begins in the same line. */
bool same_lines_has(const struct same_lines *s, const struct name_parts *function);
