/* Searching bytes 64 at a time, in vectors that every 64-bit machine has. */
#pragma once
#include <stddef.h>

/* The first "\n\n" in [p, end): its first byte, or NULL. */
const char *scan_blank_line(const char *p, const char *end);

/* How many bytes the texts that begin at a and b share, at most `limit`. */
size_t scan_common_head(const char *a, const char *b, size_t limit);

/* How many bytes the texts that END at a_end and b_end share, going backwards, at most `limit`. */
size_t scan_common_tail(const char *a_end, const char *b_end, size_t limit);
