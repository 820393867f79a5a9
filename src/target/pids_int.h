/* Processes of this machine. root is prepended to /proc, see process/status.h. */
#pragma once
#include "process/process.h"
#include "target/choice.h"

/* The command line, joined by spaces; empty if there is none. */
void process_cmdline(int32_t pid, struct buf *text);
/* All processes, sorted. */
void process_list(const char *root, struct pid_list *pids);
/* The numeric names of its subfolders, sorted. Returns false if the folder does not exist. */
bool pid_list_of_folder(const char *folder, struct pid_list *pids);
/* Sorts and removes duplicates. */
void pid_list_sort(struct pid_list *pids);
