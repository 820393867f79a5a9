/*
 * Stacks that are deeper than the kernel's chains go, which is 127 addresses: a recorder that walks stacks
 * itself, by frame pointers as the chain does, knows how they go on.
 */
#include "perf/perf_int.h"

/* Whether the stack ends as the chain does, which is what was walked first. */
static bool goes_on_from(const struct stack *st, const uint64_t *pcs, uint32_t chained)
{
	enum { SURE_RUN = 16 };
	uint32_t n = st->list.n - st->user_first, run = 0;
	while (run < n && run < chained && run < SURE_RUN &&
	       st->list.p[st->list.n - 1 - run].ip == pcs[chained - 1 - run])
		run++;
	return run == SURE_RUN;
}

void perf_session_put_walked(struct perf_session *s, const struct perf_process *process,
			     const struct perf_ids *ids)
{
	const struct perf_live *live = s->options.live;
	struct perf_walked w = { 0 };
	struct stack *st = &s->stack;
	uint32_t chained =
		st->chain_addresses > st->user_first ? st->chain_addresses - st->user_first : 0;
	if (!st->is_cut || !live || !live->walked ||
	    !live->walked(live->context, ids->tid, ids->time_ns, &w) || w.n <= chained ||
	    !goes_on_from(st, w.pcs, chained))
		return;
	uint32_t before = st->list.n;
	for (uint32_t i = chained; i < w.n; i++)
		vec_push(&st->list, (struct stack_address){ w.pcs[i], PART_USER, true });
	uint32_t plausible = perf_stack_plausible(s, process, st->list.p + before, w.n - chained);
	st->list.n = before + plausible;
	st->is_cut = w.has_more && plausible == w.n - chained;
}
