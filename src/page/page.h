/*
 * The page: its files, for a server; and the offline page, one HTML file with profiles inside, which
 * needs neither a server nor a network (doc/formats/page.md).
 */
#pragma once
#include "model/model.h"

/* --- its files --- */

struct page_asset {
	const char *path, *type;
	const struct str *gzip;
};
/* "" is the page itself. NULL if there is no such file. */
const struct page_asset *page_asset_find(struct str path);

/* --- the offline page --- */

struct page_file {
	struct str name; /* as the page calls it */
	const struct profile *profile;
	bool is_shown; /* at first; others can be chosen, or are the baseline of a diff */
};

/* The text of a source file that the profiles name. */
struct page_source {
	struct str path, text;
	const char *origin; /* as in api/source */
};

struct page_content {
	const char *title;	 /* NULL: the profile's own */
	struct str state;	 /* what to show first: what follows '#' in the page's URL */
	struct page_file *files; /* at least one */
	uint32_t file_count;
	const struct page_source *sources;
	uint32_t source_count;
};

/* Returns false and sets e if plume was built without the query engine for pages. */
bool page_can_be_written(struct err *e);
/* writer_commit reports errors of the output. */
bool page_write(const struct page_content *c, struct writer *out, struct err *e);

/* Adds `&name=value` to what follows '#', percent-encoded, without the '&' if it is the first. value NULL: a flag. */
void page_add_word(struct buf *state, const char *name, const char *value);
