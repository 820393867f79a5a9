/* The files of the page, built from web/page. */
#pragma once
#include "base/base.h"

struct page_asset {
	const char *path, *type;
	const struct str *bytes;
};
/* "" is the page itself. NULL if there is no such file. */
const struct page_asset *page_asset_find(struct str path);

/* Built from web/page. */
extern const struct str page_html, page_css, page_js;
