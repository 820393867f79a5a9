/* Small text files: /proc, /sys, /etc/passwd. */
#pragma once
#include "base/buf.h"

/*
 * Replaces *text with the beginning of a file, at most `limit` bytes. Never blocks on a fifo or a
 * terminal. Returns false and sets errno if it cannot be read.
 */
bool text_file_read(const char *path, size_t limit, struct buf *text);
/* A setting: a short text, with surrounding white space removed. */
bool text_file_setting(const char *path, struct buf *text);
/* A setting as a number, or `otherwise`. */
int64_t text_file_number(const char *path, int64_t otherwise);
