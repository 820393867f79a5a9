#include "store/store_int.h"

const struct str store_magic = STR("\x89PLUME\r\n");

uint64_t store_checksum(const void *block_head, struct str stored)
{
	return XXH3_64bits_withSeed(stored.p, stored.n,
				    XXH3_64bits(block_head, STORE_CHECKED_BYTES));
}
