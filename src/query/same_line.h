/*
 * Functions with the same name that begin on the same line: two arrow functions in `a.map(b =>
 * ...).filter(c => ...)`. Only their columns tell them apart.
 */
#pragma once
#include "query/shown_name.h"

struct same_lines;

/* For all functions of a profile, whose texts it borrows. */
struct same_lines *same_lines_of(const struct profile *p);
void same_lines_free(struct same_lines *s);
/* Whether another function with that name begins on the same line. */
bool same_lines_has(const struct same_lines *s, const struct name_parts *function);
