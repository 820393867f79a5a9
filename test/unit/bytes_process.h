/*
 * A process that is bytes in a test's own memory: mappings, a program, a thread with registers, no pid and no /proc.
 * A core is another one like it.
 */
#pragma once
#include "process/process.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES_MAPPINGS = 8 };

struct bytes_process {
	struct process process; /* first */
	struct process_mapping mappings[BYTES_MAPPINGS];
	uint32_t n;
	const char *program; /* path */
	struct str file;     /* its bytes; every mapping with an inode is of it */
	struct process_thread thread;
	struct str command_line; /* words that end in NUL */
};

static inline bool bytes_visit_mappings(struct process *process, bool is_all,
					process_on_mapping *on, void *context, struct err *e)
{
	const struct bytes_process *p = (const struct bytes_process *)process;
	for (uint32_t i = 0; i < p->n; i++)
		if (is_all || p->mappings[i].protection & PROT_EXEC)
			on(context, &p->mappings[i]);
	return p->n || err_set(e, "%s has nothing mapped", process->name);
}

static inline bool bytes_visit_threads(struct process *process, process_on_thread *on,
				       void *context)
{
	on(context, &((const struct bytes_process *)process)->thread);
	return true;
}

static inline bool bytes_status(struct process *process, struct process_status *s)
{
	*s = (struct process_status){ .comm = "bytes", .state = 'X' };
	(void)process;
	return true;
}

static inline bool bytes_words(struct process *process, enum process_words which, struct buf *words)
{
	const struct bytes_process *p = (const struct bytes_process *)process;
	if (which == PROCESS_COMMAND_LINE)
		buf_add(words, p->command_line);
	return which == PROCESS_COMMAND_LINE;
}

static inline int bytes_open(struct str file)
{
	int fd = memfd_create("bytes", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, file.p, file.n) != (ssize_t)file.n)
		abort();
	return fd;
}

static inline int bytes_open_program(struct process *process, struct buf *path)
{
	const struct bytes_process *p = (const struct bytes_process *)process;
	path->n = 0;
	if (p->program)
		buf_add(path, str_from(p->program));
	errno = ENOENT;
	return p->program && p->file.n ? bytes_open(p->file) : -1;
}

static inline int bytes_open_mapped(struct process *process, const struct process_mapping *m)
{
	return m->inode ? bytes_open(((const struct bytes_process *)process)->file) : -1;
}

static inline int bytes_open_path(struct process *process, const char *path, struct err *e)
{
	err_set(e, "%s: %s has no files", path, process->name);
	errno = ENOENT;
	return -1;
}

static inline const char *bytes_advice(void)
{
	return "nothing helps";
}

static inline void bytes_process_init(struct bytes_process *p, struct memory *memory)
{
	static const struct process_ops ops = { bytes_visit_mappings, bytes_visit_threads,
						bytes_status,	      bytes_words,
						bytes_open_program,   bytes_open_mapped,
						bytes_open_path,      bytes_advice };
	*p = (struct bytes_process){ .process = { &ops, memory, "core" } };
}
