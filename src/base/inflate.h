/*
 * What zlib packed (RFC 1950), in one piece and of a size that is known: two to three times as fast as a
 * stream (base/decoder.c), which needs a window and may stop anywhere.
 */
#pragma once
#include "base/str.h"

/* False: it is damaged, or unpacks to less or more than n bytes. */
bool inflate_whole(struct str packed, char *to, size_t n);
