/* Where stacks begin. First thread: field startstack of /proc/PID/stat (man 5 proc). */
#include "process/process.h"

struct stack_search {
	uint64_t sp, end; /* end 0: not found */
	bool is_first;	  /* it is the first thread's */
};

static void look_at_mapping(void *context, const struct process_mapping *m)
{
	struct stack_search *s = context;
	if (s->sp < m->start || s->sp >= m->end)
		return;
	s->is_first = str_eq(m->path, STR("[stack]"));
	s->end = m->end;
}

/* The end of the memory that a stack is in. 0: the process is gone, or may not be looked at. */
static uint64_t end_of_stack(struct process *p, uint64_t sp)
{
	struct err ignored = { 0 };
	struct process_status status;
	struct stack_search s = { .sp = sp, .is_first = !sp };
	if (sp)
		p->ops->visit_mappings(p, true, look_at_mapping, &s, &ignored);
	if (s.is_first)
		return p->ops->status(p, &status) ? status.stack_start : 0;
	return s.end;
}

size_t process_stack_begin(struct process *p, uint64_t sp, uint64_t *address, void *to, size_t n)
{
	uint64_t end = end_of_stack(p, sp);
	if (end < n)
		return 0;
	*address = end - n;
	return memory_read(p->memory, *address, to, n) ? n : 0;
}
