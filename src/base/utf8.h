/* UTF-8 from untrusted input: each invalid byte is read as U+FFFD. */
#pragma once
#include "base/buf.h"

enum { UTF8_REPLACEMENT = 0xfffd };

/*
 * The code point at byte *at of s, which must not be at its end; advances *at. Overlong forms,
 * surrogates, values beyond U+10FFFF and stray bytes are UTF8_REPLACEMENT, one per byte.
 */
uint32_t utf8_next(struct str s, size_t *at);
/* How many code points utf8_next finds in s. */
size_t utf8_count(struct str s);
/* Appends a code point, which must be valid and not a surrogate. */
void utf8_add(struct buf *out, uint32_t code);
/* The number of bytes in the first n code points. */
size_t utf8_bytes_of(struct str s, size_t n);
