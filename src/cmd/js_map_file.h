/* perf-PID.map in /tmp under a process's own root, where perf looks for it. */
#pragma once
#include "base/base.h"

struct map_file;

/*
 * path receives its name for messages. Returns NULL and sets e if the process writes that file
 * itself (unless forced), or the folder is not writable. Creates nothing before map_file_write.
 */
struct map_file *map_file_open(int32_t pid, bool is_forced, struct buf *path, struct err *e);
/* The file appears whole and replaces what was there; a link is replaced, not followed. */
bool map_file_write(struct map_file *f, struct str text, struct err *e);
void map_file_free(struct map_file *f);

/* Whether a process has that file open for writing; e then says so. */
bool map_file_is_written(int32_t pid, const char *path, struct err *e);
