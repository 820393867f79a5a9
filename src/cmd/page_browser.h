/* Opens the user's browser. */
#pragma once
#include "base/base.h"

struct browser {
	char *path; /* of the file that redirects it to the page */
};
/* Prints the reason if it cannot be opened. */
void browser_open(struct browser *b, const char *url);
void browser_close(struct browser *b);
