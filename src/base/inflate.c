#include "base/inflate.h"

#include <libdeflate.h>

bool inflate_whole(struct str packed, char *to, size_t n)
{
	size_t got = 0;
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	bool is_good = d && libdeflate_zlib_decompress(d, packed.p, packed.n, to, n, &got) ==
				    LIBDEFLATE_SUCCESS;
	libdeflate_free_decompressor(d);
	return is_good && got == n;
}
