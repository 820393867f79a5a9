/* Numbers that look random and are the same in every run. */
#pragma once
#include <stdint.h>

static uint64_t random_state = 88172645463325252ull;

static inline uint32_t random_below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32) % n;
}
