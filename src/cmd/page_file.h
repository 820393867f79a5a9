/* The offline page as an output: x.html of flame, diff, record and scope. */
#pragma once
#include "cmd/read_profiles.h"
#include "page/page.h"

/* --with-source; bound to struct profile_request. No title. */
extern const struct option_set page_file_option_set;

/*
 * Returns false and sets e if the request has a picture option that does not apply to a page (e
 * names it), or if plume was built without offline pages.
 */
bool page_file_suits(const struct view_request *r, struct err *e);

struct page_file_plan {
	const struct view_request
		*view; /* what to show first; a VIEW_DIFF has two files, or two times */
	const struct profile *profile, *before; /* before: NULL if there is one profile */
	const char *name, *before_name;		/* of the files, as the page shows them */
	bool with_source;
};
bool page_file_write(const struct page_file_plan *plan, const char *path, struct err *e);
/* Writes several files, kept apart, with the page's default first look. */
bool page_file_write_all(struct page_file *files, uint32_t n, bool with_source, const char *path,
			 struct err *e);
