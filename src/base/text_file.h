/* Small texts in files: what the kernel says in /proc and /sys, /etc/passwd. */
#pragma once
#include "base/buf.h"

/*
 * The beginning of a file, at most `limit` bytes, in place of what was in *text. Never waits for a fifo or a
 * terminal. False, and errno: it cannot be read.
 */
bool text_file_read(const char *path, size_t limit, struct buf *text);
/* A setting: a short text, without the white space around it. */
bool text_file_setting(const char *path, struct buf *text);
/* The number that a setting is, or `otherwise`. */
int64_t text_file_number(const char *path, int64_t otherwise);
