/* Text from anywhere on a terminal: names cut where it hurts least, never a control character. */
#pragma once
#include "base/base.h"

/* What stands for text that was cut: one column in UTF-8, two in ASCII. */
struct str fit_ellipsis(bool unicode);

/* Appends s with '?' for what is no text. */
void fit_add_safe(struct buf *out, struct str s);
/* The name, or words for one that is empty. */
struct str fit_known(struct str name);
/* The file that a function comes from, as it is called on a screen. */
struct str fit_module(struct str module);
/* The function in a name that ends in its place, `JS:*f /srv/a.js:1:2`: `JS:*f`; else all of it. */
struct str fit_without_place(struct str name);
/* The place: `/srv/a.js:1:2`, or nothing. */
struct str fit_place(struct str name);

/*
 * Appends name in at most `columns` columns. What goes first: folders of the place, then arguments
 * and template arguments, then the front, as names say more the further back.
 */
void fit_add_name(struct buf *out, struct str name, size_t columns, bool unicode);
/* Bytes that names have in common at their beginning and at their end. */
struct fit_common {
	size_t before, after;
};

struct fit_common fit_common(struct str a, struct str b);
/* As fit_add_name, of a name that looks like others then: what they do not share stays. */
void fit_add_different(struct buf *out, struct str name, struct fit_common common, size_t columns,
		       bool unicode);
/* ` {..int..}`: what name does not share; nothing where there is none or no room. */
void fit_add_own(struct buf *out, struct str name, struct fit_common common, size_t columns,
		 bool unicode);
/* The name in a chain: its last two scopes, without arguments, its place without folders. */
void fit_add_brief(struct buf *out, struct str name);
/* The function alone, without its classes and packages: `OptimizeGraph`. */
struct str fit_innermost(struct str name);
/* The same for paths and places: the end stays. */
void fit_add_end(struct buf *out, struct str text, size_t columns, bool unicode);
/* ... and for what is known by its beginning. */
void fit_add_start(struct buf *out, struct str text, size_t columns, bool unicode);

enum { FIT_RANKS = 3 };

/* A name in a chain, with what is put behind it however short it is made. */
struct fit_link {
	struct str name, mark;
	unsigned
		rank; /* in a chain that must be shortened, links of a higher rank stay first; below FIT_RANKS */
};

struct fit_chain {
	const struct fit_link *links;
	uint32_t n;
	struct str arrow; /* between names */
	bool first_matters; /* else the last one does, then the first, then ranks, then those next to the last */
	bool unicode;
};

/* Appends the names in at most `columns` columns; places without their folders. */
void fit_add_chain(struct buf *out, const struct fit_chain *chain, size_t columns);
