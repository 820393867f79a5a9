/*
 * --nameattr: what a user wants said of certain functions. A line per function, separated by tabs:
 * its name, then key=value: title, href, target, id, class, and g_extra and a_extra, which are
 * attributes as they stand in SVG.
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
	struct str value[ATTRIBUTE_COUNT]; /* empty: not given */
};

struct name_attributes;

/* Keeps views into text. NULL and e for a line that is not understood or not safe to write. */
struct name_attributes *name_attributes_parse(struct str text, const char *path, struct err *e);
void name_attributes_free(struct name_attributes *a);
/* NULL: nothing was said of it. */
const struct attributes *name_attributes_of(const struct name_attributes *a, struct str name);
