/* Short texts in /proc and /sys. */
#pragma once
#include "base/base.h"

/* The first bytes of a file, without white space around them. False, and errno: it cannot be read. */
bool kernel_text_read(const char *path, struct buf *text);
/* The number in a file, or `otherwise`. */
int64_t kernel_number_read(const char *path, int64_t otherwise);
