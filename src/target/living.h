/* A live process, by /proc: see process/process.h for the operations. */
#pragma once
#include "process/process.h"

/* Needs no cleanup. Must not move: its memory is part of it. */
struct living_process {
	struct process process; /* must be first */
	/* process_vm_readv(2), which needs the same permission as ptrace and stops nothing. */
	struct memory memory;
	int32_t pid;
};
/* Accesses nothing yet, so it never fails. */
void living_process_init(struct living_process *p, int32_t pid);
/* What helps if its memory cannot be read. */
const char *process_memory_advice(void);

/* --- mapping.c --- */

/* As visit_mappings of struct process_ops. */
bool target_read_mappings(int32_t pid, bool is_all, process_on_mapping *on, void *context,
			  struct err *e);
/*
 * Parses one line of such a file, without its newline. path points into the line or *text. Returns
 * false if it is malformed.
 */
bool target_parse_mapping(struct str line, struct process_mapping *m, struct buf *text);
/*
 * Opens the file mapped at these addresses with O_PATH, even if it was renamed or deleted (man 5
 * proc_pid_map_files). Returns -1 and sets errno on failure; EPERM if this user may not do that.
 */
int target_open_by_addresses(int32_t pid, const struct process_mapping *m);
