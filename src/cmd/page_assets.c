#include "cmd/page_assets.h"

static const struct page_asset assets[] = {
	{ "", "text/html; charset=utf-8", &page_html },
	{ "page.css", "text/css; charset=utf-8", &page_css },
	{ "page.js", "text/javascript; charset=utf-8", &page_js },
};

const struct page_asset *page_asset_find(struct str path)
{
	for (size_t i = 0; i < ARRAY_SIZE(assets); i++)
		if (str_eq(path, str_from(assets[i].path)))
			return &assets[i];
	return NULL;
}
