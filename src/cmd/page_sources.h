/* The text of the source files that profiles name, for a page without a server. */
#pragma once
#include "base/base.h"
#include "page/page.h"

struct page_sources {
	VEC(struct page_source) list;
	struct arena text;
	uint32_t files, left_out; /* left_out: not found, or too large */
};
void page_sources_fini(struct page_sources *s);
/* Adds the files of the functions in p that have samples. */
void page_sources_find(struct page_sources *s, const struct profile *p);
