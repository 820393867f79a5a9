#include "page/page_int.h"

static const struct page_asset assets[] = {
	{ "", "text/html; charset=utf-8", &page_html.gzip },
	{ "page.css", "text/css; charset=utf-8", &page_css.gzip },
	{ "page.js", "text/javascript; charset=utf-8", &page_js.gzip },
};

const struct page_asset *page_asset_find(struct str path)
{
	for (size_t i = 0; i < ARRAY_SIZE(assets); i++)
		if (str_eq(path, str_from(assets[i].path)))
			return &assets[i];
	return NULL;
}
