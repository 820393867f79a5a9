#include "base/base.h"

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint64_t words2 __attribute__((vector_size(16)));

static inline bytes16 load(const char *p)
{
	bytes16 v;
	memcpy(&v, p, sizeof(v));
	return v;
}

static inline bool any(bytes16 v)
{
	words2 w = (words2)v;
	return (w[0] | w[1]) != 0;
}

/* 0xff at each byte that is a newline and is followed by one; reads 17 bytes. */
static inline bytes16 blank_at(const char *p)
{
	bytes16 newline = (bytes16){ 0 } + '\n';
	return (bytes16)(load(p) == newline) & (bytes16)(load(p + 1) == newline);
}

const char *scan_blank_line(const char *p, const char *end)
{
	for (; end - p > 64; p += 64)
		if (any(blank_at(p) | blank_at(p + 16) | blank_at(p + 32) | blank_at(p + 48)))
			break;
	for (; end - p >= 2; p++) {
		p = memchr(p, '\n', (size_t)(end - p - 1));
		if (!p)
			return NULL;
		if (p[1] == '\n')
			return p;
	}
	return NULL;
}

static inline uint64_t load_word(const char *p)
{
	uint64_t word;
	memcpy(&word, p, sizeof(word));
	return word;
}

/* How many bytes of two words are equal, from the first or from the last byte in memory. */
static inline size_t equal_first_bytes(uint64_t difference)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return (size_t)__builtin_ctzll(difference) / 8;
#else
	return (size_t)__builtin_clzll(difference) / 8;
#endif
}

static inline size_t equal_last_bytes(uint64_t difference)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return (size_t)__builtin_clzll(difference) / 8;
#else
	return (size_t)__builtin_ctzll(difference) / 8;
#endif
}

size_t scan_common_head(const char *a, const char *b, size_t limit)
{
	size_t n = 0;
	while (limit - n >= 32 &&
	       !any((load(a + n) ^ load(b + n)) | (load(a + n + 16) ^ load(b + n + 16))))
		n += 32;
	for (; limit - n >= 8; n += 8) {
		uint64_t difference = load_word(a + n) ^ load_word(b + n);
		if (difference)
			return n + equal_first_bytes(difference);
	}
	while (n < limit && a[n] == b[n])
		n++;
	return n;
}

size_t scan_common_tail(const char *a_end, const char *b_end, size_t limit)
{
	size_t n = 0;
	for (; limit - n >= 64; n += 64) {
		const char *a = a_end - n - 64, *b = b_end - n - 64;
		if (any((load(a) ^ load(b)) | (load(a + 16) ^ load(b + 16)) |
			(load(a + 32) ^ load(b + 32)) | (load(a + 48) ^ load(b + 48))))
			break;
	}
	for (; limit - n >= 8; n += 8) {
		uint64_t difference = load_word(a_end - n - 8) ^ load_word(b_end - n - 8);
		if (difference)
			return n + equal_last_bytes(difference);
	}
	while (n < limit && a_end[-1 - (ptrdiff_t)n] == b_end[-1 - (ptrdiff_t)n])
		n++;
	return n;
}
