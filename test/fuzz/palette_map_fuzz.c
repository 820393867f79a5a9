/* A palette.map from anywhere: refused, or read and written back as it is meant. */
#include "fuzz.h"
#include "query/palette_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = { 0 };
	AUTO(buf) struct buf first = { 0 };
	AUTO(buf) struct buf second = { 0 };
	struct palette_map *m = palette_map_new(), *again = palette_map_new();
	if (palette_map_parse(m, (struct str){ (const char *)data, size }, &e)) {
		palette_map_print(m, &first);
		if (!palette_map_parse(again, buf_str(&first), &e))
			abort();
		palette_map_print(again, &second);
		if (!str_eq(buf_str(&first), buf_str(&second)))
			abort();
	} else if (e.kind != ERR_FAILED || !e.text[0]) {
		abort();
	}
	palette_map_free(m);
	palette_map_free(again);
	return 0;
}
