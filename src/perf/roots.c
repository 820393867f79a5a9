/*
 * Where stacks begin. A chain of frame pointers ends in front of the C library's start of a thread, which keeps
 * none, and a walk by tables goes on to its first instruction. Two towers for one program: so what walks found
 * behind their last addresses is remembered, and where a chain ends at one of these it goes on in the same way.
 * No walk may come so far, where copies are small: then the process is looked at, once.
 */
#include "perf/perf_int.h"
#include "unwind/unwind.h"

static struct stack_root *find(struct stack_roots *roots, uint64_t from)
{
	for (uint32_t i = 0; i < roots->n; i++)
		if (roots->list[i].from == from)
			return &roots->list[i];
	return NULL;
}

/* The address that is so many in front of a stack's last one, and what is behind it. */
static void learn(struct stack_roots *roots, const struct stack_address *last, uint8_t behind)
{
	struct stack_root root = { .from = last[-(int)behind].ip, .n = behind };
	for (uint8_t i = 0; i < behind; i++)
		root.behind[i] = last[1 + (int)i - (int)behind].ip;
	struct stack_root *asked = find(roots, root.from);
	if (asked && !asked->n)
		*asked = root;
	else if (asked)
		asked->is_ambiguous |= memcmp(asked->behind, root.behind, sizeof(root.behind)) != 0;
}

void stack_roots_learn(struct stack_roots *roots, const struct stack_address *stack, uint32_t n)
{
	for (uint8_t behind = 1; roots->n && behind <= STACK_ROOT_BEHIND && behind + 1u < n;
	     behind++)
		learn(roots, stack + n - 1, behind);
}

/* Room for one more; those that were asked for in vain make it. NULL: there is none. */
static struct stack_root *make_room(struct stack_roots *roots)
{
	if (roots->n < ARRAY_SIZE(roots->list))
		return &roots->list[roots->n++];
	for (uint32_t i = 0; i < ARRAY_SIZE(roots->list); i++) {
		struct stack_root *root = &roots->list[roots->next++ % ARRAY_SIZE(roots->list)];
		if (!root->n)
			return root;
	}
	return NULL;
}

const struct stack_root *stack_roots_find(struct stack_roots *roots, uint64_t last, bool *is_new)
{
	struct stack_root *root = find(roots, last);
	*is_new = !root;
	if (root)
		return root->n && !root->is_ambiguous ? root : NULL;
	root = make_room(roots);
	if (root)
		*root = (struct stack_root){ .from = last };
	return NULL;
}

/* What unwound_stack has behind its first address, if it goes to the root. False: it does not. */
static bool learn_unwound(struct stack_roots *roots, const struct unwound_stack *u, uint64_t from)
{
	struct stack_root *root = find(roots, from);
	if (!root || !u->is_rooted || u->n < 2 || u->n > 1 + STACK_ROOT_BEHIND)
		return false;
	root->n = (uint8_t)(u->n - 1);
	memcpy(root->behind, u->addresses + 1, root->n * sizeof(*root->behind));
	return true;
}

/* The first thread's stack, from its oldest words on: where one is that address, it goes on as tables say. */
static void ask_process(struct perf_session *s, const struct perf_process *process,
			struct stack_roots *roots, uint64_t from)
{
	enum { BYTES = 2048, MAX_ASKED = 8 };
	char bytes[BYTES];
	struct processes *processes = s->options.names.processes;
	struct unwind_memory memory = { 0 };
	if (!processes || roots->asked++ >= MAX_ASKED)
		return;
	memory.bytes.p = bytes;
	memory.bytes.n =
		processes_stack_begin(processes, process->pid, 0, &memory.address, bytes, BYTES);
	if (!s->unwound)
		s->unwound = mem_alloc(1, sizeof(*s->unwound));
	for (size_t at = memory.bytes.n / 8 * 8; at >= 8;) {
		uint64_t word;
		at -= 8;
		memcpy(&word, bytes + at, sizeof(word));
		if (word != from)
			continue;
		perf_session_unwind_from(s, process, &memory, at, s->unwound);
		if (learn_unwound(roots, s->unwound, from))
			return;
	}
}

void perf_session_put_root(struct perf_session *s, const struct perf_process *process)
{
	struct stack *st = &s->stack;
	struct stack_roots *roots = &s->processes.spaces.p[process->space].roots;
	uint32_t n = st->list.n > st->user_first ? st->list.n - st->user_first : 0;
	if (!n || st->is_cut || st->list.p[st->list.n - 1].part != PART_USER)
		return;
	if (st->is_rooted) {
		stack_roots_learn(roots, st->list.p + st->user_first, n);
		return;
	}
	bool is_new;
	uint64_t last = st->list.p[st->list.n - 1].ip;
	const struct stack_root *root = stack_roots_find(roots, last, &is_new);
	if (is_new) {
		ask_process(s, process, roots, last);
		root = stack_roots_find(roots, last, &is_new);
	}
	for (uint8_t i = 0; root && i < root->n; i++)
		vec_push(&st->list, (struct stack_address){ root->behind[i], PART_USER, true });
	st->is_rooted = root != NULL;
}
