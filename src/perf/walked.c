/*
 * Stacks that are deeper than the kernel's chains go, which is 127 addresses, and than copies: a recorder that walks
 * stacks itself, by frame pointers as the chain does, knows how they go on.
 */
#include "perf/perf_int.h"

/* Whether the stack ends as the chain does, which is what was walked first. */
static bool ends_as_chain(const struct stack *st, const struct perf_walked *w, uint32_t chained)
{
	enum { SURE_RUN = 16 };
	uint32_t n = st->list.n - st->user_first, run = 0;
	while (run < n && run < chained && run < SURE_RUN &&
	       st->list.p[st->list.n - 1 - run].ip == w->frames[chained - 1 - run].ip)
		run++;
	return run == SURE_RUN;
}

uint32_t perf_walked_behind(const struct perf_walked *w, uint64_t frame_pointer)
{
	for (uint32_t i = 0; frame_pointer && i < w->n; i++)
		if (w->frames[i].frame_pointer == frame_pointer)
			return i + 1;
	return w->n;
}

/*
 * Which of the frames comes behind the stack's last address; w->n: none. A function that calls itself has the same
 * addresses at any depth, so it is the register that tells where a copy ended.
 */
static uint32_t next_walked(const struct stack *st, const struct perf_walked *w)
{
	uint32_t chained =
		st->chain_addresses > st->user_first ? st->chain_addresses - st->user_first : 0;
	if (st->is_chain_last)
		return chained < w->n && ends_as_chain(st, w, chained) ? chained : w->n;
	return perf_walked_behind(w, st->list.n ? st->list.p[st->list.n - 1].frame_pointer : 0);
}

/* Tables may lead on from where frame pointers end, but not far: the C library keeps none where threads start. */
static bool has_last(const struct stack *st, const struct perf_walked *w)
{
	uint32_t n = st->list.n - st->user_first;
	for (uint32_t i = 0; w->n && i < n && i <= 1 + STACK_ROOT_BEHIND; i++)
		if (st->list.p[st->list.n - 1 - i].ip == w->frames[w->n - 1].ip)
			return true;
	return false;
}

void perf_session_add_walked(struct perf_session *s, const struct perf_process *process,
			     const struct perf_walked *w, uint32_t next)
{
	struct stack *st = &s->stack;
	uint32_t before = st->list.n, n = w->n - next;
	for (uint32_t i = next; i < w->n; i++)
		vec_push(&st->list,
			 (struct stack_address){ .ip = w->frames[i].ip,
						 .part = PART_USER,
						 .is_call = true,
						 .frame_pointer = w->frames[i].frame_pointer });
	uint32_t plausible = perf_stack_plausible(s, process, st->list.p + before, n);
	st->list.n = before + plausible;
	st->is_cut = w->has_more && plausible == n;
}

void perf_session_put_walked(struct perf_session *s, const struct perf_process *process,
			     const struct perf_found *found)
{
	struct stack *st = &s->stack;
	if (!st->is_cut || !found || !found->walked.n)
		return;
	const struct perf_walked *w = &found->walked;
	uint32_t next = next_walked(st, w);
	if (next < w->n)
		perf_session_add_walked(s, process, w, next);
	else
		st->is_cut = w->has_more || !has_last(st, w);
}
