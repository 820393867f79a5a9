/*
 * Unpacks zlib data (RFC 1950) of known size in one go: two to three times as fast as a stream
 * (base/decoder.c), which needs a window and may stop anywhere.
 */
#pragma once
#include "base/str.h"

/* Returns false if the data is damaged or does not unpack to exactly n bytes. */
bool inflate_whole(struct str packed, char *to, size_t n);
