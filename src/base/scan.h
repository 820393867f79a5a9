/* Searches 64 bytes at a time, with vector instructions that every 64-bit machine has. */
#pragma once
#include <stddef.h>

/* Points to the first "\n\n" in [p, end), or NULL. */
const char *scan_blank_line(const char *p, const char *end);

/* The length of the common prefix of the texts that begin at a and b, at most `limit`. */
size_t scan_common_head(const char *a, const char *b, size_t limit);

/* The length of the common suffix of the texts that END at a_end and b_end, at most `limit`. */
size_t scan_common_tail(const char *a_end, const char *b_end, size_t limit);
