/* A process that lives, by /proc: see process/process.h for what can be asked of it. */
#pragma once
#include "process/process.h"

/* Needs no end. Stays where it is: its memory is part of it. */
struct living_process {
	struct process process; /* first */
	struct memory
		memory; /* process_vm_readv(2), which takes what ptrace takes, and stops nothing */
	int32_t pid;
};
/* Nothing is looked at yet, so it never fails. */
void living_process_init(struct living_process *p, int32_t pid);
/* What helps where its memory may not be read. */
const char *process_memory_advice(void);

/* --- mapping.c --- */

/* As visit_mappings of struct process_ops. */
bool target_read_mappings(int32_t pid, bool is_all, process_on_mapping *on, void *context,
			  struct err *e);
/* One line of such a file, without its end. path is in the line or in *text. False: it is none. */
bool target_parse_mapping(struct str line, struct process_mapping *m, struct buf *text);
/*
 * The file at these addresses, whatever has become of its name (man 5 proc_pid_map_files), O_PATH. -1 and
 * errno; EPERM: this user may not ask.
 */
int target_open_by_addresses(int32_t pid, const struct process_mapping *m);
