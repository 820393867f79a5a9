/*
 * A progress line on the terminal for work that takes longer than a second, drawn by its own thread
 * until the work is done. Nothing else may print meanwhile.
 */
#pragma once
#include "base/base.h"

struct busy;

/*
 * what: `drawing`; of: a file, or NULL. Returns NULL, which busy_end accepts, if standard error is
 * not a terminal or the user wants quiet.
 */
struct busy *busy_begin(const char *what, const char *of, bool is_quiet);
/* Where the work reports its progress. */
struct progress *busy_progress(struct busy *b);
/* Removes the line. */
void busy_end(struct busy *b);
