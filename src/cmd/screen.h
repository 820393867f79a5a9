/* The terminal that a report is fitted to. */
#pragma once
#include "cmd/cmd.h"
#include "view/view.h"

/* Whether output to that path (NULL or "-": standard output) is seen by a person. */
bool goes_to_terminal(const char *output);
/* By the user's environment: NO_COLOR, TERM; LC_ALL, LC_CTYPE, LANG. */
bool screen_wants_colours(void);
bool screen_is_utf8(void);
/*
 * How to write to `output`: as wide as the terminal, or as --width says, which may be NULL; 0 columns
 * for files and pipes. False and e when the width has no meaning.
 */
bool screen_style(struct report_style *s, const char *output, const char *width_text,
		  struct err *e);
