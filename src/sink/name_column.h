/* Names below each other: shortened to fit, and told apart where they would look alike then. */
#pragma once
#include "base/base.h"

struct name_column {
	struct str *p; /* as they are shown */
	uint32_t n;
	size_t widest;
	struct arena text;
};

/* Free with name_column_fini. names: whole, borrowed for the call. */
struct name_column name_column_of(const struct str *names, uint32_t n, size_t columns,
				  bool is_unicode);
void name_column_fini(struct name_column *c);
