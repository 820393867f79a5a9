/* Hashes for index maps. Do not let them leave the process. */
#pragma once
#include "base/str.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static inline uint32_t hash_bytes(const void *p, size_t n)
{
	return (uint32_t)XXH3_64bits(p, n);
}

static inline uint32_t hash_str(struct str s)
{
	return hash_bytes(s.p, s.n);
}

/* Two 32-bit ids, e.g. (parent node, frame). */
static inline uint32_t hash_pair(uint32_t a, uint32_t b)
{
	uint64_t x = ((uint64_t)a << 32 | b) * 0x9E3779B97F4A7C15ull;
	x ^= x >> 32;
	x *= 0xD6E8FEB86659FD93ull;
	return (uint32_t)(x >> 32);
}
