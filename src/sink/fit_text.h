/* Fits untrusted text to a terminal: cuts names where it hurts least, and never prints control characters. */
#pragma once
#include "base/base.h"

/* Stands for text that was cut: one column in UTF-8, two in ASCII. */
struct str fit_ellipsis(bool unicode);

/* Appends s with '?' in place of bytes that are not text. */
void fit_add_safe(struct buf *out, struct str s);
/* The name, or words for an empty one. */
struct str fit_known(struct str name);
/* The file that a function comes from, as named on a screen. */
struct str fit_module(struct str module);
/* The function in a name that ends in its place: `JS:*f` for `JS:*f /srv/a.js:1:2`; otherwise all of it. */
struct str fit_without_place(struct str name);
/* The place: `/srv/a.js:1:2`, or nothing. */
struct str fit_place(struct str name);

/*
 * Appends name in at most `columns` columns. First drops folders of the place, then arguments and
 * template arguments, then the front, because the end of a name says more.
 */
void fit_add_name(struct buf *out, struct str name, size_t columns, bool unicode);
/* Length of the common prefix and suffix of names. */
struct fit_common {
	size_t before, after;
};

struct fit_common fit_common(struct str a, struct str b);
/* Like fit_add_name, for names that would look alike if shortened: keeps what differs. */
void fit_add_different(struct buf *out, struct str name, struct fit_common common, size_t columns,
		       bool unicode);
/* ` {..int..}`: the part of name that differs; nothing if there is none or no room. */
void fit_add_own(struct buf *out, struct str name, struct fit_common common, size_t columns,
		 bool unicode);
/* The name in a chain: its last two scopes, without arguments; its place without folders. */
void fit_add_brief(struct buf *out, struct str name);
/* The function alone, without its classes and packages: `OptimizeGraph`. */
struct str fit_innermost(struct str name);
/* The same for paths and places: keeps the end. */
void fit_add_end(struct buf *out, struct str text, size_t columns, bool unicode);
/* ... and for text that is recognised by its beginning. */
void fit_add_start(struct buf *out, struct str text, size_t columns, bool unicode);

enum { FIT_RANKS = 3 };

/* A name in a chain, with a mark that follows it however much it is shortened. */
struct fit_link {
	struct str name, mark;
	unsigned
		rank; /* in a chain that must be shortened, higher ranks survive; below FIT_RANKS */
};

struct fit_chain {
	const struct fit_link *links;
	uint32_t n;
	struct str arrow;   /* between names */
	bool first_matters; /* else the last, then the first, then by rank, then near the last */
	bool unicode;
};

/* Appends the names in at most `columns` columns; places lose their folders. */
void fit_add_chain(struct buf *out, const struct fit_chain *chain, size_t columns);
