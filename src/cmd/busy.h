/*
 * A line on the terminal about work that takes longer than a second, drawn by a thread of its own until the
 * work is done. Nothing else may be printed meanwhile.
 */
#pragma once
#include "base/base.h"

struct busy;

/*
 * what: `drawing`; of: a file, or NULL. NULL, which busy_end takes, where standard error is no terminal or the
 * user wants quiet.
 */
struct busy *busy_begin(const char *what, const char *of, bool is_quiet);
/* What the work tells of itself. */
struct progress *busy_progress(struct busy *b);
/* The line goes. */
void busy_end(struct busy *b);
