/* Processes of this machine: root is what stands before /proc, see process/status.h. */
#pragma once
#include "process/process.h"
#include "target/choice.h"

/* The words of its command line with blanks between them; empty: none. */
void process_cmdline(int32_t pid, struct buf *text);
/* All processes, sorted. */
void process_list(const char *root, struct pid_list *pids);
/* Numbers that are the names of folders in there, sorted. False: there is no such folder. */
bool pid_list_of_folder(const char *folder, struct pid_list *pids);
/* Sorts and removes doubles. */
void pid_list_sort(struct pid_list *pids);
