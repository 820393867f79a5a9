/*
 * Perl regular expressions over bytes (PCRE2, compiled to machine code), with a limit on the work
 * per match.
 */
#pragma once
#include "base/err.h"
#include "base/str.h"

struct regex;

/* NULL and e (a usage error with the place in the pattern) when it is not a valid expression. */
struct regex *regex_new(struct str pattern, struct err *e);
void regex_free(struct regex *re);

enum regex_result { REGEX_NO, REGEX_YES, REGEX_GAVE_UP };

/* Not for two threads at once on one regex. REGEX_GAVE_UP: the limit was reached. */
enum regex_result regex_match(struct regex *re, struct str subject);
