/* perf-PID.map in the /tmp of a process's own root, where perf looks for it. */
#pragma once
#include "base/base.h"

struct map_file;

/*
 * path is what messages call it. NULL: e, the process writes that file itself (unless forced), or the folder
 * cannot be written to. Nothing is there yet before map_file_write.
 */
struct map_file *map_file_open(int32_t pid, bool is_forced, struct buf *path, struct err *e);
/* Appears whole, in the place of what was there; a link is replaced, not followed. */
bool map_file_write(struct map_file *f, struct str text, struct err *e);
void map_file_free(struct map_file *f);

/* Whether a process has that file open for writing; then e says so. */
bool map_file_is_written(int32_t pid, const char *path, struct err *e);
