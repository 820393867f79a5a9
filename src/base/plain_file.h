/* Opening files whose names come from recordings: hostile ones do no harm. */
#pragma once

/*
 * A plain file for reading, or -1 and errno (ENOEXEC: it is no plain file). Fifos and devices are not
 * opened: that could wait, or wind a tape.
 *
 * With a root, path is looked up as a process with that root would: links and `..` stay inside it.
 */
int open_plain_file(const char *root, const char *path);
