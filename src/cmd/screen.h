/* The terminal that a report is fitted to. */
#pragma once
#include "cmd/cmd.h"
#include "view/view.h"

/* Whether output to that path (NULL or "-": standard output) goes to a terminal. */
bool goes_to_terminal(const char *output);
/* From the environment: NO_COLOR, TERM; LC_ALL, LC_CTYPE, LANG. */
bool screen_wants_colours(void);
bool screen_is_utf8(void);
/*
 * How to write to `output`: as wide as the terminal, or as given by --width, which may be NULL; 0
 * columns for files and pipes. Returns false and sets e if the width is invalid.
 */
bool screen_style(struct report_style *s, const char *output, const char *width_text,
		  struct err *e);
