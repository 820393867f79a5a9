/*
 * --nameattr: attributes for certain functions. One line per function, with tab-separated fields:
 * its name, then key=value for title, href, target, id, class, g_extra and a_extra. The last two
 * are literal SVG attributes.
 */
#pragma once
#include "base/base.h"

enum attribute {
	ATTRIBUTE_TITLE,
	ATTRIBUTE_HREF,
	ATTRIBUTE_TARGET,
	ATTRIBUTE_ID,
	ATTRIBUTE_CLASS,
	ATTRIBUTE_G_EXTRA,
	ATTRIBUTE_A_EXTRA,
	ATTRIBUTE_COUNT
};

struct attributes {
	struct str name;
	struct str value[ATTRIBUTE_COUNT]; /* empty if not given */
};

struct name_attributes;

/* Keeps views into text. Returns NULL and sets e if a line is malformed or not safe to write. */
struct name_attributes *name_attributes_parse(struct str text, const char *path, struct err *e);
void name_attributes_free(struct name_attributes *a);
/* Returns NULL if the name has none. */
const struct attributes *name_attributes_of(const struct name_attributes *a, struct str name);
