/* A column of names, shortened to fit but still distinguishable if they would look alike. */
#pragma once
#include "base/base.h"

struct name_column {
	struct str *p; /* the names to show */
	uint32_t n;
	size_t widest;
	struct arena text;
};

/* names: not shortened, borrowed for the call. Free the result with name_column_fini. */
struct name_column name_column_of(const struct str *names, uint32_t n, size_t columns,
				  bool is_unicode);
void name_column_fini(struct name_column *c);
