/* Perl regular expressions over bytes (PCRE2 with its JIT), with a limit on the work per match. */
#pragma once
#include "base/err.h"
#include "base/str.h"

struct regex;

/* Returns NULL and sets e (a usage error with the position in the pattern) if the pattern is invalid. */
struct regex *regex_new(struct str pattern, struct err *e);
void regex_free(struct regex *re);

/* Time that several expressions may take together. What is matched after that gives up at once. */
struct regex_budget {
	uint64_t ns;
};
/* The budget is the caller's and outlives the expression. NULL: no limit but that of each match. */
void regex_set_budget(struct regex *re, struct regex_budget *budget);

enum regex_result { REGEX_NO, REGEX_YES, REGEX_GAVE_UP };

/* Two threads must not use one regex at the same time. REGEX_GAVE_UP: the limit was reached. */
enum regex_result regex_match(struct regex *re, struct str subject);
