#pragma once
#include "page/page.h"

/* A file of the page (tools/page-parts). */
struct page_part {
	struct str gzip;
	size_t bytes;	  /* unpacked */
	const char *hash; /* for a Content-Security-Policy */
};
/* engine_wasm is empty if plume was built without it. */
extern const struct page_part page_html, page_css, page_js, page_worker_js, page_engine_wasm;
