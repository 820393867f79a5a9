/* Where stacks begin: of a process's first thread by field startstack of /proc/PID/stat (man 5 proc). */
#include "target/mapping.h"
#include "target/memory.h"
#include "target/pids_int.h"

#include <stdlib.h>

/* 0: the process is gone, or may not be looked at. */
static uint64_t start_of_stack(int32_t pid)
{
	struct process_status s;
	return process_stat_read("", pid, &s) ? s.stack_start : 0;
}

struct stack_search {
	uint64_t sp, end; /* end 0: not found */
	bool is_first;	  /* it is the first thread's */
};

static void look_at_mapping(void *context, const struct target_mapping *m)
{
	struct stack_search *s = context;
	if (s->sp < m->start || s->sp >= m->end)
		return;
	s->is_first = str_eq(m->path, STR("[stack]"));
	s->end = m->end;
}

/* The end of the memory that a stack is in. */
static uint64_t end_of_stack(int32_t pid, uint64_t sp)
{
	struct err ignored = { 0 };
	struct stack_search s = { .sp = sp };
	if (!sp)
		return start_of_stack(pid);
	target_read_mappings(pid, true, look_at_mapping, &s, &ignored);
	return s.is_first ? start_of_stack(pid) : s.end;
}

size_t process_read_stack_begin(int32_t pid, uint64_t sp, uint64_t *address, void *to, size_t n)
{
	struct process_memory memory;
	uint64_t end = end_of_stack(pid, sp);
	if (end < n)
		return 0;
	process_memory_init(&memory, pid);
	*address = end - n;
	return memory_read(&memory.memory, *address, to, n) ? n : 0;
}
