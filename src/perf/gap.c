/*
 * Stacks that were cut: deeper than copies, chains and walks go. The frames near the leaf are there, and those that the
 * thread began with do not change while it lives: they are looked up in its memory, once. A frame in between says that
 * others were not recorded. Without it there would be a tower for every function that a stack was cut in.
 */
#include "perf/perf_int.h"
#include "unwind/unwind.h"

static bool is_code(const struct perf_session *s, const struct perf_process *process, uint64_t word)
{
	const struct address_space *space = &s->processes.spaces.p[process->space];
	const struct mapping_row *row = word ? address_space_find(space, word - 1) : NULL;
	return row && row->is_code;
}

/* The call at a place of the stack is one frame further from the thread's start than those that are known. */
static bool is_next(struct perf_session *s, const struct perf_process *process,
		    const struct unwind_memory *memory, size_t at, const struct thread_start *known)
{
	struct unwound_stack *u = s->unwound;
	perf_session_unwind_from(s, process, memory, at, u);
	return u->is_rooted && u->n == known->n + 1u &&
	       memcmp(u->addresses + 1, known->addresses, known->n * sizeof(*known->addresses)) ==
		       0;
}

/*
 * Words that calls left behind are on stacks, too: the next frame is taken only if it is the only one that it can be.
 * Returns the word; 0: none, or there are several.
 */
static uint64_t find_next(struct perf_session *s, const struct perf_process *process,
			  const struct unwind_memory *memory, const struct thread_start *known)
{
	uint64_t found = 0, word;
	for (size_t at = memory->bytes.n / 8 * 8; at >= 8;) {
		at -= 8;
		memcpy(&word, memory->bytes.p + at, sizeof(word));
		if (!is_code(s, process, word) || !is_next(s, process, memory, at, known))
			continue;
		if (found)
			return 0;
		found = word;
	}
	return found;
}

/* most: frames. */
static void ask(struct perf_session *s, const struct perf_process *process, uint64_t sp,
		uint32_t most, struct thread_start *start)
{
	enum { BYTES = 8192 };
	char bytes[BYTES];
	const struct perf_live *live = s->options.live;
	struct unwind_memory memory = { 0 };
	uint64_t word;
	memory.bytes.p = bytes;
	memory.bytes.n = live->stack_begin(live->context, process->pid, sp, &memory.address, bytes,
					   sizeof(bytes));
	if (!s->unwound)
		s->unwound = mem_alloc(1, sizeof(*s->unwound));
	while (memory.bytes.n && start->n < most &&
	       (word = find_next(s, process, &memory, start)) != 0) {
		memmove(start->addresses + 1, start->addresses,
			start->n * sizeof(*start->addresses));
		start->addresses[0] = word;
		start->n++;
	}
}

void perf_session_put_gap(struct perf_session *s, const struct perf_sample *sample,
			  const struct perf_process *process)
{
	struct stack *st = &s->stack;
	const struct perf_live *live = s->options.live;
	if (!st->is_cut || !live || !live->stack_begin || st->list.n == st->user_first)
		return;
	struct thread_start *start =
		&perf_thread_get(&s->processes, sample->ids.pid, sample->ids.tid)->start;
	if (!start->is_asked || start->space != process->space) {
		*start = (struct thread_start){ .is_asked = true, .space = process->space };
		/* The C library has one more in front of main than in front of a thread's function. */
		bool is_first = sample->ids.pid == sample->ids.tid;
		ask(s, process, perf_session_stack_pointer(s, sample),
		    THREAD_START_FRAMES - !is_first, start);
	}
	vec_push(&st->list, (struct stack_address){ .part = PART_GAP });
	for (uint8_t i = 0; i < start->n; i++)
		vec_push(&st->list, (struct stack_address){ start->addresses[i], PART_USER, true });
}
