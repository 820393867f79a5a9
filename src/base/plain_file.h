/* Safely opens files whose names come from recordings, even hostile ones. */
#pragma once

/*
 * Opens a regular file for reading. Returns -1 and sets errno on failure (ENOEXEC: not a regular file). Fifos and
 * devices are not opened: that could block, or wind a tape.
 *
 * If root is given, path is resolved as a process with that root would: links and `..` stay inside it.
 */
int open_plain_file(const char *root, const char *path);
